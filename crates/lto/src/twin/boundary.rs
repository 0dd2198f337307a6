//! States whose values on the boundary are known.

use super::config::refuse;
use crate::error::Result;
use crate::kernel::places;
use burn::tensor::{Device, Tensor};
use lto_numerics::{Domain, Points};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What target states are on the boundary, at both ends of every axis that is not periodic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// Zero.
    Zero,
}

impl Boundary {
    /// Refuses a domain without a boundary.
    pub(super) fn validate(self, domain: &Domain) -> Result<()> {
        if domain.is_periodic() {
            let requirement = "needs an axis that is not periodic; leave it out";
            return refuse("boundary", "zero".into(), requirement);
        }
        Ok(())
    }

    /// `values · Π_d 4 ξ_d (1 − ξ_d)` over the axes that are not periodic, ξ_d the position of a point from 0 to 1: exactly 0 on
    /// the boundary, unchanged in the middle.
    ///
    /// # Shapes
    /// `values [b, q, M]`, one or b sets of M points → as `values`.
    pub fn apply(self, values: Tensor<3>, queries: &[Arc<Points>]) -> Tensor<3> {
        let device = values.device();
        let each: Vec<Tensor<3>> = queries.iter().map(|query| factors(query, &device)).collect();
        values * Tensor::cat(each, 0)
    }
}

/// `[1, 1, M]`.
fn factors(query: &Points, device: &Device) -> Tensor<3> {
    let open = query.domain().axes().iter().zip(places::of_points(query, device));
    let along = open.filter(|(axis, _)| !axis.periodic).map(|(axis, x)| {
        let share = x / axis.length();
        share.clone() * (-share + 1.0) * 4.0
    });
    along.reduce(|a, b| a * b).unwrap_or_else(|| Tensor::ones([query.len()], device)).unsqueeze()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::Axis;

    /// By hand on [1, 3] × circle and on [1, 3] × [0, 1].
    #[test]
    fn parabolas_over_the_open_axes() {
        for (periodic, expected) in [(true, [0.75, 1.0, 0.0, 0.0]), (false, [0.48, 0.0, 0.0, 0.0])] {
            let axes = vec![Axis::new("x", 1.0, 3.0, false), Axis::new("y", 0.0, 1.0, periodic)];
            let domain = Domain::new(axes).unwrap();
            let points = Points::scattered(domain, vec![1.5, 0.2, 2.0, 0.0, 1.0, 0.3, 3.0, 0.7]).unwrap();
            let ones = Tensor::<3>::ones([2, 1, 4], &Device::flex());
            let values = Boundary::Zero.apply(ones, &[Arc::new(points)]).into_data();
            for (value, expected) in values.iter::<f64>().zip(expected.repeat(2)) {
                assert!((value - expected).abs() < 1e-7 && (value == 0.0) == (expected == 0.0), "{value}");
            }
        }
    }
}
