//! Incompressible Navier–Stokes in two dimensions, in vorticity form, on the periodic unit square.

mod equation;
mod solver;
mod stepper;
mod transform;

pub use solver::VorticitySolver;
pub use stepper::{Stepper, Stepping};

use super::random_field::periodic_gaussian_field;
use super::{Pde, PdeParameters, require, require_size};
use crate::domain::Domain;
use crate::error::Result;
use crate::field::{Field, Trajectory};
#[cfg(feature = "clap")]
use crate::flags::{finite, whole};
use crate::grid::{Grid, Placement};
use crate::sample::Sample;
use crate::symmetry::Symmetry;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::f64::consts::{SQRT_2, TAU};
use std::sync::Arc;

/// Parameters of [`NavierStokes`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "PDE", allow_negative_numbers = true)
)]
#[serde(default, deny_unknown_fields)]
pub struct NavierStokesConfig {
    /// Points along each axis of the grid on which the flow is solved; at the default viscosity 128 is seven
    /// times faster than 256, and 4–5 % off by t = 20
    #[cfg_attr(feature = "clap", arg(long, value_parser = whole::<usize>, default_value_t = Self::default().solve_resolution))]
    pub solve_resolution: usize,
    /// Points along each axis of the saved grids, the native one first; each divides the solved grid, so that
    /// nothing is interpolated [default: those of 64 and 128 that do, else the solved grid]
    #[cfg_attr(feature = "clap", arg(long, value_parser = whole::<usize>, value_delimiter = ',', default_values_t = Vec::<usize>::new(), hide_default_value = true))]
    pub resolutions: Vec<usize>,
    /// Saved frames, equally spaced, without the initial state
    #[cfg_attr(feature = "clap", arg(long = "frames", value_parser = whole::<usize>, default_value_t = Self::default().n_frames))]
    pub n_frames: usize,
    /// Time of the last frame
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().t_end))]
    pub t_end: f64,
    /// Viscosity ν
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().viscosity))]
    pub viscosity: f64,
    /// Amplitude A of the force A (sin 2π(x + y) + cos 2π(x + y))
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().forcing))]
    pub forcing: f64,
    /// The time-stepping scheme.
    #[cfg_attr(feature = "clap", arg(skip = Self::default().stepper))]
    pub stepper: Stepper,
    /// Longest time step of the solver
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().time_step))]
    pub time_step: f64,
    /// Most grid spacings the flow may cross in a time step
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().courant))]
    pub courant: f64,
}

impl Default for NavierStokesConfig {
    fn default() -> Self {
        Self {
            solve_resolution: 256,
            resolutions: vec![64, 128],
            n_frames: 20,
            t_end: 20.0,
            viscosity: 1e-5,
            forcing: 0.1,
            stepper: Stepper::RungeKutta4,
            time_step: 0.02,
            courant: 0.6,
        }
    }
}

impl NavierStokesConfig {
    /// The saved resolutions: those given, else the usual ones that divide the solved grid, else that grid.
    fn saved_resolutions(&self) -> Vec<usize> {
        if !self.resolutions.is_empty() {
            return self.resolutions.clone();
        }
        let mut usual = Self::default().resolutions;
        usual.retain(|&n| self.solve_resolution.is_multiple_of(n));
        if usual.is_empty() { vec![self.solve_resolution] } else { usual }
    }
}

impl PdeParameters for NavierStokesConfig {
    const SYMMETRIES: &'static [Symmetry] =
        &[Symmetry::DiagonalTranslation, Symmetry::ShiftedTranspose, Symmetry::ShiftedRotation];

    fn at_resolution(self, resolution: usize) -> Option<Self> {
        let divides = resolution > 0 && self.solve_resolution.is_multiple_of(resolution);
        divides.then(|| Self { resolutions: vec![resolution], ..self })
    }

    fn build(&self) -> Result<Box<dyn Pde>> {
        Ok(Box::new(NavierStokes::new(self)?))
    }
}

/// Vorticity ω of a forced flow from a random initial state: ∂ω/∂t + u·∇ω = νΔω + f. Values are point values at
/// x_i = i/n.
pub struct NavierStokes {
    grids: Vec<Arc<Grid>>,
    times: Vec<f64>,
    solve_resolution: usize,
    solver: VorticitySolver,
    viscosity: f64,
    forcing: f64,
}

impl NavierStokes {
    /// Checks the parameters and plans the solver.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(config: &NavierStokesConfig) -> Result<Self> {
        let &NavierStokesConfig { solve_resolution, n_frames, t_end, viscosity, forcing, .. } = config;
        let solvable = (4..=MAX_SOLVE_RESOLUTION).contains(&solve_resolution);
        require(solvable, "solve_resolution", solve_resolution, "must be from 4 to 16384")?;
        let resolutions = config.saved_resolutions();
        let list = format!("{resolutions:?}");
        let increasing = resolutions.is_sorted_by(|a, b| a < b);
        require(increasing, "resolutions", &list, "must increase: the native one first")?;
        let divides = |&n: &usize| n > 0 && solve_resolution.is_multiple_of(n);
        let divide = resolutions.iter().all(divides);
        require(divide, "resolutions", &list, "each must divide solve_resolution")?;
        let finest = resolutions.last().copied().unwrap_or(solve_resolution);
        require_size(finest, 1, 2, n_frames)?;
        require(t_end > 0.0 && t_end.is_finite(), "t_end", t_end, "must be positive and finite")?;
        require(forcing.is_finite(), "forcing", forcing, "must be finite")?;

        let grid = |n| Grid::cubic(Domain::unit(2, true)?, n, Placement::Left);
        let solve_grid = Arc::new(grid(solve_resolution)?);
        let wave = |point: &[f64]| TAU * (point[0] + point[1]);
        let field = Field::from_fn(solve_grid, |p| forcing * (wave(p).sin() + wave(p).cos()));
        let stepping =
            Stepping { stepper: config.stepper, time_step: config.time_step, courant: config.courant };
        Ok(Self {
            grids: resolutions.iter().map(|&n| grid(n).map(Arc::new)).collect::<Result<_>>()?,
            times: (1..=n_frames).map(|i| t_end * (i as f64 / n_frames as f64)).collect(),
            solver: VorticitySolver::new(solve_resolution, viscosity, field.values(), stepping)?,
            solve_resolution,
            viscosity,
            forcing,
        })
    }

    /// Draws an initial vorticity on the grid of the solver, row-major `[x, y]`: a zero-mean Gaussian field
    /// Σ_k σ_k (ξ_k cos 2πk·x + η_k sin 2πk·x), σ_k = √2 · 7^{3/2} (4π²|k|² + 49)^{−5/4}.
    pub fn draw(&self, rng: &mut impl Rng) -> Vec<f64> {
        let deviation = |k2: f64| SQRT_2 * 7f64.powf(1.5) * (TAU * TAU * k2 + 49.0).powf(-1.25);
        periodic_gaussian_field(self.solve_resolution, deviation, rng)
    }

    /// Solves from a vorticity on the grid of the solver, row-major `[x, y]`: one trajectory per saved grid.
    ///
    /// # Shapes
    /// `[frame, 1, x, y]`.
    ///
    /// # Errors
    /// A wrong number of values, or a solution that does not stay finite.
    pub fn solve(&self, initial: &[f64]) -> Result<Vec<Trajectory>> {
        let mut saved: Vec<Vec<f64>> =
            self.grids.iter().map(|grid| Vec::with_capacity(self.times.len() * grid.len())).collect();
        let n = self.solve_resolution;
        self.solver.solve(initial, &self.times, |frame| {
            for (values, grid) in saved.iter_mut().zip(&self.grids) {
                let stride = n / grid.shape()[0];
                let rows = frame.chunks_exact(n).step_by(stride);
                values.extend(rows.flat_map(|row| row.iter().step_by(stride)));
            }
        })?;
        let trajectory =
            |(values, grid): (_, &Arc<Grid>)| Trajectory::new(grid.clone(), self.times.clone(), 1, values);
        saved.into_iter().zip(&self.grids).map(trajectory).collect()
    }
}

/// Largest resolution whose square fits the memory of one sample.
const MAX_SOLVE_RESOLUTION: usize = 1 << 14;

impl Pde for NavierStokes {
    fn grids(&self) -> &[Arc<Grid>] {
        &self.grids
    }

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn attributes(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("viscosity", self.viscosity),
            ("forcing", self.forcing),
            ("solve_resolution", self.solve_resolution as f64),
        ]
    }

    fn sample(&self, rng: &mut ChaCha8Rng) -> Result<Vec<Sample>> {
        Ok(self.solve(&self.draw(rng))?.into_iter().map(Sample::Evolution).collect())
    }
}
