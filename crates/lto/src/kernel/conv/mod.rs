//! Convolution that keeps the grid, with bias and activation: `a(w ⋆ x + b)`, also of a sum with another state.
//!
//! Output channels times columns are computed in register tiles over all input channels and taps, from rows that were
//! copied side by side with their continuation. The backward pass reads the gradient through the activation's
//! derivative while copying, so the gradient before the activation is never stored.

mod forward;
pub(super) mod pointwise;
mod rows;
#[cfg(test)]
mod tests;
mod weight_gradient;

use super::activation::Activation;
use super::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use super::simd::Isa;
use burn::tensor::Tensor;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use forward::Layer;
pub use rows::Padding;
use rows::{Gate, Geometry, Source};

/// `activation(w ⋆ x + b)`, the grid kept; taps are `dilation` apart. Periodic axes wrap any number of times.
///
/// # Shapes
/// `x [b, in, n0, n1]`, `weight [out, in, k0, k1]` (k odd), `bias [out]` → `[b, out, n0, n1]`.
pub fn conv(
    x: Tensor<4>,
    weight: Tensor<4>,
    bias: Tensor<1>,
    dilation: usize,
    padding: [Padding; 2],
    activation: Activation,
) -> Tensor<4> {
    if !is_supported(&x) {
        return stock(x, weight, bias, dilation, padding, activation);
    }
    let operation = Conv { dilation, padding, activation };
    apply(operation, vec![x.into_dispatch(), weight.into_dispatch(), bias.into_dispatch()])
}

/// `activation(w ⋆ x + b + addend)`, in one pass.
///
/// # Shapes
/// As [`conv`]; `addend` as the output.
pub fn conv_added(
    x: Tensor<4>,
    weight: Tensor<4>,
    bias: Tensor<1>,
    addend: Tensor<4>,
    dilation: usize,
    padding: [Padding; 2],
    activation: Activation,
) -> Tensor<4> {
    if !is_supported(&x) {
        return activation.stock(stock(x, weight, bias, dilation, padding, Activation::None) + addend);
    }
    let inputs = [x.into_dispatch(), weight.into_dispatch(), bias.into_dispatch(), addend.into_dispatch()];
    apply(Conv { dilation, padding, activation }, inputs.into())
}

/// [`conv`] by stock operations.
pub fn stock(
    x: Tensor<4>,
    weight: Tensor<4>,
    bias: Tensor<1>,
    dilation: usize,
    padding: [Padding; 2],
    activation: Activation,
) -> Tensor<4> {
    let [_, _, k0, k1] = weight.dims();
    let reach = [dilation * (k0 / 2), dilation * (k1 / 2)];
    let mut x = x;
    let mut zeros = [0; 2];
    for axis in 0..2 {
        match padding[axis] {
            Padding::Periodic => x = wrap(x, axis + 2, reach[axis]),
            Padding::Zero => zeros[axis] = reach[axis],
        }
    }
    let options = ConvOptions::new([1, 1], zeros, [dilation, dilation], 1);
    activation.stock(conv2d(x, weight, Some(bias), options))
}

/// Continues `x` as a circle by `reach` entries on both sides of dimension `dim`, any number of times round.
fn wrap(x: Tensor<4>, dim: usize, reach: usize) -> Tensor<4> {
    let n = x.dims()[dim];
    if reach == 0 {
        return x;
    }
    let (turns, rest) = (reach / n, reach % n);
    let mut parts = Vec::with_capacity(2 * turns + 3);
    if rest > 0 {
        parts.push(x.clone().narrow(dim, n - rest, rest));
    }
    parts.extend(std::iter::repeat_n(x.clone(), 2 * turns + 1));
    if rest > 0 {
        parts.push(x.narrow(dim, 0, rest));
    }
    Tensor::cat(parts, dim)
}

#[derive(Debug)]
struct Conv {
    dilation: usize,
    padding: [Padding; 2],
    activation: Activation,
}

impl Conv {
    fn geometry(&self, inputs: &[Array]) -> Geometry {
        let ([batch, input, n0, n1], [output, _, k0, k1]) = (inputs[0].dims(), inputs[1].dims());
        let (dilation, padding) = (self.dilation, self.padding);
        Geometry { batch, input, output, grid: [n0, n1], kernel: [k0, k1], dilation, padding }
    }
}

impl Operation for Conv {
    fn forward(&self, inputs: &[Array], tracked: bool) -> Forward {
        let g = self.geometry(inputs);
        let source = Source { values: inputs[0].values, gate: Gate::Open, channels: g.input, grid: g.grid };
        let with_slope = tracked && self.activation.has_slope();
        let layer = Layer {
            weight: inputs[1].values,
            bias: inputs[2].values,
            addend: inputs.get(3).map(|addend| addend.values),
            activation: self.activation,
        };
        let made = forward::forward(Isa::detect(), &g, &source, layer, with_slope);
        Forward {
            output: made.output,
            shape: vec![g.batch, g.output, g.grid[0], g.grid[1]],
            saved: made.slope,
        }
    }

    fn needs_output(&self) -> bool {
        self.activation == Activation::Relu
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let g = self.geometry(pass.inputs);
        let gate = match self.activation {
            Activation::None => Gate::Open,
            Activation::Relu => Gate::Positive(pass.output),
            Activation::Silu | Activation::Gelu => Gate::Slope(pass.saved),
        };
        let gradient = Source { values: pass.gradient, gate, channels: g.output, grid: g.grid };
        let isa = Isa::detect();
        let x = pass.wanted[0].then(|| forward::input_gradient(isa, &g, &gradient, pass.inputs[1].values));
        let (weight, bias) = if pass.wanted[1] || pass.wanted[2] {
            let input =
                Source { values: pass.inputs[0].values, gate: Gate::Open, channels: g.input, grid: g.grid };
            let (weight, bias) = weight_gradient::weight_gradient(isa, &g, &input, &gradient);
            (Some(weight), Some(bias))
        } else {
            (None, None)
        };
        let mut all = vec![x, weight, bias];
        if pass.inputs.len() == 4 {
            all.push(pass.wanted[3].then(|| gradient.gated()));
        }
        all
    }
}
