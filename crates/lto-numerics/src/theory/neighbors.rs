//! The actual kernel weights of one query point.

use crate::kernel::Gaussian;
use crate::point_tree::{Cuboid, PointTree};
use crate::points::Points;

/// Points left out weigh together at most this part of those that are not.
pub(super) const TRUNCATION: f64 = 1e-14;

/// A set of points that can be asked which of them matter at a place.
pub(super) struct Neighbors<'a> {
    context: &'a Points,
    tree: PointTree,
    kernel: Gaussian,
}

/// The points that matter at a place x.
#[derive(Default)]
pub(super) struct Near {
    /// The shortest ways from x to the points.
    pub displacements: Vec<[f64; 3]>,
    /// κ(x, c_j) over κ of the nearest point: at most 1, and never all zero.
    pub weights: Vec<f64>,
    /// κ of the nearest point.
    pub largest: f64,
    /// Its squared distance.
    pub least: f64,
    /// No point left out is nearer than this.
    pub reach: f64,
}

impl<'a> Neighbors<'a> {
    pub fn new(context: &'a Points, kernel: Gaussian) -> Self {
        Self { context, tree: PointTree::new(context), kernel }
    }

    /// Finds the points that matter at x.
    ///
    /// A point whose squared distance exceeds the least by 2ℓ² ln(N/τ) weighs at most τ/N of the nearest one, so all
    /// such points together at most τ.
    pub fn gather(&self, x: &[f64; 3], near: &mut Near) {
        near.displacements.clear();
        near.weights.clear();
        let least = self.tree.nearest(x, None).map_or(0.0, |nearest| nearest.squared_distance);
        let rate = 0.5 / self.kernel.length_scale().powi(2);
        let margin = margin(&self.kernel, self.tree.len());
        for place in self.tree.near(&Cuboid::point(*x), least + margin).into_iter().flatten() {
            let at = self.tree.position(place);
            let mut displacement = [0.0; 3];
            for (d, axis) in self.context.domain().axes().iter().enumerate() {
                displacement[d] = axis.displacement(x[d], at[d]);
            }
            let squared = dot(&displacement, &displacement);
            near.displacements.push(displacement);
            near.weights.push((-rate * (squared - least).max(0.0)).exp());
        }
        near.largest = self.kernel.value(least);
        (near.least, near.reach) = (least, (least + margin).sqrt());
    }
}

/// A point whose squared distance exceeds the least of `n_points` by this does not matter.
pub(super) fn margin(kernel: &Gaussian, n_points: usize) -> f64 {
    2.0 * kernel.length_scale().powi(2) * (n_points as f64 / TRUNCATION).ln()
}

pub(super) fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Weighted sums over the points that matter.
pub(super) struct Sums {
    pub density: f64,
    pub first: [f64; 3],
    pub second: [[f64; 3]; 3],
}

impl Near {
    /// Σ κ, Σ κ δ and Σ κ δδᵀ.
    pub fn sums(&self) -> Sums {
        let mut sums = Sums { density: 0.0, first: [0.0; 3], second: [[0.0; 3]; 3] };
        for (displacement, weight) in self.displacements.iter().zip(&self.weights) {
            sums.density += weight;
            for d in 0..3 {
                sums.first[d] += weight * displacement[d];
                for e in 0..3 {
                    sums.second[d][e] += weight * displacement[d] * displacement[e];
                }
            }
        }
        sums
    }
}
