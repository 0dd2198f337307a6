//! An affine map with activation at every point: `a(Wᵀ x + b)`, in one pass.

use super::activation::Activation;
use super::conv::{Padding, conv};
use burn::tensor::Tensor;

/// `activation(Wᵀ x + b)` at every point of channel-first values.
///
/// # Shapes
/// `x [b, in, M]`, `weight [in, out]`, `bias [out]` → `[b, out, M]`.
pub fn pointwise(x: Tensor<3>, weight: Tensor<2>, bias: Tensor<1>, activation: Activation) -> Tensor<3> {
    let ([b, input, m], [_, output]) = (x.dims(), weight.dims());
    let columns = columns(m);
    // A convolution with one tap does not care how the points are broken into rows.
    let x = x.reshape([b, input, m / columns, columns]);
    let weight = weight.transpose().reshape([output, input, 1, 1]);
    conv(x, weight, bias, 1, [Padding::Zero; 2], activation).reshape([b, output, m])
}

/// A row length for `m` points, so that rows split the work and stay in the cache; one row if only short ones
/// divide `m`.
fn columns(m: usize) -> usize {
    (64..=512).rev().find(|n| m.is_multiple_of(*n)).unwrap_or(m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::agree;

    /// Values and gradients equal those of matrix products, whether the points break into rows or not.
    #[test]
    fn equals_matrix_products() {
        let [b, input, output] = [2, 3, 5];
        for (m, row) in [(1, 1), (97, 97), (601, 601), (1024, 512), (67 * 67, 67)] {
            assert_eq!(columns(m), row);
            for activation in Activation::ALL {
                let parts = |t: &[Tensor<1>]| {
                    let x = t[0].clone().reshape([b, input, m]);
                    (x, t[1].clone().reshape([input, output]), t[2].clone())
                };
                agree(
                    &format!("{m} {activation:?}"),
                    &[b * input * m, input * output, output],
                    &|t| {
                        let (x, weight, bias) = parts(t);
                        pointwise(x, weight, bias, activation).reshape([-1])
                    },
                    &|t| {
                        let (x, weight, bias) = parts(t);
                        let y = x.swap_dims(1, 2).reshape([b * m, input]).matmul(weight) + bias.unsqueeze();
                        activation.stock(y).reshape([b, m, output]).swap_dims(1, 2).reshape([-1])
                    },
                );
            }
        }
    }
}
