//! Comparison with numbers of others.

use burn::tensor::Tensor;

/// Largest difference relative to the largest value; values here are sums of terms of order one, so tiny ones count as 0.05.
pub fn difference(got: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let scale = expected.iter().fold(0.05f64, |m, v| m.max(v.abs()));
    got.iter().zip(expected).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max) / scale
}

pub fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().iter::<f32>().collect()
}
