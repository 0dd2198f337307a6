//! The factorized Fourier neural operator (F-FNO): spectral convolutions along one axis at a time, on the given grid.

pub mod config;
mod network;

use super::whole_grid::WholeGrid;
use crate::error::Result;
use crate::kernel::factorized::Lines;
use crate::operator::{Architecture, Operator, OperatorConfig, Reach, Seen};
use crate::parameters::device_of;
use crate::problem::Problem;
use crate::size::{Size, chain, points};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use config::FFnoConfig;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use network::FFnoNetwork;
use std::sync::Arc;

/// Name in messages and configuration files.
const NAME: &str = "f_fno";

/// A factorized Fourier neural operator: values and coordinates on a regular grid → values on the same grid.
/// Coordinates are the points' true ones, `(x − lower)/length` along each axis; the published program normalizes
/// `linspace(0, 1, n)`, and adds its input noise to them too. A timed problem is advanced by one native interval, whatever
/// `(s, t)`. Real and imaginary parts count as a parameter each, as in the published numbers.
#[derive(Module, Debug)]
pub struct FFno {
    network: FFnoNetwork,
    #[module(skip)]
    config: FFnoConfig,
    #[module(skip)]
    problem: Problem,
}

impl FFno {
    /// A new operator with random weights (seed the device first).
    ///
    /// # Errors
    /// A configuration that is inconsistent, or does not fit the problem.
    pub fn new(config: &FFnoConfig, problem: &Problem, device: &Device) -> Result<Self> {
        problem.validate()?;
        config.validate(problem)?;
        let dim = problem.domain.dim();
        let channels = [problem.source_channels + dim, problem.target_channels];
        let network = FFnoNetwork::new(config, channels, dim, device);
        Ok(Self { network, config: config.clone(), problem: problem.clone() })
    }
}

impl Architecture for FFno {
    type Latent = ();

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn reach(&self) -> Reach {
        if self.problem.times.is_some() { Reach::Step } else { Reach::Direct }
    }

    fn cuts_queries(&self) -> bool {
        false
    }

    fn encode(&self, _contexts: &[Context]) -> Result<()> {
        Ok(())
    }

    fn decode(&self, seen: Seen<()>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let reader = WholeGrid { model: NAME, modes: Some(&self.config.modes) };
        let (x, shape) = reader.inputs(seen.contexts, queries, &device_of(&self.network))?;
        let axes: Vec<_> = shape.iter().enumerate().map(|(d, &n)| (n, self.config.modes.along(d))).collect();
        Ok(self.network.forward(x, &Arc::new(Lines::new(&axes))))
    }
}

impl OperatorConfig for FFnoConfig {
    fn name(&self) -> &'static str {
        NAME
    }

    fn size(&self, problem: &Problem) -> Size {
        let dim = problem.domain.dim();
        let modes = |d: usize| self.modes.along(d) as f64;
        let (w, layers) = (self.width as f64, self.layers as f64);
        let spectral = 2.0 * w * w * (0..dim).map(modes).sum::<f64>() * self.n_spectral() as f64;
        let ends = chain([problem.source_channels, self.width])
            + chain([self.width, self.hidden, problem.target_channels]);
        let tables: f64 = problem.native.iter().enumerate().map(|(d, &n)| n as f64 * modes(d)).sum();
        Size {
            weights: ends + spectral + layers * 2.0 * w * w * self.expansion as f64,
            layers: 3.0 + layers,
            state: points(problem) * w + tables,
        }
    }

    fn init(&self, problem: &Problem, device: &Device) -> Result<Arc<dyn Operator>> {
        Ok(Arc::new(FFno::new(self, problem, device)?))
    }
}
