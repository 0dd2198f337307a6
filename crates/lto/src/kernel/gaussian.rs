//! Gaussian weights along one axis by stock operations: other devices than the processor make them there, from coordinates and ℓ.

use burn::tensor::Tensor;
use burn::tensor::activation::softmax;
use lto_numerics::Axis;

/// Squared distances of places [along](super::places::along) an axis, the shorter way round on a periodic one.
///
/// # Shapes
/// `x [.., r, 1]`, `y [.., 1, c]` → `[.., r, c]`.
pub fn squares<const D: usize>(axis: &Axis, x: Tensor<D>, y: Tensor<D>) -> Tensor<D> {
    let mut way = y - x;
    if axis.periodic {
        way = way.clone() - (way / axis.length()).round() * axis.length();
    }
    if axis.scale != 1.0 {
        way = way * axis.scale;
    }
    way.clone() * way
}

/// κ = exp(−d²/2ℓ²).
///
/// # Shapes
/// `squares [.., r, c]`, `log_scale [.., 1, 1]` → `[.., r, c]`.
pub fn weights<const D: usize>(squares: Tensor<D>, log_scale: Tensor<D>) -> Tensor<D> {
    (squares * ((log_scale * -2.0).exp() * -0.5)).exp()
}

/// κ divided by its sum over each row. Weights are relative to the nearest column, so no row vanishes.
///
/// # Shapes
/// As [`weights`].
pub fn normalized<const D: usize>(squares: Tensor<D>, log_scale: Tensor<D>) -> Tensor<D> {
    let excess = squares.clone() - squares.min_dim(D - 1);
    softmax(excess * ((log_scale * -2.0).exp() * -0.5), D - 1)
}
