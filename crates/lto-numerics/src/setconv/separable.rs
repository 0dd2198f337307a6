//! Sums over near points on a tile of a query grid. The kernel being a product over axes, the tile needs one
//! exponential per point and grid line instead of one per pair; what is left is a product of two small matrices,
//! [rows of the tile × points] by [points × columns of the tile].

use super::moments::Term;
use super::tiles::{Context, TileSums};
use crate::grid::Grid;
use crate::kernel::exp::{multiply_add, round};
use crate::point_tree::Cuboid;
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Points weighed at once.
const BLOCK: usize = 64;
/// Columns multiplied at once; the last panel of a tile is padded.
const PANEL: usize = 16;
/// Rows multiplied at once: with [`PANEL`] their sums just fit into the registers.
const ROWS_AT_ONCE: usize = 2;
/// Most grid points of a tile along the last axis, and over all other axes together.
const MOST_COLUMNS: usize = 64;
const MOST_ROWS: usize = 64;

/// A block of grid indices on each axis.
pub(super) type Tile = Vec<Range<usize>>;

/// Cuts a grid into tiles about 3ℓ wide: in wider ones most pairs would be too far apart to matter, in narrower ones
/// the exponentials would take longer than the products.
pub(super) fn tiles(grid: &Grid, length_scale: f64) -> Vec<Tile> {
    let last = grid.dim() - 1;
    let most_rows = if last == 2 { MOST_ROWS.isqrt() } else { MOST_ROWS };
    let mut tiles: Vec<Tile> = vec![Vec::new()];
    for d in 0..grid.dim() {
        let wanted = (3.0 * length_scale / grid.spacing(d)).ceil() as usize;
        let width = match wanted {
            0..=5 => wanted.max(1),
            _ if d < last => wanted.min(most_rows),
            // Padding costs as much as columns do.
            _ => wanted.min(MOST_COLUMNS).next_multiple_of(PANEL),
        };
        let n = grid.coordinates(d).len();
        let blocks = (0..n).step_by(width).map(|start| start..n.min(start + width));
        tiles = tiles
            .iter()
            .flat_map(|tile| blocks.clone().map(move |block| [tile.as_slice(), &[block]].concat()))
            .collect();
    }
    tiles
}

/// The sums at the grid points of a tile.
pub(super) fn sums(context: &Context, grid: &Grid, tile: &Tile) -> TileSums {
    let (mut lower, mut upper) = ([0.0; 3], [0.0; 3]);
    for (d, block) in tile.iter().enumerate() {
        lower[d] = grid.coordinates(d)[block.start];
        upper[d] = grid.coordinates(d)[block.end - 1];
    }
    let ranges = context.near(&Cuboid::between(lower, upper));
    let (last, leading) = (tile.len() - 1, &tile[..tile.len() - 1]);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
    for block in leading {
        rows =
            rows.iter().flat_map(|row| block.clone().map(move |i| [row.as_slice(), &[i]].concat())).collect();
    }
    let height = rows.len().next_multiple_of(ROWS_AT_ONCE);
    let (n_terms, width) = (context.moments.terms.len(), tile[last].len());
    let n_panels = width.div_ceil(PANEL);
    let mut sums = vec![[0.0; PANEL]; n_terms * n_panels * height];
    Arch::new().dispatch(Product {
        context,
        grid,
        tile,
        rows: &rows,
        height,
        ranges: &ranges,
        sums: &mut sums,
    });

    let shape = grid.shape();
    let flat = |row: &[usize], column: usize| {
        row.iter().chain([&column]).zip(&shape).fold(0, |index, (i, n)| index * n + i)
    };
    let indices = rows.iter().flat_map(|row| tile[last].clone().map(|c| flat(row, c))).collect();
    let at = |term: usize, row: usize, column: usize| {
        sums[(term * n_panels + column / PANEL) * height + row][column % PANEL]
    };
    let places = (0..rows.len()).flat_map(|row| (0..width).map(move |column| (row, column)));
    let sums = (0..n_terms).flat_map(|t| places.clone().map(move |(r, c)| (t, r, c)));
    (indices, sums.map(|(t, r, c)| at(t, r, c)).collect())
}

/// Adds the points of `ranges` to the sums `[term, panel, row][column]` of a tile.
struct Product<'a> {
    context: &'a Context<'a>,
    grid: &'a Grid,
    tile: &'a Tile,
    /// Indices on the leading axes.
    rows: &'a [Vec<usize>],
    /// Number of rows, padded.
    height: usize,
    ranges: &'a [Range<usize>],
    sums: &'a mut [[f64; PANEL]],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { context, grid, tile, rows, height, ranges, sums } = self;
        let terms = context.moments.terms;
        let last = tile.len() - 1;
        let n_panels = sums.len() / (terms.len() * height);
        let columns: Vec<[f64; PANEL]> = (0..n_panels)
            .map(|panel| {
                let index = |c: usize| (tile[last].start + panel * PANEL + c).min(tile[last].end - 1);
                std::array::from_fn(|c| grid.coordinates(last)[index(c)])
            })
            .collect();
        let max_power = terms.iter().map(|t| t.powers[last]).max().unwrap_or(0);
        // Weights of points by columns, a table for each power of the displacement and panel.
        let mut by_column = vec![[[0.0; PANEL]; BLOCK]; (1 + max_power) * n_panels];
        // Weights and displacements of points by grid line of the leading axes.
        let mut by_line: Vec<Vec<[[f64; BLOCK]; 2]>> =
            tile[..last].iter().map(|block| vec![[[0.0; BLOCK]; 2]; block.len()]).collect();
        let mut by_row = vec![[0.0; BLOCK]; height];
        let blocks = ranges.iter().flat_map(|r| r.clone().step_by(BLOCK).map(|s| s..r.end.min(s + BLOCK)));
        for block in blocks {
            let coordinates = &context.tree.coordinates(last)[block.clone()];
            let (weights, higher) = by_column.split_at_mut(n_panels);
            for (panel, (columns, weights)) in columns.iter().zip(weights).enumerate() {
                let powers = higher.iter_mut().skip(panel).step_by(n_panels);
                weigh_columns::<S>(context, last, columns, coordinates, weights, powers);
            }
            for (d, lines) in by_line.iter_mut().enumerate() {
                let coordinates = &context.tree.coordinates(d)[block.clone()];
                for (line, table) in lines.iter_mut().enumerate() {
                    let x = grid.coordinates(d)[tile[d].start + line];
                    weigh_line::<S>(context, d, x, coordinates, table);
                }
            }
            for (term, sums) in terms.iter().zip(sums.chunks_exact_mut(n_panels * height)) {
                for (row, out) in rows.iter().zip(&mut by_row) {
                    values_of(context, term, block.clone(), out);
                    for (d, &index) in row.iter().enumerate() {
                        let [weights, deltas] = &by_line[d][index - tile[d].start];
                        out.iter_mut().zip(weights).for_each(|(o, w)| *o *= w);
                        for _ in 0..term.powers[d] {
                            out.iter_mut().zip(deltas).for_each(|(o, delta)| *o *= delta);
                        }
                    }
                }
                let tables = by_column.iter().skip(term.powers[last] * n_panels);
                for (sums, table) in sums.chunks_exact_mut(height).zip(tables) {
                    let some = sums.chunks_exact_mut(ROWS_AT_ONCE).zip(by_row.chunks_exact(ROWS_AT_ONCE));
                    some.for_each(|(sums, by_row)| add_product::<S>(sums, by_row, &table[..block.len()]));
                }
            }
        }
    }
}

/// The shortest way from `x` to `c` along axis `d`.
#[inline(always)]
fn displacement<S: Simd>(context: &Context, d: usize, x: f64, c: f64) -> f64 {
    let (period, inverse) = context.periods[d];
    multiply_add::<S>(-period, round((c - x) * inverse), c - x)
}

/// The weights of points by the columns of a panel, and those times powers of the displacement.
#[inline(always)]
fn weigh_columns<'a, S: Simd>(
    context: &Context,
    d: usize,
    columns: &[f64; PANEL],
    coordinates: &[f64],
    weights: &mut [[f64; PANEL]; BLOCK],
    powers: impl Iterator<Item = &'a mut [[f64; PANEL]; BLOCK]>,
) {
    let kernel = context.moments.kernel;
    for (&c, weights) in coordinates.iter().zip(&mut *weights) {
        for (weight, &x) in weights.iter_mut().zip(columns) {
            let delta = displacement::<S>(context, d, x, c);
            *weight = kernel.weight::<S>(delta * delta);
        }
    }
    let mut lower = &*weights;
    for power in powers {
        for ((&c, from), to) in coordinates.iter().zip(lower).zip(&mut *power) {
            for ((to, from), &x) in to.iter_mut().zip(from).zip(columns) {
                *to = from * displacement::<S>(context, d, x, c);
            }
        }
        lower = power;
    }
}

/// The weights and displacements of points by one grid line.
#[inline(always)]
fn weigh_line<S: Simd>(
    context: &Context,
    d: usize,
    x: f64,
    coordinates: &[f64],
    table: &mut [[f64; BLOCK]; 2],
) {
    let kernel = context.moments.kernel;
    let [weights, deltas] = table;
    for ((weight, delta), &c) in weights.iter_mut().zip(deltas).zip(coordinates) {
        *delta = displacement::<S>(context, d, x, c);
        *weight = kernel.weight::<S>(*delta * *delta);
    }
}

/// The values of a term, zero past the end of the block.
#[inline(always)]
fn values_of(context: &Context, term: &Term, block: Range<usize>, out: &mut [f64; BLOCK]) {
    let n = block.len();
    match term.channel {
        Some(channel) => out[..n].copy_from_slice(&context.channel(channel)[block]),
        None => out[..n].fill(1.0),
    }
    out[n..].fill(0.0);
}

/// `sums[r][c] += Σ_b by_row[r][b] table[b][c]`, for as many rows as fit into registers.
#[inline(always)]
fn add_product<S: Simd>(sums: &mut [[f64; PANEL]], by_row: &[[f64; BLOCK]], table: &[[f64; PANEL]]) {
    let mut partial: [[f64; PANEL]; ROWS_AT_ONCE] = std::array::from_fn(|r| sums[r]);
    for (b, weights) in table.iter().enumerate() {
        for (partial, by_row) in partial.iter_mut().zip(by_row) {
            for (sum, weight) in partial.iter_mut().zip(weights) {
                *sum = multiply_add::<S>(by_row[b], *weight, *sum);
            }
        }
    }
    sums.copy_from_slice(&partial);
}
