//! Fourier transforms of real periodic fields in one to three dimensions, of any size.

use crate::lines::map_lines;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex64;
use rustfft::{Fft, FftPlanner};
use std::f64::consts::PI;
use std::sync::Arc;

/// Forward and inverse plans.
type FftPair = (Arc<dyn Fft<f64>>, Arc<dyn Fft<f64>>);

/// The discrete Fourier transform of real arrays of one shape:
/// `û[k] = Σ_x u[x] exp(−2πi Σ_d k_d x_d / n_d)`, of which the half with `k ≥ 0` on the last axis is kept.
///
/// # Shapes
/// `u` is `[n_0, …, n_last]` and `û` is `[n_0, …, n_last/2 + 1]`, row-major.
pub struct RealTransform {
    shape: Vec<usize>,
    last: (Arc<dyn RealToComplex<f64>>, Arc<dyn ComplexToReal<f64>>),
    others: Vec<FftPair>,
}

impl RealTransform {
    /// Plans the transforms of arrays `[outer…, last]`, every entry at least 1.
    pub fn new(outer: &[usize], last: usize) -> Self {
        let mut real = RealFftPlanner::new();
        let mut complex = FftPlanner::new();
        let plans = |&n: &usize| (complex.plan_fft_forward(n), complex.plan_fft_inverse(n));
        Self {
            shape: outer.iter().copied().chain([last]).collect(),
            last: (real.plan_fft_forward(last), real.plan_fft_inverse(last)),
            others: outer.iter().map(plans).collect(),
        }
    }

    /// Shape of the spectrum.
    pub fn spectrum_shape(&self) -> Vec<usize> {
        let (outer, last) = (&self.shape[..self.others.len()], self.last.0.len());
        outer.iter().copied().chain([last / 2 + 1]).collect()
    }

    /// The signed wavenumbers of the spectrum's entries along axis `d`: `0, 1, …, −2, −1`, and on the last axis
    /// `0, 1, …, n/2`. The sign of `±n/2` carries no meaning.
    pub fn wavenumbers(&self, d: usize) -> Vec<f64> {
        let n = self.shape[d];
        let signed = |k: usize| if 2 * k <= n { k as f64 } else { k as f64 - n as f64 };
        (0..self.spectrum_shape()[d]).map(signed).collect()
    }

    /// `û` of `values`, which must have the planned shape.
    pub fn forward(&self, values: &[f64]) -> Vec<Complex64> {
        let (plan, shape) = (&self.last.0, self.spectrum_shape());
        let half = plan.complex_len();
        let mut line = plan.make_input_vec();
        let mut scratch = plan.make_scratch_vec();
        let mut spectrum = vec![Complex64::default(); shape.iter().product()];
        for (u, half) in values.chunks_exact(plan.len()).zip(spectrum.chunks_exact_mut(half)) {
            line.copy_from_slice(u);
            plan.process_with_scratch(&mut line, half, &mut scratch).expect("the plan made the buffers");
        }
        self.transform_others(spectrum, |plans| plans.0.as_ref())
    }

    /// `u` of `spectrum`, scaled to invert [`RealTransform::forward`]. What the spectrum of a real array
    /// cannot hold is ignored.
    pub fn inverse(&self, spectrum: Vec<Complex64>) -> Vec<f64> {
        let mut spectrum = self.transform_others(spectrum, |plans| plans.1.as_ref());
        let plan = &self.last.1;
        let (n, half) = (plan.len(), plan.complex_len());
        let mut scratch = plan.make_scratch_vec();
        let mut values = vec![0.0; self.shape.iter().product()];
        for (half, u) in spectrum.chunks_exact_mut(half).zip(values.chunks_exact_mut(n)) {
            // Rounding leaves these slightly imaginary, which the plan rejects.
            half[0].im = 0.0;
            if n % 2 == 0 {
                half[n / 2].im = 0.0;
            }
            plan.process_with_scratch(half, u, &mut scratch).expect("the plan made the buffers");
        }
        let scale = 1.0 / values.len() as f64;
        values.iter_mut().for_each(|u| *u *= scale);
        values
    }

    fn transform_others(
        &self,
        mut spectrum: Vec<Complex64>,
        direction: impl Fn(&FftPair) -> &dyn Fft<f64>,
    ) -> Vec<Complex64> {
        let shape = self.spectrum_shape();
        for (axis, plans) in self.others.iter().enumerate() {
            let plan = direction(plans);
            let mut scratch = vec![Complex64::default(); plan.get_inplace_scratch_len()];
            spectrum = map_lines(&spectrum, &shape, axis, shape[axis], |line, result| {
                result.copy_from_slice(line);
                plan.process_with_scratch(result, &mut scratch);
            });
        }
        spectrum
    }

    /// Solves `∂u/∂τ = Δu` on the periodic unit box exactly for the array's trigonometric interpolant:
    /// `û[k] ← û[k] exp(−4π²|k|²τ)`.
    pub fn diffuse(&self, spectrum: &mut [Complex64], amount: f64) {
        let decay = |k: f64| (-4.0 * PI * PI * k * k * amount).exp();
        let axes: Vec<Vec<f64>> =
            (0..self.shape.len()).map(|d| self.wavenumbers(d).into_iter().map(decay).collect()).collect();
        let (last, outer) = axes.split_last().expect("a transform has an axis");
        for (row, line) in spectrum.chunks_exact_mut(last.len()).enumerate() {
            let mut rest = row;
            let mut common = 1.0;
            for factors in outer.iter().rev() {
                common *= factors[rest % factors.len()];
                rest /= factors.len();
            }
            line.iter_mut().zip(last).for_each(|(coefficient, factor)| *coefficient *= common * factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, summed term by term.
    fn slow_forward(values: &[f64], shape: &[usize], k: &[f64]) -> Complex64 {
        let term = |(index, u): (usize, &f64)| {
            let mut rest = index;
            let mut phase = 0.0;
            for d in (0..shape.len()).rev() {
                phase += k[d] * (rest % shape[d]) as f64 / shape[d] as f64;
                rest /= shape[d];
            }
            Complex64::from_polar(*u, -2.0 * PI * phase)
        };
        values.iter().enumerate().map(term).sum()
    }

    #[test]
    fn spectra_follow_the_definition_and_inverses_undo_them() {
        for (outer, last) in [(vec![], 1), (vec![], 7), (vec![], 8), (vec![3], 4), (vec![4, 5], 3)] {
            let transform = RealTransform::new(&outer, last);
            let shape: Vec<usize> = outer.iter().copied().chain([last]).collect();
            let values: Vec<f64> =
                (0..shape.iter().product()).map(|i| ((i * i * 7 + 3 * i) % 11) as f64).collect();
            let spectrum = transform.forward(&values);
            let axes: Vec<Vec<f64>> = (0..shape.len()).map(|d| transform.wavenumbers(d)).collect();
            for (index, &coefficient) in spectrum.iter().enumerate() {
                let mut rest = index;
                let mut k = vec![0.0; shape.len()];
                for d in (0..shape.len()).rev() {
                    k[d] = axes[d][rest % axes[d].len()];
                    rest /= axes[d].len();
                }
                let expected = slow_forward(&values, &shape, &k);
                assert!((coefficient - expected).norm() < 1e-11, "{shape:?} {k:?}");
            }
            for (u, v) in transform.inverse(spectrum).iter().zip(&values) {
                assert!((u - v).abs() < 1e-13, "{shape:?}");
            }
        }
    }

    #[test]
    fn a_cosine_decays_at_its_own_rate() {
        let transform = RealTransform::new(&[6], 10);
        let wave = |i: usize| (2.0 * PI * (2.0 * (i / 10) as f64 / 6.0 - 3.0 * (i % 10) as f64 / 10.0)).cos();
        let values: Vec<f64> = (0..60).map(wave).collect();
        let mut spectrum = transform.forward(&values);
        transform.diffuse(&mut spectrum, 0.01);
        let factor = (-4.0 * PI * PI * 13.0 * 0.01f64).exp();
        for (u, v) in transform.inverse(spectrum).iter().zip(&values) {
            assert!((u - factor * v).abs() < 1e-14);
        }
    }
}
