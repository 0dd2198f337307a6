//! `lto data generate`: one subcommand for each PDE, its flags those of the PDE's configuration.

use super::number::{finite, positive, whole};
use clap::{Args, Subcommand};
use lto_numerics::pde::{
    AdvectionConfig, BurgersConfig, DarcyConfig, HeatConfig, NavierStokesConfig, PdeConfig,
};
use std::path::PathBuf;

/// `lto data generate`.
#[derive(Debug, Args)]
#[command(after_help = "\
The same seed gives the same file, byte for byte, whatever the number of threads. An interrupted run leaves its
samples in FILE.partial; the same command with --resume continues it, to the same file again.

Examples:
  lto data generate burgers -n 1000 --seed 7 -o burgers.hdf5
  lto data generate navier-stokes -n 1200 --viscosity 1e-4 -o vorticity.hdf5
  lto data generate darcy -n 1024 --strides 2,1 -o darcy.hdf5 --resume
  lto data generate heat -n 100 --dim 1 --resolution 256 -o heat.npz")]
pub struct GenerateArgs {
    /// Which PDE
    #[command(subcommand, next_help_heading = "PDEs")]
    pub pde: PdeArgs,
}

/// How many samples, from which seed, into which file.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Number of samples
    #[arg(long = "samples", short = 'n', value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub n_samples: usize,
    /// Seed of all randomness
    #[arg(long, value_name = "SEED", default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// File to write: .hdf5 (PDEBench's layout) or .npz
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Continue from FILE.partial, if there is one
    #[arg(long)]
    pub resume: bool,
    /// Replace FILE, and without --resume also FILE.partial
    #[arg(long)]
    pub force: bool,
    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// One variant for each variant of [`PdeConfig`].
#[derive(Debug, Subcommand)]
pub enum PdeArgs {
    /// Heat equation on the periodic unit box: smooth bumps that spread
    Heat(HeatArgs),
    /// Advection u_t + c u_x = 0 on the periodic unit interval (PDEBench)
    Advection(AdvectionArgs),
    /// Viscous Burgers equation on the periodic unit interval (PDEBench)
    Burgers(BurgersArgs),
    /// Vorticity of a forced 2-D flow on the periodic unit square (FNO)
    NavierStokes(NavierStokesArgs),
    /// Darcy flow through a two-phase medium on the unit square (FNO)
    Darcy(DarcyArgs),
}

impl PdeArgs {
    /// The configuration of the PDE, and the run.
    pub fn split(self) -> (PdeConfig, RunArgs) {
        match self {
            PdeArgs::Heat(args) => args.split(),
            PdeArgs::Advection(args) => args.split(),
            PdeArgs::Burgers(args) => args.split(),
            PdeArgs::NavierStokes(args) => args.split(),
            PdeArgs::Darcy(args) => args.split(),
        }
    }
}

/// Flags of the heat equation.
#[derive(Debug, Args)]
pub struct HeatArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Space dimension, 1 to 3
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        default_value_t = HeatConfig::default().dim
    )]
    dim: usize,
    /// Points along each axis
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        default_value_t = HeatConfig::default().resolution
    )]
    resolution: usize,
    /// Saved frames
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        default_value_t = HeatConfig::default().n_frames
    )]
    frames: usize,
    /// Diffusivity times time at the last frame
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = HeatConfig::default().max_diffusion
    )]
    max_diffusion: f64,
    /// Gaussian bumps in the initial state
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        default_value_t = HeatConfig::default().n_bumps
    )]
    bumps: usize,
}

impl HeatArgs {
    fn split(self) -> (PdeConfig, RunArgs) {
        let config = HeatConfig {
            dim: self.dim,
            resolution: self.resolution,
            n_frames: self.frames,
            max_diffusion: self.max_diffusion,
            n_bumps: self.bumps,
        };
        (PdeConfig::Heat(config), self.run)
    }
}

/// Flags of the advection equation.
#[derive(Debug, Args)]
pub struct AdvectionArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Cells
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        default_value_t = AdvectionConfig::default().resolution
    )]
    resolution: usize,
    /// Saved frames
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        default_value_t = AdvectionConfig::default().n_frames
    )]
    frames: usize,
    /// Time of the last frame
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = AdvectionConfig::default().t_end
    )]
    t_end: f64,
    /// Speed c
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = AdvectionConfig::default().speed
    )]
    speed: f64,
}

impl AdvectionArgs {
    fn split(self) -> (PdeConfig, RunArgs) {
        let Self { run, resolution, frames: n_frames, t_end, speed } = self;
        (PdeConfig::Advection(AdvectionConfig { resolution, n_frames, t_end, speed }), run)
    }
}

/// Flags of the Burgers equation.
#[derive(Debug, Args)]
pub struct BurgersArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Cells
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        default_value_t = BurgersConfig::default().resolution
    )]
    resolution: usize,
    /// Saved frames
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        default_value_t = BurgersConfig::default().n_frames
    )]
    frames: usize,
    /// Time of the last frame
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = BurgersConfig::default().t_end
    )]
    t_end: f64,
    /// Viscosity ν; the diffusion coefficient is ν/π
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = BurgersConfig::default().viscosity
    )]
    viscosity: f64,
}

impl BurgersArgs {
    fn split(self) -> (PdeConfig, RunArgs) {
        let Self { run, resolution, frames: n_frames, t_end, viscosity } = self;
        (PdeConfig::Burgers(BurgersConfig { resolution, n_frames, t_end, viscosity }), run)
    }
}

/// Flags of the Navier–Stokes equations.
#[derive(Debug, Args)]
pub struct NavierStokesArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Points along each axis of the grid the flow is solved on; 128 is about seven times faster, and 4–5 % off by
    /// t = 20
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        default_value_t = NavierStokesConfig::default().solve_resolution
    )]
    solve_resolution: usize,
    /// Saved grids, the native one first [default: of 64 and 128 those that divide the solved one, else that one]
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        value_delimiter = ','
    )]
    resolutions: Option<Vec<usize>>,
    /// Saved frames, equally spaced; the initial state is not one of them
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        default_value_t = NavierStokesConfig::default().n_frames
    )]
    frames: usize,
    /// Time of the last frame
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = NavierStokesConfig::default().t_end
    )]
    t_end: f64,
    /// Viscosity ν
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = NavierStokesConfig::default().viscosity
    )]
    viscosity: f64,
    /// Amplitude of the force
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = NavierStokesConfig::default().forcing
    )]
    forcing: f64,
    /// Longest time step of the solver
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = NavierStokesConfig::default().time_step
    )]
    time_step: f64,
    /// Most grid spacings that anything is carried in a time step
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = NavierStokesConfig::default().courant
    )]
    courant: f64,
}

impl NavierStokesArgs {
    fn split(self) -> (PdeConfig, RunArgs) {
        let config = NavierStokesConfig {
            solve_resolution: self.solve_resolution,
            resolutions: self.resolutions.unwrap_or_else(|| default_resolutions(self.solve_resolution)),
            n_frames: self.frames,
            t_end: self.t_end,
            viscosity: self.viscosity,
            forcing: self.forcing,
            time_step: self.time_step,
            courant: self.courant,
            ..NavierStokesConfig::default()
        };
        (PdeConfig::NavierStokes(config), self.run)
    }
}

/// The resolutions saved unless told: the usual ones that the solved grid has, else that grid itself.
fn default_resolutions(solve_resolution: usize) -> Vec<usize> {
    let mut usual = NavierStokesConfig::default().resolutions;
    usual.retain(|&n| n <= solve_resolution && solve_resolution.is_multiple_of(n));
    if usual.is_empty() { vec![solve_resolution] } else { usual }
}

/// Flags of Darcy flow.
#[derive(Debug, Args)]
pub struct DarcyArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Vertices along each side
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true,
        default_value_t = DarcyConfig::default().resolution
    )]
    resolution: usize,
    /// Saved grids, as strides of the solved one, the native one first
    #[arg(
        long, help_heading = "PDE", value_parser = whole::<usize>, allow_negative_numbers = true, value_delimiter = ',',
        default_values_t = DarcyConfig::default().strides
    )]
    strides: Vec<usize>,
    /// Smoothness α of the random field behind the medium
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = DarcyConfig::default().alpha
    )]
    alpha: f64,
    /// Inverse correlation length τ of that field
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = DarcyConfig::default().tau
    )]
    tau: f64,
    /// Permeability where the field is not negative
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = DarcyConfig::default().high
    )]
    high: f64,
    /// Permeability where it is negative
    #[arg(
        long, help_heading = "PDE", value_parser = finite, allow_negative_numbers = true,
        default_value_t = DarcyConfig::default().low
    )]
    low: f64,
}

impl DarcyArgs {
    fn split(self) -> (PdeConfig, RunArgs) {
        let Self { run, resolution, strides, alpha, tau, high, low } = self;
        (PdeConfig::Darcy(DarcyConfig { resolution, strides, alpha, tau, high, low }), run)
    }
}
