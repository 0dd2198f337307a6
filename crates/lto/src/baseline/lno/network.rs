//! The learned parts of a Latent Neural Operator.

use super::config::LnoConfig;
use crate::kernel::latent_attention::{Sets, decode, encode};
use crate::nn::residual_mlp::{ResidualMlp, ResidualMlpConfig};
use crate::nn::transformer::TransformerBlock;
use crate::problem::Problem;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

/// Scores of a position are `projector(trunk(x))`. Softmaxed over the observed points they encode `branch(x, u)` into modes;
/// softmaxed over the modes they decode at the query points.
#[derive(Module, Debug)]
pub struct LnoNetwork {
    trunk: ResidualMlp,
    branch: ResidualMlp,
    projector: ResidualMlp,
    blocks: Vec<TransformerBlock>,
    output: ResidualMlp,
}

impl LnoNetwork {
    /// A new network.
    pub fn new(config: &LnoConfig, problem: &Problem, device: &Device) -> Self {
        let (axes, dim) = (problem.domain.dim(), config.dim);
        let mlp = |input, output| {
            ResidualMlpConfig { input, width: dim, steps: config.layers, output }.init(device)
        };
        Self {
            trunk: mlp(axes, dim),
            branch: mlp(axes + problem.source_channels, dim),
            projector: mlp(dim, config.modes),
            blocks: (0..config.blocks).map(|_| TransformerBlock::new(dim, config.heads, device)).collect(),
            output: mlp(dim, problem.target_channels),
        }
    }

    /// Scores of positions for every mode: `[S, D]` → `[S, modes]`.
    pub fn scores(&self, positions: Tensor<2>) -> Tensor<2> {
        self.projector.forward(self.trunk.forward(positions))
    }

    /// The modes of b examples; `observed` says which rows of the scores belong to each.
    ///
    /// # Shapes
    /// `scores [S, modes]`, `observations [R, D + p]` → `[b, modes, dim]`.
    pub fn encode(&self, scores: Tensor<2>, observations: Tensor<2>, observed: &Sets) -> Tensor<3> {
        let z = encode(scores, self.branch.forward(observations), observed);
        self.blocks.iter().fold(z, |z, block| block.forward(z))
    }

    /// Predictions; `queried` says which rows of the scores each example is queried at.
    ///
    /// # Shapes
    /// `scores [S, modes]`, `z [b, modes, dim]` → `[b M, q]`.
    pub fn decode(&self, scores: Tensor<2>, z: Tensor<3>, queried: &Sets) -> Tensor<2> {
        self.output.forward(decode(scores, z, queried))
    }
}
