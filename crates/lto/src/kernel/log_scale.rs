//! Learned length scales: what a kernel needs of log ℓ, and how values computed in plain numbers get their
//! derivative in it.

use super::operation::{Array, Forward, Operation, Pass, apply};
use crate::device::fetch;
use burn::tensor::Tensor;
use lto_numerics::setconv::Scale;

/// ℓ of a learned log ℓ `[1]`, with slopes if gradients are tracked.
pub fn scale_of(log_scale: &Tensor<1>) -> Scale {
    let slope = log_scale.is_require_grad();
    Scale { length: f64::from(fetch(log_scale.clone())[0]).exp(), slope }
}

/// `values` as a tensor whose derivative in `log_scale [1]` is `derivative`, on the processor. The values themselves do not
/// change.
///
/// # Shapes
/// As `shape`, which both must fill.
pub fn attach_log_scale<const D: usize>(
    values: Vec<f32>,
    derivative: Vec<f32>,
    shape: [usize; D],
    log_scale: Tensor<1>,
) -> Tensor<D> {
    apply(Attach { values, derivative, shape: shape.into() }, vec![log_scale.into_dispatch()])
}

#[derive(Debug)]
struct Attach {
    values: Vec<f32>,
    derivative: Vec<f32>,
    shape: Vec<usize>,
}

impl Operation for Attach {
    fn forward(&self, _: &[Array], _tracked: bool) -> Forward {
        Forward { output: self.values.clone(), shape: self.shape.clone(), saved: Vec::new() }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let product: f64 = pass.gradient.iter().zip(&self.derivative).map(|(a, b)| f64::from(a * b)).sum();
        vec![Some(vec![product as f32])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::send;
    use crate::kernel::testing::{agree, numbers};

    /// The same by stock operations: `values + (log ℓ − sg log ℓ) derivative`.
    fn stock<const D: usize>(
        values: Vec<f32>,
        derivative: Vec<f32>,
        shape: [usize; D],
        log_scale: Tensor<1>,
    ) -> Tensor<D> {
        let device = log_scale.device();
        let step = log_scale.clone() - log_scale.detach();
        send(values, shape, &device) + send(derivative, shape, &device) * step.unsqueeze()
    }

    #[test]
    fn equals_stock_operations() {
        let (values, derivative) = (numbers(24, 1), numbers(24, 2));
        let run = |f: fn(_, _, _, _) -> Tensor<4>| {
            let (values, derivative) = (values.clone(), derivative.clone());
            move |t: &[Tensor<1>]| {
                f(values.clone(), derivative.clone(), [2, 3, 1, 4], t[0].clone()).reshape([-1])
            }
        };
        agree("log scale", &[1], &run(attach_log_scale), &run(stock));
    }
}
