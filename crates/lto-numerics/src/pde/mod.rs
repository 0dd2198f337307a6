//! PDE solvers that generate data. Each PDE is one file and one line of the list below.

pub mod advection;
pub mod burgers;
pub mod cosine_field;
pub mod darcy;
pub mod elliptic;
pub mod exact;
pub mod finite_volume;
pub mod heat;
pub mod heat_field;
pub mod initial_states;
pub mod navier_stokes;
pub mod random_field;
pub mod spectral;

use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::sample::Sample;
use crate::symmetry::Symmetry;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::sync::Arc;

pub use advection::AdvectionConfig;
pub use burgers::BurgersConfig;
pub use darcy::DarcyConfig;
pub use heat::HeatConfig;
pub use heat_field::HeatField;
pub use navier_stokes::NavierStokesConfig;

/// A fully configured PDE: draws random problems and solves them.
pub trait Pde: Send + Sync {
    /// The grids on which every sample is saved: the native one first, then any finer ones from the same
    /// solve.
    fn grids(&self) -> &[Arc<Grid>];

    /// Times of the saved frames; empty for a steady problem.
    fn times(&self) -> &[f64];

    /// Names and values written beside the data (PDEBench's `Nu`, …).
    fn attributes(&self) -> Vec<(&'static str, f64)>;

    /// Draws one problem and solves it: one [`Sample`] per grid of [`Pde::grids`].
    ///
    /// # Errors
    /// The solution does not stay finite.
    fn sample(&self, rng: &mut ChaCha8Rng) -> Result<Vec<Sample>>;
}

/// What a PDE's parameters determine, in the PDE's own file.
trait PdeParameters: Sized {
    /// The maps that carry every solution to a solution.
    const SYMMETRIES: &'static [Symmetry];

    /// See [`PdeConfig::at_resolution`].
    fn at_resolution(self, resolution: usize) -> Option<Self>;

    /// Checks the parameters and plans the solver.
    fn build(&self) -> Result<Box<dyn Pde>>;
}

/// The list of all PDEs: each line registers one in configuration files, on the command line and in the
/// conformance tests.
macro_rules! pdes {
    ($($(#[doc = $doc:literal])+ $variant:ident($parameters:ty) = $name:literal,)+) => {
        /// Which PDE, and its parameters: `{ pde = "heat", resolution = 64, … }`. Omitted parameters take
        /// their defaults; unknown ones are refused.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "clap", derive(clap::Subcommand))]
        #[serde(tag = "pde")]
        pub enum PdeConfig {
            $($(#[doc = $doc])+ #[serde(rename = $name)] #[cfg_attr(feature = "clap", command(name = $name))] $variant($parameters),)+
        }

        impl PdeConfig {
            /// Every PDE with its default parameters, for help texts, tests and benchmarks.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$variant(Default::default())),+]
            }

            /// Name as written in files and on the command line.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            /// The maps that carry every solution to a solution.
            pub fn symmetries(&self) -> &'static [Symmetry] {
                match self { $(Self::$variant(_) => <$parameters>::SYMMETRIES,)+ }
            }

            /// The same random problems with `resolution` points along each axis as the native grid: the same
            /// random stream draws the same state or, if initial states depend on their grid (Burgers,
            /// advection), nearly the same. `None` if another resolution would draw different problems.
            pub fn at_resolution(&self, resolution: usize) -> Option<Self> {
                match self.clone() {
                    $(Self::$variant(parameters) => parameters.at_resolution(resolution).map(Self::$variant),)+
                }
            }

            /// Checks the parameters and plans the solver.
            ///
            /// # Errors
            /// [`Error::Parameter`] for the parameter that is out of range.
            pub fn build(&self) -> Result<Box<dyn Pde>> {
                match self { $(Self::$variant(parameters) => parameters.build(),)+ }
            }
        }
    };
}

pdes! {
    /// Heat equation on the periodic unit box: smooth bumps that spread
    Heat(HeatConfig) = "heat",
    /// Advection u_t + c u_x = 0 on the periodic unit interval (PDEBench)
    Advection(AdvectionConfig) = "advection",
    /// Viscous Burgers equation on the periodic unit interval (PDEBench)
    Burgers(BurgersConfig) = "burgers",
    /// Vorticity of a forced 2-D flow on the periodic unit square (FNO)
    NavierStokes(NavierStokesConfig) = "navier-stokes",
    /// Darcy flow through a two-phase medium on the unit square (FNO)
    Darcy(DarcyConfig) = "darcy",
}

/// The random stream of sample `index` under `seed`, independent of what else is drawn, and in what order.
pub fn sample_rng(seed: u64, index: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    rng
}

/// `Ok` if a parameter satisfies its requirement, else [`Error::Parameter`].
pub(crate) fn require(
    satisfied: bool,
    name: &'static str,
    value: impl Display,
    requirement: &'static str,
) -> Result<()> {
    if satisfied { Ok(()) } else { Err(Error::Parameter { name, value: value.to_string(), requirement }) }
}

/// Refuses a resolution below `minimum` points per axis, no frames, or more values per sample than memory
/// holds.
pub(crate) fn require_size(resolution: usize, minimum: usize, dim: usize, n_frames: usize) -> Result<()> {
    require(resolution >= minimum, "resolution", resolution, "too few points along an axis")?;
    require(n_frames >= 1, "n_frames", n_frames, "must be at least 1")?;
    let values = (0..dim).try_fold(n_frames, |product, _| product.checked_mul(resolution));
    let fits = values.is_some_and(|n| n <= MAX_SAMPLE_VALUES);
    require(fits, "resolution", resolution, "frames × points must not exceed 2^30 values (8 GiB) per sample")
}

const MAX_SAMPLE_VALUES: usize = 1 << 30;

/// `n_frames` equally spaced times from 0 to `t_end`; a single one is 0.
pub(crate) fn frame_times(n_frames: usize, t_end: f64) -> Vec<f64> {
    let intervals = n_frames.saturating_sub(1).max(1) as f64;
    (0..n_frames).map(|i| t_end * (i as f64 / intervals)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_tagged_defaulted_and_closed() {
        for config in PdeConfig::all() {
            let name = config.name();
            let bare: PdeConfig = serde_json::from_str(&format!(r#"{{"pde": "{name}"}}"#)).unwrap();
            assert_eq!(bare, config);
            let text = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<PdeConfig>(&text).unwrap(), config);
            let typo = serde_json::from_str::<PdeConfig>(&format!(r#"{{"pde": "{name}", "colour": 1}}"#));
            assert!(typo.unwrap_err().to_string().contains("colour"), "{name}");
        }
    }

    #[test]
    fn sizes_beyond_memory_are_refused_by_name() {
        let err = require_size(100_000, 4, 3, 10).unwrap_err();
        assert!(matches!(err, Error::Parameter { name: "resolution", .. }), "{err}");
        let err = require_size(64, 4, 2, 0).unwrap_err();
        assert!(matches!(err, Error::Parameter { name: "n_frames", .. }), "{err}");
    }
}
