//! Normal clusters around uniform centers.

use super::UnitPoint;
use crate::domain::{Axis, Domain};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

/// Standard deviation of a cluster, relative to the length of each axis.
const SPREAD: f64 = 0.02;

pub(super) fn unit_points(domain: &Domain, n: usize, rng: &mut impl Rng) -> Vec<UnitPoint> {
    let n_clusters = (0.5 * (n as f64).sqrt()).ceil() as usize;
    let dim = domain.dim();
    let centers = super::iid::unit_points(dim, n_clusters, rng);
    let mut points = Vec::with_capacity(n);
    for i in 0..n {
        let center = &centers[i % n_clusters];
        let mut point = [0.0; 3];
        for (d, axis) in domain.axes().iter().enumerate() {
            point[d] = near(center[d], axis, rng);
        }
        points.push(point);
    }
    points
}

/// A normal number around `center`, wrapped on a periodic axis, redrawn if outside an open one.
fn near(center: f64, axis: &Axis, rng: &mut impl Rng) -> f64 {
    loop {
        let u = center + SPREAD * rng.sample::<f64, _>(StandardNormal);
        if axis.periodic {
            return u.rem_euclid(1.0);
        }
        if (0.0..1.0).contains(&u) {
            return u;
        }
    }
}
