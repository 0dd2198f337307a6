//! PDEBench's random initial states of one-dimensional problems: a few sine waves, sometimes folded by an
//! absolute value, sometimes cut by a window.

use rand::{Rng, RngExt};
use std::f64::consts::TAU;

/// Wavenumbers from 1 to this take part.
const N_WAVES: usize = 4;
/// Draws, with replacement, of the wavenumbers that oscillate.
const N_DRAWS: usize = 2;
const FOLD_PROBABILITY: f64 = 0.1;
const WINDOW_PROBABILITY: f64 = 0.1;
/// Width of the window's flanks.
const FLANK: f64 = 0.01;

/// `A sin(ω x + φ)`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wave {
    amplitude: f64,
    frequency: f64,
    phase: f64,
}

/// A drawn initial state: a function on the unit interval,
/// `u(x) = ± window(x) · [|·| of] Σ_{k=1}^4 A_k sin(2π k s_k x/P + φ_k)`.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialState {
    waves: [Wave; N_WAVES],
    folded: bool,
    sign: f64,
    window: Option<(f64, f64)>,
}

impl InitialState {
    /// Draws a state. `s_k` counts how often k came up in two draws from 1..=4, so a wave that was not drawn is
    /// the constant `A_k sin φ_k`. `A ~ U(0,1)`, `φ ~ U(0, 2π)`; with probability 0.1 the absolute value is
    /// taken; the sign is random; with probability 0.1 a smooth window from U(0.1, 0.45) to U(0.55, 0.9) remains.
    ///
    /// `period` is P. PDEBench uses the distance from its first to its last cell center, one cell less than the
    /// domain, so its states have a small kink where the domain closes.
    pub fn draw(rng: &mut impl Rng, period: f64) -> Self {
        let mut counts = [0u8; N_WAVES];
        for _ in 0..N_DRAWS {
            counts[rng.random_range(0..N_WAVES)] += 1;
        }
        let waves = std::array::from_fn(|i| Wave {
            amplitude: rng.random_range(0.0..1.0),
            frequency: TAU * (i + 1) as f64 * f64::from(counts[i]) / period,
            phase: rng.random_range(0.0..TAU),
        });
        let folded = rng.random_bool(FOLD_PROBABILITY);
        let sign = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
        // Always drawn, so that every state consumes the same number of draws.
        let ends = (rng.random_range(0.1..0.45), rng.random_range(0.55..0.9));
        let window = rng.random_bool(WINDOW_PROBABILITY).then_some(ends);
        Self { waves, folded, sign, window }
    }

    /// `u(x)` for x in `[0, 1)`.
    pub fn value(&self, x: f64) -> f64 {
        let sum: f64 = self.waves.iter().map(|w| w.amplitude * (w.frequency * x + w.phase).sin()).sum();
        let folded = if self.folded { sum.abs() } else { sum };
        let window = self
            .window
            .map_or(1.0, |(left, right)| 0.5 * (((x - left) / FLANK).tanh() - ((x - right) / FLANK).tanh()));
        self.sign * window * folded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::sample_rng;

    const N: u64 = 4000;

    fn states() -> Vec<InitialState> {
        (0..N).map(|i| InitialState::draw(&mut sample_rng(1, i), 1.0)).collect()
    }

    /// The frequency of an event of probability `p`, to five standard deviations.
    fn assert_frequency(count: usize, p: f64) {
        let (mean, deviation) = (p * N as f64, (p * (1.0 - p) * N as f64).sqrt());
        assert!((count as f64 - mean).abs() < 5.0 * deviation, "{count} against {mean}");
    }

    #[test]
    fn draws_follow_their_distribution() {
        let states = states();
        assert_frequency(states.iter().filter(|s| s.folded).count(), 0.1);
        assert_frequency(states.iter().filter(|s| s.window.is_some()).count(), 0.1);
        assert_frequency(states.iter().filter(|s| s.sign > 0.0).count(), 0.5);
        // The same wavenumber twice: one in four.
        let oscillating = |s: &InitialState| s.waves.iter().filter(|w| w.frequency > 0.0).count();
        assert_frequency(states.iter().filter(|s| oscillating(s) == 1).count(), 0.25);
        // Drawn twice, wavenumber 4 oscillates eight times.
        let fastest = |s: &InitialState| s.waves.iter().any(|w| w.frequency > 7.5 * TAU);
        assert_frequency(states.iter().filter(|s| fastest(s)).count(), 1.0 / 16.0);
    }

    #[test]
    fn moments_are_those_of_the_waves() {
        // E u = 0 and E u² = Σ_k E A_k² · E sin² = 4 · ⅓ · ½ without a window, folded or not.
        let values: Vec<f64> = states().iter().filter(|s| s.window.is_none()).map(|s| s.value(0.3)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let square = values.iter().map(|u| u * u).sum::<f64>() / values.len() as f64;
        assert!(mean.abs() < 0.07, "{mean}");
        assert!((square - 2.0 / 3.0).abs() < 0.07, "{square}");
    }

    #[test]
    fn folding_and_windows_do_what_they_say() {
        for state in states() {
            let values: Vec<f64> = (0..100).map(|i| state.value(f64::from(i) / 100.0)).collect();
            if state.folded {
                assert!(values.iter().all(|u| u * state.sign >= 0.0));
            }
            if state.window.is_some() {
                assert!(values[0].abs() < 1e-7 && values[99].abs() < 1e-7);
            }
            let periodic = state.window.is_some() || (state.value(0.0) - state.value(1.0)).abs() < 1e-12;
            assert!(periodic);
        }
    }
}
