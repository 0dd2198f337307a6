//! Subsampling: the target's points are among the source's.

use super::AxisMap;
use crate::domain::{Axis, COORDINATE_TOLERANCE};

/// The indices of the source's points to keep.
pub(super) struct Pick {
    indices: Vec<usize>,
}

impl Pick {
    pub(super) fn new(axis: &Axis, from: &[f64], to: &[f64]) -> Result<Self, String> {
        let tolerance = COORDINATE_TOLERANCE * axis.length();
        let find = |&x: &f64| {
            let after = from.partition_point(|&y| y < x - tolerance);
            let found = from.get(after).is_some_and(|y| (y - x).abs() <= tolerance);
            found.then_some(after).ok_or_else(|| format!("{} = {x} is not a point of the source", axis.name))
        };
        Ok(Self { indices: to.iter().map(find).collect::<Result<_, _>>()? })
    }
}

impl AxisMap for Pick {
    fn apply(&mut self, line: &[f64], result: &mut [f64]) {
        result.iter_mut().zip(&self.indices).for_each(|(value, &index)| *value = line[index]);
    }
}
