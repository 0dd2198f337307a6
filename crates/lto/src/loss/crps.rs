//! The continuous ranked probability score of normal distributions, in normalized units.

use super::{Compared, Units};
use crate::error::Result;
use burn::tensor::Tensor;
use lto_numerics::Points;
use std::f64::consts::{FRAC_1_PI, FRAC_1_SQRT_2};
use std::sync::Arc;

/// The mean of σ (z (2Φ(z) − 1) + 2φ(z) − 1/√π), z = (u − û)/σ, with the deviation σ that the model gives; |u − û| of a
/// model that gives none and so says that it is certain.
pub(super) fn crps(compared: Compared, _units: &Units, _queries: &[Arc<Points>]) -> Result<Tensor<1>> {
    let Compared { prediction, truth, deviation, known } = compared;
    let error = truth - prediction;
    let scores = match deviation {
        None => error.abs(),
        Some(deviation) => {
            let z = error / deviation.clone();
            let both_tails = (z.clone() * FRAC_1_SQRT_2).erf();
            let density = (z.clone().square() * -0.5).exp() * (2.0 * FRAC_1_PI).sqrt();
            deviation * (z * both_tails + density - FRAC_1_PI.sqrt())
        }
    };
    Ok(match known {
        Some(known) => (scores * known.clone()).sum() / known.sum().clamp_min(1.0),
        None => scores.mean(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Predicted, Units};
    use burn::tensor::Device;

    const MEANS: [f32; 4] = [0.3, -1.0, 0.0, 2.0];
    const DEVIATIONS: [f32; 4] = [0.5, 2.0, 0.1, 1.0];
    const TRUTH: [f32; 4] = [1.0, -1.0, 0.7, -0.5];

    fn score(means: [f32; 4], deviations: [f32; 4]) -> f64 {
        let (tensor, units) = tensors();
        let predicted = Predicted { mean: tensor(means), deviation: Some(tensor(deviations)) };
        let compared = Compared::new(predicted, tensor(TRUTH));
        f64::from(crps(compared, &units, &[]).unwrap().into_scalar::<f32>())
    }

    fn tensors() -> (impl Fn([f32; 4]) -> Tensor<3>, Units) {
        let device = Device::flex().autodiff();
        let units = Units { offset: vec![0.0], scale: vec![1.0] };
        (move |values| Tensor::<1>::from_floats(values, &device).reshape([1, 1, 4]), units)
    }

    /// ∫ (F(x) − 1{x ≥ u})² dx, with F the sum of the density up to x.
    #[test]
    fn it_is_the_integral_over_all_thresholds() {
        let step = 1e-3;
        let one = |i: usize| {
            let [mean, deviation, u] = [MEANS[i], DEVIATIONS[i], TRUTH[i]].map(f64::from);
            let (mut below, mut sum) = (0.0, 0.0);
            for j in -12_000..12_000 {
                let z = (f64::from(j) + 0.5) * step;
                let mass = (-0.5 * z * z).exp() * (0.5 * FRAC_1_PI).sqrt() * step;
                let past = f64::from(u8::from(mean + deviation * z >= u));
                sum += (below + 0.5 * mass - past).powi(2) * deviation * step;
                below += mass;
            }
            sum
        };
        let exact = (0..4).map(one).sum::<f64>() / 4.0;
        assert!((score(MEANS, DEVIATIONS) - exact).abs() < 1e-3, "{} {exact}", score(MEANS, DEVIATIONS));
    }

    /// Slopes in mean and deviation are those of finite differences; the score of a deviation near zero is the error.
    #[test]
    fn slopes_are_those_of_differences() {
        let (tensor, units) = tensors();
        let (mean, deviation) = (tensor(MEANS).require_grad(), tensor(DEVIATIONS).require_grad());
        let predicted = Predicted { mean: mean.clone(), deviation: Some(deviation.clone()) };
        let value = crps(Compared::new(predicted, tensor(TRUTH)), &units, &[]).unwrap();
        let gradients = value.backward();
        let step = 1e-2;
        for i in 0..4 {
            for (which, of) in [&mean, &deviation].into_iter().enumerate() {
                let slope = of.grad(&gradients).unwrap().into_data().iter::<f32>().nth(i).unwrap();
                let at = |sign: f32| {
                    let mut both = [MEANS, DEVIATIONS];
                    both[which][i] += sign * step;
                    score(both[0], both[1])
                };
                let expected = (at(1.0) - at(-1.0)) / f64::from(2.0 * step);
                assert!((f64::from(slope) - expected).abs() < 2e-3, "{which} {i}: {slope} {expected}");
            }
        }
        let certain = crps(Compared::new(tensor(MEANS).into(), tensor(TRUTH)), &units, &[]).unwrap();
        let certain = f64::from(certain.into_scalar::<f32>());
        assert!((score(MEANS, [1e-4; 4]) - certain).abs() < 1e-4);
    }
}
