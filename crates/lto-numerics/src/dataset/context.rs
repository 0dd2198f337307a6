//! Contexts: the observations that a sensor network makes of a field.

use crate::error::{Error, Result};
use crate::field::Field;
use crate::grid::Grid;
use crate::points::Points;
use crate::symmetry::Isometry;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// Which grid points are observed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ContextDesign {
    /// Uniformly random points.
    Random {
        /// Number of points ÷ native number of points; above 1 only if a finer field is given.
        context_fraction: f64,
    },
    /// Every `stride`-th point along each axis.
    Strided {
        /// At least 1.
        stride: usize,
    },
    /// Random points, denser near random centers: probability ∝ Σ exp(−d²/2w²), w = `spread` × diameter.
    Clustered {
        /// Number of points ÷ native number of points.
        context_fraction: f64,
        /// Number of centers.
        n_clusters: usize,
        /// Width of a cluster as a fraction of the domain's diameter.
        spread: f64,
    },
    /// Random points, less those in a ball that holds a given fraction of the grid.
    FailedRegion {
        /// Number of points ÷ native number of points, before the loss.
        context_fraction: f64,
        /// Fraction of the grid points that fail.
        failed_fraction: f64,
    },
}

/// Observed points with values `[channel, point]`, in the order of the points.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The observed points.
    pub points: Points,
    /// Number of channels.
    pub n_channels: usize,
    /// The observed values, `[channel, point]`; NaN where a channel is missing.
    pub values: Vec<f64>,
    /// The standard deviation of the noise on each value, `[channel, point]`, where it is known.
    pub deviations: Option<Vec<f64>>,
}

impl Context {
    /// Observations without known noise.
    pub fn new(points: Points, n_channels: usize, values: Vec<f64>) -> Self {
        Self { points, n_channels, values, deviations: None }
    }

    /// Whether a channel is missing at some point.
    pub fn has_missing(&self) -> bool {
        self.values.iter().any(|value| value.is_nan())
    }

    /// The same observations of a state that was moved by a symmetry.
    ///
    /// # Errors
    /// None on a domain that supports the map.
    pub fn moved(&self, map: &Isometry) -> Result<Self> {
        let (points, order) = map.apply(&self.points)?;
        let of = |all: &[f64], sign: f64| -> Vec<f64> {
            let channels = all.chunks_exact(order.len());
            channels
                .flat_map(|channel| order.iter().map(|&i| sign * channel[i]).collect::<Vec<_>>())
                .collect()
        };
        let values = of(&self.values, map.sign());
        let deviations = self.deviations.as_ref().map(|all| of(all, 1.0));
        Ok(Self { points, n_channels: self.n_channels, values, deviations })
    }

    /// One channel where it is observed; `None` if it is nowhere.
    pub fn channel(&self, channel: usize) -> Option<Self> {
        let n = self.points.len();
        let range = channel * n..(channel + 1) * n;
        let values = &self.values[range.clone()];
        let observed: Vec<usize> = (0..n).filter(|&i| !values[i].is_nan()).collect();
        let of = |all: &[f64]| observed.iter().map(|&i| all[i]).collect::<Vec<f64>>();
        let deviations = self.deviations.as_ref().map(|all| of(&all[range]));
        Some(Self {
            points: self.points.select(&observed).ok()?,
            n_channels: 1,
            values: of(values),
            deviations,
        })
    }

    /// The last `n_channels` channels: the newest frame of a history.
    pub fn newest(&self, n_channels: usize) -> Self {
        let first = (self.n_channels - n_channels) * self.points.len();
        Self {
            points: self.points.clone(),
            n_channels,
            values: self.values[first..].to_vec(),
            deviations: self.deviations.as_ref().map(|all| all[first..].to_vec()),
        }
    }

    /// Adds normal noise to every value, of the given standard deviation in each channel.
    pub fn add_noise(&mut self, deviations: &[f64], rng: &mut impl Rng) {
        let channels = self.values.chunks_exact_mut(self.points.len().max(1));
        for (values, deviation) in channels.zip(deviations) {
            for value in values {
                let normal: f64 = StandardNormal.sample(rng);
                *value += deviation * normal;
            }
        }
    }
}

/// Draws contexts of one design. Points keep their grid structure and their true coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextSampler {
    /// The design of the contexts.
    pub design: ContextDesign,
}

impl ContextSampler {
    /// Draws the context of a field. `finer` is the same state on a finer grid; contexts with more points
    /// than `native` are drawn from it, since only grid points have genuine values.
    ///
    /// # Errors
    /// A parameter out of range, more points than there are, or a failed region that leaves none.
    pub fn sample(&self, native: &Field, finer: Option<&Field>, rng: &mut impl Rng) -> Result<Context> {
        let count = |fraction: f64| wanted(fraction, native.grid().len());
        let source = |n: usize| match finer {
            Some(finer) if n > native.grid().len() => finer,
            _ => native,
        };
        match self.design {
            ContextDesign::Random { context_fraction } => {
                let n = count(context_fraction)?;
                let field = source(n);
                observe(field, heaviest(field.grid(), n, |_| 0.0, rng)?)
            }
            ContextDesign::Strided { stride } => {
                positive("stride", stride)?;
                observe(native, strided(native.grid(), stride))
            }
            ContextDesign::Clustered { context_fraction, n_clusters, spread } => {
                positive("number of clusters", n_clusters)?;
                share("spread", spread)?;
                let n = count(context_fraction)?;
                let field = source(n);
                let centers: Vec<Vec<f64>> =
                    (0..n_clusters).map(|_| random_point(field.grid(), rng)).collect();
                let domain = field.grid().domain();
                let width = spread * domain.diameter();
                // In logarithms, points far from every center remain distinguishable, where the weight itself
                // underflows to 0.
                let log_weight = |x: &[f64]| {
                    let exponents =
                        centers.iter().map(|c| -0.5 * domain.distance_squared(x, c) / width.powi(2));
                    let largest = exponents.clone().fold(f64::NEG_INFINITY, f64::max);
                    largest + exponents.map(|e| (e - largest).exp()).sum::<f64>().ln()
                };
                observe(field, heaviest(field.grid(), n, log_weight, rng)?)
            }
            ContextDesign::FailedRegion { context_fraction, failed_fraction } => {
                share("failed fraction", failed_fraction)?;
                let n = count(context_fraction)?;
                let field = source(n);
                let grid = field.grid();
                let drawn = heaviest(grid, n, |_| 0.0, rng)?;
                let center = random_point(grid, rng);
                let squared_radius = squared_radius_holding(grid, &center, failed_fraction);
                let mut point = vec![0.0; grid.dim()];
                let alive = drawn.into_iter().filter(|&index| {
                    grid.write_point(index, &mut point);
                    grid.domain().distance_squared(&point, &center) > squared_radius
                });
                observe(field, alive.collect())
            }
        }
    }
}

/// `round(fraction × n)`, at least one.
fn wanted(fraction: f64, n: usize) -> Result<usize> {
    if fraction > 0.0 && fraction.is_finite() {
        return Ok(((fraction * n as f64).round() as usize).max(1));
    }
    let requirement = "must be positive";
    Err(Error::Parameter { name: "context_fraction", value: fraction.to_string(), requirement })
}

fn positive(name: &'static str, n: usize) -> Result<()> {
    if n > 0 {
        return Ok(());
    }
    Err(Error::Parameter { name, value: "0".into(), requirement: "must be at least 1" })
}

fn share(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(Error::Parameter { name, value: value.to_string(), requirement: "must lie between 0 and 1" })
}

fn random_point(grid: &Grid, rng: &mut impl Rng) -> Vec<f64> {
    let mut point = vec![0.0; grid.dim()];
    grid.write_point(rng.random_range(0..grid.len()), &mut point);
    point
}

/// `n` distinct grid points with probabilities ∝ exp(`log_weight`), without replacement: the largest of
/// `log_weight` + Gumbel noise.
fn heaviest(
    grid: &Grid,
    n: usize,
    log_weight: impl Fn(&[f64]) -> f64,
    rng: &mut impl Rng,
) -> Result<Vec<usize>> {
    if n > grid.len() {
        return Err(Error::Parameter {
            name: "context_fraction",
            value: format!("{n} points of a grid of {}", grid.len()),
            requirement: "needs a finer field with that many points: values between grid points are not made up",
        });
    }
    let mut point = vec![0.0; grid.dim()];
    let mut keys: Vec<(f64, usize)> = (0..grid.len())
        .map(|index| {
            grid.write_point(index, &mut point);
            let uniform: f64 = rng.random();
            // 1 − u is in (0, 1], so the logarithm is finite or −0.
            (log_weight(&point) - (-(1.0 - uniform).ln()).ln(), index)
        })
        .collect();
    if n < keys.len() {
        keys.select_nth_unstable_by(n, |a, b| b.0.total_cmp(&a.0));
    }
    Ok(keys[..n].iter().map(|&(_, index)| index).collect())
}

/// Row-major indices of every `stride`-th point along each axis.
fn strided(grid: &Grid, stride: usize) -> Vec<usize> {
    let shape = grid.shape();
    let on_stride = |index: usize| {
        let mut rest = index;
        shape.iter().rev().all(|&n| {
            let i = rest % n;
            rest /= n;
            i.is_multiple_of(stride)
        })
    };
    (0..grid.len()).filter(|&index| on_stride(index)).collect()
}

/// Squared radius of the ball around `center` that holds `fraction` of the grid points.
fn squared_radius_holding(grid: &Grid, center: &[f64], fraction: f64) -> f64 {
    let mut point = vec![0.0; grid.dim()];
    let mut distances: Vec<f64> = (0..grid.len())
        .map(|index| {
            grid.write_point(index, &mut point);
            grid.domain().distance_squared(&point, center)
        })
        .collect();
    let last = ((fraction * grid.len() as f64).round() as usize).clamp(1, grid.len()) - 1;
    *distances.select_nth_unstable_by(last, f64::total_cmp).1
}

/// The values of `field` at some of its points.
fn observe(field: &Field, mut indices: Vec<usize>) -> Result<Context> {
    let grid = field.grid().as_ref();
    indices.sort_unstable();
    let values = (0..field.n_channels())
        .flat_map(|c| {
            let channel = field.channel(c);
            indices.iter().map(|&i| channel[i]).collect::<Vec<_>>()
        })
        .collect();
    let points = if indices.len() == grid.len() {
        Points::grid(grid.clone())
    } else {
        Points::masked(grid.clone(), indices)?
    };
    Ok(Context::new(points, field.n_channels(), values))
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
