//! Independent uniform points.

use super::UnitPoint;
use rand::{Rng, RngExt};

pub(super) fn unit_points(dim: usize, n: usize, rng: &mut impl Rng) -> Vec<UnitPoint> {
    (0..n).map(|_| std::array::from_fn(|d| if d < dim { rng.random() } else { 0.0 })).collect()
}
