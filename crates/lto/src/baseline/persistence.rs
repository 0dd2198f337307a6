//! Persistence: tomorrow is as today. Held in space as in time: the value of the nearest observation.

use super::still::Still;
use crate::error::Result;
use crate::operator::{Operator, OperatorConfig};
use crate::problem::Problem;
use crate::size::{Size, points};
use burn::tensor::Device;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use lto_numerics::geometry::nearest;
use std::sync::Arc;

/// û(x, t) = u(c_j, s) with c_j the observed point nearest to x by the distance of the domain, for every t.
pub struct Persistence;

impl OperatorConfig for Persistence {
    fn name(&self) -> &'static str {
        "persistence"
    }

    fn takes_history(&self) -> bool {
        false
    }

    fn size(&self, problem: &Problem) -> Size {
        Size { weights: 0.0, layers: 0.0, state: points(problem) }
    }

    fn init(&self, problem: &Problem, device: &Device) -> Result<Arc<dyn Operator>> {
        Ok(Still::operator(self.name(), hold, problem, device))
    }
}

/// The value of the nearest observation.
///
/// # Shapes
/// `[p, N]` of the context, M points → `[p, M]`.
///
/// # Errors
/// A query in another domain.
fn hold(context: &Context, query: &Points) -> Result<Vec<f64>> {
    if context.points == *query {
        return Ok(context.values.clone());
    }
    let nearest = nearest(&context.points, query)?;
    let channels = context.values.chunks_exact(context.points.len());
    Ok(channels.flat_map(|channel| nearest.iter().map(|&j| channel[j])).collect())
}
