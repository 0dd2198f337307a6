//! Darcy flow through a two-phase random medium: `−∇·(a∇u) = 1` on the unit square, `u = 0` on its boundary.

use super::cosine_field::CosineField;
use super::{Pde, PdeParameters, elliptic, require, require_size};
use crate::domain::Domain;
use crate::error::Result;
use crate::field::Field;
#[cfg(feature = "clap")]
use crate::flags::{finite, whole};
use crate::grid::{Grid, Placement};
use crate::sample::Sample;
use crate::symmetry::Symmetry;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of [`Darcy`]; the defaults are those of the published 421 × 421 files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "PDE", allow_negative_numbers = true)
)]
#[serde(default, deny_unknown_fields)]
pub struct DarcyConfig {
    /// Vertices along each side of the solved grid, `x_i = i/(n−1)`
    #[cfg_attr(feature = "clap", arg(long, value_parser = whole::<usize>, default_value_t = Self::default().resolution))]
    pub resolution: usize,
    /// Saved grids, as strides of the solved one, from the coarsest (the native grid) to the finest; each
    /// divides n − 1, so that both boundaries stay on the grid
    #[cfg_attr(feature = "clap", arg(long, value_parser = whole::<usize>, value_delimiter = ',', default_values_t = Self::default().strides))]
    pub strides: Vec<usize>,
    /// Smoothness α of the Gaussian field whose sign defines the medium
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().alpha))]
    pub alpha: f64,
    /// Inverse correlation length τ of that field
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().tau))]
    pub tau: f64,
    /// Permeability where the field is not negative
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().high))]
    pub high: f64,
    /// Permeability where the field is negative
    #[cfg_attr(feature = "clap", arg(long, value_parser = finite, default_value_t = Self::default().low))]
    pub low: f64,
}

impl Default for DarcyConfig {
    fn default() -> Self {
        Self { resolution: 421, strides: vec![1], alpha: 2.0, tau: 3.0, high: 12.0, low: 3.0 }
    }
}

impl PdeParameters for DarcyConfig {
    const SYMMETRIES: &'static [Symmetry] = &[Symmetry::Mirror, Symmetry::Transpose];

    fn at_resolution(self, _resolution: usize) -> Option<Self> {
        None
    }

    fn build(&self) -> Result<Box<dyn Pde>> {
        Ok(Box::new(Darcy::new(self)?))
    }
}

/// Draws two-phase coefficients and solves for the pressure. Samples are steady: source `a`, target `u`.
///
/// `a = high` where `g ≥ 0`, else `low`, with `g` from [`CosineField`]; `u` from [`elliptic::solve`].
pub struct Darcy {
    config: DarcyConfig,
    gaussian: CosineField,
    grids: Vec<Arc<Grid>>,
}

impl Darcy {
    /// Checks the parameters and prepares the sampler.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(config: &DarcyConfig) -> Result<Self> {
        let &DarcyConfig { resolution, ref strides, alpha, tau, high, low } = config;
        require_size(resolution, 3, 2, 1)?;
        require(!strides.is_empty(), "strides", "[]", "must name at least one grid to save, such as [1]")?;
        for (index, &stride) in strides.iter().enumerate() {
            let divides = stride > 0 && (resolution - 1).is_multiple_of(stride);
            require(divides, "strides", stride, "each must divide resolution − 1")?;
            let finer = index == 0 || stride < strides[index - 1];
            require(finer, "strides", stride, "must decrease: the coarsest grid first, then finer ones")?;
        }
        for (name, value) in [("high", high), ("low", low)] {
            require(value > 0.0 && value.is_finite(), name, value, "must be positive and finite")?;
        }
        let gaussian = CosineField::new(resolution, alpha, tau)?;
        let solve_grid = Grid::cubic(Domain::unit(2, false)?, resolution, Placement::Vertex)?;
        let grids = strides.iter().map(|&stride| Ok(Arc::new(solve_grid.strided(stride)?)));
        Ok(Self { grids: grids.collect::<Result<_>>()?, config: config.clone(), gaussian })
    }

    /// Draws one coefficient on the solve grid.
    ///
    /// # Shapes
    /// `[resolution, resolution]`, row-major.
    pub fn coefficient(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let DarcyConfig { high, low, .. } = self.config;
        let mut values = self.gaussian.sample(rng);
        for value in &mut values {
            *value = if *value >= 0.0 { high } else { low };
        }
        values
    }
}

impl Pde for Darcy {
    fn grids(&self) -> &[Arc<Grid>] {
        &self.grids
    }

    fn times(&self) -> &[f64] {
        &[]
    }

    fn attributes(&self) -> Vec<(&'static str, f64)> {
        let DarcyConfig { alpha, tau, high, low, .. } = self.config;
        vec![("alpha", alpha), ("tau", tau), ("high", high), ("low", low)]
    }

    fn sample(&self, rng: &mut ChaCha8Rng) -> Result<Vec<Sample>> {
        let n = self.config.resolution;
        let coefficient = self.coefficient(rng);
        let solution = elliptic::solve(n, &coefficient, &vec![1.0; n * n])?;
        let saved = |values: &[f64], stride: usize, grid: &Arc<Grid>| {
            let rows = values.chunks_exact(n).step_by(stride);
            let kept = rows.flat_map(|row| row.iter().step_by(stride).copied()).collect();
            Field::new(grid.clone(), 1, kept)
        };
        self.config
            .strides
            .iter()
            .zip(&self.grids)
            .map(|(&stride, grid)| {
                let source = saved(&coefficient, stride, grid)?;
                Ok(Sample::Steady { source, target: saved(&solution, stride, grid)? })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::sample_rng;

    fn steady(sample: &Sample) -> (&Field, &Field) {
        match sample {
            Sample::Steady { source, target } => (source, target),
            Sample::Evolution(_) => panic!("Darcy is steady"),
        }
    }

    #[test]
    fn samples_are_two_phase_and_solve_the_discrete_problem() {
        let config = DarcyConfig { resolution: 421, strides: vec![5, 1], ..Default::default() };
        let darcy = Darcy::new(&config).unwrap();
        let samples = darcy.sample(&mut sample_rng(3, 0)).unwrap();
        let (a, u) = steady(&samples[1]);
        let f = vec![1.0; 421 * 421];
        assert!(elliptic::relative_residual(421, a.values(), &f, u.values()).unwrap() < 1e-10);
        assert!(a.values().iter().all(|&a| a == 12.0 || a == 3.0));
        let high = a.values().iter().filter(|&&a| a == 12.0).count();
        assert!(high > 0 && high < a.values().len());
        // −∇·(a∇u) = 1 between the constant coefficients 12 and 3, whose largest values are 0.07367/a.
        let largest = u.values().iter().fold(0.0f64, |m, &u| m.max(u));
        assert!((0.0736 / 12.0..0.0737 / 3.0).contains(&largest), "{largest}");
        let (coarse_a, coarse_u) = steady(&samples[0]);
        assert_eq!(coarse_a.grid().shape(), [85, 85]);
        for (index, (&a_here, &u_here)) in coarse_a.values().iter().zip(coarse_u.values()).enumerate() {
            let p = (index / 85) * 5 * 421 + (index % 85) * 5;
            assert_eq!((a_here, u_here), (a.values()[p], u.values()[p]));
        }
        for (i, &x) in coarse_a.grid().coordinates(0).iter().enumerate() {
            assert!((x - i as f64 / 84.0).abs() < 1e-15);
        }
    }

    #[test]
    fn bad_parameters_are_named() {
        let ok = DarcyConfig { resolution: 13, ..Default::default() };
        for (config, name) in [
            (DarcyConfig { resolution: 2, ..ok.clone() }, "resolution"),
            (DarcyConfig { strides: vec![], ..ok.clone() }, "strides"),
            (DarcyConfig { strides: vec![0], ..ok.clone() }, "strides"),
            (DarcyConfig { strides: vec![5], ..ok.clone() }, "strides"),
            (DarcyConfig { strides: vec![2, 2], ..ok.clone() }, "strides"),
            (DarcyConfig { strides: vec![1, 2], ..ok.clone() }, "strides"),
            (DarcyConfig { alpha: 0.5, ..ok.clone() }, "alpha"),
            (DarcyConfig { tau: -1.0, ..ok.clone() }, "tau"),
            (DarcyConfig { high: f64::NAN, ..ok.clone() }, "high"),
            (DarcyConfig { low: 0.0, ..ok.clone() }, "low"),
        ] {
            let Err(err) = Darcy::new(&config) else { panic!("{config:?} was accepted") };
            assert!(err.to_string().starts_with(name), "{err}");
        }
        assert!(serde_json::from_str::<DarcyConfig>(r#"{"resolutoin": 421}"#).is_err());
    }
}
