//! Sums over scattered points on a tile of a query grid. Since the kernel is a product over axes, the tile
//! needs one exponential per point and grid line instead of one per pair; the rest is a matrix product, [rows
//! of the tile × points] by [points × columns of the tile].

use super::axis_weights::PowerTables;
use super::moments::{Moments, Term};
use crate::grid::Grid;
use crate::kernel::Real;
use crate::matrix::{Matrix, multiply};
use std::ops::Range;

/// Points weighted at once. In single precision a sum over N points carries the rounding of `CHUNK` +
/// N/`CHUNK` additions.
pub(super) const CHUNK: usize = 256;
/// Most grid points of a tile along the last axis, and over all other axes together.
const MOST_COLUMNS: usize = 64;
const MOST_ROWS: usize = 64;

/// A block of grid indices on each axis.
pub(super) type Tile = Vec<Range<usize>>;

/// Cuts a grid into tiles about 3ℓ wide. In wider tiles most pairs would be too far apart to matter; in
/// narrower ones the exponentials would take longer than the products.
pub(super) fn tiles(grid: &Grid, length_scale: f64) -> Vec<Tile> {
    let last = grid.dim() - 1;
    let most_rows = if last == 2 { MOST_ROWS.isqrt() } else { MOST_ROWS };
    let mut tiles: Vec<Tile> = vec![Vec::new()];
    for d in 0..grid.dim() {
        let wanted = (3.0 * length_scale / grid.spacing(d)).ceil() as usize;
        let width = wanted.clamp(1, if d < last { most_rows } else { MOST_COLUMNS });
        let n = grid.coordinates(d).len();
        let blocks = (0..n).step_by(width).map(|start| start..n.min(start + width));
        tiles = tiles
            .iter()
            .flat_map(|tile| blocks.clone().map(move |block| [tile.as_slice(), &[block]].concat()))
            .collect();
    }
    tiles
}

/// Scattered points and their values, axis by axis and channel by channel.
pub(super) struct Cloud<'a> {
    /// `[axis][point]`.
    pub coordinates: Vec<&'a [f64]>,
    /// `[channel, point]`.
    pub values: &'a [f64],
}

impl Cloud<'_> {
    fn len(&self) -> usize {
        self.coordinates[0].len()
    }
}

/// The sums `[term, grid point of the tile]` over the points of the given ranges.
pub(super) fn sums<T: Real>(
    moments: &Moments,
    cloud: &Cloud,
    grid: &Grid,
    tile: &[Range<usize>],
    ranges: &[Range<usize>],
) -> Vec<T> {
    let (dim, terms) = (tile.len(), moments.terms);
    let axes = grid.domain().axes();
    let lines: Vec<&[f64]> = (0..dim).map(|d| &grid.coordinates(d)[tile[d].clone()]).collect();
    let (columns, leading) = (lines[dim - 1].len(), &lines[..dim - 1]);
    let rows: usize = leading.iter().map(|lines| lines.len()).product();
    let wanted: Vec<[bool; 3]> = (0..dim).map(|d| moments.powers(d)).collect();
    let mut tables: Vec<PowerTables<T>> = (0..dim).map(|_| PowerTables::new()).collect();
    let mut by_row = Vec::new();
    let mut sums = vec![T::default(); terms.len() * rows * columns];
    let mut chunk = Chunk::default();
    for pieces in chunks(ranges) {
        chunk.gather(cloud, &pieces);
        let n = chunk.coordinates[0].len();
        for (d, table) in tables.iter_mut().enumerate() {
            table.fill(&axes[d], lines[d], &chunk.coordinates[d], moments.kernel.length_scale(), wanted[d]);
        }
        let (last, first) = (&tables[dim - 1], &tables[..dim - 1]);
        let mut known: Option<Term> = None;
        for (term, sums) in terms.iter().zip(sums.chunks_exact_mut(rows * columns)) {
            let same = |known: Term| {
                known.channel == term.channel && known.powers[..dim - 1] == term.powers[..dim - 1]
            };
            if !known.is_some_and(same) {
                let values = term.channel.map(|channel| &chunk.values[channel * n..][..n]);
                weigh_rows(first, leading, term, values, n, &mut by_row);
                known = Some(*term);
            }
            let columns = Matrix::new(last.of(term.powers[dim - 1]), columns, n).transposed();
            multiply(Matrix::new(&by_row, rows, n), columns, sums, true);
        }
    }
    sums
}

/// `out[row, j] = f_j Π_d κ_d δ_d^{k_d}` over the leading axes, if any.
fn weigh_rows<T: Real>(
    tables: &[PowerTables<T>],
    lines: &[&[f64]],
    term: &Term,
    values: Option<&[f64]>,
    n: usize,
    out: &mut Vec<T>,
) {
    out.clear();
    match values {
        Some(values) => out.extend(values.iter().map(|&u| T::from_f64(u))),
        None => out.resize(n, T::ONE),
    }
    for (d, (table, lines)) in tables.iter().zip(lines).enumerate() {
        let weights = table.of(term.powers[d]);
        if d == 0 && values.is_none() {
            out.clear();
            out.extend_from_slice(weights);
            continue;
        }
        let before = std::mem::take(out);
        out.reserve(before.len() * lines.len());
        for row in before.chunks_exact(n) {
            for weights in weights.chunks_exact(n) {
                out.extend(row.iter().zip(weights).map(|(a, b)| *a * *b));
            }
        }
    }
}

/// The points weighted at once.
#[derive(Default)]
struct Chunk {
    coordinates: [Vec<f64>; 3],
    values: Vec<f64>,
}

impl Chunk {
    fn gather(&mut self, cloud: &Cloud, pieces: &[Range<usize>]) {
        let copy = |to: &mut Vec<f64>, from: &[f64]| {
            pieces.iter().for_each(|piece| to.extend_from_slice(&from[piece.clone()]));
        };
        for (to, from) in self.coordinates.iter_mut().zip(&cloud.coordinates) {
            to.clear();
            copy(to, from);
        }
        self.values.clear();
        cloud.values.chunks_exact(cloud.len()).for_each(|channel| copy(&mut self.values, channel));
    }
}

/// Ranges in groups of at most [`CHUNK`] points; longer ranges are cut.
fn chunks(ranges: &[Range<usize>]) -> Vec<Vec<Range<usize>>> {
    let (mut groups, mut room) = (Vec::new(), 0);
    for range in ranges {
        let mut start = range.start;
        while start < range.end {
            if room == 0 {
                groups.push(Vec::new());
                room = CHUNK;
            }
            let end = range.end.min(start + room);
            if let Some(group) = groups.last_mut() {
                group.push(start..end);
            }
            room -= end - start;
            start = end;
        }
    }
    groups
}
