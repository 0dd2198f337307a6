//! A covariance from fields on a uniform periodic grid: their mean spectrum.

use super::whole_grid::{has_waves, shape, transform};
use super::{Covariance, Wave};
use crate::error::{Error, Result};
use crate::field::Field;
use rustfft::FftDirection;
use rustfft::num_complex::Complex64;

/// Waves with less than this share of the variance are left out.
const LEAST: f64 = 1e-9;

/// Sums |û_k|² over fields of one grid, one channel after the other.
#[derive(Clone, Debug)]
pub struct SpectrumFit {
    shape: [usize; 2],
    /// Sum over the fields of |û_k|², by channel.
    power: Vec<Vec<f64>>,
    fields: usize,
}

impl SpectrumFit {
    /// Whether fields on the grid of this one have waves: at most two axes, all periodic and uniform.
    pub fn takes(field: &Field) -> bool {
        has_waves(field)
    }

    /// Nothing seen yet of fields like this one.
    ///
    /// # Errors
    /// A grid that it does not [take](Self::takes).
    pub fn new(field: &Field) -> Result<Self> {
        let grid = field.grid();
        if !Self::takes(field) {
            let value = grid.domain().to_string();
            let requirement = "needs fields on a uniform grid of one or two periodic axes";
            return Err(Error::Parameter { name: "spectrum", value, requirement });
        }
        Ok(Self { shape: shape(field), power: vec![vec![0.0; grid.len()]; field.n_channels()], fields: 0 })
    }

    /// Adds values `[channel, point]` of a field whose mean is zero.
    pub fn add(&mut self, values: &[f64]) {
        let [n0, n1] = self.shape;
        for (values, power) in values.chunks_exact(n0 * n1).zip(&mut self.power) {
            let mut waves: Vec<Complex64> = values.iter().map(|u| Complex64::new(*u, 0.0)).collect();
            transform(self.shape, &mut waves, FftDirection::Forward);
            let scale = 1.0 / (values.len() as f64).powi(2);
            waves.iter().zip(power).for_each(|(wave, sum)| *sum += wave.norm_sqr() * scale);
        }
        self.fields += 1;
    }

    /// The covariance of every channel: v_k = |û_k|² + |û_−k|² on average, for one k of each pair. Waves that carry next to
    /// nothing are left out, and count as noise.
    pub fn finish(&self) -> Vec<Covariance> {
        let [n0, n1] = self.shape;
        let signed = |i: usize, n: usize| if 2 * i > n { i as i32 - n as i32 } else { i as i32 };
        let of = |power: &Vec<f64>| {
            let total: f64 = power.iter().sum::<f64>() / self.fields.max(1) as f64;
            let mut waves = Vec::new();
            for (index, sum) in power.iter().enumerate() {
                let k = [signed(index / n1, n0), signed(index % n1, n1)];
                let opposite = ((n0 - index / n1) % n0) * n1 + (n1 - index % n1) % n1;
                let pair = if opposite == index { *sum } else { sum + power[opposite] };
                let variance = pair / self.fields.max(1) as f64;
                if index <= opposite && variance > LEAST * total {
                    waves.push(Wave(k, variance));
                }
            }
            let kept: f64 = waves.iter().map(|Wave(_, variance)| variance).sum();
            Covariance { waves, noise: (total - kept).max(0.0), ..Covariance::default() }
        };
        self.power.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Axis;
    use crate::kriging::Kriging;
    use crate::pde::sample_rng;
    use crate::points::Points;
    use crate::{Domain, Grid, Placement};
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};
    use std::f64::consts::TAU;
    use std::sync::Arc;

    fn grid(dim: usize) -> Arc<Grid> {
        let axes = [Axis::new("x", 0.0, 2.0, true), Axis::new("y", -1.0, 0.0, true)];
        Arc::new(Grid::cubic(Domain::new(axes[..dim].to_vec()).unwrap(), 16, Placement::Left).unwrap())
    }

    /// A smooth random field: waves of decreasing, known variance at random phases.
    fn random(seed: u64, dim: usize) -> impl Fn(&[f64]) -> f64 {
        let mut rng = sample_rng(seed, 0);
        let mut waves = Vec::new();
        for k0 in -3i32..=3 {
            for k1 in if dim == 1 { 0..=0 } else { -3i32..=3 } {
                let variance = (-0.8 * f64::from(k0 * k0 + k1 * k1)).exp();
                let normal = |rng: &mut _| -> f64 { StandardNormal.sample(rng) };
                let amplitude = variance.sqrt() * normal(&mut rng).hypot(normal(&mut rng));
                waves.push((f64::from(k0), f64::from(k1), amplitude, TAU * rng.random::<f64>()));
            }
        }
        move |x: &[f64]| {
            let at = |(k0, k1, a, phase): &(f64, f64, f64, f64)| {
                a * (TAU * (k0 * x[0] / 2.0 + k1 * x.get(1).unwrap_or(&0.0)) + phase).cos()
            };
            waves.iter().map(at).sum()
        }
    }

    fn fitted(dim: usize) -> Covariance {
        let field = |seed| Field::from_fn(grid(dim), random(seed, dim));
        let mut fit = SpectrumFit::new(&field(0)).unwrap();
        (0..400).for_each(|seed| fit.add(field(seed).values()));
        fit.finish().remove(0)
    }

    /// The variance of a pair of waves ±k whose amplitudes have the variance v each is 2v; the field's own is the sum.
    #[test]
    fn variances_are_those_of_the_waves() {
        for dim in 1..=2 {
            let found = fitted(dim);
            for Wave(k, variance) in &found.waves {
                let size = f64::from(k[0] * k[0] + k[1] * k[1]);
                let exact = (-0.8 * size).exp() * if size == 0.0 { 1.0 } else { 2.0 };
                assert!((variance / exact - 1.0).abs() < 0.35, "{dim}: {k:?} {variance} {exact}");
            }
            let squares = |seed: u64| {
                let values = Field::from_fn(grid(dim), random(seed, dim));
                values.values().iter().map(|u| u * u).sum::<f64>() / values.values().len() as f64
            };
            let mean = (0..400).map(squares).sum::<f64>() / 400.0;
            assert!((found.variance() + found.noise - mean).abs() < 1e-9 * mean, "{dim}");
        }
    }

    /// From about twice as many observations as waves the field is known nearly exactly, at any place, and better than from
    /// lines through neighbors by far; noise that nobody tells of is found, and smoothed. Neighborhoods, too, do well.
    #[test]
    fn few_observations_tell_a_smooth_field() {
        let kriging = Kriging::new(&fitted(2), grid(2).domain()).unwrap();
        let mut rng = sample_rng(5, 1);
        let mut scattered = |n: usize| {
            let point = |_| [2.0 * rng.random::<f64>(), rng.random::<f64>() - 1.0];
            Points::scattered(grid(2).domain().clone(), (0..n).flat_map(point).collect()).unwrap()
        };
        let state = random(1000, 2);
        let at = |points: &Points| points.coordinates().chunks_exact(2).map(&state).collect::<Vec<f64>>();
        let query = scattered(200);
        let truth = at(&query);
        let size = truth.iter().map(|u| u * u).sum::<f64>().sqrt();
        let mut error = |n: usize, noise: f64| {
            let points = scattered(n);
            let mut noises = sample_rng(6, n as u64);
            let noisy = |u: &f64| {
                u + noise * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut noises)
            };
            let values: Vec<f64> = at(&points).iter().map(noisy).collect();
            let found = kriging.estimate(&points, &values, None, &query).unwrap();
            found.iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt() / size
        };
        let (few, many, local) = (error(100, 0.0), error(200, 0.0), error(600, 0.0));
        assert!(few < 0.02 && many < 0.003 && local < 0.01, "{few} {many} {local}");
        let (noisy, more) = (error(200, 0.1), error(600, 0.1));
        assert!(noisy < 0.1 && more < 0.1, "{noisy} {more}");
    }
}
