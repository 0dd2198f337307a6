//! Kernel weights along one axis and their derivative in log ℓ. The Gaussian factorizes over the axes, so these
//! small matrices are all a set convolution or an interpolation ever needs: never N × G^D.

use crate::kernel::gaussian;
pub use crate::kernel::interpolate::AxisWeights;
use burn::tensor::Tensor;
use lto_numerics::Axis;

/// The ℓ of a kernel, and whether its gradient is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// ℓ.
    pub length: f64,
    /// Whether derivatives in log ℓ are wanted: in training, not in prediction.
    pub tracked: bool,
}

impl Scale {
    /// Of a learned log ℓ `[1]`.
    pub fn of(log_length_scale: &Tensor<1>) -> Self {
        let tracked = log_length_scale.is_require_grad();
        Self { length: f64::from(log_length_scale.clone().into_scalar::<f32>()).exp(), tracked }
    }
}

impl AxisWeights {
    /// `K[i, j] = exp(−d(x_i, y_j)² / 2ℓ²)` and `∂K/∂log ℓ = K d²/ℓ²`.
    pub fn kernel(axis: &Axis, x: &[f64], y: &[f64], scale: Scale) -> Self {
        Self::new(axis, x, y, scale, false)
    }

    /// The same with rows that sum to one. The nearest column counts most however far it is, so no row vanishes.
    pub fn normalized(axis: &Axis, x: &[f64], y: &[f64], scale: Scale) -> Self {
        Self::new(axis, x, y, scale, true)
    }

    fn new(axis: &Axis, x: &[f64], y: &[f64], scale: Scale, normalized: bool) -> Self {
        let size = x.len() * y.len();
        let mut weights = vec![0.0; size];
        let mut derivative = vec![0.0; if scale.tracked { size } else { 0 }];
        gaussian::rows(axis, [x, y], scale.length, normalized, &mut weights, &mut derivative);
        Self { rows: x.len(), columns: y.len(), weights, derivative }
    }

    /// All one: the missing axis of a one-dimensional state.
    pub fn ones(rows: usize, columns: usize) -> Self {
        let n = rows * columns;
        Self { rows, columns, weights: vec![1.0; n], derivative: vec![0.0; n] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The derivative against a central difference in log ℓ, and rows that sum to one.
    #[test]
    fn derivatives_match_differences() {
        let axis = Axis::new("x", 0.0, 1.0, true);
        let (x, y): (Vec<f64>, Vec<f64>) =
            ((0..5).map(|i| 0.17 * i as f64).collect(), (0..7).map(|i| i as f64 / 7.0).collect());
        for make in [AxisWeights::kernel, AxisWeights::normalized] {
            let (ell, h) = (0.13f64, 1e-3f64);
            let at = |length| make(&axis, &x, &y, Scale { length, tracked: true });
            let (up, down, at) = (at(ell * h.exp()), at(ell * (-h).exp()), at(ell));
            for i in 0..at.weights.len() {
                let difference = (up.weights[i] - down.weights[i]) / (2.0 * h as f32);
                assert!(
                    (difference - at.derivative[i]).abs() < 2e-4,
                    "{i}: {difference} {}",
                    at.derivative[i]
                );
            }
        }
        let far = AxisWeights::normalized(&axis, &[0.5], &[0.0], Scale { length: 1e-3, tracked: false });
        assert_eq!(far.weights, [1.0]);
    }
}
