//! Heat equation `∂u/∂τ = Δu` on the periodic unit box: smooth bumps that spread.

use super::exact::HeatBump;
use super::heat_field::HeatField;
use super::spectral::RealTransform;
use super::{Pde, PdeParameters, frame_times, require, require_size};
use crate::domain::Domain;
use crate::error::Result;
use crate::field::Trajectory;
#[cfg(feature = "clap")]
use crate::flags::{finite, whole};
use crate::grid::{Grid, Placement};
use crate::sample::Sample;
use crate::symmetry::Symmetry;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of [`Heat`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "PDE", allow_negative_numbers = true)
)]
#[serde(default, deny_unknown_fields)]
pub struct HeatConfig {
    /// Space dimension, 1 to 3
    #[cfg_attr(feature = "clap", arg(long, value_parser = whole::<usize>, default_value_t = Self::default().dim))]
    pub dim: usize,
    /// Points along each axis
    #[cfg_attr(feature = "clap", arg(long, value_parser = whole::<usize>, default_value_t = Self::default().resolution))]
    pub resolution: usize,
    /// Saved frames
    #[cfg_attr(feature = "clap", arg(long = "frames", value_parser = whole::<usize>, default_value_t = Self::default().n_frames))]
    pub n_frames: usize,
    /// Amount of diffusion (diffusivity × time) at the last frame; the first is at 0
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().max_diffusion))]
    pub max_diffusion: f64,
    /// Gaussian bumps in the initial state
    #[cfg_attr(feature = "clap", arg(long = "bumps", value_parser = whole::<usize>, default_value_t = Self::default().n_bumps))]
    pub n_bumps: usize,
}

impl Default for HeatConfig {
    fn default() -> Self {
        Self { dim: 2, resolution: 64, n_frames: 17, max_diffusion: 0.016, n_bumps: 4 }
    }
}

impl PdeParameters for HeatConfig {
    const SYMMETRIES: &'static [Symmetry] =
        &[Symmetry::Translation, Symmetry::Mirror, Symmetry::Transpose, Symmetry::Negation];

    fn at_resolution(self, resolution: usize) -> Option<Self> {
        Some(Self { resolution, ..self })
    }

    fn build(&self) -> Result<Box<dyn Pde>> {
        Ok(Box::new(Heat::new(self)?))
    }
}

/// The heat equation, solved exactly for the trigonometric interpolant of the initial state. Values are point
/// values at `x_i = i/n`; "time" is the amount of diffusion.
pub struct Heat {
    grids: [Arc<Grid>; 1],
    amounts: Vec<f64>,
    n_bumps: usize,
    transform: RealTransform,
}

impl Heat {
    /// Checks the parameters and plans the transforms.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(config: &HeatConfig) -> Result<Self> {
        let &HeatConfig { dim, resolution, n_frames, max_diffusion, n_bumps } = config;
        require((1..=3).contains(&dim), "dim", dim, "must be 1, 2 or 3")?;
        require_size(resolution, 2, dim, n_frames)?;
        require(n_bumps >= 1, "n_bumps", n_bumps, "must be at least 1")?;
        let positive = max_diffusion > 0.0 && max_diffusion.is_finite();
        require(positive, "max_diffusion", max_diffusion, "must be positive and finite")?;
        let grid = Grid::cubic(Domain::unit(dim, true)?, resolution, Placement::Left)?;
        Ok(Self {
            grids: [Arc::new(grid)],
            amounts: frame_times(n_frames, max_diffusion),
            n_bumps,
            transform: RealTransform::new(&vec![resolution; dim - 1], resolution),
        })
    }

    /// Draws an initial state as the bumps that sum to it; see [`HeatField::draw`].
    pub fn draw(&self, rng: &mut impl Rng) -> Vec<HeatBump> {
        HeatField::draw(self.grids[0].dim(), self.n_bumps, rng).bumps
    }

    /// The heat flow from a sum of bumps.
    ///
    /// # Shapes
    /// `[frame, 1, axis 0, …]`.
    ///
    /// # Errors
    /// None for bumps from [`Heat::draw`].
    pub fn solve(&self, bumps: &[HeatBump]) -> Result<Trajectory> {
        let grid = &self.grids[0];
        let initial = self.initial_values(bumps);
        let spectrum = self.transform.forward(&initial);
        let mut values = Vec::with_capacity(self.amounts.len() * initial.len());
        for &amount in &self.amounts {
            let mut diffused = spectrum.clone();
            self.transform.diffuse(&mut diffused, amount);
            values.extend(self.transform.inverse(diffused));
        }
        Trajectory::new(grid.clone(), self.amounts.clone(), 1, values)
    }

    fn initial_values(&self, bumps: &[HeatBump]) -> Vec<f64> {
        let grid = &self.grids[0];
        let mut sum = vec![0.0; grid.len()];
        for bump in bumps {
            // The bump is a product over the axes: D·n exponentials instead of n^D.
            let mut product = vec![bump.amplitude];
            for d in 0..grid.dim() {
                let factors: Vec<f64> = grid.coordinates(d).iter().map(|&x| bump.factor(d, x, 0.0)).collect();
                product = product.iter().flat_map(|p| factors.iter().map(move |f| p * f)).collect();
            }
            sum.iter_mut().zip(product).for_each(|(u, p)| *u += p);
        }
        sum
    }
}

impl Pde for Heat {
    fn grids(&self) -> &[Arc<Grid>] {
        &self.grids
    }

    fn times(&self) -> &[f64] {
        &self.amounts
    }

    fn attributes(&self) -> Vec<(&'static str, f64)> {
        vec![("n_bumps", self.n_bumps as f64)]
    }

    fn sample(&self, rng: &mut ChaCha8Rng) -> Result<Vec<Sample>> {
        Ok(vec![Sample::Evolution(self.solve(&self.draw(rng))?)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::sample_rng;

    #[test]
    fn spectral_diffusion_is_the_closed_form_in_every_dimension() {
        for (dim, resolution) in [(1, 64), (1, 61), (2, 40), (3, 36)] {
            let config = HeatConfig { dim, resolution, n_frames: 4, ..Default::default() };
            let heat = Heat::new(&config).unwrap();
            let bumps = heat.draw(&mut sample_rng(3, dim as u64));
            let trajectory = heat.solve(&bumps).unwrap();
            let grid = trajectory.grid().clone();
            let mut point = vec![0.0; dim];
            for (frame, &amount) in trajectory.times().iter().enumerate() {
                for (index, u) in trajectory.frame(frame).iter().enumerate() {
                    grid.write_point(index, &mut point);
                    let exact: f64 = bumps.iter().map(|b| b.value(&point, amount)).sum();
                    assert!((u - exact).abs() < 1e-12, "{dim}-D, τ = {amount}: {u} against {exact}");
                }
            }
        }
    }

    #[test]
    fn the_closed_form_solves_the_heat_equation() {
        let bump = HeatBump { center: vec![0.95, 0.4], width: 0.2, amplitude: -1.3 };
        let (x, y, t, h) = (0.08, 0.55, 0.01, 1e-3);
        let u = |x: f64, y: f64, t: f64| bump.value(&[x, y], t);
        let laplacian =
            (u(x + h, y, t) + u(x - h, y, t) + u(x, y + h, t) + u(x, y - h, t) - 4.0 * u(x, y, t)) / (h * h);
        let rate = (u(x, y, t + 1e-5) - u(x, y, t - 1e-5)) / 2e-5;
        assert!((rate - laplacian).abs() < 1e-3 * laplacian.abs(), "{rate} against {laplacian}");
        assert!((u(x + 1.0, y, t) - u(x, y, t)).abs() < 1e-15);
    }

    #[test]
    fn heat_keeps_the_mean_and_the_maximum_principle() {
        let heat = Heat::new(&HeatConfig::default()).unwrap();
        let trajectory = heat.solve(&heat.draw(&mut sample_rng(0, 0))).unwrap();
        let mean = |frame: &[f64]| frame.iter().sum::<f64>() / frame.len() as f64;
        let range = |frame: &[f64]| {
            frame.iter().fold((f64::MAX, f64::MIN), |(low, high), &u| (low.min(u), high.max(u)))
        };
        for i in 1..trajectory.times().len() {
            let (before, after) = (trajectory.frame(i - 1), trajectory.frame(i));
            assert!((mean(after) - mean(before)).abs() < 1e-14);
            let ((low, high), (new_low, new_high)) = (range(before), range(after));
            assert!(new_low > low && new_high < high, "frame {i}");
        }
    }

    #[test]
    fn parameters_out_of_range_are_named() {
        let good = HeatConfig::default();
        for (config, name) in [
            (HeatConfig { dim: 4, ..good.clone() }, "dim"),
            (HeatConfig { resolution: 1, ..good.clone() }, "resolution"),
            (HeatConfig { n_frames: 0, ..good.clone() }, "n_frames"),
            (HeatConfig { max_diffusion: f64::NAN, ..good.clone() }, "max_diffusion"),
            (HeatConfig { n_bumps: 0, ..good }, "n_bumps"),
        ] {
            let message = Heat::new(&config).err().unwrap().to_string();
            assert!(message.starts_with(name), "{message}");
        }
    }
}
