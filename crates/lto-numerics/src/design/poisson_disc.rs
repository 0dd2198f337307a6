//! Uniform points that keep their distance. The radius starts where about n points could just be packed, and
//! shrinks whenever many trials in a row hit an occupied disc, so that the last point always finds room.

use super::UnitPoint;
use crate::domain::{Domain, limit_cells};
use rand::{Rng, RngExt};

/// Consecutive failed trials before the radius shrinks, and the factor by which it does.
const TRIALS: usize = 40;
const SHRINK: f64 = 0.97;

/// The points placed so far, in cells at least as wide as the largest radius.
struct Cells<'a> {
    domain: &'a Domain,
    counts: [usize; 3],
    cells: Vec<Vec<UnitPoint>>,
}

impl Cells<'_> {
    /// The cell of a point along each axis.
    fn place(&self, u: &UnitPoint) -> [usize; 3] {
        std::array::from_fn(|d| ((u[d] * self.counts[d] as f64) as usize).min(self.counts[d] - 1))
    }

    fn index(&self, place: [usize; 3]) -> usize {
        (place[0] * self.counts[1] + place[1]) * self.counts[2] + place[2]
    }

    fn squared_distance(&self, a: &UnitPoint, b: &UnitPoint) -> f64 {
        let along = |(d, axis): (usize, &crate::domain::Axis)| {
            let difference = (a[d] - b[d]).abs();
            let difference = if axis.periodic { difference.min(1.0 - difference) } else { difference };
            (difference * axis.length()).powi(2)
        };
        self.domain.axes().iter().enumerate().map(along).sum()
    }

    fn is_free(&self, u: &UnitPoint, squared_radius: f64) -> bool {
        let place = self.place(u);
        (0..27usize).all(|code| {
            let steps = [code % 3, code / 3 % 3, code / 9];
            // Wraps on open axes too: points beyond the end are simply far away.
            let near = std::array::from_fn(|d| (place[d] + self.counts[d] + steps[d] - 1) % self.counts[d]);
            // An axis with one cell is visited once.
            let again = (0..3).any(|d| self.counts[d] == 1 && steps[d] != 1);
            again
                || self.cells[self.index(near)].iter().all(|v| self.squared_distance(u, v) >= squared_radius)
        })
    }
}

pub(super) fn unit_points(domain: &Domain, n: usize, rng: &mut impl Rng) -> Vec<UnitPoint> {
    let dim = domain.dim();
    let mut radius = (domain.volume() / n as f64).powf(1.0 / dim as f64);
    let mut counts = [1; 3];
    for (count, axis) in counts.iter_mut().zip(domain.axes()) {
        *count = ((axis.length() / radius).floor() as usize).clamp(1, n);
    }
    limit_cells(&mut counts, n.saturating_mul(8));
    let mut cells = Cells { domain, counts, cells: vec![Vec::new(); counts.iter().product()] };
    let mut points = Vec::with_capacity(n);
    let mut failures = 0;
    while points.len() < n {
        let u: UnitPoint = std::array::from_fn(|d| if d < dim { rng.random() } else { 0.0 });
        if cells.is_free(&u, radius * radius) {
            let index = cells.index(cells.place(&u));
            cells.cells[index].push(u);
            points.push(u);
            failures = 0;
            continue;
        }
        failures += 1;
        if failures == TRIALS {
            radius *= SHRINK;
            failures = 0;
        }
    }
    points
}
