//! Gaussian weights along one axis by stock operations: other devices than the processor make them there, from coordinates and ℓ.

use crate::device::table;
use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor};
use lto_numerics::Axis;

/// Places along an axis as distances from its lower end.
///
/// # Shapes
/// As `shape`, which `x` must fill.
pub fn places<const D: usize>(axis: &Axis, x: &[f64], shape: [usize; D], device: &Device) -> Tensor<D> {
    table(x.iter().map(|x| (axis.scale * (x - axis.lower)) as f32).collect(), shape, device)
}

/// Squared distances of [places], the shorter way round on a periodic axis.
///
/// # Shapes
/// `x [.., r, 1]`, `y [.., 1, c]` → `[.., r, c]`.
pub fn squares<const D: usize>(axis: &Axis, x: Tensor<D>, y: Tensor<D>) -> Tensor<D> {
    let mut way = y - x;
    if axis.periodic {
        way = way.clone() - (way / axis.extent()).round() * axis.extent();
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
