//! Sums over near points on a tile of a query grid. The kernel being a product over axes, the tile needs one
//! exponential per point and grid line instead of one per pair; what is left is a product of two small matrices,
//! [rows of the tile × points] by [points × columns of the tile].

use super::tiles::{Context, TileSums};
use crate::grid::Grid;
use crate::kernel::exp::{multiply_add, round};
use crate::point_tree::Cuboid;
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Points weighed at once.
const BLOCK: usize = 64;
/// Columns of a tile, along the last axis; fewer are padded.
const COLUMNS: usize = 16;
/// Most rows of a tile, over all other axes.
const ROWS: usize = 16;
/// Rows multiplied at once: with [`COLUMNS`] their sums just fit into the registers.
const ROWS_AT_ONCE: usize = 2;

/// A block of grid indices on each axis.
pub(super) type Tile = Vec<Range<usize>>;

/// Cuts a grid into tiles of at most about 2ℓ: in wider ones most pairs would be too far apart to matter.
pub(super) fn tiles(grid: &Grid, length_scale: f64) -> Vec<Tile> {
    let most = match grid.dim() {
        1 => [COLUMNS, 1, 1],
        2 => [ROWS, COLUMNS, 1],
        _ => [ROWS.isqrt(), ROWS.isqrt(), COLUMNS],
    };
    let mut tiles: Vec<Tile> = vec![Vec::new()];
    for (d, &most) in most.iter().enumerate().take(grid.dim()) {
        let width = ((2.0 * length_scale / grid.spacing(d)).ceil() as usize).clamp(1, most);
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
    let n_terms = context.moments.terms.len();
    let height = rows.len().next_multiple_of(ROWS_AT_ONCE);
    let mut sums = vec![[0.0; COLUMNS]; n_terms * height];
    Arch::new().dispatch(Product { context, grid, tile, rows: &rows, ranges: &ranges, sums: &mut sums });

    let shape = grid.shape();
    let flat = |row: &[usize], column: usize| {
        row.iter().chain([&column]).zip(&shape).fold(0, |index, (i, n)| index * n + i)
    };
    let indices = rows.iter().flat_map(|row| tile[last].clone().map(|c| flat(row, c))).collect();
    let width = tile[last].len();
    let sums = sums
        .chunks_exact(height)
        .flat_map(|of_term| &of_term[..rows.len()])
        .flat_map(|row| row[..width].iter().copied())
        .collect();
    (indices, sums)
}

/// Adds the points of `ranges` to the sums `[term, row][column]` of a tile; rows are padded to whole
/// [`ROWS_AT_ONCE`].
struct Product<'a> {
    context: &'a Context<'a>,
    grid: &'a Grid,
    tile: &'a Tile,
    /// Indices on the leading axes.
    rows: &'a [Vec<usize>],
    ranges: &'a [Range<usize>],
    sums: &'a mut [[f64; COLUMNS]],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { context, grid, tile, rows, ranges, sums } = self;
        let (kernel, terms) = (context.moments.kernel, context.moments.terms);
        let last = tile.len() - 1;
        let height = rows.len().next_multiple_of(ROWS_AT_ONCE);
        let displacement = |d: usize, x: f64, c: f64| {
            let (period, inverse) = context.periods[d];
            let plain = c - x;
            multiply_add::<S>(-period, round(plain * inverse), plain)
        };
        let mut columns = [0.0; COLUMNS];
        for (place, x) in columns.iter_mut().enumerate() {
            *x = grid.coordinates(last)[tile[last].start + place.min(tile[last].len() - 1)];
        }
        let max_power = terms.iter().map(|t| t.powers[last]).max().unwrap_or(0);
        // Weights of points by columns, one table for each power of the displacement.
        let mut by_column = vec![[[0.0; COLUMNS]; BLOCK]; 1 + max_power];
        // Weights and displacements of points by grid line of the leading axes.
        let mut by_line: Vec<Vec<[[f64; BLOCK]; 2]>> =
            tile[..last].iter().map(|block| vec![[[0.0; BLOCK]; 2]; block.len()]).collect();
        let mut by_row = vec![[0.0; BLOCK]; sums.len()];
        let blocks = ranges.iter().flat_map(|r| r.clone().step_by(BLOCK).map(|s| s..r.end.min(s + BLOCK)));
        for block in blocks {
            let n = block.len();
            for (&c, weights) in context.tree.coordinates(last)[block.clone()].iter().zip(&mut by_column[0]) {
                for (weight, &x) in weights.iter_mut().zip(&columns) {
                    let delta = displacement(last, x, c);
                    *weight = kernel.weight::<S>(delta * delta);
                }
            }
            for power in 1..=max_power {
                let (lower, upper) = by_column.split_at_mut(power);
                let coordinates = &context.tree.coordinates(last)[block.clone()];
                for ((&c, from), to) in coordinates.iter().zip(&lower[power - 1]).zip(&mut upper[0]) {
                    for ((to, from), &x) in to.iter_mut().zip(from).zip(&columns) {
                        *to = from * displacement(last, x, c);
                    }
                }
            }
            for (d, lines) in by_line.iter_mut().enumerate() {
                let coordinates = &context.tree.coordinates(d)[block.clone()];
                for (line, [weights, deltas]) in lines.iter_mut().enumerate() {
                    let x = grid.coordinates(d)[tile[d].start + line];
                    for ((weight, delta), &c) in weights.iter_mut().zip(deltas).zip(coordinates) {
                        *delta = displacement(d, x, c);
                        *weight = kernel.weight::<S>(*delta * *delta);
                    }
                }
            }
            for (term, by_row) in terms.iter().zip(by_row.chunks_exact_mut(height)) {
                for (row, out) in rows.iter().zip(by_row) {
                    match term.channel {
                        Some(channel) => out[..n].copy_from_slice(&context.channel(channel)[block.clone()]),
                        None => out[..n].fill(1.0),
                    }
                    // Past the end: no weight.
                    out[n..].fill(0.0);
                    for (d, &index) in row.iter().enumerate() {
                        let [weights, deltas] = &by_line[d][index - tile[d].start];
                        out.iter_mut().zip(weights).for_each(|(o, w)| *o *= w);
                        for _ in 0..term.powers[d] {
                            out.iter_mut().zip(deltas).for_each(|(o, delta)| *o *= delta);
                        }
                    }
                }
            }
            let of_terms = sums.chunks_exact_mut(height).zip(by_row.chunks_exact(height));
            for (term, (sums, by_row)) in terms.iter().zip(of_terms) {
                let by_column = &by_column[term.powers[last]][..n];
                let some = sums.chunks_exact_mut(ROWS_AT_ONCE).zip(by_row.chunks_exact(ROWS_AT_ONCE));
                some.for_each(|(sums, by_row)| add_product::<S>(sums, by_row, by_column));
            }
        }
    }
}

/// `sums[r][c] += Σ_b by_row[r][b] by_column[b][c]`, for as many rows as fit into registers.
#[inline(always)]
fn add_product<S: Simd>(sums: &mut [[f64; COLUMNS]], by_row: &[[f64; BLOCK]], by_column: &[[f64; COLUMNS]]) {
    let mut partial: [[f64; COLUMNS]; ROWS_AT_ONCE] = std::array::from_fn(|r| sums[r]);
    for (b, weights) in by_column.iter().enumerate() {
        for (partial, by_row) in partial.iter_mut().zip(by_row) {
            for (sum, weight) in partial.iter_mut().zip(weights) {
                *sum = multiply_add::<S>(by_row[b], *weight, *sum);
            }
        }
    }
    sums.copy_from_slice(&partial);
}
