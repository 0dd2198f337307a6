//! The Fourier neural operator: spectral convolutions on the given grid.

mod block;
pub mod config;
mod neural_operator;
mod published;

use crate::error::{Error, Result};
use crate::kernel::spectral::Transform;
use crate::kernel::spectral::axis::Axis;
use crate::operator::{Architecture, Operator, OperatorConfig, Reach, Seen, tensor};
use crate::parameters::{Named, device_of};
use crate::problem::Problem;
use crate::size::{Size, chain, points};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use config::{FnoConfig, FnoForm};
use lto_numerics::dataset::Context;
use lto_numerics::{Grid, PointStructure, Points};
use neural_operator::NeuralOperator;
use published::Published;
use std::sync::Arc;

/// Name in messages and configuration files.
const NAME: &str = "fno";

/// Spacings of a regular grid differ by less than this share of the axis.
const REGULAR: f64 = 1e-6;

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

    /// The grid of a context, which must also be the query's.
    fn grid<'a>(&self, context: &'a Context, query: &Points) -> Result<&'a Grid> {
        let refuse = |reason: String| Err(Error::Unsupported { model: NAME, reason });
        let PointStructure::Grid(grid) = context.points.structure() else {
            let n = context.points.len();
            return refuse(format!("it needs values on a whole grid, but these {n} points do not form one"));
        };
        for (d, axis) in grid.domain().axes().iter().enumerate() {
            let (x, step) = (grid.coordinates(d), grid.spacing(d));
            if x.windows(2).any(|pair| (pair[1] - pair[0] - step).abs() > REGULAR * axis.length()) {
                return refuse(format!("the spacing of the grid along {} varies", axis.name));
            }
        }
        if let Some(d) = self.config.coarse_axis(&grid.shape()) {
            let (n, modes) = (grid.shape()[d], self.config.modes(d));
            let has = n / 2 + 1;
            return refuse(format!("its {modes} modes along an axis need more than the {has} of {n} points"));
        }
        match query.structure() {
            PointStructure::Grid(to) if to == grid => Ok(grid),
            _ => refuse("it predicts only on the grid of its context, and the query is another".into()),
        }
    }

    /// Values, then coordinates: `[b, p + D, n]` and the shape of the grid.
    fn inputs(&self, contexts: &[Context], queries: &[Arc<Points>]) -> Result<(Tensor<3>, Vec<usize>)> {
        let (mut values, mut shape, mut channels) = (Vec::new(), Vec::new(), 0);
        for (i, (context, query)) in contexts.iter().zip(queries.iter().cycle()).enumerate() {
            let grid = self.grid(context, query)?;
            if i > 0 && shape != grid.shape() {
                let reason = format!("one batch has grids of {shape:?} and {:?} points", grid.shape());
                return Err(Error::Unsupported { model: NAME, reason });
            }
            shape = grid.shape();
            channels = context.n_channels + grid.dim();
            values.reserve(channels * grid.len());
            values.extend(&context.values);
            coordinates(grid, &mut values);
        }
        let n = shape.iter().product();
        let device = device_of(&self.network);
        Ok((tensor(&values, [contexts.len(), channels, n], &device), shape))
    }
}

/// Appends `[D, n]` coordinates in `[0, 1]`.
fn coordinates(grid: &Grid, to: &mut Vec<f64>) {
    for (d, axis) in grid.domain().axes().iter().enumerate() {
        let shape = grid.shape();
        let inner: usize = shape[d + 1..].iter().product();
        for _ in 0..shape[..d].iter().product() {
            for x in grid.coordinates(d) {
                to.extend(std::iter::repeat_n((x - axis.lower) / axis.length(), inner));
            }
        }
    }
}

/// The kept wavenumbers on a grid.
fn transform(config: &FnoConfig, shape: &[usize]) -> Transform {
    let kept = |d: usize| match config.form {
        FnoForm::Published => config.modes(d),
        FnoForm::NeuralOperator => config.modes(d) / 2 + 1,
    };
    let half = |d: usize| Axis::half(shape[d], shape[d], kept(d));
    match (shape.len(), config.form) {
        (1, _) => Transform::new(Axis::single(), half(0)),
        (_, FnoForm::Published) => Transform::new(Axis::blocks(shape[0], config.modes(0)), half(1)),
        (_, FnoForm::NeuralOperator) => Transform::new(Axis::centered(shape[0], config.modes(0)), half(1)),
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
        let (x, shape) = self.inputs(seen.contexts, queries)?;
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
        let modes = |d: usize| self.modes(d) as f64;
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
