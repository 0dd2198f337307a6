//! Trajectories of the vorticity equation from any initial state and forcing.

use super::equation::VorticityEquation;
use super::stepper::{Integration, Stepping};
use crate::error::{Error, Result};
use crate::field::check_times;
use crate::grid::expect;
use crate::pde::require;

/// Beyond this many steps to the next frame a flow is considered to have blown up.
const MAX_STEPS: f64 = 1e8;

/// Solves ∂ω/∂t + u·∇ω = νΔω + f on the periodic unit square, u = (∂_yψ, −∂_xψ), −Δψ = ω, pseudo-spectrally
/// with 2/3 de-aliasing: along each axis, wavenumbers below n/3 are kept.
pub struct VorticitySolver {
    equation: VorticityEquation,
    stepping: Stepping,
}

impl VorticitySolver {
    /// A solver on the n × n grid x_i = i/n, with viscosity ν and the forcing f on that grid, row-major `[x, y]`.
    ///
    /// # Errors
    /// n < 4, not n² forcing values, ν not finite or negative, or steps that are not positive.
    pub fn new(n: usize, viscosity: f64, forcing: &[f64], stepping: Stepping) -> Result<Self> {
        require(n >= 4, "solve_resolution", n, "must be at least 4: de-aliasing leaves no wave on fewer")?;
        expect("number of forcing values", n * n, forcing.len())?;
        let sound = viscosity.is_finite() && viscosity >= 0.0;
        require(sound, "viscosity", viscosity, "must be finite and not negative")?;
        let Stepping { time_step, courant, .. } = stepping;
        require(time_step > 0.0, "time_step", time_step, "must be positive")?;
        require(courant > 0.0, "courant", courant, "must be positive")?;
        Ok(Self { equation: VorticityEquation::new(n, viscosity, forcing), stepping })
    }

    /// Solves from ω = `initial` (on the grid, row-major `[x, y]`) at t = 0 and calls `use_frame` with ω on
    /// the grid at each of `times`. Wavenumbers that the solver does not keep are first removed from the
    /// initial state.
    ///
    /// # Errors
    /// Not n² initial values, times that do not increase from above 0, or a solution that does not stay finite.
    pub fn solve(&self, initial: &[f64], times: &[f64], mut use_frame: impl FnMut(&[f64])) -> Result<()> {
        let n = self.equation.transform().n();
        expect("number of initial values", n * n, initial.len())?;
        check_times(times)?;
        require(
            times[0] > 0.0,
            "times",
            times[0],
            "the first must be after 0, the time of the initial state",
        )?;
        let mut integration = Integration::new(&self.equation, self.stepping.stepper, initial);
        let mut frame = vec![0.0; n * n];
        let mut now = 0.0;
        for &time in times {
            self.advance(&mut integration, now, time)?;
            integration.write_grid(&mut frame);
            if frame.iter().any(|value| !value.is_finite()) {
                return Err(diverged(time));
            }
            use_frame(&frame);
            now = time;
        }
        Ok(())
    }

    /// Steps from `now` to `end`: each step is the longest allowed that divides the remaining time.
    fn advance(&self, integration: &mut Integration, mut now: f64, end: f64) -> Result<()> {
        let reach = self.stepping.courant / self.equation.transform().n() as f64;
        loop {
            let mut n_left = 1.0;
            now += integration.step(|speed| {
                let longest = self.stepping.time_step.min(reach / speed);
                // The factor keeps rounding from adding a step to a whole number of them.
                n_left = ((end - now) / longest * (1.0 - 1e-12)).ceil().max(1.0);
                (end - now) / n_left
            });
            if n_left > MAX_STEPS {
                return Err(diverged(now));
            }
            if n_left == 1.0 {
                return Ok(());
            }
        }
    }
}

fn diverged(time: f64) -> Error {
    Error::Diverged { solver: "Navier–Stokes", time }
}
