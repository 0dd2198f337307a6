//! DeepONet: the inner product of a branch that sees fixed sensors and a trunk that sees the query.

pub mod config;
mod sensors;

use crate::device::table;
use crate::error::Result;
use crate::nn::initial::Initial;
use crate::nn::mlp::Mlp;
use crate::operator::{Architecture, Operator, OperatorConfig, Seen, tensor};
use crate::problem::Problem;
use crate::size::{Size, chain, points};
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use config::DeepOnetConfig;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use sensors::Sensors;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Name in messages and configuration files.
const NAME: &str = "deeponet";

/// The learned parts. MLPs have ReLU between their layers.
#[derive(Module, Debug)]
pub struct DeepOnetNetwork {
    /// Values at the sensors → `[q, K]`.
    branch: Mlp,
    /// Query point and times → `[q, K]`.
    trunk: Mlp,
    /// `[q]`.
    bias: Param<Tensor<1>>,
}

/// `u_c(x, t) = Σ_k branch_ck(values at s) · trunk_ck(x, s, t) + bias_c` for each target channel c.
///
/// The trunk sees the sine and cosine of periodic coordinates, other coordinates scaled to [−1, 1], and the times as shares
/// of the trained range. Any query; a context must contain all sensors.
#[derive(Module, Debug)]
pub struct DeepOnet {
    network: DeepOnetNetwork,
    #[module(skip)]
    basis: usize,
    #[module(skip)]
    sensors: Sensors,
    #[module(skip)]
    problem: Problem,
}

impl DeepOnet {
    /// A new operator with random weights (seed the device first).
    ///
    /// # Errors
    /// A configuration that is inconsistent, or does not fit the problem.
    pub fn new(config: &DeepOnetConfig, problem: &Problem, device: &Device) -> Result<Self> {
        problem.validate()?;
        let sensors = Sensors::new(config.sensors(problem)?);
        let output = problem.target_channels * config.basis;
        let widths = |first: usize, hidden: &[usize]| {
            std::iter::once(first).chain(hidden.iter().copied()).chain([output]).collect::<Vec<_>>()
        };
        let network = DeepOnetNetwork {
            branch: Mlp::new(&widths(problem.source_channels * sensors.len(), &config.branch), device),
            trunk: Mlp::new(&widths(n_features(problem), &config.trunk), device),
            bias: Initial::Constant(0.0).init([problem.target_channels], device),
        };
        Ok(Self { network, basis: config.basis, sensors, problem: problem.clone() })
    }

    /// Appends where M points are, `[features, M]`, to `to`.
    fn positions(&self, query: &Points, to: &mut Vec<f32>) {
        let m = query.len();
        let mut x = vec![0.0; query.dim()];
        let mut all = vec![0.0; query.dim() * m];
        for i in 0..m {
            query.write_point(i, &mut x);
            (0..x.len()).for_each(|d| all[d * m + i] = x[d]);
        }
        for (axis, along) in self.problem.domain.axes().iter().zip(all.chunks_exact(m)) {
            let share = along.iter().map(|x| (x - axis.lower) / axis.length());
            if axis.periodic {
                to.extend(share.clone().map(|x| (TAU * x).sin() as f32));
                to.extend(share.map(|x| (TAU * x).cos() as f32));
            } else {
                to.extend(share.map(|x| (2.0 * x - 1.0) as f32));
            }
        }
    }

    /// The trunk's input for M points at n pairs of times, one set of points for all or one for each: where they are, then the
    /// times as shares of the trained range.
    ///
    /// # Shapes
    /// `[n, features, M]`.
    fn features(&self, queries: &[Arc<Points>], times: &[(f64, f64)], device: &Device) -> Tensor<3> {
        let (n, m, mut positions) = (times.len(), queries[0].len(), Vec::new());
        queries.iter().for_each(|query| self.positions(query, &mut positions));
        let space = positions.len() / (queries.len() * m);
        let positions = table(positions, [queries.len(), space, m], device).expand([n, space, m]);
        let Some([first, last]) = self.problem.times else { return positions };
        let shares = times.iter().flat_map(|&(s, t)| [s, t]).map(|time| (time - first) / (last - first));
        let times = tensor::<3>(&shares.collect::<Vec<_>>(), [n, 2, 1], device).expand([n, 2, m]);
        Tensor::cat(vec![positions, times], 1)
    }
}

/// Number of the trunk's input features.
fn n_features(problem: &Problem) -> usize {
    let space: usize = problem.domain.axes().iter().map(|axis| if axis.periodic { 2 } else { 1 }).sum();
    space + if problem.times.is_some() { 2 } else { 0 }
}

impl Architecture for DeepOnet {
    /// The branch's output, `[b q, 1, K]`.
    type Latent = Tensor<3>;

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn encode(&self, contexts: &[Context]) -> Result<Tensor<3>> {
        let (b, n_values) = (contexts.len(), self.problem.source_channels * self.sensors.len());
        let mut values = Vec::with_capacity(b * n_values);
        for context in contexts {
            values.extend(self.sensors.read(context)?);
        }
        let values = tensor::<2>(&values, [b, n_values], &self.network.bias.val().device());
        Ok(self.network.branch.forward(values).reshape([b * self.problem.target_channels, 1, self.basis]))
    }

    fn decode(&self, seen: Seen<Tensor<3>>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let times = seen.times;
        let (b, m, q, k) = (times.len(), queries[0].len(), self.problem.target_channels, self.basis);
        // One trunk for all examples if its inputs are the same.
        let shared =
            queries.len() == 1 && (self.problem.times.is_none() || times.iter().all(|t| *t == times[0]));
        let n = if shared { 1 } else { b };
        let features = self.features(queries, &times[..n], &seen.latent.device());
        let trunk = self.network.trunk.pointwise(features);
        let trunk = if n < b { trunk.repeat_dim(0, b) } else { trunk }.reshape([b * q, k, m]);
        let bias = self.network.bias.val().reshape([1, q, 1]);
        Ok(seen.latent.clone().matmul(trunk).reshape([b, q, m]) + bias)
    }
}

impl OperatorConfig for DeepOnetConfig {
    fn name(&self) -> &'static str {
        NAME
    }

    fn size(&self, problem: &Problem) -> Size {
        let stride = self.sensor_stride.max(1);
        let sensors: f64 = problem.native.iter().map(|n| n.div_ceil(stride) as f64).product();
        let output = problem.target_channels as f64 * self.basis as f64;
        let net = |input: f64, hidden: &[usize]| match (hidden.first(), hidden.last()) {
            (Some(&first), Some(&last)) => {
                input * first as f64 + chain(hidden.iter().copied()) + last as f64 * output
            }
            _ => input * output,
        };
        Size {
            weights: net(problem.source_channels as f64 * sensors, &self.branch) + net(1.0, &self.trunk),
            layers: (self.branch.len() + self.trunk.len() + 2) as f64,
            state: points(problem) * output,
        }
    }

    fn init(&self, problem: &Problem, device: &Device) -> Result<Arc<dyn Operator>> {
        Ok(Arc::new(DeepOnet::new(self, problem, device)?))
    }
}
