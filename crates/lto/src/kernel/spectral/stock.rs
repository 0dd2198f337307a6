//! The same by stock operations.

use super::transform::Transform;
use crate::kernel::activation::Activation;
use crate::kernel::conv::{self, Padding};
use burn::tensor::{Device, Tensor, TensorData};

/// [`spectral`](super::spectral) by stock operations.
pub fn stock(x: Tensor<4>, real: Tensor<3>, imaginary: Tensor<3>, transform: &Transform) -> Tensor<4> {
    let [b, c, n0, n1] = x.dims();
    let [_, o, modes] = real.dims();
    let matrix = matrix(transform, &x.device());
    // [modes, b, in] × [modes, in, out].
    let image = x.reshape([b * c, n0 * n1]).matmul(matrix.clone()).reshape([b, c, 2, modes]);
    let part = |i: usize| image.clone().narrow(2, i, 1).reshape([b, c, modes]).permute([2, 0, 1]);
    let (re, im) = (part(0), part(1));
    let (wr, wi) = (real.permute([2, 0, 1]), imaginary.permute([2, 0, 1]));
    let out_re = re.clone().matmul(wr.clone()) - im.clone().matmul(wi.clone());
    let out_im = re.matmul(wi) + im.matmul(wr);
    let factors = Tensor::<1>::from_floats(transform.factors(), &matrix.device()).reshape([modes, 1, 1]);
    let back = |t: Tensor<3>| (t * factors.clone()).permute([1, 2, 0]).reshape([b * o, modes]);
    let mixed = Tensor::cat(vec![back(out_re), back(out_im)], 1);
    mixed.matmul(matrix.transpose()).reshape([b, o, n0, n1])
}

/// [`spectral_block`](super::spectral_block) by stock operations.
pub fn stock_block(
    x: Tensor<4>,
    real: Tensor<3>,
    imaginary: Tensor<3>,
    (weight, bias): (Tensor<4>, Tensor<1>),
    transform: &Transform,
    activation: Activation,
) -> Tensor<4> {
    let local = conv::stock(x.clone(), weight, bias, 1, [Padding::Zero; 2], Activation::None);
    activation.stock(stock(x, real, imaginary, transform) + local)
}

/// The whole transform `[n0 n1, 2K]`: cosines, then minus sines, of the angles of both axes together.
fn matrix(transform: &Transform, device: &Device) -> Tensor<2> {
    let [first, last] = transform.axes();
    let (angle0, angle1) = (first.angles(), last.angles());
    let waves = || (0..first.modes()).flat_map(|k0| (0..last.modes()).map(move |k1| (k0, k1)));
    let mut entries = Vec::with_capacity(first.points() * last.points() * 2 * transform.modes());
    for j0 in 0..first.points() {
        for j1 in 0..last.points() {
            let of = |(k0, k1): (usize, usize)| (angle0(k0, j0), angle1(k1, j1));
            entries.extend(waves().map(of).map(|((c0, s0), (c1, s1))| c0 * c1 - s0 * s1));
            entries.extend(waves().map(of).map(|((c0, s0), (c1, s1))| -(s0 * c1 + c0 * s1)));
        }
    }
    let shape = [first.points() * last.points(), 2 * transform.modes()];
    Tensor::from_data(TensorData::new(entries, shape), device)
}
