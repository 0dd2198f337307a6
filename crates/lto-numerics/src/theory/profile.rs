//! The integrals that bound how far a sum over cells is from an integral.

use super::integral::integral;
use std::f64::consts::{PI, TAU};

/// A radial function p(s) that rises to its mode and falls beyond it; s is a distance in length scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// e^{−s²/2}: the kernel.
    Kernel,
    /// s e^{−s²/2}: the size of its gradient, times ℓ.
    Gradient,
    /// (1 + s²) e^{−s²/2}: the size of the gradient of κ(x, y)(u(y) − u(x)), over the gradient bound of u.
    Growth,
}

/// Beyond this many length scales the profiles are below 1e-34.
const FAR: f64 = 13.0;

impl Profile {
    fn mode(self) -> f64 {
        match self {
            Profile::Kernel => 0.0,
            Profile::Gradient | Profile::Growth => 1.0,
        }
    }

    fn value(self, s: f64) -> f64 {
        let kernel = (-0.5 * s * s).exp();
        match self {
            Profile::Kernel => kernel,
            Profile::Gradient => s * kernel,
            Profile::Growth => (1.0 + s * s) * kernel,
        }
    }

    /// ∫ over R^D of sup { p(|w'|) : |w' − w| ≤ η }: the profile widened by the reach η of the cells, so that
    /// its value anywhere in a cell bounds p throughout the cell. For η = 0 the plain integral: K_d of the
    /// paper for [`Profile::Gradient`], (2π)^{D/2} for [`Profile::Kernel`].
    ///
    /// The supremum is p(s + η) before the mode, p(mode) within η of it and p(s − η) beyond.
    pub fn swollen_integral(self, dim: usize, reach: f64) -> f64 {
        let power = dim as i32 - 1;
        let mode = self.mode();
        let sphere = [2.0, TAU, 4.0 * PI][dim.clamp(1, 3) - 1];
        let rising = integral(0.0, mode - reach, |s| self.value(s + reach) * s.powi(power));
        let ball = |radius: f64| radius.max(0.0).powi(power + 1) / f64::from(power + 1);
        let flat = self.value(mode) * (ball(mode + reach) - ball(mode - reach));
        let falling = integral(mode, FAR, |t| self.value(t) * (t + reach).powi(power));
        sphere * (rising + flat + falling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_reach_they_are_the_moments_of_a_gaussian() {
        for dim in 1..=3 {
            let volume = TAU.powf(0.5 * dim as f64);
            // E|w| of D standard normal numbers: √(2/π), √(π/2), 2√(2/π).
            let mean = [(2.0 / PI).sqrt(), (PI / 2.0).sqrt(), 2.0 * (2.0 / PI).sqrt()][dim - 1];
            let expected = [1.0, mean, 1.0 + dim as f64].map(|moment| moment * volume);
            for (profile, expected) in
                [Profile::Kernel, Profile::Gradient, Profile::Growth].iter().zip(expected)
            {
                let found = profile.swollen_integral(dim, 0.0);
                assert!((found / expected - 1.0).abs() < 1e-12, "{profile:?} {dim}: {found} {expected}");
            }
        }
    }

    /// Against the definition: the largest value over many places within reach, summed over a fine grid.
    #[test]
    fn swollen_profiles_are_suprema_over_balls() {
        let step = 0.01;
        for profile in [Profile::Kernel, Profile::Gradient, Profile::Growth] {
            for reach in [0.3, 1.7] {
                let largest = |s: f64| {
                    let near = (0..=400).map(|i| s - reach + 2.0 * reach * f64::from(i) / 400.0);
                    near.map(|t| profile.value(t.abs())).fold(0.0, f64::max)
                };
                for dim in 1..=3usize {
                    let sphere = [2.0, TAU, 4.0 * PI][dim - 1];
                    let shell = |i: i32| {
                        let s = (f64::from(i) + 0.5) * step;
                        largest(s) * s.powi(dim as i32 - 1) * step
                    };
                    let sum = sphere * (0..1200).map(shell).sum::<f64>();
                    let found = profile.swollen_integral(dim, reach);
                    assert!((sum / found - 1.0).abs() < 1e-3, "{profile:?} {reach} {dim}: {sum} {found}");
                }
            }
        }
    }
}
