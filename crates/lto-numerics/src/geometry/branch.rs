//! Suprema over a domain, by branch and bound.

use crate::domain::{Domain, limit_cells};
use crate::point_tree::{Cuboid, Position};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A supremum between two bounds.
pub(crate) struct Bracket {
    /// The value at [`Bracket::at`].
    pub lower: f64,
    /// No value is larger; infinite if nothing could be proved.
    pub upper: f64,
    pub at: Position,
}

/// The budget of a search.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Boxes examined together.
    pub at_once: usize,
    /// Boxes examined in total, which also limits memory.
    pub in_all: usize,
}

/// Boxes whose diagonal is below this fraction of the domain's are not halved, nor those whose halves
/// rounding might separate.
const SMALLEST: f64 = 1e-12;

/// The supremum of a function over a domain, with `upper ≤ (1 + tolerance) lower`. For a box, `bounds`
/// returns the value at its center and an upper bound on all its values; a NaN bound proves nothing.
///
/// The boxes with the largest bounds are halved, so that the overall bound falls as fast as possible; boxes
/// that cannot exceed the largest value seen by more than the tolerance are dropped. When the effort is
/// spent, the bounds reached so far are returned: they hold, but are less tight. The result does not depend
/// on the number of threads.
pub(crate) fn supremum(
    domain: &Domain,
    n_first: usize,
    tolerance: f64,
    effort: Effort,
    bounds: impl Fn(&Cuboid) -> (f64, f64) + Sync,
) -> Bracket {
    let first = equal_boxes(domain, n_first.min(effort.in_all / 8));
    let mut found = Bracket { lower: 0.0, upper: 0.0, at: first[0].center };
    let mut left = effort.in_all.saturating_sub(first.len());
    let unknown = |cuboid| Waiting { cuboid, largest: f64::INFINITY };
    let mut waiting = BinaryHeap::from(found.look(first.into_iter().map(unknown).collect(), &bounds));
    let ends = domain.axes().iter().flat_map(|axis| [axis.lower.abs(), axis.upper.abs()]);
    let smallest = (0.5 * SMALLEST * domain.diameter()).max(64.0 * f64::EPSILON * ends.fold(0.0, f64::max));
    let n_halves = 1 << domain.dim();
    loop {
        let enough = found.lower * (1.0 + tolerance);
        let mut halved = Vec::new();
        while let Some(next) = waiting.peek() {
            let last = next.largest <= enough || next.cuboid.radius() < smallest || left < n_halves;
            if last || halved.len() >= effort.at_once {
                break;
            }
            let Some(Waiting { cuboid, largest }) = waiting.pop() else { break };
            left -= n_halves;
            halved.extend(halves(&cuboid, domain.dim()).map(|cuboid| Waiting { cuboid, largest }));
        }
        if halved.is_empty() {
            let largest = waiting.peek().map_or(0.0, |next| next.largest);
            found.upper = found.upper.max(largest).max(found.lower);
            return found;
        }
        let looked = found.look(halved, &bounds);
        let enough = found.lower * (1.0 + tolerance);
        for next in looked {
            if next.largest <= enough {
                found.upper = found.upper.max(next.largest);
            } else {
                waiting.push(next);
            }
        }
    }
}

/// A box to be halved, and a bound on its values.
#[derive(Clone, Copy)]
struct Waiting {
    cuboid: Cuboid,
    /// Infinite if nothing is known yet.
    largest: f64,
}

impl Ord for Waiting {
    /// The largest bound comes first; ties go to the smaller box, so that places without a bound at any box
    /// size are found early.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_size = || other.cuboid.half[0].total_cmp(&self.cuboid.half[0]);
        self.largest.total_cmp(&other.largest).then_with(by_size)
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

impl Bracket {
    /// Examines boxes: keeps the largest value, and tightens their bounds.
    fn look(
        &mut self,
        mut boxes: Vec<Waiting>,
        bounds: &(impl Fn(&Cuboid) -> (f64, f64) + Sync),
    ) -> Vec<Waiting> {
        let evaluated: Vec<(f64, f64)> = boxes.par_iter().map(|next| bounds(&next.cuboid)).collect();
        for (next, (value, largest)) in boxes.iter_mut().zip(evaluated) {
            if value > self.lower {
                (self.lower, self.at) = (value, next.cuboid.center);
            }
            // What was known of the whole holds for the part, even if nothing (NaN) was found for it.
            next.largest = next.largest.min(largest);
        }
        boxes
    }
}

/// The domain cut into at least about `n` nearly cubic boxes.
fn equal_boxes(domain: &Domain, n: usize) -> Vec<Cuboid> {
    let n = n.max(1);
    let side = (domain.volume() / n as f64).powf(1.0 / domain.dim() as f64);
    let along = domain.axes().iter().map(|axis| (axis.length() / side).ceil().clamp(1.0, n as f64) as usize);
    let mut counts: Vec<usize> = along.collect();
    limit_cells(&mut counts, n.saturating_mul(8));
    let mut boxes = vec![Cuboid::point([0.0; 3])];
    for (d, (axis, count)) in domain.axes().iter().zip(counts).enumerate() {
        let half = 0.5 * axis.length() / count as f64;
        boxes = boxes
            .iter()
            .flat_map(|cuboid| {
                (0..count).map(move |i| {
                    let mut cuboid = *cuboid;
                    cuboid.center[d] = axis.lower + (2 * i + 1) as f64 * half;
                    cuboid.half[d] = half;
                    cuboid
                })
            })
            .collect();
    }
    boxes
}

/// The 2^D boxes of half the width.
fn halves(cuboid: &Cuboid, dim: usize) -> impl Iterator<Item = Cuboid> + use<> {
    let (center, quarter) = (cuboid.center, Cuboid { half: cuboid.half.map(|h| 0.5 * h), ..*cuboid });
    quarter
        .corners(dim)
        .map(move |way| Cuboid { center: std::array::from_fn(|d| center[d] + way[d]), ..quarter })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EFFORT: Effort = Effort { at_once: 16, in_all: 1 << 14 };

    /// 1 − |x − c|, whose slope is 1: no value in a box exceeds that at its center by more than half its diagonal.
    fn cone(cuboid: &Cuboid) -> (f64, f64) {
        let distance = |d: usize, c: f64| (cuboid.center[d] - c).powi(2);
        let value = 1.0 - (distance(0, 0.317) + distance(1, 0.771)).sqrt();
        (value, value + cuboid.half.iter().map(|h| h * h).sum::<f64>().sqrt())
    }

    #[test]
    fn a_peak_is_found_and_bracketed() {
        let domain = Domain::unit(2, false).unwrap();
        for n_first in [1, 7, 300] {
            let found = supremum(&domain, n_first, 1e-4, EFFORT, cone);
            assert!(found.lower <= 1.0 && 1.0 <= found.upper && found.upper <= 1.0001 * found.lower);
            assert!((found.at[0] - 0.317).abs() < 1e-3 && (found.at[1] - 0.771).abs() < 1e-3);
        }
        // Little effort: the bounds hold, but are less tight.
        let few = supremum(&domain, 7, 1e-4, Effort { at_once: 2, in_all: 24 }, cone);
        assert!(few.lower <= 1.0 && 1.0 <= few.upper && few.upper > 1.0001 * few.lower);
    }

    #[test]
    fn what_is_no_number_proves_nothing() {
        let domain = Domain::unit(2, false).unwrap();
        let holds = |cuboid: &Cuboid, at: [f64; 2]| {
            (0..2).all(|d| (cuboid.center[d] - at[d]).abs() <= cuboid.half[d])
        };
        // Around one place both value and bound are NaN, however small the box.
        let found = supremum(&domain, 9, 0.1, EFFORT, |cuboid| {
            if holds(cuboid, [0.1, 0.2]) { (f64::NAN, f64::NAN) } else { cone(cuboid) }
        });
        assert_eq!(found.upper, f64::INFINITY);
        // Only large boxes lack a bound; small ones have theirs.
        let found = supremum(&domain, 9, 0.1, EFFORT, |cuboid| {
            let (value, largest) = cone(cuboid);
            (value, if cuboid.half[0] > 0.02 { f64::NAN } else { largest })
        });
        assert!(1.0 <= found.upper && found.upper <= 1.1 * found.lower);
    }
}
