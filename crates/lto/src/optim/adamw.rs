//! AdamW: Adam with decoupled weight decay.

use rayon::prelude::*;

/// Parameters per task.
const CHUNK: usize = 1 << 15;

/// The settings, constant during training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamWConfig {
    /// Decay of the running means of the gradient and of its square.
    pub betas: [f64; 2],
    /// Keeps the division finite.
    pub epsilon: f64,
    /// Share of the learning rate by which every parameter shrinks.
    pub weight_decay: f64,
}

/// The numbers of one step.
#[derive(Clone, Copy, Debug)]
pub struct Factors {
    /// What gradients are scaled by.
    pub scale: f32,
    /// `1 − ηλ`.
    pub keep: f32,
    /// `η / (1 − β₁ᵗ)`.
    pub rate: f32,
    /// `1 / √(1 − β₂ᵗ)`.
    pub root: f32,
    /// ε.
    pub epsilon: f32,
    /// β₁ and 1 − β₁.
    pub first: [f32; 2],
    /// β₂ and 1 − β₂.
    pub second: [f32; 2],
}

impl AdamWConfig {
    /// The numbers of step `step` (from 1), with gradients `scale · g`.
    pub fn factors(&self, scale: f64, learning_rate: f64, step: u64) -> Factors {
        let AdamWConfig { betas: [beta1, beta2], epsilon, weight_decay } = *self;
        // A power of more than 2³¹ steps is zero anyway.
        let t = i32::try_from(step).unwrap_or(i32::MAX);
        Factors {
            scale: scale as f32,
            keep: (1.0 - learning_rate * weight_decay) as f32,
            rate: (learning_rate / (1.0 - beta1.powi(t))) as f32,
            root: (1.0 / (1.0 - beta2.powi(t)).sqrt()) as f32,
            epsilon: epsilon as f32,
            first: [beta1 as f32, (1.0 - beta1) as f32],
            second: [beta2 as f32, (1.0 - beta2) as f32],
        }
    }
}

/// The running means, one entry for each parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// The settings.
    pub config: AdamWConfig,
    /// Running mean of the gradient.
    pub first_moment: Vec<f32>,
    /// Running mean of its square.
    pub second_moment: Vec<f32>,
}

impl AdamW {
    /// Zero means for `n` parameters.
    pub fn new(config: AdamWConfig, n: usize) -> Self {
        Self { config, first_moment: vec![0.0; n], second_moment: vec![0.0; n] }
    }

    /// One step:
    /// `m ← β₁m + (1−β₁)g`, `v ← β₂v + (1−β₂)g²`,
    /// `θ ← θ(1 − ηλ) − η (m/(1−β₁ᵗ)) / (√(v/(1−β₂ᵗ)) + ε)`.
    pub fn step(&mut self, parameters: &mut [f32], gradients: &[f32], factors: &Factors) {
        let Factors { scale, keep, rate, root, epsilon, first: [b1, c1], second: [b2, c2] } = *factors;
        let chunks = parameters.par_chunks_mut(CHUNK).zip(gradients.par_chunks(CHUNK));
        let moments = self.first_moment.par_chunks_mut(CHUNK).zip(self.second_moment.par_chunks_mut(CHUNK));
        chunks.zip(moments).for_each(|((parameters, gradients), (first, second))| {
            let entries = parameters.iter_mut().zip(gradients).zip(first.iter_mut().zip(second));
            for ((parameter, gradient), (m, v)) in entries {
                let g = scale * gradient;
                *m = b1 * *m + c1 * g;
                *v = b2 * *v + c2 * g * g;
                *parameter = *parameter * keep - rate * *m / (v.sqrt() * root + epsilon);
            }
        });
    }
}

/// ‖g‖₂ over all gradients, summed in order: the same bits on any number of threads.
pub fn norm(gradients: &[f32]) -> f64 {
    gradients.iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>().sqrt()
}

/// The factor that scales gradients of this norm down to at most `clip`; `clip = 0` never clips.
pub fn clip_scale(norm: f64, clip: f64) -> f64 {
    if clip > 0.0 && norm > clip { clip / norm } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the formulas in double precision, entry by entry, with a gradient that changes sign and size.
    #[test]
    fn steps_are_those_of_the_formulas() {
        let (n, eta, lambda, beta1, beta2, epsilon) = (70_000, 3e-3, 0.1, 0.9f64, 0.99f64, 1e-8);
        let config = AdamWConfig { betas: [beta1, beta2], epsilon, weight_decay: lambda };
        let gradient =
            |i: usize, t: u64| ((i % 97) as f64 * 0.37 + t as f64).sin() * 10f64.powi((i % 5) as i32 - 3);
        let mut adamw = AdamW::new(config, n);
        let mut parameters: Vec<f32> = (0..n).map(|i| (i % 11) as f32 * 0.1 - 0.5).collect();
        let mut exact: Vec<[f64; 3]> = parameters.iter().map(|&p| [f64::from(p), 0.0, 0.0]).collect();
        for t in 1..=20 {
            let gradients: Vec<f32> = (0..n).map(|i| gradient(i, t) as f32).collect();
            adamw.step(&mut parameters, &gradients, &config.factors(0.5, eta, t));
            for (i, [theta, m, v]) in exact.iter_mut().enumerate() {
                let g = 0.5 * gradient(i, t);
                *theta -= eta * lambda * *theta;
                *m = beta1 * *m + (1.0 - beta1) * g;
                *v = beta2 * *v + (1.0 - beta2) * g * g;
                let (m_hat, v_hat) = (*m / (1.0 - beta1.powi(t as i32)), *v / (1.0 - beta2.powi(t as i32)));
                *theta -= eta * m_hat / (v_hat.sqrt() + epsilon);
            }
        }
        let worst =
            parameters.iter().zip(&exact).map(|(p, e)| (f64::from(*p) - e[0]).abs()).fold(0.0, f64::max);
        assert!(worst < 2e-6, "{worst}");
    }

    #[test]
    fn clipping_is_by_the_norm_of_all_gradients() {
        assert!((norm(&[3.0, 0.0, -4.0]) - 5.0).abs() < 1e-12);
        assert_eq!(clip_scale(5.0, 1.0), 0.2);
        assert_eq!((clip_scale(0.5, 1.0), clip_scale(5.0, 0.0)), (1.0, 1.0));
        assert!(norm(&[1.0, f32::NAN]).is_nan() && norm(&[f32::INFINITY]).is_infinite());
    }
}
