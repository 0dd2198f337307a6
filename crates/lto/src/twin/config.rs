//! What makes a twin: everything but its weights and its problem.

use super::boundary::Boundary;
use super::encoder::EncoderConfig;
use super::evolution::EvolutionConfig;
use super::semigroup::SemigroupConfig;
use crate::error::{Error, Result};
use crate::nn::conv::Padding;
use crate::problem::Problem;
use lto_numerics::Domain;
use serde::{Deserialize, Serialize};

/// Configuration of a twin, the `[model]` of a configuration file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwinConfig {
    /// Points of the latent grid along each axis, G.
    pub latent_points: usize,
    /// Where the latent grid lies on periodic axes: from their lower bound, or at the centers of cells. Best where the
    /// data's points are.
    #[serde(default, skip_serializing_if = "LatentPlacement::is_left")]
    pub latent_placement: LatentPlacement,
    /// Latent channels, k.
    pub latent_channels: usize,
    /// How convolutions continue past the edge.
    #[serde(default)]
    pub padding: PaddingConfig,
    /// What the decoder gives.
    #[serde(default)]
    pub output: OutputForm,
    /// How the source is estimated between its observations.
    #[serde(default, skip_serializing_if = "SourceEstimate::is_local_linear")]
    pub source: SourceEstimate,
    /// The longest step it is trained to take, in native intervals: m_{s→t} over longer leads is composed of
    /// equal steps no longer than that. Without it, one step of any length goes straight from s to t.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_step: Option<f64>,
    /// What waves of the source do by themselves, learned beside the network; added to the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semigroup: Option<SemigroupConfig>,
    /// What target states are on the boundary, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boundary: Option<Boundary>,
    /// The encoder.
    pub encoder: EncoderConfig,
    /// The latent evolution.
    pub evolution: EvolutionConfig,
    /// The decoder.
    pub decoder: DecoderConfig,
}

/// How the source is estimated between its observations, for outputs that begin from it and encoders that see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceEstimate {
    /// By lines fitted to the nearest observations.
    #[default]
    LocalLinear,
    /// By the [best linear estimate](lto_numerics::kriging::Kriging::estimate) with the covariance of the training
    /// states and the noise of the sensors. Forecasts of departures from the mean course then begin as that estimate times the
    /// share that [persists](crate::problem::Measured::persisting) over their lead.
    BestLinear,
}

impl SourceEstimate {
    fn is_local_linear(&self) -> bool {
        *self == SourceEstimate::LocalLinear
    }
}

/// Where the latent grid lies on periodic axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatentPlacement {
    /// From the lower bound.
    #[default]
    Left,
    /// At the centers of cells.
    Center,
}

impl LatentPlacement {
    fn is_left(&self) -> bool {
        *self == LatentPlacement::Left
    }
}

/// How convolutions continue past the edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaddingConfig {
    /// As the domain says: periodic axes as a circle, others by zeros.
    #[default]
    Domain,
    /// Zeros everywhere, the published form.
    Zero,
}

/// What the decoder gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputForm {
    /// The target state itself.
    #[default]
    Direct,
    /// Its change: prediction = interpolated source + c(t − s) · decoder, with the typical
    /// [change](Problem::change) c over the lead.
    Residual,
    /// The source, moved, and a correction: prediction = û_s(q + c L d) + c r, where the decoder gives the
    /// displacement d of each query point q and the correction r, both zero at first; c is as above, L the
    /// length of each axis times [`REACH`](super::REACH).
    Transport,
    /// As `transport`, with a gate: prediction = (1 − g γ) û_s(q + c L d) + g r, where the decoder gives γ too. The
    /// [freedom](super::gate) g is c where the observations are as dense as the latent grid, and grows to 1 where
    /// they are sparse and û_s is not to be trusted. A [best linear](SourceEstimate::BestLinear) û_s is as good as it can be
    /// there, and g is c everywhere.
    Gated,
}

impl OutputForm {
    /// How many values at a point the decoder gives before those of the channels: a displacement, a gate.
    pub(super) fn extra(self, dim: usize) -> usize {
        match self {
            OutputForm::Direct | OutputForm::Residual => 0,
            OutputForm::Transport => dim,
            OutputForm::Gated => dim + 1,
        }
    }

    /// Whether it moves the estimated source.
    pub fn moves(self) -> bool {
        matches!(self, OutputForm::Transport | OutputForm::Gated)
    }
}

/// The decoder's size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecoderConfig {
    /// Hidden width d.
    pub hidden: usize,
    /// Initial ℓ of kernel interpolation.
    #[serde(default)]
    pub length_scale: LengthScale,
    /// How the latent state is read between the points of its grid.
    #[serde(default, skip_serializing_if = "Interpolation::is_kernel")]
    pub interpolation: Interpolation,
    /// Whether it also gives the deviation of every channel, to be trained by the loss `crps`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deviation: bool,
}

/// How a latent state is read between the points of its grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// By normalized kernel weights with a learned ℓ, the published form.
    #[default]
    Kernel,
    /// By cubics: exact at the points of the grid, third order between them.
    Cubic,
}

impl Interpolation {
    fn is_kernel(&self) -> bool {
        *self == Interpolation::Kernel
    }
}

/// An initial length scale: a number in the units of the domain, or a multiple of the spacing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LengthScale {
    /// ℓ itself.
    Value(f64),
    /// ℓ as a multiple of the largest spacing, of the latent grid or of the training grid.
    Spacings {
        /// The multiple.
        spacings: f64,
    },
    /// ℓ follows the layout: a multiple of the mean spacing of the points, or of the latent grid, whichever is
    /// larger. The multiple is learned.
    Layout {
        /// The initial multiple.
        layout: f64,
    },
}

impl Default for LengthScale {
    /// The published initial value.
    fn default() -> Self {
        LengthScale::Value(0.1)
    }
}

impl LengthScale {
    /// ℓ for a latent grid of `n` points an axis.
    pub fn resolve(self, problem: &Problem, n: usize) -> f64 {
        match self {
            LengthScale::Value(value) => value,
            LengthScale::Spacings { spacings } => {
                let axes = problem.domain.axes().iter().enumerate();
                spacings
                    * axes
                        .map(|(d, a)| problem.native_spacing(d).max(a.extent() / n as f64))
                        .fold(0.0, f64::max)
            }
            LengthScale::Layout { layout } => layout * latent_spacing(&problem.domain, n),
        }
    }

    /// Refuses what is not positive, naming the key under `model`.
    pub(super) fn validate(self, key: &str) -> Result<()> {
        let (LengthScale::Value(number)
        | LengthScale::Spacings { spacings: number }
        | LengthScale::Layout { layout: number }) = self;
        if number > 0.0 && number.is_finite() {
            return Ok(());
        }
        refuse(key, number.to_string(), "must be positive")
    }
}

/// The largest spacing of a latent grid of `n` points an axis.
pub(super) fn latent_spacing(domain: &Domain, n: usize) -> f64 {
    domain.axes().iter().map(|axis| axis.extent() / n as f64).fold(0.0, f64::max)
}

/// The error of a key under `model`.
pub(super) fn refuse(key: &str, value: String, requirement: &str) -> Result<()> {
    Err(Error::Config { key: format!("model.{key}"), value, requirement: requirement.into() })
}

/// Refuses a size of zero, naming the key under `model`.
pub(super) fn require_size(key: &str, size: usize) -> Result<()> {
    if size > 0 { Ok(()) } else { refuse(key, "0".into(), "sizes must be at least 1") }
}

impl TwinConfig {
    /// Padding per array axis (the first is trivial in one dimension).
    pub fn padding(&self, domain: &Domain) -> [Padding; 2] {
        let of = |d: usize| match self.padding {
            PaddingConfig::Domain if domain.axes()[d].periodic => Padding::Periodic,
            _ => Padding::Zero,
        };
        if domain.dim() == 1 { [Padding::Zero, of(0)] } else { [of(0), of(1)] }
    }

    /// Whether the source is estimated as a function of the place.
    pub(super) fn needs_source(&self) -> bool {
        self.output.moves() || self.encoder.sees_estimate() || self.semigroup.is_some()
    }

    /// Number of values that the decoder gives at a point.
    pub(super) fn decoded(&self, problem: &Problem) -> usize {
        let channels = if self.decoder.deviation { 2 } else { 1 } * problem.target_channels;
        self.output.extra(problem.domain.dim()) + channels
    }

    /// Checks what the types cannot say.
    ///
    /// # Errors
    /// A size of zero, a length scale that is not positive, or an evolution that does not fit the problem
    /// or the latent grid.
    pub fn validate(&self, problem: &Problem) -> Result<()> {
        require_size("latent_points", self.latent_points)?;
        require_size("latent_channels", self.latent_channels)?;
        require_size("decoder.hidden", self.decoder.hidden)?;
        let least = if self.decoder.interpolation == Interpolation::Cubic { 3 } else { 2 };
        if self.latent_points < least {
            return refuse(
                "latent_points",
                self.latent_points.to_string(),
                &format!("must be at least {least}"),
            );
        }
        self.encoder.validate()?;
        self.decoder.length_scale.validate("decoder.length_scale")?;
        if self.source == SourceEstimate::BestLinear && problem.times.is_none() {
            return refuse("source", "best_linear".into(), "needs times");
        }
        if self.output != OutputForm::Direct
            && (problem.times.is_none() || !problem.source_channels.is_multiple_of(problem.target_channels))
        {
            let name = format!("{:?}", self.output).to_lowercase();
            return refuse("output", name, "needs times, and targets with the channels of the sources");
        }
        if self.max_step.is_some_and(|step| !(step >= 1.0 && step.is_finite())) {
            return refuse("max_step", format!("{:?}", self.max_step), "must be at least 1 native interval");
        }
        if self.needs_source() && self.latent_points < 4 {
            let requirement = "must be at least 4, for splines through the estimated source";
            return refuse("latent_points", self.latent_points.to_string(), requirement);
        }
        if let Some(semigroup) = self.semigroup {
            semigroup.validate(problem, self.latent_points)?;
            if self.output == OutputForm::Direct {
                return refuse(
                    "output",
                    "direct".into(),
                    "must begin from the source, to which a semigroup adds",
                );
            }
        }
        if let Some(boundary) = self.boundary {
            boundary.validate(&problem.domain)?;
            if self.output != OutputForm::Direct {
                let requirement =
                    "needs output = \"direct\": observed sources need not vanish on the boundary";
                return refuse("boundary", "zero".into(), requirement);
            }
        }
        self.evolution.validate(self.latent_points, problem.times.is_some())
    }
}
