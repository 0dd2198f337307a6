//! A covariance made of waves, tabulated over all lags of a periodic domain.

use super::Wave;
use crate::domain::Domain;
use crate::error::{Error, Result};
use std::f64::consts::TAU;

/// The largest wavenumber along an axis.
pub(super) const MOST_WAVES: u32 = 4096;
/// Points along an axis for each wavenumber, and the least and the most of them in all, in one and in two dimensions.
const FINENESS: usize = 64;
const LEAST: usize = 256;
const MOST: [usize; 2] = [32_768, 512];

/// C(d) = Σ_k v_k cos 2π k·d/L on a fine grid of lags; between its points by cubics through the nearest four.
#[derive(Clone, Debug)]
pub(super) struct LagTable {
    /// `[n0, n1]`; the first is 1 in one dimension.
    shape: [usize; 2],
    /// 1/L along each axis of the domain.
    rates: Vec<f64>,
    values: Vec<f64>,
}

impl LagTable {
    /// The table of some waves.
    ///
    /// # Errors
    /// A domain that is not periodic, or has more than two axes.
    pub fn new(waves: &[Wave], domain: &Domain) -> Result<Self> {
        let axes = domain.axes();
        if axes.len() > 2 || axes.iter().any(|axis| !axis.periodic) {
            let (value, requirement) = (domain.to_string(), "has waves: needs one or two periodic axes");
            return Err(Error::Parameter { name: "covariance", value, requirement });
        }
        // In one dimension the only axis is the second of the table.
        let waves: Vec<([f64; 2], f64)> = match axes.len() {
            1 => waves.iter().map(|Wave([k, _], v)| ([0.0, f64::from(*k)], *v)).collect(),
            _ => waves.iter().map(|Wave(k, v)| (k.map(f64::from), *v)).collect(),
        };
        let points = |d: usize| {
            let most = waves.iter().map(|(k, _)| k[d].abs() as usize).max().unwrap_or(0);
            (FINENESS * most).next_power_of_two().clamp(LEAST, MOST[axes.len() - 1])
        };
        let shape = [if axes.len() == 1 { 1 } else { points(0) }, points(1)];
        let angle = |k: f64, i: usize, n: usize| TAU * (k * i as f64 / n as f64).fract();
        // Σ over the waves of equal k_0 first: cos(a + b) = cos a cos b − sin a sin b.
        let mut sorted = waves;
        sorted.sort_by(|(a, _), (b, _)| a[0].total_cmp(&b[0]));
        let mut values = vec![0.0; shape[0] * shape[1]];
        for equal in sorted.chunk_by(|(a, _), (b, _)| a[0] == b[0]) {
            let along = |part: fn(f64) -> f64| -> Vec<f64> {
                let at = |j| equal.iter().map(|(k, v)| v * part(angle(k[1], j, shape[1]))).sum();
                (0..shape[1]).map(at).collect()
            };
            let (cosines, sines) = (along(f64::cos), along(f64::sin));
            for (i, row) in values.chunks_exact_mut(shape[1]).enumerate() {
                let (sin, cos) = angle(equal[0].0[0], i, shape[0]).sin_cos();
                let both = row.iter_mut().zip(cosines.iter().zip(&sines));
                both.for_each(|(sum, (c, s))| *sum += cos * c - sin * s);
            }
        }
        Ok(Self { shape, rates: axes.iter().map(|axis| 1.0 / axis.length()).collect(), values })
    }

    /// C(a − b).
    pub fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let share = |d: usize| (a[d] - b[d]) * self.rates[d];
        match self.rates.len() {
            1 => along(&self.values, share(0)),
            _ => {
                let (first, weights) = cubic(share(0), self.shape[0]);
                let (second, inner) = cubic(share(1), self.shape[1]);
                let row = |i: usize| {
                    let row =
                        &self.values[((first + i) & (self.shape[0] - 1)) * self.shape[1]..][..self.shape[1]];
                    (0..4).map(|j| inner[j] * row[(second + j) & (self.shape[1] - 1)]).sum::<f64>()
                };
                (0..4).map(|i| weights[i] * row(i)).sum()
            }
        }
    }
}

/// The value of a periodic line at a share of its period.
fn along(line: &[f64], share: f64) -> f64 {
    let (first, weights) = cubic(share, line.len());
    (0..4).map(|i| weights[i] * line[(first + i) & (line.len() - 1)]).sum()
}

/// The first of the four points around a share of the period, of `n`, a power of two, and the weights of the cubic
/// through them.
fn cubic(share: f64, n: usize) -> (usize, [f64; 4]) {
    let place = (share - share.floor()) * n as f64;
    let before = place as usize;
    let t = place - before as f64;
    let (below, above, beyond) = (t + 1.0, t - 1.0, t - 2.0);
    let weights = [
        -t * above * beyond / 6.0,
        below * above * beyond / 2.0,
        -below * t * beyond / 2.0,
        below * t * above / 6.0,
    ];
    (before + n - 1, weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Axis;

    fn domain(dim: usize) -> Domain {
        let axes = [Axis::new("x", -1.0, 2.0, true), Axis::new("y", 0.0, 0.5, true)];
        Domain::new(axes[..dim].to_vec()).unwrap()
    }

    /// The table is the sum over the waves at every lag, also across the ends of the domain.
    #[test]
    fn the_table_is_the_sum_over_the_waves() {
        let waves = [Wave([0, 0], 0.5), Wave([1, 2], 0.25), Wave([3, -1], 0.125), Wave([-2, 3], 0.0625)];
        for dim in 1..=2 {
            let (domain, waves) = (domain(dim), &waves[..]);
            let table = LagTable::new(waves, &domain).unwrap();
            for i in 0..200 {
                let place = |s: f64| -> Vec<f64> {
                    let at = |(d, axis): (usize, &Axis)| {
                        axis.lower + axis.length() * (s * f64::from(i) + 0.3 * d as f64).fract()
                    };
                    domain.axes().iter().enumerate().map(at).collect()
                };
                let (a, b) = (place(0.317), place(0.731));
                let phase = |k: &[i32; 2]| -> f64 {
                    let along = |(d, axis): (usize, &Axis)| f64::from(k[d]) * (a[d] - b[d]) / axis.length();
                    domain.axes().iter().enumerate().map(along).sum()
                };
                let exact: f64 = waves.iter().map(|Wave(k, v)| v * (TAU * phase(k)).cos()).sum();
                assert!((table.between(&a, &b) - exact).abs() < 1e-6, "{dim}: {a:?} {b:?}");
            }
        }
    }

    #[test]
    fn waves_need_periodic_axes() {
        let open = Domain::unit(2, false).unwrap();
        assert!(LagTable::new(&[Wave([1, 0], 1.0)], &open).unwrap_err().to_string().contains("periodic"));
    }
}
