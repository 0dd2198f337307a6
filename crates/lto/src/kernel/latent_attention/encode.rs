//! Features at points → modes.

use super::sets::{Part, Sets, split_features, split_scores};
use super::softmax::{BackOverPoints, ModeSums, OverPoints};
use crate::kernel::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use crate::kernel::scratch::Scratch;
use crate::kernel::simd::{self, Isa};
use burn::tensor::Tensor;
use burn::tensor::activation::softmax;
use lto_numerics::matrix::{Matrix, multiply};
use rayon::prelude::*;

/// Rows of weights made at a time.
pub(super) const ROWS: usize = 256;

/// `z[i, j, c] = Σ_n softmax_n(score)[n, j] · feature_i[n, c]`, the sum and the softmax over the points n of example i.
///
/// # Shapes
/// `scores [S, m]`, `features [R, d]` → `[b, m, d]`; the rows of each example are those of `sets`.
pub fn encode(scores: Tensor<2>, features: Tensor<2>, sets: &Sets) -> Tensor<3> {
    if !is_supported(&scores) {
        return stock(scores, features, sets);
    }
    apply(Encode { sets: sets.clone() }, vec![scores.into_dispatch(), features.into_dispatch()])
}

/// [`encode`] by stock operations.
pub fn stock(scores: Tensor<2>, features: Tensor<2>, sets: &Sets) -> Tensor<3> {
    let mut first = 0;
    let encoded = sets.of_examples().map(|rows| {
        let n = rows.len();
        let weights = softmax(scores.clone().narrow(0, rows.start, n), 0).transpose();
        first += n;
        weights.matmul(features.clone().narrow(0, first - n, n)).unsqueeze()
    });
    Tensor::cat(encoded.collect(), 0)
}

#[derive(Debug)]
struct Encode {
    sets: Sets,
}

impl Encode {
    /// Of each set: the largest score of each mode, then `1 / Σ exp(score − largest)` of each.
    fn sums(&self, isa: Isa, scores: &[f32], modes: usize) -> Vec<f32> {
        // The approximate cost of an exponential and the rest, in operations.
        let parts = self.sets.parts(20 * modes);
        let one = |part: &Part| {
            let mut found = vec![0.0; 2 * modes];
            let (most, sums) = found.split_at_mut(modes);
            let scores = &scores[part.scores.start * modes..part.scores.end * modes];
            simd::run(isa, ModeSums { scores, most, sums });
            found
        };
        let found: Vec<Vec<f32>> = parts.par_iter().map(one).collect();
        let mut all = [vec![f32::NEG_INFINITY; modes], vec![0.0; modes]].concat().repeat(self.sets.n_sets());
        for (part, found) in parts.iter().zip(found) {
            let (most, sums) = all[part.set * 2 * modes..][..2 * modes].split_at_mut(modes);
            for (j, (most, sum)) in most.iter_mut().zip(sums).enumerate() {
                let larger = most.max(found[j]);
                *sum = *sum * (*most - larger).exp() + found[modes + j] * (found[j] - larger).exp();
                *most = larger;
            }
        }
        for sums in all.chunks_exact_mut(2 * modes) {
            sums[modes..].iter_mut().for_each(|sum| *sum = 1.0 / *sum);
        }
        all
    }
}

impl Operation for Encode {
    /// Saves what turns scores into weights.
    fn forward(&self, inputs: &[Array], _tracked: bool) -> Forward {
        let ([_, modes], [_, dim]) = (inputs[0].dims(), inputs[1].dims());
        let (isa, size) = (Isa::detect(), modes * dim);
        let sums_of_scores = self.sums(isa, inputs[0].values, modes);
        let parts = self.sets.parts(2 * size);
        let one = |part: &Part| {
            let mut sums = vec![0.0; part.examples.len() * size];
            let mut scratch = Scratch::new(ROWS * modes);
            for begin in part.scores.clone().step_by(ROWS) {
                let (n, offset) = (ROWS.min(part.scores.end - begin), begin - part.scores.start);
                let scores = &inputs[0].values[begin * modes..][..n * modes];
                let weights = &mut scratch.get()[..n * modes];
                simd::run(
                    isa,
                    OverPoints {
                        scores,
                        sums: &sums_of_scores[part.set * 2 * modes..][..2 * modes],
                        weights,
                    },
                );
                let weights = Matrix::new(weights, n, modes).transposed();
                for (&(_, first), sum) in part.examples.iter().zip(sums.chunks_exact_mut(size)) {
                    let features = &inputs[1].values[(first + offset) * dim..];
                    multiply(weights, Matrix::new(features, n, dim), sum, true);
                }
            }
            sums
        };
        let sums: Vec<Vec<f32>> = parts.par_iter().map(one).collect();
        let mut output = vec![0.0; self.sets.n_examples() * size];
        for (part, sums) in parts.iter().zip(sums) {
            add(&mut output, part, &sums, size);
        }
        Forward { output, shape: vec![self.sets.n_examples(), modes, dim], saved: sums_of_scores }
    }

    fn needs_output(&self) -> bool {
        true
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let ([n_scores, modes], [n_features, dim]) = (pass.inputs[0].dims(), pass.inputs[1].dims());
        let (isa, size) = (Isa::detect(), modes * dim);
        let latent = |example: usize| &pass.gradient[example * size..(example + 1) * size];
        // Σ_n weight · gradient of the weight, of each mode: what the encoded features and their gradient give.
        let products = pass.output.chunks_exact(dim).zip(pass.gradient.chunks_exact(dim));
        let products: Vec<f32> =
            products.map(|(z, dz)| z.iter().zip(dz).map(|(z, dz)| z * dz).sum()).collect();
        let parts = self.sets.parts(4 * size);
        let (mut d_scores, mut d_features) = (vec![0.0; n_scores * modes], vec![0.0; n_features * dim]);
        let to_scores = split_scores(&parts, &mut d_scores, modes);
        let to_features = split_features(&parts, &mut d_features, dim);
        let one = |((part, d_scores), d_features): ((&Part, &mut [f32]), Vec<&mut [f32]>)| {
            let mut means = vec![0.0; modes];
            for &(example, _) in &part.examples {
                let products = &products[example * modes..(example + 1) * modes];
                means.iter_mut().zip(products).for_each(|(mean, product)| *mean += product);
            }
            let mut scratch = Scratch::new(ROWS * modes);
            let mut d_features = d_features;
            for begin in part.scores.clone().step_by(ROWS) {
                let (n, offset) = (ROWS.min(part.scores.end - begin), begin - part.scores.start);
                let scores = &pass.inputs[0].values[begin * modes..][..n * modes];
                let weights = &mut scratch.get()[..n * modes];
                let sums = &pass.saved[part.set * 2 * modes..][..2 * modes];
                simd::run(isa, OverPoints { scores, sums, weights });
                let d_scores = &mut d_scores[offset * modes..][..n * modes];
                for (&(example, first), d_features) in part.examples.iter().zip(&mut d_features) {
                    let dz = Matrix::new(latent(example), modes, dim);
                    let features = Matrix::new(&pass.inputs[1].values[(first + offset) * dim..], n, dim);
                    multiply(Matrix::new(weights, n, modes), dz, &mut d_features[offset * dim..], false);
                    multiply(features, dz.transposed(), d_scores, true);
                }
                simd::run(isa, BackOverPoints { weights, means: &means, gradient: d_scores });
            }
        };
        parts.par_iter().zip(to_scores).zip(to_features).for_each(one);
        vec![Some(d_scores), Some(d_features)]
    }
}

/// Adds the partial sums of a part's examples to those of all.
pub(super) fn add(all: &mut [f32], part: &Part, sums: &[f32], size: usize) {
    for (&(example, _), sums) in part.examples.iter().zip(sums.chunks_exact(size)) {
        all[example * size..][..size].iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
    }
}
