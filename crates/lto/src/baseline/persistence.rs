//! Persistence: tomorrow is like today. Held in space as in time: the value of the nearest observation.

use super::still::Still;
use crate::error::Result;
use crate::interpolate::by_channel;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use lto_numerics::geometry::nearest;

/// û(x, t) = u(c_j, s) with c_j the observed point nearest to x by the distance of the domain, for every t.
pub const PERSISTENCE: Still = Still { name: "persistence", carry: hold };

/// The value of the nearest observation.
///
/// # Shapes
/// `[p, N]` of the context, M points → `[p, M]`.
///
/// # Errors
/// A query in another domain.
fn hold(context: &Context, query: &Points) -> Result<Vec<f64>> {
    by_channel(context, query, f64::NAN, nearest_of)
}

fn nearest_of(context: &Context, query: &Points) -> Result<Vec<f64>> {
    if context.points == *query {
        return Ok(context.values.clone());
    }
    let nearest = nearest(&context.points, query)?;
    let channels = context.values.chunks_exact(context.points.len());
    Ok(channels.flat_map(|channel| nearest.iter().map(|&j| channel[j])).collect())
}
