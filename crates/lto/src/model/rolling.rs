//! One observed state on its way to later times.

use super::prediction::{Encoded, SAME_TIME};
use super::way::Way;
use crate::error::Result;
use crate::operator::Latents;
use lto_numerics::dataset::Context;
use lto_numerics::{PointStructure, Points};
use std::sync::Arc;

/// Goes from time s to later times. A rollout is continued where the next time is reached by steps of the same
/// length.
pub(super) struct Rolling<'a> {
    encoded: &'a Encoded,
    /// The last state of a rollout.
    rolled: Option<Rolled>,
}

/// A state after some steps, observed on a whole grid and encoded.
struct Rolled {
    /// The length of a step.
    step: f64,
    /// Steps taken.
    taken: usize,
    context: Context,
    latents: Latents,
}

impl<'a> Rolling<'a> {
    pub(super) fn new(encoded: &'a Encoded) -> Self {
        Self { encoded, rolled: None }
    }

    /// The latent state at time `t`.
    pub(super) fn to(&mut self, t: f64, way: Way) -> Result<Latents> {
        let (model, source) = (&self.encoded.model, &self.encoded.source);
        let s = source.starts[0];
        let n = model.n_steps(t - s);
        match way {
            Way::Chain => model.operator.chain(&source.latents, &[(s, t)], n),
            Way::Rollout if n > 1 => self.roll(s, t, n),
            _ => model.operator.evolve(&source.latents, &[(s, t)]),
        }
    }

    /// The last of `n` steps; those before it are decoded on a grid and encoded again.
    fn roll(&mut self, s: f64, t: f64, n: usize) -> Result<Latents> {
        let (model, source) = (&self.encoded.model, &self.encoded.source);
        let step = (t - s) / n as f64;
        let same = |rolled: &Rolled| rolled.taken < n && (rolled.step - step).abs() <= SAME_TIME * step.abs();
        let mut state = self.rolled.take().filter(same).unwrap_or_else(|| Rolled {
            step,
            taken: 0,
            context: source.contexts[0].clone(),
            latents: source.latents.clone(),
        });
        let query = Arc::new(self.grid()?);
        while state.taken + 1 < n {
            let evolved = model.operator.evolve(&state.latents, &[state.interval(s)])?;
            let values = model.values(&evolved, std::slice::from_ref(&query))?;
            model.feed_back(&mut state.context, &values, &query)?;
            state.taken += 1;
            let start = std::iter::once(state.interval(s).0);
            state.latents = model.latents(std::slice::from_ref(&state.context), start)?;
        }
        let evolved = model.operator.evolve(&state.latents, &[state.interval(s)])?;
        self.rolled = Some(state);
        Ok(evolved)
    }

    /// The points on which a rollout goes on: those of the observations if they are a whole grid, else the training
    /// grid's number of points.
    fn grid(&self) -> Result<Points> {
        let points = &self.encoded.source.contexts[0].points;
        match points.structure() {
            PointStructure::Grid(_) => Ok(points.clone()),
            _ => {
                let problem = &self.encoded.model.card().problem;
                Ok(Points::grid(problem.query_grid(&problem.native)?))
            }
        }
    }
}

impl Rolled {
    /// `(s, t)` of the next step of a state that began at `s`.
    fn interval(&self, s: f64) -> (f64, f64) {
        (s + self.taken as f64 * self.step, s + (self.taken + 1) as f64 * self.step)
    }
}
