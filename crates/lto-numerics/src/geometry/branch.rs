//! Suprema over a domain, by branch and bound.

use crate::domain::{Domain, limit_cells};
use crate::point_tree::{Cuboid, Position};
use rayon::prelude::*;

/// A supremum between two bounds.
pub(crate) struct Bracket {
    /// The value at [`Bracket::at`].
    pub lower: f64,
    /// No value is larger.
    pub upper: f64,
    pub at: Position,
}

/// The supremum of a function over a domain, with `upper ≤ (1 + tolerance) lower`. `bounds` gives, for a box, the value
/// at its center and a bound that no value in it exceeds.
///
/// Boxes are halved; those that cannot exceed the largest value seen by more than the tolerance are dropped. If more
/// than `most` boxes remain at once, the bounds reached so far are returned: they hold, but further apart.
pub(crate) fn supremum(
    domain: &Domain,
    n_first: usize,
    tolerance: f64,
    most: usize,
    bounds: impl Fn(&Cuboid) -> (f64, f64) + Sync,
) -> Bracket {
    let mut boxes = equal_boxes(domain, n_first);
    let mut found = Bracket { lower: 0.0, upper: 0.0, at: boxes[0].center };
    loop {
        let evaluated: Vec<(f64, f64)> = boxes.par_iter().map(&bounds).collect();
        for (cuboid, &(value, _)) in boxes.iter().zip(&evaluated) {
            if value > found.lower {
                (found.lower, found.at) = (value, cuboid.center);
            }
        }
        let enough = found.lower * (1.0 + tolerance);
        let mut open = Vec::new();
        for (cuboid, &(_, largest)) in boxes.iter().zip(&evaluated) {
            if largest > enough {
                open.push((*cuboid, largest));
            } else {
                found.upper = found.upper.max(largest);
            }
        }
        if open.is_empty() || open.len() << domain.dim() > most {
            let left = open.iter().map(|(_, largest)| *largest);
            found.upper = left.fold(found.upper.max(found.lower), f64::max);
            return found;
        }
        boxes = open.iter().flat_map(|(cuboid, _)| halves(cuboid, domain.dim())).collect();
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
