//! First values of parameters, drawn when they are first looked at. Burn has them in `burn-nn`, which takes 16 seconds to compile, and of
//! which this and a normalization would be all that is used.

use burn::module::{Param, ParamId};
use burn::tensor::{Device, Distribution, Tensor};

/// What a parameter holds at first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Initial {
    /// One number everywhere.
    Constant(f64),
    /// Independent numbers in [min, max).
    Uniform {
        /// The least.
        min: f64,
        /// What all are below.
        max: f64,
    },
    /// Independent normal numbers of mean zero.
    Normal {
        /// Their standard deviation.
        std: f64,
    },
}

impl Initial {
    /// Numbers uniform in ±1/√n, n numbers being summed.
    pub fn of_sum(n: usize) -> Self {
        let bound = 1.0 / (n as f64).sqrt();
        Initial::Uniform { min: -bound, max: bound }
    }

    /// A parameter of such values.
    ///
    /// # Shapes
    /// As `shape`.
    pub fn init<const D: usize>(self, shape: [usize; D], device: &Device) -> Param<Tensor<D>> {
        let draw = move |device: &Device, tracked: bool| {
            let tensor = match self {
                Initial::Constant(value) => Tensor::full(shape, value, device),
                Initial::Uniform { min, max } => {
                    Tensor::random(shape, Distribution::Uniform(min, max), device)
                }
                Initial::Normal { std } => Tensor::random(shape, Distribution::Normal(0.0, std), device),
            };
            if tracked { tensor.require_grad() } else { tensor }
        };
        Param::uninitialized(ParamId::new(), draw, device.clone(), true, shape.into())
    }
}
