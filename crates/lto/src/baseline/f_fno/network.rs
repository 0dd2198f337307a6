//! The learned parts.

use super::config::FFnoConfig;
use crate::kernel::activation::Activation;
use crate::kernel::factorized::{Lines, factorized_layer};
use crate::nn::initial::Initial;
use crate::nn::normed_linear::NormedLinear;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use std::sync::Arc;

/// Linear to w channels; layers `z ← z + b` with `b = W₂ ReLU(W₁ Σ_d F_d⁻¹(R_d · F_d z) + b₁) + b₂`; the
/// projection, two linear maps with nothing between, reads the last b and not z. All linear maps are weight-normalized.
#[derive(Module, Debug)]
pub struct FFnoNetwork {
    lift: NormedLinear,
    /// One for all layers, or one for each.
    spectral: Vec<Spectral>,
    layers: Vec<Perceptron>,
    hidden: NormedLinear,
    output: NormedLinear,
}

/// R of every axis.
#[derive(Module, Debug)]
pub struct Spectral {
    axes: Vec<AxisWeights>,
}

/// R of one axis: a complex matrix for each kept wavenumber.
#[derive(Module, Debug)]
pub struct AxisWeights {
    /// Real parts, `[in, out, modes]`.
    real: Param<Tensor<3>>,
    /// Imaginary parts, `[in, out, modes]`.
    imaginary: Param<Tensor<3>>,
}

/// W₁ and W₂ with their biases.
#[derive(Module, Debug)]
pub struct Perceptron {
    first: NormedLinear,
    second: NormedLinear,
}

impl Spectral {
    /// Normal of standard deviation `gain/√(2 w modes)`, real and imaginary.
    fn new(config: &FFnoConfig, dim: usize, gain: f64, device: &Device) -> Self {
        let axis = |d: usize| {
            let (w, modes) = (config.width, config.modes.along(d));
            let std = gain / ((2 * w * modes) as f64).sqrt();
            let normal = Initial::Normal { std };
            let draw = || normal.init([w, w, modes], device);
            AxisWeights { real: draw(), imaginary: draw() }
        };
        Self { axes: (0..dim).map(axis).collect() }
    }
}

impl FFnoNetwork {
    /// `input` channels (coordinates included) → `output` channels on `dim` axes.
    pub fn new(config: &FFnoConfig, [input, output]: [usize; 2], dim: usize, device: &Device) -> Self {
        let (w, inner) = (config.width, config.expansion * config.width);
        // As published: what many layers share begins smaller.
        let gain = if config.share { 0.1 } else { 1.0 };
        let layer = |_| Perceptron {
            first: NormedLinear::new(w, inner, device),
            second: NormedLinear::new(inner, w, device),
        };
        Self {
            lift: NormedLinear::new(input, w, device),
            spectral: (0..config.n_spectral()).map(|_| Spectral::new(config, dim, gain, device)).collect(),
            layers: (0..config.layers).map(layer).collect(),
            hidden: NormedLinear::new(w, config.hidden, device),
            output: NormedLinear::new(config.hidden, output, device),
        }
    }

    /// # Shapes
    /// `[b, in, n0 n1]` → `[b, out, n0 n1]`.
    pub fn forward(&self, x: Tensor<3>, lines: &Arc<Lines>) -> Tensor<3> {
        let ([b, _, m], [n0, n1]) = (x.dims(), lines.grid());
        let z = self.lift.pointwise(x, Activation::None);
        let width = z.dims()[1];
        let mut z = z.reshape([b, width, n0, n1]);
        let spectral: Vec<_> = self.spectral.iter().map(Spectral::values).collect();
        for (i, layer) in self.layers.iter().enumerate() {
            let weights = spectral[i.min(spectral.len() - 1)].clone();
            let parts = [&layer.first, &layer.second].map(|part| (part.weight(), part.bias.val()));
            let is_last = i + 1 == self.layers.len();
            z = factorized_layer(z, weights, parts, lines, !is_last);
        }
        let update = z.reshape([b, width, m]);
        self.output.pointwise(self.hidden.pointwise(update, Activation::None), Activation::None)
    }
}

impl Spectral {
    /// The weights of every axis.
    fn values(&self) -> Vec<(Tensor<3>, Tensor<3>)> {
        self.axes.iter().map(|axis| (axis.real.val(), axis.imaginary.val())).collect()
    }
}
