//! The best linear estimate from values at all points of a uniform periodic grid, where it is a filter of waves.

use super::{Kriging, NOISE_LEVELS, Wave};
use crate::field::Field;
use rustfft::num_complex::Complex64;
use rustfft::{FftDirection, FftPlanner};

/// Whether a field has waves: at most two axes, all periodic and uniform.
pub(super) fn has_waves(field: &Field) -> bool {
    let (grid, axes) = (field.grid(), field.grid().domain().axes());
    axes.len() <= 2 && (0..axes.len()).all(|d| axes[d].periodic && grid.placement(d).is_some())
}

/// The points along both axes, the second one trivial in one dimension.
pub(super) fn shape(field: &Field) -> [usize; 2] {
    let shape = field.grid().shape();
    [shape[0], shape.get(1).copied().unwrap_or(1)]
}

/// Σ_x u(x) e^{∓2πi k·x/n} of every wave k, in place.
pub(super) fn transform([n0, n1]: [usize; 2], values: &mut [Complex64], direction: FftDirection) {
    let mut planner = FftPlanner::new();
    planner.plan_fft(n1, direction).process(values);
    let (plan, mut column) = (planner.plan_fft(n0, direction), vec![Complex64::default(); n0]);
    for j in 0..n1 {
        column.iter_mut().enumerate().for_each(|(i, c)| *c = values[i * n1 + j]);
        plan.process(&mut column);
        column.iter().enumerate().for_each(|(i, c)| values[i * n1 + j] = *c);
    }
}

impl Kriging {
    /// The estimate of a field at its own points from noisy values at all of them: every wave is multiplied by its
    /// [gain](Self::gains). `None` where there are none.
    pub fn smoothed(&self, field: &Field, noise: Option<f64>) -> Option<Vec<f64>> {
        let (mut waves, gains) = self.filter(field, noise)?;
        waves.iter_mut().zip(&gains).for_each(|(wave, gain)| *wave *= gain);
        transform(shape(field), &mut waves, FftDirection::Inverse);
        Some(waves.iter().map(|wave| wave.re).collect())
    }

    /// v_k / (v_k + η²/N) of every wave k of variance v_k, with the given variance η² of the noise or the one of a few levels
    /// under which the values are most likely. `None` if the values show no noise, or waves tell nothing: a covariance
    /// without them, or another grid.
    ///
    /// # Shapes
    /// N values of one channel → `[N]`, in the order of a discrete Fourier transform.
    pub fn gains(&self, field: &Field, noise: Option<f64>) -> Option<Vec<f64>> {
        Some(self.filter(field, noise)?.1)
    }

    /// The waves of a field, and their gains.
    fn filter(&self, field: &Field, noise: Option<f64>) -> Option<(Vec<Complex64>, Vec<f64>)> {
        if self.table.is_none() || !has_waves(field) || field.n_channels() != 1 {
            return None;
        }
        let ([n0, n1], n) = (shape(field), field.values().len() as f64);
        let mut variances = vec![0.0; n0 * n1];
        let place = |k: i32, n: usize| k.rem_euclid(n as i32) as usize;
        for Wave([k0, k1], variance) in &self.covariance.waves {
            for sign in [1, -1] {
                variances[place(sign * k0, n0) * n1 + place(sign * k1, n1)] += 0.5 * variance;
            }
        }
        let mut waves: Vec<Complex64> = field.values().iter().map(|u| Complex64::new(u / n, 0.0)).collect();
        transform([n0, n1], &mut waves, FftDirection::Forward);
        let unlikely = |noise: f64| {
            let known = variances.iter().map(|v| v + noise / n);
            let square: f64 = waves.iter().zip(known.clone()).map(|(wave, v)| wave.norm_sqr() / v).sum();
            n * square.max(f64::MIN_POSITIVE).ln() + known.map(f64::ln).sum::<f64>()
        };
        let levels = NOISE_LEVELS.map(|level| level * self.covariance.variance());
        let noise = noise.unwrap_or_else(|| {
            let least = levels.iter().min_by(|a, b| unlikely(**a).total_cmp(&unlikely(**b)));
            *least.unwrap_or(&levels[0])
        });
        (noise > levels[0]).then(|| (waves, variances.iter().map(|v| v / (v + noise / n)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kriging::Covariance;
    use crate::pde::sample_rng;
    use crate::points::Points;
    use crate::{Domain, Grid, Placement};
    use rand_distr::{Distribution, StandardNormal};
    use std::f64::consts::TAU;
    use std::sync::Arc;

    fn kriging() -> Kriging {
        let waves = vec![Wave([0, 0], 0.5), Wave([1, 0], 1.0), Wave([1, 2], 0.5), Wave([-1, 1], 0.25)];
        let covariance = Covariance { waves, ..Covariance::default() };
        Kriging::new(&covariance, &Domain::unit(2, true).unwrap()).unwrap()
    }

    fn field(noise: f64) -> Field {
        let grid = Grid::cubic(Domain::unit(2, true).unwrap(), 12, Placement::Left).unwrap();
        let mut rng = sample_rng(1, 0);
        let state = |x: &[f64]| 0.7 + (TAU * (x[0] + 0.1)).sin() + 0.6 * (TAU * (x[0] + 2.0 * x[1])).cos();
        let mut noisy = Field::from_fn(Arc::new(grid.clone()), state).into_values();
        noisy.iter_mut().for_each(|u| {
            *u += noise * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut rng)
        });
        Field::new(Arc::new(grid), 1, noisy).unwrap()
    }

    /// The filter is the estimate that solves for all observations at once.
    #[test]
    fn the_filter_is_the_estimate_from_all_points() {
        let noisy = field(0.3);
        let points = Points::grid(noisy.grid().as_ref().clone());
        let deviations = vec![0.3; points.len()];
        let solved = kriging().estimate(&points, noisy.values(), Some(&deviations), &points).unwrap();
        let filtered = kriging().smoothed(&noisy, Some(0.09)).unwrap();
        for (a, b) in filtered.iter().zip(&solved) {
            assert!((a - b).abs() < 1e-5, "{a} {b}");
        }
    }

    /// Noise that nobody tells of is taken off; exact values stay as they are.
    #[test]
    fn noise_is_found() {
        assert!(kriging().smoothed(&field(0.0), None).is_none());
        let exact = field(0.0);
        let off = |values: &[f64]| -> f64 {
            values.iter().zip(exact.values()).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        for noise in [0.01, 0.1, 0.3] {
            let noisy = field(noise);
            let found = kriging().smoothed(&noisy, None).unwrap();
            assert!(off(&found) < 0.4 * off(noisy.values()), "{noise}");
        }
    }
}
