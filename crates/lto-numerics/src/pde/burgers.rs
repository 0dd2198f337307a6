//! Viscous Burgers `∂u/∂t + ∂(u²/2)/∂x = (ν/π) ∂²u/∂x²` on the periodic unit interval, as PDEBench poses it.

use super::finite_volume::{self, ConservationLaw};
use super::initial_states::InitialState;
use super::{Pde, PdeParameters, frame_times, require, require_size};
use crate::domain::Domain;
use crate::error::Result;
use crate::field::Trajectory;
#[cfg(feature = "clap")]
use crate::flags::{finite, whole};
use crate::grid::{Grid, Placement};
use crate::sample::Sample;
use crate::symmetry::Symmetry;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use std::sync::Arc;

/// Parameters of [`Burgers`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "PDE", allow_negative_numbers = true)
)]
#[serde(default, deny_unknown_fields)]
pub struct BurgersConfig {
    /// Cells
    #[cfg_attr(feature = "clap", arg(long, value_parser = whole::<usize>, default_value_t = Self::default().resolution))]
    pub resolution: usize,
    /// Saved frames, from t = 0 on
    #[cfg_attr(feature = "clap", arg(long = "frames", value_parser = whole::<usize>, default_value_t = Self::default().n_frames))]
    pub n_frames: usize,
    /// Time of the last frame
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().t_end))]
    pub t_end: f64,
    /// Viscosity ν; the diffusivity is ν/π
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().viscosity))]
    pub viscosity: f64,
}

impl Default for BurgersConfig {
    fn default() -> Self {
        Self { resolution: 1024, n_frames: 201, t_end: 2.0, viscosity: 0.001 }
    }
}

impl PdeParameters for BurgersConfig {
    const SYMMETRIES: &'static [Symmetry] = &[Symmetry::Translation, Symmetry::OddMirror];

    fn at_resolution(self, resolution: usize) -> Option<Self> {
        Some(Self { resolution, ..self })
    }

    fn build(&self) -> Result<Box<dyn Pde>> {
        Ok(Box::new(Burgers::new(self)?))
    }
}

/// Most steps for one sample.
const MAX_STEPS: f64 = 1e8;
/// Bound on every initial state (four waves with amplitudes below 1), and so on every later one.
const MAX_SPEED: f64 = 4.0;

/// Burgers from a random initial state, by finite volumes. Values are cell averages at cell centers; the
/// initial state is sampled at the cell centers, as in PDEBench. Diffusion is explicit: on `n` cells it takes
/// `4 (ν/π) n²` steps per unit of time, if that exceeds what advection takes.
pub struct Burgers {
    grids: [Arc<Grid>; 1],
    times: Vec<f64>,
    viscosity: f64,
}

impl Burgers {
    /// Checks the parameters.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(config: &BurgersConfig) -> Result<Self> {
        let &BurgersConfig { resolution, n_frames, t_end, viscosity } = config;
        require_size(resolution, 4, 1, n_frames)?;
        require(t_end > 0.0 && t_end.is_finite(), "t_end", t_end, "must be positive and finite")?;
        require(viscosity >= 0.0, "viscosity", viscosity, "must not be negative")?;
        let law = BurgersLaw { diffusivity: viscosity / PI };
        let affordable = |law: &BurgersLaw, speed: f64| {
            t_end * finite_volume::step_rate(law, -speed, speed, 1.0 / resolution as f64) <= MAX_STEPS
        };
        require(
            affordable(&BurgersLaw { diffusivity: 0.0 }, MAX_SPEED),
            "t_end",
            t_end,
            "takes more than 1e8 steps per sample: lower it or the resolution",
        )?;
        require(
            affordable(&law, 0.0),
            "viscosity",
            viscosity,
            "too large for explicit steps: lower it or the resolution",
        )?;
        let grid = Grid::cubic(Domain::unit(1, true)?, resolution, Placement::Center)?;
        Ok(Self { grids: [Arc::new(grid)], times: frame_times(n_frames, t_end), viscosity })
    }
}

impl Pde for Burgers {
    fn grids(&self) -> &[Arc<Grid>] {
        &self.grids
    }

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn attributes(&self) -> Vec<(&'static str, f64)> {
        vec![("Nu", self.viscosity)]
    }

    fn sample(&self, rng: &mut ChaCha8Rng) -> Result<Vec<Sample>> {
        let grid = &self.grids[0];
        let x = grid.coordinates(0);
        let initial = InitialState::draw(rng, x[x.len() - 1] - x[0]);
        let initial: Vec<f64> = x.iter().map(|&x| initial.value(x)).collect();
        let law = BurgersLaw { diffusivity: self.viscosity / PI };
        let values = finite_volume::solve(&law, &initial, 1.0 / x.len() as f64, &self.times)?;
        Ok(vec![Sample::Evolution(Trajectory::new(grid.clone(), self.times.clone(), 1, values)?)])
    }
}

/// `f(u) = u²/2` with diffusivity κ, for [`finite_volume::solve`] on any periodic interval.
#[derive(Clone, Copy, Debug)]
pub struct BurgersLaw {
    /// κ; PDEBench's ν/π.
    pub diffusivity: f64,
}

impl ConservationLaw for BurgersLaw {
    const NAME: &'static str = "burgers";

    /// Godunov's flux, from the exact solution of the jump, so that no rarefaction is mistaken for a shock.
    #[inline(always)]
    fn flux(&self, left: f64, right: f64) -> f64 {
        let (from_left, from_right) = (finite_volume::max(left, 0.0), finite_volume::min(right, 0.0));
        0.5 * finite_volume::max(from_left * from_left, from_right * from_right)
    }

    fn max_speed(&self, low: f64, high: f64) -> f64 {
        low.abs().max(high.abs())
    }

    fn diffusivity(&self) -> f64 {
        self.diffusivity
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::exact::{BurgersWave, burgers_sine};
    use crate::pde::finite_volume::solve;
    use crate::testing::assert_slope;

    #[test]
    fn smooth_solutions_converge_at_second_order() {
        // Amplitude about 1.1, and t_end long enough for it to steepen and decay.
        let wave = BurgersWave { diffusivity: 0.05, wavenumber: 2.0 * PI, strength: -0.9 };
        let t_end = 0.5;
        let errors: Vec<(f64, f64)> = [64, 128, 256, 512]
            .into_iter()
            .map(|n| {
                let h = 1.0 / n as f64;
                let cells =
                    |t: f64| (0..n).map(move |i| wave.average(i as f64 * h, (i + 1) as f64 * h, t)).collect();
                let (initial, exact): (Vec<f64>, Vec<f64>) = (cells(0.0), cells(t_end));
                let solved = solve(&BurgersLaw { diffusivity: 0.05 }, &initial, h, &[0.0, t_end]).unwrap();
                let difference = solved[n..].iter().zip(&exact).map(|(u, v)| (u - v).abs());
                (h, difference.sum::<f64>() * h)
            })
            .collect();
        assert_slope(&errors, 1.9..2.3);
        assert!(errors[3].1 < 1e-5, "{errors:?}");
    }

    #[test]
    fn closed_forms_solve_the_equation() {
        let wave = BurgersWave { diffusivity: 0.05, wavenumber: 2.0 * PI, strength: 0.7 };
        let sine = |x: f64, t: f64| burgers_sine(x, t, 0.05);
        for (is_sine, x) in [(false, 0.3), (true, -0.35)] {
            let u = |x: f64, t: f64| if is_sine { sine(x, t) } else { wave.value(x, t) };
            let (t, h) = (0.4, 1e-3);
            let rate = (u(x, t + h) - u(x, t - h)) / (2.0 * h);
            let slope = (u(x + h, t) - u(x - h, t)) / (2.0 * h);
            let curvature = (u(x + h, t) - 2.0 * u(x, t) + u(x - h, t)) / (h * h);
            let residual = rate + u(x, t) * slope - 0.05 * curvature;
            let scale = rate.abs() + (u(x, t) * slope).abs() + (0.05 * curvature).abs();
            assert!(scale > 0.1 && residual.abs() < 1e-4 * scale, "{residual} of {scale}");
        }
        assert!((sine(0.3, 0.0) + (0.3 * PI).sin()).abs() < 1e-15);
        let fine =
            (0..1000).map(|i| wave.value(0.1 + (f64::from(i) + 0.5) * 1e-4, 0.2)).sum::<f64>() / 1000.0;
        assert!((wave.average(0.1, 0.2, 0.2) - fine).abs() < 1e-8);
    }

    /// The problem of the physics-informed-network papers: a sine that becomes a standing shock.
    #[test]
    fn the_standing_shock_is_met() {
        let (n, diffusivity) = (1024, 0.01 / PI);
        let h = 2.0 / n as f64;
        let x: Vec<f64> = (0..n).map(|i| -1.0 + (i as f64 + 0.5) * h).collect();
        let times: Vec<f64> = (0..12).map(|i| 0.09 * f64::from(i)).collect();
        let initial: Vec<f64> = x.iter().map(|x| -(PI * x).sin()).collect();
        let solved = solve(&BurgersLaw { diffusivity }, &initial, h, &times).unwrap();
        let (mut error, mut norm) = (0.0, 0.0);
        for (frame, &t) in solved.chunks(n).zip(&times) {
            for (u, &x) in frame.iter().zip(&x) {
                let exact = burgers_sine(x, t, diffusivity);
                error += (u - exact).powi(2);
                norm += exact * exact;
            }
        }
        let relative = f64::sqrt(error / norm);
        assert!(relative < 1e-3, "{relative}");
    }

    /// Without viscosity, a step up opens into the fan u = x/t and a step down travels at the mean speed.
    #[test]
    fn rarefactions_open_and_shocks_travel() {
        let n = 800;
        let h = 4.0 / n as f64;
        let x = |i: usize| -2.0 + (i as f64 + 0.5) * h;
        let initial: Vec<f64> =
            (0..n).map(|i| if (-1.0..0.5).contains(&x(i)) { 1.0 } else { -0.5 }).collect();
        let t = 0.5;
        let solved = solve(&BurgersLaw { diffusivity: 0.0 }, &initial, h, &[0.0, t]).unwrap();
        let exact = |x: f64| match x {
            _ if x < -1.0 - 0.5 * t || x > 0.5 + 0.25 * t => -0.5,
            _ if x < -1.0 + t => (x + 1.0) / t,
            _ => 1.0,
        };
        let error: f64 = (0..n).map(|i| (solved[n + i] - exact(x(i))).abs() * h).sum();
        assert!(error < 0.003, "{error}");
    }

    #[test]
    fn parameters_out_of_range_are_named() {
        let good = BurgersConfig::default();
        for (config, name) in [
            (BurgersConfig { resolution: 3, ..good.clone() }, "resolution"),
            (BurgersConfig { t_end: f64::INFINITY, ..good.clone() }, "t_end"),
            (BurgersConfig { t_end: 1e5, viscosity: 0.0, ..good.clone() }, "t_end"),
            (BurgersConfig { t_end: 1e300, ..good.clone() }, "t_end"),
            (BurgersConfig { viscosity: -0.1, ..good.clone() }, "viscosity"),
            (BurgersConfig { viscosity: 1e9, ..good }, "viscosity"),
        ] {
            let message = Burgers::new(&config).err().unwrap().to_string();
            assert!(message.starts_with(name), "{message}");
        }
    }
}
