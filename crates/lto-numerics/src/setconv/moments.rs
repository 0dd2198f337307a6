//! The sums behind the set convolution and the local linear estimate.

use super::axis_products::{self, GridWeights};
use super::tiles;
use crate::domain::Axis;
use crate::grid::Grid;
use crate::kernel::{Gaussian, Real};
use crate::points::{PointStructure, Points};

/// Σ_j f_j κ(x, c_j) Π_d δ_d^{k_d}, with δ the shortest displacement from x to c_j: one sum per query point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Term {
    /// The channel of f; `None` for f = 1.
    pub channel: Option<usize>,
    /// The exponents k_d.
    pub powers: [usize; 3],
}

impl Term {
    /// Density, then the raw signal of every channel.
    pub fn channels(n_channels: usize) -> Vec<Term> {
        let powers = [0; 3];
        std::iter::once(None)
            .chain((0..n_channels).map(Some))
            .map(|channel| Term { channel, powers })
            .collect()
    }

    /// The same, each followed by its second moments along every axis, the last axis first: `∂κ/∂log ℓ = κ |δ|²/ℓ²`.
    pub fn channels_with_slopes(dim: usize, n_channels: usize) -> Vec<Term> {
        let powers = |d: usize| std::array::from_fn(|e| if d == e { 2 } else { 0 });
        let with_slopes = |value: Term| {
            let slopes = (0..dim).rev().map(move |d| Term { powers: powers(d), ..value });
            std::iter::once(value).chain(slopes)
        };
        Self::channels(n_channels).into_iter().flat_map(with_slopes).collect()
    }

    /// The entries of the normal equations of an affine fit: Σκ, Σκδ_d, Σκδ_dδ_e for d ≤ e, and for every channel
    /// Σuκ, Σuκδ_d.
    pub fn affine(dim: usize, n_channels: usize) -> Vec<Term> {
        let power = |axes: &[usize]| {
            let mut powers = [0; 3];
            axes.iter().for_each(|&d| powers[d] += 1);
            powers
        };
        let first: Vec<_> = std::iter::once(power(&[])).chain((0..dim).map(|d| power(&[d]))).collect();
        let second = (0..dim).flat_map(|d| (d..dim).map(move |e| power(&[d, e])));
        let moments = first.iter().copied().chain(second).map(|powers| Term { channel: None, powers });
        let signals = (0..n_channels)
            .flat_map(|channel| first.iter().map(move |&powers| Term { channel: Some(channel), powers }));
        moments.chain(signals).collect()
    }
}

/// What to sum.
pub(super) struct Moments<'a> {
    pub kernel: Gaussian,
    pub context: &'a Points,
    /// `[channel, point]`.
    pub values: &'a [f64],
    pub query: &'a Points,
    pub terms: &'a [Term],
    /// Largest relative change of the density from leaving out far points.
    pub truncation: f64,
}

impl Moments<'_> {
    /// The sums `[term, query point]`, by the cheaper method. The order of summation follows from the points'
    /// coordinates.
    pub fn sums(&self) -> Vec<f64> {
        match (grid_of(self.context), grid_of(self.query)) {
            (Some(from), Some(to)) if axis_products::cost(from, to) <= self.tiled_cost() => {
                let sums = self.weights(from, to).sums(self);
                match self.query.structure() {
                    PointStructure::Masked { indices, .. } => pick(&sums, to.len(), indices),
                    _ => sums,
                }
            }
            _ => tiles::sums(self),
        }
    }

    /// The weights between two grids for all terms.
    pub fn weights<'a, T: Real>(&self, from: &'a Grid, to: &'a Grid) -> GridWeights<'a, T> {
        GridWeights::new(from, to, self.kernel.length_scale(), |d| self.powers(d))
    }

    /// The powers of the displacement needed along an axis.
    pub fn powers(&self, d: usize) -> [bool; 3] {
        std::array::from_fn(|power| self.terms.iter().any(|term| term.powers[d] == power))
    }

    /// The values f_j of a term at the points of the context, or `None` for f = 1.
    pub fn values_of(&self, term: &Term) -> Option<&[f64]> {
        let n = self.context.len();
        term.channel.map(|channel| &self.values[channel * n..(channel + 1) * n])
    }

    /// Approximate number of multiplications per term of the sum over near points.
    pub fn tiled_cost(&self) -> f64 {
        let squared_reach = self.kernel.squared_cut_off(self.truncation);
        let reach = |axis: &Axis| (2.0 * squared_reach.sqrt() / axis.extent()).min(1.0);
        let near: f64 = self.context.domain().axes().iter().map(reach).product();
        // The tree, the search and the exponentials cost at least about this many products.
        const OVERHEAD: f64 = 256.0;
        self.query.len() as f64 * (self.context.len() as f64 * near + OVERHEAD)
            + self.context.len() as f64 * OVERHEAD
    }
}

/// The sums of all terms at some points of a grid.
pub(super) fn pick<T: Copy>(sums: &[T], n: usize, indices: &[usize]) -> Vec<T> {
    sums.chunks_exact(n).flat_map(|term| indices.iter().map(|&index| term[index])).collect()
}

/// The grid that holds all the points.
pub(super) fn grid_of(points: &Points) -> Option<&Grid> {
    match points.structure() {
        PointStructure::Scattered(_) => None,
        PointStructure::Grid(grid) | PointStructure::Masked { grid, .. } => Some(grid),
    }
}
