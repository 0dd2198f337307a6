//! Sensors that are noisier than others count less.

use super::{GridChannels, SetConv};
use crate::grid::Grid;
use crate::kernel::Real;
use crate::points::Points;

/// How much an observation with noise of deviation σ counts against one without: v = 1 / (1 + (σ/τ)²).
///
/// Kernel weights take an observation at c_j for the value at x with an error of variance τ²/κ(x, c_j): the further
/// away, the less it says about x, and τ is what an exact sensor at x would still be off by (a reading stands for a
/// neighborhood). With noise of its own the variance is (τ² + σ_j²)/κ. Of all unbiased weights, those proportional to
/// one over the variance have the least error (Gauss–Markov): w_j ∝ v_j κ(x, c_j). Equal noise leaves w_j unchanged.
pub fn trust(deviation: f64, tau: f64) -> f64 {
    1.0 / (1.0 + (deviation / tau).powi(2))
}

impl SetConv {
    /// As [`SetConv::on_grid`] with each observation counted by its [`trust`] v_j, given with its context: the density
    /// Σ v_j κ, then the signals Σ v_j u_j κ / (Σ v_j κ + ε).
    ///
    /// # Panics
    /// As [`SetConv::on_grid`].
    pub fn on_grid_trusting<T: Real>(
        &self,
        contexts: &[(&Points, &[f64], &[f64])],
        grid: &Grid,
        slope: bool,
    ) -> GridChannels<T> {
        let Some(p) = contexts.first().map(|(points, values, _)| values.len() / points.len()) else {
            return GridChannels { values: Vec::new(), slopes: Vec::new() };
        };
        let weighted: Vec<Vec<f64>> = contexts
            .iter()
            .map(|(_, values, trust)| {
                let products = values.iter().zip(trust.iter().cycle()).map(|(u, v)| u * v);
                trust.iter().copied().chain(products).collect()
            })
            .collect();
        let plain: Vec<(&Points, &[f64])> =
            contexts.iter().zip(&weighted).map(|((points, ..), values)| (*points, &values[..])).collect();
        let made = self.on_grid::<T>(&plain, grid, slope);
        let (n, floor) = (grid.len(), T::from_f64(self.density_floor));
        let floor = if floor > T::TINY { floor } else { T::TINY };
        let size = (1 + p) * n;
        let mut values = vec![T::default(); contexts.len() * size];
        let mut slopes = vec![T::default(); if slope { values.len() } else { 0 }];
        for (k, (out, given)) in
            values.chunks_exact_mut(size).zip(made.values.chunks_exact(size + n)).enumerate()
        {
            let given_slope = if slope { &made.slopes[k * (size + n)..][..size + n] } else { &[] };
            for i in 0..n {
                // ν_c = û_c (ρ + ε) of the plain set convolution is the sum of v or of v u.
                let whole = given[i] + floor;
                let density = given[n + i] * whole;
                out[i] = density;
                let sum_slope = |c: usize| given_slope[c * n + i] * whole + given[c * n + i] * given_slope[i];
                for c in 0..p {
                    let signal = given[(2 + c) * n + i] * whole / (density + floor);
                    out[(1 + c) * n + i] = signal;
                    if slope {
                        slopes[k * size + (1 + c) * n + i] =
                            (sum_slope(2 + c) - signal * sum_slope(1)) / (density + floor);
                    }
                }
                if slope {
                    slopes[k * size + i] = sum_slope(1);
                }
            }
        }
        GridChannels { values, slopes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::sample_rng;
    use crate::{Domain, Placement};
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    fn layout() -> (Points, Grid, Vec<f64>, Vec<f64>) {
        let domain = Domain::unit(2, true).unwrap();
        let mut rng = sample_rng(5, 0);
        let points = Points::scattered(domain.clone(), (0..40).map(|_| rng.random()).collect()).unwrap();
        let values = (0..40).map(|_| rng.random::<f64>() - 0.3).collect();
        let deviations: Vec<f64> = (0..20).map(|j| if j % 3 == 0 { 2.0 } else { 0.1 }).collect();
        (points, Grid::cubic(domain, 6, Placement::Left).unwrap(), values, deviations)
    }

    fn close(a: &[f64], b: &[f64], within: f64) {
        let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(a.len() == b.len() && off < within, "{off}");
    }

    /// Against the sums as they are written, with slopes by differences in log ℓ.
    #[test]
    fn sums_and_slopes_by_their_formulas() {
        let (points, grid, values, deviations) = layout();
        let v: Vec<f64> = deviations.iter().map(|s| trust(*s, 0.5)).collect();
        let at = |ell: f64| {
            let setconv = SetConv::new(ell).unwrap();
            let (query, places) = (Points::grid(grid.clone()).coordinates(), points.coordinates());
            let mut channels = vec![0.0; 3 * grid.len()];
            for (i, x) in query.chunks_exact(2).enumerate() {
                let kernel = |j: usize| {
                    let squared = grid.domain().distance_squared(x, &places[2 * j..2 * j + 2]);
                    v[j] * (-squared / (2.0 * ell * ell)).exp()
                };
                let density: f64 = (0..20).map(kernel).sum();
                channels[i] = density;
                for c in 0..2 {
                    let sum: f64 = (0..20).map(|j| kernel(j) * values[c * 20 + j]).sum();
                    channels[(1 + c) * grid.len() + i] = sum / (density + SetConv::DENSITY_FLOOR);
                }
            }
            let made = setconv.on_grid_trusting::<f64>(&[(&points, &values[..], &v[..])], &grid, true);
            (channels, made)
        };
        let (exact, made) = at(0.2);
        close(&made.values, &exact, 1e-9);
        let step = 1e-5f64;
        let (more, less) = (at(0.2 * step.exp()).0, at(0.2 * (-step).exp()).0);
        let slopes: Vec<f64> = more.iter().zip(&less).map(|(a, b)| (a - b) / (2.0 * step)).collect();
        close(&made.slopes, &slopes, 1e-6);
    }

    /// Equal noise changes the density by one factor, and no signal.
    #[test]
    fn equal_noise_leaves_the_signal() {
        let (points, grid, values, _) = layout();
        let setconv = SetConv::new(0.2).unwrap();
        let plain = setconv.on_grid::<f64>(&[(&points, &values[..])], &grid, true);
        let v = [trust(0.3, 0.5); 20];
        let made = setconv.on_grid_trusting::<f64>(&[(&points, &values[..], &v[..])], &grid, true);
        let n = grid.len();
        close(&made.values[n..], &plain.values[n..], 1e-7);
        close(&made.slopes[n..], &plain.slopes[n..], 1e-5);
        close(&made.values[..n], &plain.values[..n].iter().map(|r| v[0] * r).collect::<Vec<_>>(), 1e-9);
    }

    /// Of all weights that sum to one, w_j ∝ v_j κ_j has the least variance Σ w_j² (τ² + σ_j²)/κ_j; and a simulation of
    /// such readings of a constant has that variance.
    #[test]
    fn no_other_weights_have_less_variance() {
        let (points, _, _, deviations) = layout();
        let (tau, ell) = (0.5, 0.2);
        let places = points.coordinates();
        let kernel = |j: usize| {
            let squared = points.domain().distance_squared(&[0.4, 0.7], &places[2 * j..2 * j + 2]);
            (-squared / (2.0 * ell * ell)).exp()
        };
        let variance_of = |j: usize| (tau * tau + deviations[j].powi(2)) / kernel(j);
        let variance = |w: &[f64]| w.iter().enumerate().map(|(j, w)| w * w * variance_of(j)).sum::<f64>();
        let raw: Vec<f64> = (0..20).map(|j| trust(deviations[j], tau) * kernel(j)).collect();
        let total: f64 = raw.iter().sum();
        let best: Vec<f64> = raw.iter().map(|w| w / total).collect();
        let mut rng = sample_rng(9, 0);
        for _ in 0..200 {
            let shift: Vec<f64> = (0..20).map(|_| 0.02 * (rng.random::<f64>() - 0.5)).collect();
            let mean = shift.iter().sum::<f64>() / 20.0;
            let other: Vec<f64> = best.iter().zip(&shift).map(|(w, s)| w + s - mean).collect();
            assert!(variance(&other) > variance(&best));
        }
        let draws = 20_000;
        let squares: f64 = (0..draws)
            .map(|_| {
                let mut error = |j: usize| -> f64 {
                    let normal: f64 = StandardNormal.sample(&mut rng);
                    normal * variance_of(j).sqrt()
                };
                (0..20).map(|j| best[j] * error(j)).sum::<f64>().powi(2)
            })
            .sum();
        let found = squares / f64::from(draws);
        assert!((found / variance(&best) - 1.0).abs() < 0.05, "{found} {}", variance(&best));
    }
}
