//! The actual kernel weights of one query point.

use crate::domain::{Axis, Domain};
use crate::kernel::Gaussian;
use crate::point_tree::{Cuboid, PointTree};
use crate::points::Points;

/// Points left out together weigh at most this fraction of the nearest one.
pub(super) const LEFT_OUT: f64 = 1e-14;

/// A set of points that finds which of them matter at a place.
pub(super) struct Neighbors<'a> {
    context: &'a Points,
    tree: PointTree,
    kernel: Gaussian,
    /// Displacements shorter than this are certainly the shortest.
    steady: f64,
}

/// The points that matter at a place x.
#[derive(Default)]
pub(super) struct Near {
    /// The shortest displacements from x to the points.
    pub displacements: Vec<[f64; 3]>,
    /// Which points they are.
    pub indices: Vec<usize>,
    /// κ(x, c_j) over κ of the nearest point: at most 1, and never all zero.
    pub weights: Vec<f64>,
    /// Whether the point is half a period away along an axis, up to rounding, so that the displacement could
    /// go either way.
    pub turning: Vec<bool>,
    /// κ of the nearest point.
    pub largest: f64,
    /// −ln κ of the nearest point, since κ itself may underflow.
    pub exponent: f64,
    /// Its squared distance.
    pub least: f64,
    /// No point left out is nearer than this.
    pub reach: f64,
}

impl<'a> Neighbors<'a> {
    pub fn new(context: &'a Points, kernel: Gaussian) -> Self {
        Self { context, tree: PointTree::new(context), kernel, steady: steady(context.domain()) }
    }

    /// Finds the points that matter at x.
    ///
    /// A point whose squared distance exceeds the least by 2ℓ² ln(N/τ) weighs at most τ/N of the nearest one,
    /// so all such points together weigh at most τ.
    pub fn gather(&self, x: &[f64; 3], near: &mut Near) {
        near.displacements.clear();
        near.weights.clear();
        near.indices.clear();
        near.turning.clear();
        let least = self.tree.nearest(x, None).map_or(0.0, |nearest| nearest.squared_distance);
        let rate = 0.5 / self.kernel.length_scale().powi(2);
        let margin = margin(&self.kernel, self.tree.len());
        near.reach = (least + margin).sqrt();
        for place in self.tree.near(&Cuboid::point(*x), least + margin).into_iter().flatten() {
            let at = self.tree.position(place);
            let mut displacement = [0.0; 3];
            for (d, axis) in self.context.domain().axes().iter().enumerate() {
                displacement[d] = axis.displacement(x[d], at[d]);
            }
            near.turning
                .push(near.reach >= self.steady && turns(self.context.domain(), &displacement, &[0.0; 3]));
            let squared = dot(&displacement, &displacement);
            near.displacements.push(displacement);
            near.indices.push(self.tree.order()[place]);
            near.weights.push((-rate * (squared - least).max(0.0)).exp());
        }
        (near.largest, near.exponent) = (self.kernel.value(least), rate * least);
        near.least = least;
    }
}

/// Half the shortest period, less rounding: no shorter displacement changes side.
pub(super) fn steady(domain: &Domain) -> f64 {
    let periodic = domain.axes().iter().filter(|axis| axis.periodic);
    periodic.map(|axis| 0.5 * axis.length() - rounding(axis)).fold(f64::INFINITY, f64::min)
}

/// Largest error of a displacement along an axis.
fn rounding(axis: &Axis) -> f64 {
    8.0 * f64::EPSILON * (axis.lower.abs() + axis.upper.abs() + axis.length())
}

/// Whether the shortest displacement to a point changes side, on a periodic axis, as its start moves within a
/// box of given half widths; up to rounding.
pub(super) fn turns(domain: &Domain, displacement: &[f64; 3], half: &[f64; 3]) -> bool {
    let on_axis = |(d, axis): (usize, &Axis)| {
        axis.periodic && displacement[d].abs() + half[d] + rounding(axis) >= 0.5 * axis.length()
    };
    domain.axes().iter().enumerate().any(on_axis)
}

/// A point whose squared distance exceeds the least of `n_points` by this does not matter.
pub(super) fn margin(kernel: &Gaussian, n_points: usize) -> f64 {
    2.0 * kernel.length_scale().powi(2) * (n_points as f64 / LEFT_OUT).ln()
}

pub(super) fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The largest of positive values; NaN if one of them is.
pub(super) fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |a, b| if a.is_nan() || a >= b { a } else { b })
}

/// Weighted sums over points.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    /// Σ κ.
    pub density: f64,
    /// Σ κ |δ|.
    pub distance: f64,
    /// Σ κ δ.
    pub first: [f64; 3],
    /// Σ κ δδᵀ.
    pub second: [[f64; 3]; 3],
}

impl Sums {
    /// Over displacements δ and weights κ.
    pub fn of<'a>(points: impl Iterator<Item = (&'a [f64; 3], f64)>) -> Self {
        let mut sums = Self { density: 0.0, distance: 0.0, first: [0.0; 3], second: [[0.0; 3]; 3] };
        for (displacement, weight) in points {
            sums.density += weight;
            sums.distance += weight * dot(displacement, displacement).sqrt();
            for d in 0..3 {
                let along = weight * displacement[d];
                sums.first[d] += along;
                (0..=d).for_each(|e| sums.second[d][e] += along * displacement[e]);
            }
        }
        for d in 0..3 {
            (0..d).for_each(|e| sums.second[e][d] = sums.second[d][e]);
        }
        sums
    }

    /// Σ κ δ / Σ κ.
    pub fn mean(&self) -> [f64; 3] {
        self.first.map(|sum| sum / self.density)
    }

    /// Σ κ |δ|² / Σ κ.
    pub fn mean_square(&self) -> f64 {
        (self.second[0][0] + self.second[1][1] + self.second[2][2]) / self.density
    }
}

impl Near {
    /// All points, with their weights.
    pub fn points(&self) -> impl Iterator<Item = (&[f64; 3], f64)> {
        self.displacements.iter().zip(self.weights.iter().copied())
    }

    /// The points whose displacement is certain.
    pub fn steady(&self) -> impl Iterator<Item = (&[f64; 3], f64)> {
        self.points().zip(&self.turning).filter(|(_, turning)| !**turning).map(|(point, _)| point)
    }

    /// The weight of all others.
    pub fn turning_weight(&self) -> f64 {
        self.weights
            .iter()
            .zip(&self.turning)
            .filter(|(_, turning)| **turning)
            .map(|(weight, _)| weight)
            .sum()
    }
}
