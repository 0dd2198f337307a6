//! Trigonometric interpolation between uniform periodic axes of any sizes and offsets.

use super::AxisMap;
use crate::domain::{Axis, COORDINATE_TOLERANCE};
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex64;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Transforms of the source's and the target's size, and the factors between their coefficients.
pub(super) struct Trigonometric {
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
    /// One factor per coefficient that both sizes hold.
    factors: Vec<Complex64>,
    line: Vec<f64>,
    source_spectrum: Vec<Complex64>,
    target_spectrum: Vec<Complex64>,
    scratch: Vec<Complex64>,
}

impl Trigonometric {
    pub(super) fn new(axis: &Axis, from: &[f64], to: &[f64]) -> Result<Self, String> {
        if !axis.periodic {
            return Err("the axis is not periodic".into());
        }
        check_uniform("source", axis, from)?;
        check_uniform("target", axis, to)?;
        let (n, m) = (from.len(), to.len());
        let mut planner = RealFftPlanner::new();
        let (forward, inverse) = (planner.plan_fft_forward(n), planner.plan_fft_inverse(m));
        let shift = (to[0] - from[0]) / axis.length();
        let factors = (0..=n.min(m) / 2).map(|k| factor(k, n, m, shift) / n as f64).collect();
        Ok(Self {
            factors,
            line: forward.make_input_vec(),
            source_spectrum: forward.make_output_vec(),
            target_spectrum: inverse.make_input_vec(),
            scratch: vec![Complex64::default(); forward.get_scratch_len().max(inverse.get_scratch_len())],
            forward,
            inverse,
        })
    }
}

/// The factor that turns coefficient `k` of `n` points into that of `m` points shifted by `shift` periods.
///
/// The highest coefficient of an even number of points represents `k` and `−k` together, as a cosine about
/// the grid's own points. On a finer grid its halves become two coefficients; on a coarser one two become
/// one.
fn factor(k: usize, n: usize, m: usize, shift: f64) -> Complex64 {
    let phase = Complex64::from_polar(1.0, TAU * k as f64 * shift);
    let (splits, merges) = (k > 0 && 2 * k == n, k > 0 && 2 * k == m);
    match (splits, merges) {
        (true, false) => 0.5 * phase,
        // The inverse transform takes the real part, which is half of `e^{iφ}c + e^{−iφ}c̄`.
        (false, true) => 2.0 * phase,
        _ => phase,
    }
}

fn check_uniform(whose: &str, axis: &Axis, x: &[f64]) -> Result<(), String> {
    let spacing = axis.length() / x.len() as f64;
    let tolerance = COORDINATE_TOLERANCE * axis.length();
    let stray = x.iter().enumerate().find(|&(i, &x_i)| (x_i - x[0] - i as f64 * spacing).abs() > tolerance);
    match stray {
        None => Ok(()),
        Some((i, x_i)) => Err(format!("the {whose} is not uniform: point {i} is at {} = {x_i}", axis.name)),
    }
}

impl AxisMap for Trigonometric {
    fn apply(&mut self, line: &[f64], result: &mut [f64]) {
        self.line.copy_from_slice(line);
        self.target_spectrum.fill(Complex64::default());
        let (scratch, spectrum) = (&mut self.scratch, &mut self.source_spectrum);
        self.forward
            .process_with_scratch(&mut self.line, spectrum, scratch)
            .expect("the plan made the buffers");
        for ((target, source), factor) in self.target_spectrum.iter_mut().zip(spectrum).zip(&self.factors) {
            *target = *source * factor;
        }
        if result.len().is_multiple_of(2)
            && let Some(highest) = self.target_spectrum.last_mut()
        {
            highest.im = 0.0;
        }
        self.inverse
            .process_with_scratch(&mut self.target_spectrum, result, scratch)
            .expect("the plan made the buffers, and the coefficients that must be real are");
    }
}
