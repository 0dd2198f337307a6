//! The same by stock operations.

use super::axis::Axis;
use super::transform::Transform;
use crate::device::table;
use crate::kernel::activation::Activation;
use crate::kernel::conv::{self, Padding};
use burn::tensor::{Device, Tensor};

/// [`spectral`](super::spectral) by stock operations.
pub fn stock(x: Tensor<4>, real: Tensor<3>, imaginary: Tensor<3>, transform: &Transform) -> Tensor<4> {
    let [b, c, _, _] = x.dims();
    let [_, o, modes] = real.dims();
    let [m0, m1] = transform.axes().map(Axis::modes);
    let tables = Tables::new(transform, &x.device());
    // [modes, b, in] × [modes, in, out].
    let [re, im] = tables.analyze(x).map(|part| part.reshape([b, c, modes]).permute([2, 0, 1]));
    let (wr, wi) = (real.permute([2, 0, 1]), imaginary.permute([2, 0, 1]));
    let out_re = re.clone().matmul(wr.clone()) - im.clone().matmul(wi.clone());
    let out_im = re.matmul(wi) + im.matmul(wr);
    let factors = table(transform.factors().to_vec(), [modes, 1, 1], &tables.last.device());
    let back = |t: Tensor<3>| (t * factors.clone()).permute([1, 2, 0]).reshape([b, o, m0, m1]);
    tables.synthesize([back(out_re), back(out_im)])
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

/// The transform along each axis.
struct Tables {
    /// `[n1, (cos | −sin) m1]`.
    last: Tensor<2>,
    /// cos and −sin `[m0, n0]`; `None` for the missing axis of one-dimensional states.
    first: Option<[Tensor<2>; 2]>,
}

impl Tables {
    fn new(transform: &Transform, device: &Device) -> Self {
        let [first, last] = transform.axes();
        let ([cos, sin], shape) = (waves(last), [last.modes(), last.points()]);
        let along_last = table([cos, sin].concat(), [2 * shape[0], shape[1]], device).transpose();
        let along_first = || waves(first).map(|part| table(part, [first.modes(), first.points()], device));
        Self { last: along_last, first: (*first != Axis::single()).then(along_first) }
    }

    /// Real and imaginary parts `[b, c, m0, m1]` of planes `[b, c, n0, n1]`.
    fn analyze(&self, x: Tensor<4>) -> [Tensor<4>; 2] {
        let image = x.matmul(self.last.clone().unsqueeze());
        let n = image.dims()[3] / 2;
        let [re, im] = [image.clone().narrow(3, 0, n), image.narrow(3, n, n)];
        let Some(first) = &self.first else { return [re, im] };
        let [cos, sin] = first.clone().map(Tensor::unsqueeze::<4>);
        [cos.clone().matmul(re.clone()) - sin.clone().matmul(im.clone()), cos.matmul(im) + sin.matmul(re)]
    }

    /// The transpose of [`Tables::analyze`].
    fn synthesize(&self, [mut re, mut im]: [Tensor<4>; 2]) -> Tensor<4> {
        if let Some(first) = &self.first {
            let [cos, sin] = first.clone().map(|part| part.transpose().unsqueeze::<4>());
            (re, im) = (
                cos.clone().matmul(re.clone()) + sin.clone().matmul(im.clone()),
                cos.matmul(im) - sin.matmul(re),
            );
        }
        Tensor::cat(vec![re, im], 3).matmul(self.last.clone().transpose().unsqueeze())
    }
}

/// cos and −sin, each `[modes, points]`.
fn waves(axis: &Axis) -> [Vec<f32>; 2] {
    let angle = axis.angles();
    let at = || (0..axis.modes()).flat_map(|k| (0..axis.points()).map(move |j| (k, j)));
    [at().map(|(k, j)| angle(k, j).0).collect(), at().map(|(k, j)| -angle(k, j).1).collect()]
}
