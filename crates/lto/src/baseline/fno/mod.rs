//! The Fourier neural operator: spectral convolutions on the given grid.

mod block;
pub mod config;
mod neural_operator;
mod published;

use super::whole_grid::WholeGrid;
use crate::error::Result;
use crate::kernel::spectral::Transform;
use crate::kernel::spectral::axis::Axis;
use crate::operator::{Architecture, Operator, OperatorConfig, Reach, Seen};
use crate::parameters::{Named, device_of};
use crate::problem::Problem;
use crate::size::{Size, chain, points};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use config::{FnoConfig, FnoForm};
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use neural_operator::NeuralOperator;
use published::Published;
use std::sync::Arc;

/// Name in messages and configuration files.
const NAME: &str = "fno";

/// The learned parts, in either form.
#[derive(Module, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a model has one of them: its size on the stack does not matter"
)]
pub enum FnoNetwork {
    /// See [`FnoForm::Published`].
    Published(Published),
    /// See [`FnoForm::NeuralOperator`].
    NeuralOperator(NeuralOperator),
}

/// A Fourier neural operator: values and coordinates on a regular grid → values on the same grid.
/// Coordinates are the points' true ones, `(x − lower)/length` along each axis; the published programs use
/// `linspace(0, 1, n)` for any grid. With an odd number of points along the first of two axes, the package
/// `neuraloperator` (2.0) shifts every wavenumber by one; this is not reproduced here. A timed problem is
/// advanced by one native interval, whatever `(s, t)`.
#[derive(Module, Debug)]
pub struct Fno {
    network: FnoNetwork,
    #[module(skip)]
    config: FnoConfig,
    #[module(skip)]
    problem: Problem,
}

impl Fno {
    /// A new operator with random weights (seed the device first).
    ///
    /// # Errors
    /// A configuration that is inconsistent, or does not fit the problem.
    pub fn new(config: &FnoConfig, problem: &Problem, device: &Device) -> Result<Self> {
        problem.validate()?;
        config.validate(problem)?;
        let modes = transform(config, &problem.native).modes();
        let channels = [problem.source_channels + problem.domain.dim(), problem.target_channels];
        let network = match config.form {
            FnoForm::Published => FnoNetwork::Published(Published::new(config, channels, modes, device)),
            FnoForm::NeuralOperator => {
                FnoNetwork::NeuralOperator(NeuralOperator::new(config, channels, modes, device))
            }
        };
        Ok(Self { network, config: config.clone(), problem: problem.clone() })
    }
}

/// The kept wavenumbers on a grid.
fn transform(config: &FnoConfig, shape: &[usize]) -> Transform {
    let kept = |d: usize| match config.form {
        FnoForm::Published => config.modes.along(d),
        FnoForm::NeuralOperator => config.modes.along(d) / 2 + 1,
    };
    let half = |d: usize| Axis::half(shape[d], shape[d], kept(d));
    match (shape.len(), config.form) {
        (1, _) => Transform::new(Axis::single(), half(0)),
        (_, FnoForm::Published) => Transform::new(Axis::blocks(shape[0], config.modes.along(0)), half(1)),
        (_, FnoForm::NeuralOperator) => {
            Transform::new(Axis::centered(shape[0], config.modes.along(0)), half(1))
        }
    }
}

impl Architecture for Fno {
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
        let reader = WholeGrid { model: NAME, modes: self.config.needed() };
        let (x, shape) = reader.inputs(seen.contexts, queries, &device_of(&self.network))?;
        let transform = Arc::new(transform(&self.config, &shape));
        Ok(match &self.network {
            FnoNetwork::Published(network) => network.forward(x, &transform),
            FnoNetwork::NeuralOperator(network) => network.forward(x, &transform),
        })
    }

    /// A complex weight counts once, as in the published numbers.
    fn count(&self, parameter: &Named) -> usize {
        if parameter.name.ends_with(".imaginary") { 0 } else { parameter.values.len() }
    }
}

impl OperatorConfig for FnoConfig {
    fn name(&self) -> &'static str {
        NAME
    }

    fn size(&self, problem: &Problem) -> Size {
        let dim = problem.domain.dim();
        let modes = |d: usize| self.modes.along(d) as f64;
        let kept: f64 = match self.form {
            FnoForm::Published => (0..dim).map(modes).product::<f64>() * if dim == 2 { 2.0 } else { 1.0 },
            FnoForm::NeuralOperator => {
                (0..dim).map(|d| modes(d) / if d + 1 == dim { 2.0 } else { 1.0 }).product()
            }
        };
        let (w, blocks) = (self.width as f64, self.blocks as f64);
        let ends = chain([problem.source_channels, self.width])
            + chain([self.width, self.hidden(), problem.target_channels]);
        let transform: f64 = problem.native.iter().enumerate().map(|(d, &n)| n as f64 * modes(d)).sum();
        Size {
            weights: ends + blocks * w * w * (2.0 * kept + 1.0),
            layers: 3.0 + blocks,
            state: points(problem) * w + transform,
        }
    }

    fn init(&self, problem: &Problem, device: &Device) -> Result<Arc<dyn Operator>> {
        Ok(Arc::new(Fno::new(self, problem, device)?))
    }
}
