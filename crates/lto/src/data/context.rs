//! Context augmentation: how much of a source state is observed, and where, drawn anew for every example.

use super::refine::refine;
use crate::error::{Error, Result};
use lto_numerics::Field;
use lto_numerics::dataset::{Context, ContextDesign, ContextSampler};
use lto_numerics::resample::{Method, resample};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Centers of a clustered context.
const CLUSTERS: usize = 3;
/// Width of a cluster as a share of the diameter of the domain.
const CLUSTER_SPREAD: f64 = 0.15;
/// Share of the domain that fails.
const FAILED_FRACTION: f64 = 0.2;

/// The `[train.context]` of a configuration file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContextConfig {
    /// Smallest and largest `context_fraction`: observed points ÷ native points. Above 1 the points lie on a finer grid.
    pub fraction: [f64; 2],
    /// How fractions are drawn between the two.
    pub draw: FractionDraw,
    /// How often each design is drawn, relative to the others.
    pub designs: DesignWeights,
}

impl Default for ContextConfig {
    fn default() -> Self {
        let designs = DesignWeights { random: 3.0, full: 1.0, ..DesignWeights::default() };
        Self { fraction: [0.05, 1.0], draw: FractionDraw::default(), designs }
    }
}

/// How fractions are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FractionDraw {
    /// Every factor is as likely: as many contexts from 5 % to 10 % as from 50 % to 100 %.
    #[default]
    Logarithmic,
    /// Every fraction is as likely.
    Uniform,
}

/// Relative weights of the designs; one that is not named is never drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DesignWeights {
    /// Uniformly random grid points.
    pub random: f64,
    /// A coarser grid: every so manieth point, the stride nearest to the fraction.
    #[serde(rename = "grid", alias = "strided")]
    pub strided: f64,
    /// Random points, denser near three random centers.
    pub clustered: f64,
    /// Random points, none in a ball that holds a fifth of the domain.
    #[serde(rename = "failed", alias = "failed_region")]
    pub failed_region: f64,
    /// The whole native grid, whatever the fraction.
    pub full: f64,
}

/// Which design was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DesignKind {
    /// See [`DesignWeights::random`].
    Random,
    /// See [`DesignWeights::strided`].
    #[serde(rename = "grid")]
    Strided,
    /// See [`DesignWeights::clustered`].
    Clustered,
    /// See [`DesignWeights::failed_region`].
    #[serde(rename = "failed")]
    FailedRegion,
    /// See [`DesignWeights::full`].
    Full,
}

impl DesignKind {
    /// All designs, for help texts and tests.
    pub const ALL: [DesignKind; 5] = [
        DesignKind::Random,
        DesignKind::Strided,
        DesignKind::Clustered,
        DesignKind::FailedRegion,
        DesignKind::Full,
    ];

    /// Name as written in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            DesignKind::Random => "random",
            DesignKind::Strided => "grid",
            DesignKind::Clustered => "clustered",
            DesignKind::FailedRegion => "failed",
            DesignKind::Full => "full",
        }
    }
}

/// A drawn design and size of a context; not yet its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContextChoice {
    /// Where.
    pub design: DesignKind,
    /// How much, observed points ÷ native points.
    pub fraction: f64,
}

impl ContextConfig {
    /// Checks what types cannot say.
    ///
    /// # Errors
    /// Fractions that are not positive and ordered, weights that are negative or all zero.
    pub fn validate(&self) -> Result<()> {
        let refuse = |key: &str, value: String, requirement: &str| {
            Err(Error::Config { key: format!("train.context.{key}"), value, requirement: requirement.into() })
        };
        let [low, high] = self.fraction;
        if !(low > 0.0 && low <= high && high.is_finite()) {
            return refuse(
                "fraction",
                format!("[{low}, {high}]"),
                "must be [smallest, largest], both positive",
            );
        }
        let weights = self.weights().map(|(_, weight)| weight);
        if !(weights.iter().all(|w| *w >= 0.0 && w.is_finite()) && weights.iter().sum::<f64>() > 0.0) {
            return refuse(
                "designs",
                format!("{weights:?}"),
                "weights must not be negative, and one must be positive",
            );
        }
        Ok(())
    }

    /// The largest fraction that can be drawn.
    pub fn largest_fraction(&self) -> f64 {
        if self.only_full() { 1.0 } else { self.fraction[1] }
    }

    /// Whether every context is the whole native grid.
    pub fn only_full(&self) -> bool {
        self.weights().iter().all(|(design, weight)| *design == DesignKind::Full || *weight == 0.0)
    }

    /// Draws a design and a size.
    pub fn draw(&self, rng: &mut impl Rng) -> ContextChoice {
        let weights = self.weights();
        let mut left = rng.random::<f64>() * weights.iter().map(|(_, weight)| weight).sum::<f64>();
        let drawn = weights.iter().filter(|(_, weight)| *weight > 0.0).find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        let design = drawn.map_or(DesignKind::Random, |(design, _)| *design);
        let ([low, high], share) = (self.fraction, rng.random::<f64>());
        let fraction = match (design, self.draw) {
            (DesignKind::Full, _) => 1.0,
            (_, FractionDraw::Logarithmic) => low * (high / low).powf(share),
            (_, FractionDraw::Uniform) => low + (high - low) * share,
        };
        ContextChoice { design, fraction }
    }

    fn weights(&self) -> [(DesignKind, f64); 5] {
        let DesignWeights { random, strided, clustered, failed_region, full } = self.designs;
        [
            (DesignKind::Random, random),
            (DesignKind::Strided, strided),
            (DesignKind::Clustered, clustered),
            (DesignKind::FailedRegion, failed_region),
            (DesignKind::Full, full),
        ]
    }
}

impl ContextChoice {
    /// The whole native grid.
    pub const FULL: ContextChoice = ContextChoice { design: DesignKind::Full, fraction: 1.0 };

    /// Whether it takes more points than the `native` ones.
    pub fn above(&self, native: usize) -> bool {
        self.design != DesignKind::Full && self.count(native) > native
    }

    /// Observes a state. More points than it has are taken from `finer`, the same state on a finer grid, if that has
    /// enough, else from a refinement of the field.
    ///
    /// # Errors
    /// A field that cannot be refined so far.
    pub fn observe(&self, native: &Field, finer: Option<&Field>, rng: &mut impl Rng) -> Result<Context> {
        let n = self.count(native.grid().len());
        let refined;
        let base = match finer {
            _ if !self.above(native.grid().len()) => native,
            Some(finer) if finer.grid().len() >= n => finer,
            _ => {
                refined = refine(native, n)?;
                &refined
            }
        };
        let context_fraction = self.fraction;
        let design = match self.design {
            DesignKind::Full => return whole(native, 1),
            DesignKind::Strided => {
                let stride = (base.grid().len() as f64 / n as f64).powf(1.0 / base.grid().dim() as f64);
                return whole(base, (stride.round() as usize).max(1));
            }
            DesignKind::Random => ContextDesign::Random { context_fraction },
            DesignKind::Clustered => {
                ContextDesign::Clustered { context_fraction, n_clusters: CLUSTERS, spread: CLUSTER_SPREAD }
            }
            DesignKind::FailedRegion => {
                ContextDesign::FailedRegion { context_fraction, failed_fraction: FAILED_FRACTION }
            }
        };
        match (ContextSampler { design }).sample(native, Some(base), rng) {
            // So few points that all of them failed: then none does.
            Err(lto_numerics::Error::NoPoints) if self.design == DesignKind::FailedRegion => {
                let design = ContextDesign::Random { context_fraction };
                Ok(ContextSampler { design }.sample(native, Some(base), rng)?)
            }
            sampled => Ok(sampled?),
        }
    }

    fn count(&self, native: usize) -> usize {
        ((self.fraction * native as f64).round() as usize).max(1)
    }
}

/// Every `stride`-th point along each axis, as a grid of its own.
fn whole(field: &Field, stride: usize) -> Result<Context> {
    let n_channels = field.n_channels();
    if stride == 1 {
        let points = lto_numerics::Points::grid(field.grid().as_ref().clone());
        return Ok(Context { points, n_channels, values: field.values().to_vec() });
    }
    let grid = Arc::new(field.grid().strided(stride)?);
    let values = resample(field, &grid, Method::Stride)?.into_values();
    Ok(Context { points: lto_numerics::Points::grid(grid.as_ref().clone()), n_channels, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::pde::sample_rng;
    use lto_numerics::{Domain, Grid, Placement, PointStructure};
    use std::f64::consts::TAU;

    fn wave(x: &[f64]) -> f64 {
        (TAU * x[0]).sin() * (TAU * x[1]).cos()
    }

    fn field(n: usize) -> Field {
        Field::from_fn(
            Arc::new(Grid::cubic(Domain::unit(2, true).unwrap(), n, Placement::Left).unwrap()),
            wave,
        )
    }

    /// Sizes are those asked for, below and above native, and every value is that of the field at its point.
    #[test]
    fn contexts_of_any_design_and_size_observe_the_field() {
        let (native, finer) = (field(16), field(32));
        let mut rng = sample_rng(1, 0);
        for design in [
            DesignKind::Random,
            DesignKind::Strided,
            DesignKind::Clustered,
            DesignKind::FailedRegion,
            DesignKind::Full,
        ] {
            for fraction in [0.004, 0.1, 0.5, 1.0, 1.7, 4.0, 9.0] {
                for finer in [None, Some(&finer)] {
                    let choice = ContextChoice { design, fraction };
                    let context = choice.observe(&native, finer, &mut rng).unwrap();
                    let n = (fraction * 256.0).round() as usize;
                    match design {
                        DesignKind::Random | DesignKind::Clustered => {
                            assert_eq!(context.points.len(), n.max(1))
                        }
                        DesignKind::FailedRegion => assert!(context.points.len() <= n.max(1)),
                        DesignKind::Full => assert_eq!(context.points.len(), 256),
                        DesignKind::Strided => {
                            assert!(matches!(context.points.structure(), PointStructure::Grid(_)))
                        }
                    }
                    let mut x = [0.0; 2];
                    for (i, value) in context.values.iter().enumerate() {
                        context.points.write_point(i, &mut x);
                        assert!((value - wave(&x)).abs() < 1e-12, "{choice:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn strides_come_near_the_fraction() {
        let mut rng = sample_rng(1, 1);
        for (fraction, n) in [(1.0, 256), (0.25, 64), (0.06, 16), (4.0, 1024)] {
            let choice = ContextChoice { design: DesignKind::Strided, fraction };
            assert_eq!(choice.observe(&field(16), None, &mut rng).unwrap().points.len(), n);
        }
    }

    #[test]
    fn fractions_and_designs_follow_the_configuration() {
        let mut rng = sample_rng(1, 2);
        let designs = DesignWeights { random: 1.0, strided: 2.0, full: 1.0, ..DesignWeights::default() };
        let config = ContextConfig { fraction: [0.01, 1.0], designs, ..ContextConfig::default() };
        let drawn: Vec<ContextChoice> = (0..4000).map(|_| config.draw(&mut rng)).collect();
        let count = |design| drawn.iter().filter(|d| d.design == design).count();
        assert!(
            (900..1100).contains(&count(DesignKind::Random))
                && (1900..2100).contains(&count(DesignKind::Strided))
        );
        assert_eq!(count(DesignKind::Clustered), 0);
        let random: Vec<f64> =
            drawn.iter().filter(|d| d.design == DesignKind::Random).map(|d| d.fraction).collect();
        let below = random.iter().filter(|f| **f < 0.1).count() as f64 / random.len() as f64;
        assert!((below - 0.5).abs() < 0.06, "the middle of the logarithms: {below}");
        let uniform = ContextConfig { draw: FractionDraw::Uniform, ..config };
        let below = (0..2000).filter(|_| uniform.draw(&mut rng).fraction < 0.1).count();
        assert!((100..200).contains(&below), "9 % of three quarters of 2000: {below}");
    }
}
