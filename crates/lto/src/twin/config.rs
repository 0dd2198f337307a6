//! What makes a twin: everything but its weights and its problem.

use super::boundary::Boundary;
use super::encoder::EncoderConfig;
use super::evolution::EvolutionConfig;
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
    /// Latent channels, k.
    pub latent_channels: usize,
    /// How convolutions continue past the edge.
    #[serde(default)]
    pub padding: PaddingConfig,
    /// What the decoder gives.
    #[serde(default)]
    pub output: OutputForm,
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
    /// Its rate of change: prediction = interpolated source + (t − s)/T · decoder.
    Residual,
}

/// The decoder's size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecoderConfig {
    /// Hidden width d.
    pub hidden: usize,
    /// Initial ℓ.
    #[serde(default)]
    pub length_scale: LengthScale,
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
                        .map(|(d, a)| problem.native_spacing(d).max(a.length() / n as f64))
                        .fold(0.0, f64::max)
            }
        }
    }

    /// Refuses what is not positive, naming the key under `model`.
    pub(super) fn validate(self, key: &str) -> Result<()> {
        let (LengthScale::Value(number) | LengthScale::Spacings { spacings: number }) = self;
        if number > 0.0 && number.is_finite() {
            return Ok(());
        }
        refuse(key, number.to_string(), "must be positive")
    }
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

    /// Checks what the types cannot say.
    ///
    /// # Errors
    /// A size of zero, a length scale that is not positive, or an evolution that does not fit the problem
    /// or the latent grid.
    pub fn validate(&self, problem: &Problem) -> Result<()> {
        require_size("latent_points", self.latent_points)?;
        require_size("latent_channels", self.latent_channels)?;
        require_size("decoder.hidden", self.decoder.hidden)?;
        if self.latent_points < 2 {
            return refuse("latent_points", self.latent_points.to_string(), "must be at least 2");
        }
        self.encoder.validate()?;
        self.decoder.length_scale.validate("decoder.length_scale")?;
        if self.output == OutputForm::Residual
            && (problem.times.is_none() || problem.source_channels != problem.target_channels)
        {
            return refuse(
                "output",
                "residual".into(),
                "needs times, and targets with the channels of the sources",
            );
        }
        if let Some(boundary) = self.boundary {
            boundary.validate(&problem.domain)?;
            if self.output == OutputForm::Residual {
                let requirement =
                    "needs output = \"direct\": observed sources need not vanish on the boundary";
                return refuse("boundary", "zero".into(), requirement);
            }
        }
        self.evolution.validate(self.latent_points, problem.times.is_some())
    }
}
