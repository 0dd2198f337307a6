//! Kernel weights along one axis and their derivative in log ℓ. The Gaussian factorizes over the axes, so these
//! small matrices are all a set convolution or an interpolation ever needs: never N × G^D.

use crate::kernel::gaussian;
pub use crate::kernel::interpolate::AxisWeights;
use lto_numerics::Axis;

impl AxisWeights {
    /// `K[i, j] = exp(−d(x_i, y_j)² / 2ℓ²)` and `∂K/∂log ℓ = K d²/ℓ²`.
    pub fn kernel(axis: &Axis, x: &[f64], y: &[f64], length_scale: f64) -> Self {
        Self::new(axis, x, y, length_scale, false)
    }

    /// The same with rows that sum to one. The nearest column counts most however far it is, so no row vanishes.
    pub fn normalized(axis: &Axis, x: &[f64], y: &[f64], length_scale: f64) -> Self {
        Self::new(axis, x, y, length_scale, true)
    }

    fn new(axis: &Axis, x: &[f64], y: &[f64], length_scale: f64, normalized: bool) -> Self {
        let mut weights = vec![0.0; x.len() * y.len()];
        let mut derivative = vec![0.0; x.len() * y.len()];
        gaussian::rows(axis, [x, y], length_scale, normalized, &mut weights, &mut derivative);
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
            let at = make(&axis, &x, &y, ell);
            let (up, down) = (make(&axis, &x, &y, ell * h.exp()), make(&axis, &x, &y, ell * (-h).exp()));
            for i in 0..at.weights.len() {
                let difference = (up.weights[i] - down.weights[i]) / (2.0 * h as f32);
                assert!(
                    (difference - at.derivative[i]).abs() < 2e-4,
                    "{i}: {difference} {}",
                    at.derivative[i]
                );
            }
        }
        let far = AxisWeights::normalized(&axis, &[0.5], &[0.0], 1e-3);
        assert_eq!(far.weights, [1.0]);
    }
}
