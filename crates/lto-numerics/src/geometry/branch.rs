//! Suprema over a domain, by branch and bound.

use crate::domain::{Domain, limit_cells};
use crate::point_tree::{Cuboid, Position};
use rayon::prelude::*;

/// A supremum between two bounds.
pub(crate) struct Bracket {
    /// The value at [`Bracket::at`].
    pub lower: f64,
    /// No value is larger; infinite where nothing could be proved.
    pub upper: f64,
    pub at: Position,
}

/// How much may be spent on a search.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Boxes looked at together. The memory is that of a few dozen times as many.
    pub at_once: usize,
    /// Boxes looked at in all.
    pub in_all: usize,
}

/// Boxes whose diagonal is below this part of the domain's are not halved.
const SMALLEST: f64 = 1e-12;

/// The supremum of a function over a domain, with `upper ≤ (1 + tolerance) lower`. `bounds` gives, for a box, the value
/// at its center and a bound that no value in it exceeds; a bound that is no number proves nothing.
///
/// Boxes are halved, those without a bound first, then those that may hold the largest values, and the halves before other
/// boxes; those that cannot exceed the largest value seen by more than the tolerance are dropped. When the effort is spent, the bounds reached
/// so far are returned: they hold, but further apart. The result does not depend on the number of threads.
pub(crate) fn supremum(
    domain: &Domain,
    n_first: usize,
    tolerance: f64,
    effort: Effort,
    bounds: impl Fn(&Cuboid) -> (f64, f64) + Sync,
) -> Bracket {
    let first = equal_boxes(domain, n_first);
    let mut found = Bracket { lower: 0.0, upper: 0.0, at: first[0].center };
    let mut left = effort.in_all.saturating_sub(first.len());
    let first = found.look(first.into_iter().map(|cuboid| (cuboid, f64::INFINITY)).collect(), &bounds);
    let mut waiting = Waiting::default();
    waiting.add(first);
    waiting.bounded.sort_by(|a, b| a.1.total_cmp(&b.1));
    let smallest = SMALLEST * domain.diameter();
    loop {
        let enough = found.lower * (1.0 + tolerance);
        let next = waiting.next(effort.at_once);
        if next.is_empty() || found.upper == f64::INFINITY {
            found.upper = found.upper.max(found.lower);
            return found;
        }
        let mut halved = Vec::new();
        for (cuboid, largest) in next {
            let small = 2.0 * cuboid.half.iter().map(|h| h * h).sum::<f64>().sqrt() < smallest;
            if largest <= enough || small || left < 1 << domain.dim() {
                found.upper = found.upper.max(largest);
            } else {
                left -= 1 << domain.dim();
                halved.extend(halves(&cuboid, domain.dim()).map(|half| (half, largest)));
            }
        }
        waiting.add(found.look(halved, &bounds));
    }
}

/// Boxes to be looked at, each with a bound of what is in it; the next are the last.
#[derive(Default)]
struct Waiting {
    /// Nothing is known of these yet. They come first: one of them left over, and nothing is known at all.
    unbounded: Vec<(Cuboid, f64)>,
    bounded: Vec<(Cuboid, f64)>,
}

impl Waiting {
    fn add(&mut self, boxes: Vec<(Cuboid, f64)>) {
        let (bounded, unbounded): (Vec<_>, Vec<_>) =
            boxes.into_iter().partition(|(_, largest)| largest.is_finite());
        self.bounded.extend(bounded);
        self.unbounded.extend(unbounded);
    }

    fn next(&mut self, at_once: usize) -> Vec<(Cuboid, f64)> {
        let from = if self.unbounded.is_empty() { &mut self.bounded } else { &mut self.unbounded };
        from.split_off(from.len().saturating_sub(at_once))
    }
}

impl Bracket {
    /// Looks at boxes: the largest value is kept, and their bounds are those found, if these are smaller.
    fn look(
        &mut self,
        mut boxes: Vec<(Cuboid, f64)>,
        bounds: &(impl Fn(&Cuboid) -> (f64, f64) + Sync),
    ) -> Vec<(Cuboid, f64)> {
        let evaluated: Vec<(f64, f64)> = boxes.par_iter().map(|(cuboid, _)| bounds(cuboid)).collect();
        for ((cuboid, known), (value, largest)) in boxes.iter_mut().zip(evaluated) {
            if value > self.lower {
                (self.lower, self.at) = (value, cuboid.center);
            }
            // What was known of the whole holds for the part, also where nothing (no number) was found for it.
            *known = known.min(largest);
        }
        boxes
    }
}

/// The domain cut into at least about `n` nearly cubic boxes.
fn equal_boxes(domain: &Domain, n: usize) -> Vec<Cuboid> {
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
    let cuboid = *cuboid;
    (0..1usize << dim).map(move |corner| {
        let half = cuboid.half.map(|h| 0.5 * h);
        let side = |d: usize| if corner >> d & 1 == 1 { half[d] } else { -half[d] };
        Cuboid { center: std::array::from_fn(|d| cuboid.center[d] + side(d)), half }
    })
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
        // Little effort: the bounds are further apart, and hold.
        let few = supremum(&domain, 7, 1e-4, Effort { at_once: 2, in_all: 24 }, cone);
        assert!(few.lower <= 1.0 && 1.0 <= few.upper && few.upper > 1.0001 * few.lower);
    }

    #[test]
    fn what_is_no_number_proves_nothing() {
        let domain = Domain::unit(2, false).unwrap();
        let holds = |cuboid: &Cuboid, at: [f64; 2]| {
            (0..2).all(|d| (cuboid.center[d] - at[d]).abs() <= cuboid.half[d])
        };
        // Around one place neither value nor bound is a number, however small the box.
        let found = supremum(&domain, 9, 0.1, EFFORT, |cuboid| {
            if holds(cuboid, [0.1, 0.2]) { (f64::NAN, f64::NAN) } else { cone(cuboid) }
        });
        assert_eq!(found.upper, f64::INFINITY);
        // Only large boxes are without a bound: the small ones have theirs.
        let found = supremum(&domain, 9, 0.1, EFFORT, |cuboid| {
            let (value, largest) = cone(cuboid);
            (value, if cuboid.half[0] > 0.02 { f64::NAN } else { largest })
        });
        assert!(1.0 <= found.upper && found.upper <= 1.1 * found.lower);
    }
}
