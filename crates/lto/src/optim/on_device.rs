//! The optimizer where the weights are: the same formulas by stock operations, so that neither gradients nor weights leave a
//! device that is not the processor.

use super::adamw::{AdamW, Factors};
use crate::device;
use burn::tensor::{Device, Tensor};

/// Weights and running means of all parameters, each as one vector on a device.
pub struct OnDevice {
    /// Parameters.
    pub weights: Tensor<1>,
    /// Their running mean, if used.
    pub average: Option<Tensor<1>>,
    first_moment: Tensor<1>,
    second_moment: Tensor<1>,
}

impl OnDevice {
    /// Sends the state of a run to a device.
    pub fn send(weights: &[f32], average: Option<&[f32]>, optimizer: &AdamW, device: &Device) -> Self {
        let device = device.clone().without_autodiff();
        let send = |values: &[f32]| device::send(values.to_vec(), [values.len()], &device);
        Self {
            weights: send(weights),
            average: average.map(send),
            first_moment: send(&optimizer.first_moment),
            second_moment: send(&optimizer.second_moment),
        }
    }

    /// Fetches the state of a run.
    pub fn fetch(&self, weights: &mut Vec<f32>, average: &mut Option<Vec<f32>>, optimizer: &mut AdamW) {
        let fetch = |tensor: &Tensor<1>| device::fetch(tensor.clone());
        *weights = fetch(&self.weights);
        *average = self.average.as_ref().map(fetch);
        optimizer.first_moment = fetch(&self.first_moment);
        optimizer.second_moment = fetch(&self.second_moment);
    }

    /// As [`AdamW::step`].
    pub fn step(&mut self, gradients: Tensor<1>, factors: &Factors) {
        let Factors { scale, keep, rate, root, epsilon, first: [b1, c1], second: [b2, c2] } = *factors;
        let g = gradients * scale;
        self.first_moment = self.first_moment.clone() * b1 + g.clone() * c1;
        self.second_moment = self.second_moment.clone() * b2 + g.clone() * g * c2;
        let change = self.first_moment.clone() * rate / (self.second_moment.clone().sqrt() * root + epsilon);
        self.weights = self.weights.clone() * keep - change;
    }

    /// Moves the running mean by a share of the way to the weights.
    pub fn follow(&mut self, share: f32) {
        if let Some(average) = &mut self.average {
            *average = average.clone() + (self.weights.clone() - average.clone()) * share;
        }
    }
}

/// ‖g‖₂ over all gradients.
pub fn norm(gradients: &Tensor<1>) -> f64 {
    f64::from(device::fetch((gradients.clone() * gradients.clone()).sum().sqrt())[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optim::adamw::AdamWConfig;
    use crate::optim::{adamw, ema};

    fn numbers(n: usize, seed: u64) -> Vec<f32> {
        (0..n).map(|i| (1.7 * i as f32 + seed as f32).sin()).collect()
    }

    fn difference(got: &[f32], expected: &[f32]) -> f32 {
        assert_eq!(got.len(), expected.len());
        got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    /// Both optimizers do the same steps.
    #[test]
    fn equals_the_optimizer_on_host_vectors() {
        let (n, device) = (1000, Device::flex());
        let config = AdamWConfig { betas: [0.9, 0.99], epsilon: 1e-8, weight_decay: 0.1 };
        let (mut adamw, mut weights) = (AdamW::new(config, n), numbers(n, 1));
        let mut average = weights.clone();
        let mut there = OnDevice::send(&weights, Some(&average), &adamw, &device);
        for step in 1..=20 {
            let gradients = numbers(n, 100 + step);
            let on_device = Tensor::<1>::from_floats(&gradients[..], &device);
            assert!((norm(&on_device) / adamw::norm(&gradients) - 1.0).abs() < 1e-6);
            let factors = config.factors(0.5, 3e-3, step);
            adamw.step(&mut weights, &gradients, &factors);
            ema::update(&mut average, &weights, 0.9, step);
            there.step(on_device, &factors);
            there.follow(ema::share(0.9, step));
        }
        let (mut fetched, mut means, mut moments) = (Vec::new(), None, AdamW::new(config, 0));
        there.fetch(&mut fetched, &mut means, &mut moments);
        assert!(difference(&fetched, &weights) < 1e-6 && difference(&means.unwrap(), &average) < 1e-6);
        assert!(difference(&moments.first_moment, &adamw.first_moment) < 1e-6);
        assert!(difference(&moments.second_moment, &adamw.second_moment) < 1e-6);
    }
}
