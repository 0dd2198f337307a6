//! Advection `∂u/∂t + c ∂u/∂x = 0` on the periodic unit interval: PDEBench's simplest problem.

use super::finite_volume::ConservationLaw;
use super::initial_states::InitialState;
use super::{Pde, PdeParameters, frame_times, require, require_size};
use crate::domain::{Axis, Domain};
use crate::error::Result;
use crate::field::Trajectory;
#[cfg(feature = "clap")]
use crate::flags::{finite, whole};
use crate::grid::{Grid, Placement};
use crate::sample::Sample;
use crate::symmetry::Symmetry;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of [`Advection`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "PDE", allow_negative_numbers = true)
)]
#[serde(default, deny_unknown_fields)]
pub struct AdvectionConfig {
    /// Cells
    #[cfg_attr(feature = "clap", arg(long, value_parser = whole::<usize>, default_value_t = Self::default().resolution))]
    pub resolution: usize,
    /// Saved frames, from t = 0 on
    #[cfg_attr(feature = "clap", arg(long = "frames", value_parser = whole::<usize>, default_value_t = Self::default().n_frames))]
    pub n_frames: usize,
    /// Time of the last frame
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().t_end))]
    pub t_end: f64,
    /// Speed c; positive moves to the right
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().speed))]
    pub speed: f64,
}

impl Default for AdvectionConfig {
    fn default() -> Self {
        Self { resolution: 1024, n_frames: 201, t_end: 2.0, speed: 0.1 }
    }
}

impl PdeParameters for AdvectionConfig {
    const SYMMETRIES: &'static [Symmetry] = &[Symmetry::Translation, Symmetry::Negation];

    fn at_resolution(self, resolution: usize) -> Option<Self> {
        Some(Self { resolution, ..self })
    }

    fn build(&self) -> Result<Box<dyn Pde>> {
        Ok(Box::new(Advection::new(self)?))
    }
}

/// Advection of a random initial state, exact: `u(x, t) = u₀(x − ct)`. Values are point values at the cell
/// centers.
pub struct Advection {
    grids: [Arc<Grid>; 1],
    times: Vec<f64>,
    speed: f64,
}

impl Advection {
    /// Checks the parameters.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(config: &AdvectionConfig) -> Result<Self> {
        let &AdvectionConfig { resolution, n_frames, t_end, speed } = config;
        require_size(resolution, 4, 1, n_frames)?;
        require(t_end > 0.0 && t_end.is_finite(), "t_end", t_end, "must be positive and finite")?;
        require((speed * t_end).is_finite(), "speed", speed, "must be finite")?;
        let grid = Grid::cubic(Domain::unit(1, true)?, resolution, Placement::Center)?;
        Ok(Self { grids: [Arc::new(grid)], times: frame_times(n_frames, t_end), speed })
    }

    /// The exact solution from `initial`, a function on the unit interval.
    ///
    /// # Errors
    /// None for finite functions.
    pub fn solve(&self, initial: impl Fn(f64) -> f64) -> Result<Trajectory> {
        let grid = &self.grids[0];
        let axis: &Axis = &grid.domain().axes()[0];
        let frame = |t: f64| grid.coordinates(0).iter().map(move |x| axis.wrap(x - self.speed * t));
        let values = self.times.iter().flat_map(|&t| frame(t)).map(initial).collect();
        Trajectory::new(grid.clone(), self.times.clone(), 1, values)
    }
}

impl Pde for Advection {
    fn grids(&self) -> &[Arc<Grid>] {
        &self.grids
    }

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn attributes(&self) -> Vec<(&'static str, f64)> {
        vec![("beta", self.speed)]
    }

    fn sample(&self, rng: &mut ChaCha8Rng) -> Result<Vec<Sample>> {
        let x = self.grids[0].coordinates(0);
        let initial = InitialState::draw(rng, x[x.len() - 1] - x[0]);
        Ok(vec![Sample::Evolution(self.solve(|x| initial.value(x))?)])
    }
}

/// `f(u) = c u`, for finite volumes: the problem on which their order and limiting are measured.
#[derive(Clone, Copy, Debug)]
pub struct AdvectionLaw {
    /// c.
    pub speed: f64,
}

impl ConservationLaw for AdvectionLaw {
    const NAME: &'static str = "advection";

    #[inline(always)]
    fn flux(&self, left: f64, right: f64) -> f64 {
        self.speed * if self.speed > 0.0 { left } else { right }
    }

    fn max_speed(&self, _low: f64, _high: f64) -> f64 {
        self.speed.abs()
    }

    fn diffusivity(&self) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::finite_volume::solve;
    use crate::testing::assert_slope;
    use std::f64::consts::TAU;

    #[test]
    fn positive_speed_moves_to_the_right() {
        let config = AdvectionConfig { resolution: 100, n_frames: 3, t_end: 2.0, speed: 0.1 };
        let bump = |x: f64| (-(x - 0.495f64).powi(2) / 0.005).exp();
        let trajectory = Advection::new(&config).unwrap().solve(bump).unwrap();
        let peak = |frame: &[f64]| (0..100).max_by(|&i, &j| frame[i].total_cmp(&frame[j])).unwrap();
        assert_eq!(peak(trajectory.frame(0)) + 20, peak(trajectory.frame(2)));
        // The same by finite volumes, whose flux has its own upwind direction.
        let initial = trajectory.frame(0);
        // Moving left by 0.8 ends where moving right by 0.2 does.
        for speed in [0.1, -0.4] {
            let solved = solve(&AdvectionLaw { speed }, initial, 0.01, &[0.0, 2.0]).unwrap();
            let exact = trajectory.frame(2);
            let error: f64 = solved[100..].iter().zip(exact).map(|(u, v)| (u - v).abs()).sum();
            assert!(error < 0.1 * exact.iter().sum::<f64>(), "speed {speed}: {error}");
        }
    }

    #[test]
    fn finite_volumes_converge_to_the_shift_at_second_order() {
        let errors: Vec<(f64, f64)> = [64, 128, 256, 512]
            .into_iter()
            .map(|n| {
                let config = AdvectionConfig { resolution: n, n_frames: 2, t_end: 0.7, speed: -1.0 };
                let advection = Advection::new(&config).unwrap();
                let exact = advection.solve(|x| (TAU * x).sin()).unwrap();
                let spacing = 1.0 / n as f64;
                let law = AdvectionLaw { speed: -1.0 };
                let solved = solve(&law, exact.frame(0), spacing, exact.times()).unwrap();
                let difference = solved[n..].iter().zip(exact.frame(1)).map(|(u, v)| (u - v).abs());
                (spacing, difference.sum::<f64>() * spacing)
            })
            .collect();
        assert_slope(&errors, 1.9..2.4);
    }
}
