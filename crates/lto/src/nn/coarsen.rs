//! Transfers between a uniform grid and one of half its points along each axis.

use crate::kernel::transfer::{Sparse, Transfer, transfer, transfer_added};
use burn::tensor::Tensor;
use std::sync::Arc;

/// A uniform axis: n points from bound to bound, or once around a periodic axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridAxis {
    /// Number of points n.
    pub points: usize,
    /// Whether the last point's neighbor is the first.
    pub periodic: bool,
}

impl GridAxis {
    /// The axis with ⌈n/2⌉ points.
    pub fn coarser(self) -> Self {
        Self { points: self.points.div_ceil(2), ..self }
    }

    /// Linear interpolation at the points of this axis from values at those of the coarser one.
    fn prolongation(self) -> Sparse {
        let (n, m) = (self.points, self.coarser().points);
        let [intervals, coarse] = if self.periodic { [n, m] } else { [n - 1, m - 1] };
        let row = |i: usize| {
            // Position in spacings of the coarser axis; whole numbers, so that it is exact where points coincide.
            let (at, intervals) = (i * coarse, intervals.max(1));
            let (left, share) = (at / intervals, (at % intervals) as f32 / intervals as f32);
            let both = [(left, 1.0 - share), ((left + 1) % m, share)];
            both.into_iter().filter(|(_, weight)| *weight > 0.0).collect()
        };
        Sparse::new(m, (0..n).map(row))
    }
}

/// Linear interpolation P from a coarser grid, and the restriction R to it: Pᵀ with rows that sum to one.
#[derive(Clone, Debug)]
pub struct Coarsening {
    restriction: Arc<Transfer>,
    prolongation: Arc<Transfer>,
}

impl Coarsening {
    /// Between a grid with these axes and the next coarser one.
    pub fn new(axes: [GridAxis; 2]) -> Self {
        let prolongation = axes.map(GridAxis::prolongation);
        let restriction = prolongation.each_ref().map(|axis| axis.transposed().normalized());
        Self {
            restriction: Arc::new(Transfer::new(restriction)),
            prolongation: Arc::new(Transfer::new(prolongation)),
        }
    }

    /// `R x`.
    ///
    /// # Shapes
    /// `[b, c, n0, n1]` → `[b, c, ⌈n0/2⌉, ⌈n1/2⌉]`.
    pub fn restrict(&self, x: Tensor<4>) -> Tensor<4> {
        transfer(x, &self.restriction)
    }

    /// `u + P x`.
    ///
    /// # Shapes
    /// `x [b, c, ⌈n0/2⌉, ⌈n1/2⌉]`, `u [b, c, n0, n1]` → as `u`.
    pub fn prolong_onto(&self, x: Tensor<4>, u: Tensor<4>) -> Tensor<4> {
        transfer_added(x, &self.prolongation, u)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::{Device, TensorData};

    const LINE: GridAxis = GridAxis { points: 1, periodic: false };

    fn line(values: Vec<f32>) -> Tensor<4> {
        let n = values.len();
        Tensor::from_data(TensorData::new(values, [1, 1, 1, n]), &Device::flex())
    }

    fn numbers(x: Tensor<4>) -> Vec<f32> {
        x.into_data().iter::<f32>().collect()
    }

    /// Interpolation is exact for linear functions on open axes of any size, and the restriction keeps them away from the
    /// ends; on periodic axes both keep constants, and interpolation is second order.
    #[test]
    fn linear_functions_are_kept() {
        for n in [3, 4, 7, 16, 53, 106, 211] {
            for periodic in [false, true] {
                let axis = GridAxis { points: n, periodic };
                let coarsening = Coarsening::new([LINE, axis]);
                let sample = |axis: GridAxis, f: &dyn Fn(f32) -> f32| {
                    let intervals = axis.points - usize::from(!periodic);
                    line((0..axis.points).map(|i| f(i as f32 / intervals as f32)).collect())
                };
                let wave = |x: f32| (std::f32::consts::TAU * x).sin();
                let f: &dyn Fn(f32) -> f32 = if periodic { &wave } else { &|x| 2.0 - 3.0 * x };
                let (fine, coarse) = (sample(axis, f), sample(axis.coarser(), f));
                let zero = fine.zeros_like();
                let most = if periodic { 20.0 / (n as f32 / 2.0).powi(2) } else { 1e-5 };
                let off = |a: Tensor<4>, b: Tensor<4>| numbers((a - b).abs());
                let prolonged = off(coarsening.prolong_onto(coarse.clone(), zero), fine.clone());
                assert!(prolonged.iter().all(|e| *e < most), "{n} {periodic}: {prolonged:?}");
                let restricted = off(coarsening.restrict(fine.clone()), coarse);
                // Near an end the weights lean inwards, by at most a spacing.
                let inner = if periodic { &restricted[..] } else { &restricted[1..restricted.len() - 1] };
                let most = if periodic { most } else { 2.0 / n as f32 };
                assert!(inner.iter().all(|e| *e < most), "{n} {periodic}: {restricted:?}");
                let ones = numbers(coarsening.restrict(fine.ones_like()));
                assert!(ones.iter().all(|one| (one - 1.0).abs() < 1e-6));
            }
        }
    }

    /// n = 5 by hand: points 0 ¼ ½ ¾ 1 against 0 ½ 1.
    #[test]
    fn five_points_by_hand() {
        let coarsening = Coarsening::new([LINE, GridAxis { points: 5, periodic: false }]);
        let prolonged = coarsening.prolong_onto(line(vec![1.0, 2.0, 4.0]), line(vec![10.0; 5]));
        assert_eq!(numbers(prolonged), [11.0, 11.5, 12.0, 13.0, 14.0]);
        let restricted = coarsening.restrict(line(vec![3.0, 0.0, 8.0, 4.0, 1.0]));
        assert_eq!(numbers(restricted), [2.0, 5.0, 2.0]);
    }

    /// n = 4 on a circle by hand: the last point lies between the last coarse point and the first.
    #[test]
    fn four_points_on_a_circle_by_hand() {
        let coarsening = Coarsening::new([LINE, GridAxis { points: 4, periodic: true }]);
        let prolonged = coarsening.prolong_onto(line(vec![2.0, 4.0]), line(vec![0.0; 4]));
        assert_eq!(numbers(prolonged), [2.0, 3.0, 4.0, 3.0]);
        assert_eq!(numbers(coarsening.restrict(line(vec![1.0, 2.0, 3.0, 6.0]))), [2.5, 3.5]);
    }
}
