//! Modes → features at points.

use super::encode::{ROWS, add};
use super::sets::{Part, Sets, split_features, split_scores};
use super::softmax::{BackOverModes, OverModes};
use crate::kernel::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use crate::kernel::scratch::Scratch;
use crate::kernel::simd::{self, Isa};
use burn::tensor::Tensor;
use burn::tensor::activation::softmax;
use lto_numerics::matrix::{Matrix, multiply};
use rayon::prelude::*;

/// `feature_i[n, c] = Σ_j softmax_j(score)[n, j] · z[i, j, c]`, the sum and the softmax over the modes j.
///
/// # Shapes
/// `scores [S, m]`, `latent [b, m, d]` → `[R, d]`; the rows of each example are those of `sets`.
pub fn decode(scores: Tensor<2>, latent: Tensor<3>, sets: &Sets) -> Tensor<2> {
    if !is_supported(&scores) {
        return stock(scores, latent, sets);
    }
    apply(Decode { sets: sets.clone() }, vec![scores.into_dispatch(), latent.into_dispatch()])
}

/// [`decode`] by stock operations.
pub fn stock(scores: Tensor<2>, latent: Tensor<3>, sets: &Sets) -> Tensor<2> {
    let [_, modes, dim] = latent.dims();
    let weights = softmax(scores, 1);
    let decoded = sets.of_examples().enumerate().map(|(example, rows)| {
        let z = latent.clone().narrow(0, example, 1).reshape([modes, dim]);
        weights.clone().narrow(0, rows.start, rows.len()).matmul(z)
    });
    Tensor::cat(decoded.collect(), 0)
}

#[derive(Debug)]
struct Decode {
    sets: Sets,
}

impl Operation for Decode {
    fn forward(&self, inputs: &[Array], _tracked: bool) -> Forward {
        let [_, modes, dim] = inputs[1].dims();
        let (isa, size) = (Isa::detect(), modes * dim);
        let mut output = vec![0.0; self.sets.n_features() * dim];
        let parts = self.sets.parts(2 * size);
        let to_features = split_features(&parts, &mut output, dim);
        parts.par_iter().zip(to_features).for_each(|(part, mut features)| {
            let mut scratch = Scratch::new(ROWS * modes);
            for begin in part.scores.clone().step_by(ROWS) {
                let (n, offset) = (ROWS.min(part.scores.end - begin), begin - part.scores.start);
                let scores = &inputs[0].values[begin * modes..][..n * modes];
                let weights = &mut scratch.get()[..n * modes];
                simd::run(isa, OverModes { scores, modes, weights });
                for (&(example, _), features) in part.examples.iter().zip(&mut features) {
                    let z = Matrix::new(&inputs[1].values[example * size..], modes, dim);
                    multiply(Matrix::new(weights, n, modes), z, &mut features[offset * dim..], false);
                }
            }
        });
        Forward { output, shape: vec![self.sets.n_features(), dim], saved: Vec::new() }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let ([n_scores, modes], [_, _, dim]) = (pass.inputs[0].dims(), pass.inputs[1].dims());
        let (isa, size) = (Isa::detect(), modes * dim);
        let parts = self.sets.parts(4 * size);
        let mut d_scores = vec![0.0; n_scores * modes];
        let to_scores = split_scores(&parts, &mut d_scores, modes);
        let one = |(part, d_scores): (&Part, &mut [f32])| {
            let mut sums = vec![0.0; part.examples.len() * size];
            let mut scratch = Scratch::new(ROWS * modes);
            for begin in part.scores.clone().step_by(ROWS) {
                let (n, offset) = (ROWS.min(part.scores.end - begin), begin - part.scores.start);
                let scores = &pass.inputs[0].values[begin * modes..][..n * modes];
                let weights = &mut scratch.get()[..n * modes];
                simd::run(isa, OverModes { scores, modes, weights });
                let d_scores = &mut d_scores[offset * modes..][..n * modes];
                for (&(example, first), sum) in part.examples.iter().zip(sums.chunks_exact_mut(size)) {
                    let gradient = Matrix::new(&pass.gradient[(first + offset) * dim..], n, dim);
                    let z = Matrix::new(&pass.inputs[1].values[example * size..], modes, dim);
                    multiply(Matrix::new(weights, n, modes).transposed(), gradient, sum, true);
                    multiply(gradient, z.transposed(), d_scores, true);
                }
                simd::run(isa, BackOverModes { weights, modes, gradient: d_scores });
            }
            sums
        };
        let sums: Vec<Vec<f32>> = parts.par_iter().zip(to_scores).map(one).collect();
        let mut d_latent = vec![0.0; pass.inputs[1].values.len()];
        for (part, sums) in parts.iter().zip(sums) {
            add(&mut d_latent, part, &sums, size);
        }
        vec![Some(d_scores), Some(d_latent)]
    }
}
