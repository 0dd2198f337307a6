//! An evolution of learned multigrid cycles: global through coarser grids, sharp on the latent grid itself.

use super::timed::TimeEmbedding;
use super::{EvolutionKind, Evolve, LatentSpace};
use crate::error::Result;
use crate::nn::coarsen::{Coarsening, GridAxis};
use crate::nn::conv::{Activation, Conv, ConvConfig};
use crate::nn::film::Film;
use crate::twin::config::refuse;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

/// Convolutions of a level.
const CONVOLUTIONS: usize = 3;

/// Configuration of a [`MultigridEvolution`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultigridConfig {
    /// Inner width f.
    pub width: usize,
    /// Grids, each with half the points of the one before along every axis.
    pub levels: usize,
    /// Number of cycles.
    pub cycles: usize,
}

/// Lift k → f by conv3, layers `h ← GELU(FiLM(V h + conv1 h))` with a [cycle](Cycle) V each, conv3 (f → k, zero at first),
/// added to z. Without times (a steady problem) the modulation is left out.
#[derive(Module, Debug)]
pub struct MultigridEvolution {
    time: Option<TimeEmbedding>,
    input: Conv,
    cycles: Vec<Cycle>,
    local: Vec<Conv>,
    films: Vec<Film>,
    output: Conv,
}

/// An affine V-cycle. On every level, u ≈ A⁻¹ f is found by
///
/// ```text
/// u = S f,   u ← u + P V(R (f + A u)) with the cycle V of the next coarser level,   u ← u + S′ (f + A u)
/// ```
///
/// where S, A and S′ are learned conv3 (f → f) of the level (A learns its sign too), and R and P the fixed
/// [restriction and interpolation](Coarsening). The coarsest level leaves out the second step.
#[derive(Module, Debug)]
pub struct Cycle {
    levels: Vec<Level>,
    #[module(skip)]
    coarsenings: Vec<Coarsening>,
}

/// The convolutions of a level.
#[derive(Module, Debug)]
struct Level {
    before: Conv,
    operator: Conv,
    after: Conv,
}

impl EvolutionKind for MultigridConfig {
    type Network = MultigridEvolution;

    fn sizes(&self) -> Vec<usize> {
        vec![self.width, self.levels, self.cycles]
    }

    /// The coarsest grid has at least two points an axis.
    fn validate_grid(&self, points: usize) -> Result<()> {
        let most = points.saturating_sub(1).max(1).ilog2() as usize + 1;
        if self.levels <= most {
            return Ok(());
        }
        let requirement = format!("must be at most {most}: a latent grid of {points} points has no more");
        refuse("evolution.levels", self.levels.to_string(), &requirement)
    }

    fn inner(&self) -> (usize, usize) {
        (self.width, CONVOLUTIONS.saturating_mul(self.levels).saturating_mul(self.cycles))
    }

    /// Each level has 2⁻ᵈ times the points of the one before.
    fn kept_states(&self, dim: usize) -> f64 {
        let share = 0.5f64.powi(dim as i32);
        let of_a_cycle = (1.0 - share.powf(self.levels as f64)) / (1.0 - share);
        CONVOLUTIONS as f64 * self.cycles as f64 * of_a_cycle
    }

    fn init(&self, space: LatentSpace, device: &Device) -> MultigridEvolution {
        let (f, LatentSpace { channels, dim, padding, axes, time_inputs }) = (self.width, space);
        let conv = |input, output, width| ConvConfig { input, output, width, dilation: 1, dim, padding };
        let level = |_| Level {
            before: conv(f, f, 3).init(device),
            operator: conv(f, f, 3).init(device),
            after: conv(f, f, 3).init(device),
        };
        let grids = std::iter::successors(Some(axes), |axes| Some(axes.map(GridAxis::coarser)));
        let coarsenings: Vec<Coarsening> = grids.take(self.levels - 1).map(Coarsening::new).collect();
        let cycle =
            |_| Cycle { levels: (0..self.levels).map(level).collect(), coarsenings: coarsenings.clone() };
        let films = if time_inputs > 0 { self.cycles } else { 0 };
        MultigridEvolution {
            time: (time_inputs > 0).then(|| TimeEmbedding::new(time_inputs, f, device)),
            input: conv(channels, f, 3).init(device),
            cycles: (0..self.cycles).map(cycle).collect(),
            local: (0..self.cycles).map(|_| conv(f, f, 1).init(device)).collect(),
            films: (0..films).map(|_| Film::new(f, f, device)).collect(),
            output: conv(f, channels, 3).init_zero(device),
        }
    }
}

impl Evolve for MultigridEvolution {
    fn forward(&self, z: Tensor<4>, times: Option<Tensor<2>>) -> Tensor<4> {
        let embedding = self.time.as_ref().zip(times).map(|(time, times)| time.forward(times));
        let mut h = self.input.forward(z.clone());
        for (i, (cycle, local)) in self.cycles.iter().zip(&self.local).enumerate() {
            let solved = cycle.forward(h.clone());
            h = match &embedding {
                Some(embedding) => {
                    let y = local.added(h, solved, Activation::None);
                    self.films[i].activated(y, embedding.clone(), Activation::Gelu)
                }
                None => local.added(h, solved, Activation::Gelu),
            };
        }
        self.output.added(h, z, Activation::None)
    }
}

impl Cycle {
    /// # Shapes
    /// `f [b, f, n0, n1]` → as `f`.
    pub fn forward(&self, f: Tensor<4>) -> Tensor<4> {
        self.solve(0, f)
    }

    fn solve(&self, level: usize, f: Tensor<4>) -> Tensor<4> {
        let Level { before, operator, after } = &self.levels[level];
        let residual = |u: Tensor<4>| operator.added(u, f.clone(), Activation::None);
        let mut u = before.forward(f.clone());
        if let Some(coarsening) = self.coarsenings.get(level) {
            let coarse = self.solve(level + 1, coarsening.restrict(residual(u.clone())));
            u = coarsening.prolong_onto(coarse, u);
        }
        after.added(residual(u.clone()), u, Activation::None)
    }
}
