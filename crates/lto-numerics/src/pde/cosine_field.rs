//! Gaussian random fields on the unit square by an inverse two-dimensional cosine transform.

use super::require;
use crate::error::Result;
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
use rustfft::num_complex::Complex64;
use rustfft::{Fft, FftPlanner};
use std::f64::consts::{PI, SQRT_2};
use std::sync::Arc;

/// Sampler of the zero-mean Gaussian field with covariance `τ^{2α−2} (−Δ + τ²)^{−α}` and Neumann boundary, the
/// sampler behind the published Darcy files:
///
/// `g = IDCT₂( s · τ^{α−1} (π²|k|² + τ²)^{−α/2} ξ_k )`, `k ∈ {0..n−1}²`, `ξ_k ~ N(0, 1)`, `ξ_{0,0} = 0`,
///
/// with the orthonormal transform and `s = n`. That factor cancels the transform's own `1/n`, so that the law
/// of the field does not depend on the resolution: with `ε_0 = 1` and `ε_k = √2` otherwise,
///
/// `g_{ij} = Σ_k ε_{k₀} ε_{k₁} τ^{α−1} (π²|k|² + τ²)^{−α/2} ξ_k cos(πk₀(i+½)/n) cos(πk₁(j+½)/n)`.
///
/// The transform evaluates this at `(i+½)/n`; as in the published files, entry `(i, j)` is then used at the
/// vertex `(i, j)`. The `ξ_k` are drawn in growing squares `max(k₀, k₁) = 1, 2, …`, so that with the same
/// random stream a finer grid adds modes to those of a coarser one and changes none.
pub struct CosineField {
    n: usize,
    alpha: f64,
    tau: f64,
    fft: Arc<dyn Fft<f64>>,
    /// `½ exp(iπk/2n)`.
    twiddles: Vec<Complex64>,
}

impl CosineField {
    /// A sampler on `n × n` points; any `n`.
    ///
    /// # Errors
    /// `n` is 0, `alpha` is not above 1 (the variance would grow without bound as the grid is refined) or `tau`
    /// is not positive.
    pub fn new(n: usize, alpha: f64, tau: f64) -> Result<Self> {
        require(n >= 1, "resolution", n, "must be at least 1")?;
        require(alpha > 1.0 && alpha.is_finite(), "alpha", alpha, "must be finite and greater than 1")?;
        require(tau > 0.0 && tau.is_finite(), "tau", tau, "must be positive and finite")?;
        let fft = FftPlanner::new().plan_fft_inverse(n);
        let twiddles = (0..n).map(|k| Complex64::from_polar(0.5, PI * k as f64 / (2 * n) as f64)).collect();
        Ok(Self { n, alpha, tau, fft, twiddles })
    }

    /// Standard deviation of the amplitude of the orthonormal mode `cos(πk₀x) cos(πk₁y)`:
    /// `τ^{α−1} (π²|k|² + τ²)^{−α/2}`, and 0 for `k = (0, 0)`.
    pub fn amplitude(&self, k: [usize; 2]) -> f64 {
        if k == [0, 0] {
            return 0.0;
        }
        let squared = (k[0] * k[0] + k[1] * k[1]) as f64;
        self.tau.powf(self.alpha - 1.0) * (PI * PI * squared + self.tau * self.tau).powf(-0.5 * self.alpha)
    }

    /// Draws one field.
    ///
    /// # Shapes
    /// `[n, n]`, row-major.
    pub fn sample(&self, rng: &mut impl Rng) -> Vec<f64> {
        let n = self.n;
        // Indexed [k₁, k₀]: the first pass runs along k₀, its transposition leaves [i, k₁].
        let mut modes = vec![0.0; n * n];
        let mut draw = |k0: usize, k1: usize| {
            let scale = if k0 == 0 || k1 == 0 { SQRT_2 } else { 2.0 };
            modes[k1 * n + k0] = scale * self.amplitude([k0, k1]) * rng.sample::<f64, _>(StandardNormal);
        };
        for outer in 1..n {
            (0..=outer).for_each(|inner| draw(outer, inner));
            (0..outer).for_each(|inner| draw(inner, outer));
        }
        self.sum_cosines(&mut modes);
        let mut field = vec![0.0; n * n];
        for (k1, row) in modes.chunks_exact(n).enumerate() {
            for (i, &value) in row.iter().enumerate() {
                field[i * n + k1] = value;
            }
        }
        self.sum_cosines(&mut field);
        field
    }

    /// Replaces each row `c` by `Σ_k c_k cos(πk(i+½)/n)`, two rows to one complex transform.
    ///
    /// With `w_k = exp(iπk/2n)`, the numbers `½ w_k (c_k − i c_{n−k})` (and `c_0`) have a real inverse Fourier
    /// transform that holds the even entries of the sum in order and then the odd ones backwards.
    fn sum_cosines(&self, rows: &mut [f64]) {
        let n = self.n;
        let mut spectrum = vec![Complex64::default(); n];
        let mut scratch = vec![Complex64::default(); self.fft.get_inplace_scratch_len()];
        for pair in rows.chunks_mut(2 * n) {
            let (first, second) = pair.split_at_mut(n);
            let at = |row: &[f64], k: usize| row.get(k).copied().unwrap_or(0.0);
            spectrum[0] = Complex64::new(first[0], at(second, 0));
            for k in 1..n {
                let forward = Complex64::new(first[k], at(second, k));
                let backward = Complex64::new(first[n - k], at(second, n - k));
                spectrum[k] = self.twiddles[k] * (forward - Complex64::I * backward);
            }
            self.fft.process_with_scratch(&mut spectrum, &mut scratch);
            for (m, value) in spectrum.iter().enumerate() {
                let i = if 2 * m < n { 2 * m } else { 2 * (n - m) - 1 };
                first[i] = value.re;
                if let Some(entry) = second.get_mut(i) {
                    *entry = value.im;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::sample_rng;

    /// The defining sum, term by term, from the same draws.
    fn direct(field: &CosineField, rng: &mut impl Rng) -> Vec<f64> {
        let n = field.n;
        let mut sum = vec![0.0; n * n];
        let mut add = |k: [usize; 2]| {
            let epsilon = |k: usize| if k == 0 { 1.0 } else { SQRT_2 };
            let xi: f64 = rng.sample(StandardNormal);
            let cosine = |k: usize, i: usize| (PI * k as f64 * (i as f64 + 0.5) / n as f64).cos();
            for (p, value) in sum.iter_mut().enumerate() {
                *value += epsilon(k[0])
                    * epsilon(k[1])
                    * field.amplitude(k)
                    * xi
                    * cosine(k[0], p / n)
                    * cosine(k[1], p % n);
            }
        };
        for outer in 1..n {
            (0..=outer).for_each(|inner| add([outer, inner]));
            (0..outer).for_each(|inner| add([inner, outer]));
        }
        sum
    }

    #[test]
    fn the_fast_transform_is_the_sum_of_cosines() {
        for n in [1, 2, 3, 8, 13] {
            let field = CosineField::new(n, 2.0, 3.0).unwrap();
            let fast = field.sample(&mut sample_rng(5, 0));
            let slow = direct(&field, &mut sample_rng(5, 0));
            for (a, b) in fast.iter().zip(&slow) {
                assert!((a - b).abs() < 1e-13, "n = {n}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_finer_grid_shows_the_same_field() {
        // Thirds: the points (i+½)/n of the coarse grid are among those of the fine one. The modes that the
        // coarse grid lacks are of order (πn)^−4 at this smoothness.
        let (n, alpha) = (27, 4.0);
        let coarse = CosineField::new(n, alpha, 3.0).unwrap().sample(&mut sample_rng(1, 2));
        let fine = CosineField::new(3 * n, alpha, 3.0).unwrap().sample(&mut sample_rng(1, 2));
        let scale = coarse.iter().fold(0.0f64, |m, g| m.max(g.abs()));
        for (p, value) in coarse.iter().enumerate() {
            let q = (3 * (p / n) + 1) * 3 * n + 3 * (p % n) + 1;
            assert!((value - fine[q]).abs() < 2e-3 * scale, "{value} {}", fine[q]);
        }
    }

    #[test]
    fn the_sample_spectrum_is_the_covariance() {
        let (n, draws) = (24, 4000);
        let field = CosineField::new(n, 2.0, 3.0).unwrap();
        let modes = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 1], [3, 5], [0, 7], [23, 23]];
        let mut sums = [[0.0; 2]; 8];
        let mut above = 0usize;
        let cosine = |k: usize, i: usize| (PI * k as f64 * (i as f64 + 0.5) / n as f64).cos();
        let bases = modes.map(|k| {
            let norm = k.map(|k| if k == 0 { 1.0 } else { SQRT_2 }).iter().product::<f64>();
            let mode = |p: usize| norm / (n * n) as f64 * cosine(k[0], p / n) * cosine(k[1], p % n);
            (0..n * n).map(mode).collect::<Vec<f64>>()
        });
        for draw in 0..draws {
            let g = field.sample(&mut sample_rng(9, draw));
            above += g.iter().filter(|g| **g >= 0.0).count();
            for (base, sum) in bases.iter().zip(&mut sums) {
                let amplitude: f64 = base.iter().zip(&g).map(|(base, g)| base * g).sum();
                sum[0] += amplitude;
                sum[1] += amplitude * amplitude;
            }
        }
        let draws = draws as f64;
        for (k, [mean, square]) in modes.iter().zip(sums) {
            let deviation = 3.0 * (PI * PI * (k[0] * k[0] + k[1] * k[1]) as f64 + 9.0).powf(-1.0);
            if k == &[0, 0] {
                assert!(mean.abs() / draws < 1e-14, "the mean of every field is zero");
                continue;
            }
            // Four standard errors of a mean (σ/√N) and of a variance (σ²√(2/N)).
            assert!((mean / draws).abs() < 4.0 * deviation / draws.sqrt(), "{k:?}");
            let ratio = square / draws / deviation.powi(2);
            assert!((ratio - 1.0).abs() < 4.0 * (2.0 / draws).sqrt(), "{k:?}: {ratio}");
        }
        let fraction = above as f64 / (draws * (n * n) as f64);
        assert!((fraction - 0.5).abs() < 0.01, "{fraction}");
    }

    #[test]
    fn bad_parameters_are_named() {
        for (n, alpha, tau, name) in [
            (0, 2.0, 3.0, "resolution"),
            (9, 1.0, 3.0, "alpha"),
            (9, f64::NAN, 3.0, "alpha"),
            (9, 2.0, 0.0, "tau"),
        ] {
            let Err(err) = CosineField::new(n, alpha, tau) else { panic!("{name} was accepted") };
            assert!(err.to_string().starts_with(name), "{err}");
        }
    }
}
