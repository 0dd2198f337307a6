//! A state at any points, interpolated from its observations: the base of a twin's residual output, and a
//! baseline.

use crate::error::Result;
use lto_numerics::dataset::Context;
use lto_numerics::resample::{Method, resample};
use lto_numerics::setconv::{SetConv, nearest_linear};
use lto_numerics::{Field, Grid, PointStructure, Points};
use std::sync::Arc;

/// Length scale of the local linear fit below a twin's residual output, in mean spacings of the observations:
/// smooth, since the network adds the rest.
const SMOOTH: f64 = 0.75;

/// The base of a twin's residual output. Observations of a whole grid are resampled (exactly where grids share points,
/// else spectrally or by cubics); any others are fitted by local lines with Gaussian weights of one width, or averaged
/// where neighbors determine no line. A channel that nobody observes is zero, the mean in normalized units.
///
/// # Shapes
/// b contexts of p channels, one or b sets of M points → `[b, p, M]`.
///
/// # Errors
/// Points that no interpolation can use.
pub fn at_queries(contexts: &[Context], queries: &[Arc<Points>]) -> Result<Vec<f32>> {
    let mut all = Vec::new();
    for (i, context) in contexts.iter().enumerate() {
        let query = &queries[if queries.len() == 1 { 0 } else { i }];
        let carried = by_channel(context, query, 0.0, |context, query| {
            on_grid(context, query).unwrap_or_else(|| smooth(context, query))
        });
        let values = carried?;
        all.extend(values.into_iter().map(|v| v as f32));
    }
    Ok(all)
}

/// The closest interpolation of the observations: as [`at_queries`] from a whole grid, otherwise by
/// [`nearest_linear`]. A channel that nobody observes is NaN.
///
/// # Shapes
/// p channels, M points → `[p, M]`.
///
/// # Errors
/// As [`at_queries`].
pub fn closely(context: &Context, query: &Points) -> Result<Vec<f64>> {
    by_channel(context, query, f64::NAN, |context, query| {
        on_grid(context, query)
            .unwrap_or_else(|| Ok(nearest_linear(&context.points, &context.values, query)?))
    })
}

/// What `carry` makes of a context at the query points: of each channel from where it is observed if some are missing, and
/// `nowhere` for a channel that nobody observes.
///
/// # Shapes
/// p channels, M points → `[p, M]`.
///
/// # Errors
/// As `carry`.
pub fn by_channel(
    context: &Context,
    query: &Points,
    nowhere: f64,
    carry: impl Fn(&Context, &Points) -> Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    if !context.has_missing() {
        return carry(context, query);
    }
    let channels = (0..context.n_channels).map(|c| match context.channel(c) {
        Some(observed) => carry(&observed, query),
        None => Ok(vec![nowhere; query.len()]),
    });
    Ok(channels.collect::<Result<Vec<_>>>()?.concat())
}

fn smooth(context: &Context, query: &Points) -> Result<Vec<f64>> {
    // With the usual floor values would fade to zero in a gap of a few length scales.
    let setconv =
        SetConv::new(SMOOTH * context.points.mean_spacing())?.with_density_floor(f64::MIN_POSITIVE)?;
    Ok(setconv.local_linear(&context.points, &context.values, query)?.signal)
}

/// Resampled from one grid to another; `None` if one is not a grid, or there is no way between them.
fn on_grid(context: &Context, query: &Points) -> Option<Result<Vec<f64>>> {
    let (PointStructure::Grid(from), PointStructure::Grid(to) | PointStructure::Masked { grid: to, .. }) =
        (context.points.structure(), query.structure())
    else {
        return None;
    };
    let method = Method::for_grids(from, to).ok()?;
    Some(resampled(context, from, to, method, query))
}

fn resampled(context: &Context, from: &Grid, to: &Grid, method: Method, query: &Points) -> Result<Vec<f64>> {
    let field = Field::new(Arc::new(from.clone()), context.n_channels, context.values.clone())?;
    let values = resample(&field, &Arc::new(to.clone()), method)?.into_values();
    Ok(match query.structure() {
        PointStructure::Masked { indices, .. } => {
            values.chunks_exact(to.len()).flat_map(|channel| indices.iter().map(|&i| channel[i])).collect()
        }
        _ => values,
    })
}
