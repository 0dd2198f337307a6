//! Sums over near points at scattered query points: one exponential per pair.

use super::moments::Term;
use super::tiles::{Context, TileSums};
use crate::kernel::exp::multiply_add;
use crate::point_tree::{Node, PointTree, Position};
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Points weighted at once; their weights and displacements stay in the fastest cache.
const BLOCK: usize = 128;
/// Independent partial sums, so that additions need not wait for each other. Fixed, so that results do not
/// depend on the vector width.
const LANES: usize = 8;

/// The sums at the query points of a leaf.
pub(super) fn sums(context: &Context, queries: &PointTree, leaf: &Node) -> TileSums<f64> {
    let ranges = context.near(&leaf.cuboid);
    let n_terms = context.moments.terms.len();
    let n_query = leaf.range.len();
    let mut sums = vec![0.0; n_terms * n_query];
    for (q, place) in leaf.range.clone().enumerate() {
        let position = queries.position(place);
        let mut partial = vec![[0.0; LANES]; n_terms];
        let blocks = Blocks { context, ranges: &ranges, position, partial: &mut partial };
        Arch::new().dispatch(blocks);
        for (term, lanes) in partial.iter().enumerate() {
            sums[term * n_query + q] = lanes.iter().sum();
        }
    }
    (queries.order()[leaf.range.clone()].to_vec(), sums)
}

/// Adds the points of `ranges` to the partial sums of one query point.
struct Blocks<'a> {
    context: &'a Context<'a>,
    ranges: &'a [Range<usize>],
    position: Position,
    partial: &'a mut [[f64; LANES]],
}

impl WithSimd for Blocks<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { context, ranges, position, partial } = self;
        let kernel = context.moments.kernel;
        let dim = context.moments.context.dim();
        let mut delta = [[0.0; BLOCK]; 3];
        let mut weight = [0.0; BLOCK];
        for range in ranges {
            for start in range.clone().step_by(BLOCK) {
                let block = start..range.end.min(start + BLOCK);
                let n = block.len();
                weight[..n].fill(0.0);
                for d in 0..dim {
                    let ways = context.ways[d];
                    let coordinates = &context.tree.coordinates(d)[block.clone()];
                    for ((delta, square), c) in delta[d].iter_mut().zip(&mut weight).zip(coordinates) {
                        *delta = ways.between::<S>(position[d], *c);
                        *square = multiply_add::<S>(*delta, *delta, *square);
                    }
                }
                weight[..n].iter_mut().for_each(|square| *square = kernel.weight::<S>(*square));
                // Weights past the end are zero, so every block is summed in whole lanes.
                weight[n..].fill(0.0);
                for (term, partial) in context.moments.terms.iter().zip(partial.iter_mut()) {
                    let mut product = weight;
                    multiply(term, context, &delta, block.clone(), &mut product);
                    for lanes in product[..n.next_multiple_of(LANES)].chunks_exact(LANES) {
                        for (sum, value) in partial.iter_mut().zip(lanes) {
                            *sum += value;
                        }
                    }
                }
            }
        }
    }
}

/// Multiplies weights by the values and displacements of a term.
#[inline(always)]
fn multiply(
    term: &Term,
    context: &Context,
    delta: &[[f64; BLOCK]; 3],
    block: Range<usize>,
    product: &mut [f64; BLOCK],
) {
    if let Some(channel) = term.channel {
        product.iter_mut().zip(&context.channel(channel)[block]).for_each(|(p, u)| *p *= u);
    }
    for (delta, power) in delta.iter().zip(term.powers) {
        for _ in 0..power {
            product.iter_mut().zip(delta).for_each(|(p, d)| *p *= d);
        }
    }
}
