//! The value of the nearest point.

use super::AxisMap;
use crate::domain::{Axis, COORDINATE_TOLERANCE};

/// The index of the nearest of the source's points for each of the target's.
pub(super) struct Nearest {
    indices: Vec<usize>,
}

impl Nearest {
    pub(super) fn new(axis: &Axis, from: &[f64], to: &[f64]) -> Self {
        // Rounding must not decide between two equally near points.
        let tie = COORDINATE_TOLERANCE * axis.length();
        let distance = |x: f64, y: f64| {
            let apart = (x - y).abs();
            if axis.periodic { apart.min(axis.length() - apart) } else { apart }
        };
        let nearest = |&x: &f64| {
            let mut best = (0, f64::INFINITY);
            for (i, &y) in from.iter().enumerate() {
                let apart = distance(x, y);
                if apart < best.1 - tie {
                    best = (i, apart);
                }
            }
            best.0
        };
        Self { indices: to.iter().map(nearest).collect() }
    }
}

impl AxisMap for Nearest {
    fn apply(&mut self, line: &[f64], result: &mut [f64]) {
        result.iter_mut().zip(&self.indices).for_each(|(value, &index)| *value = line[index]);
    }
}
