//! Where to predict.

use crate::args::QueryArg;
use crate::usage::UsageError;
use anyhow::{Context, Result, ensure};
use lto::problem::Problem;
use lto_numerics::dataset::Readings;
use lto_numerics::{Grid, Placement, Points};

/// A larger grid is a mistake: its values alone would not fit into memory.
const MOST_POINTS: usize = 1 << 28;

/// The points asked for; without any, a grid of as many points as the training data.
///
/// # Errors
/// A grid with another number of axes than the model, or a file without points in its domain.
pub fn points(query: Option<&QueryArg>, problem: &Problem) -> Result<Points> {
    let shape = match query {
        None => &problem.native,
        Some(QueryArg::Grid(shape)) => shape,
        Some(QueryArg::File(path)) => {
            let readings = Readings::read(path, &problem.domain)?;
            return Points::scattered(problem.domain.clone(), readings.coordinates)
                .with_context(|| path.display().to_string());
        }
    };
    Ok(Points::grid(grid(shape, problem)?))
}

/// A uniform grid over the domain: both bounds included, but for the upper one of a periodic axis, which is the lower.
fn grid(shape: &[usize], problem: &Problem) -> Result<Grid> {
    let domain = &problem.domain;
    let dim = domain.dim();
    let shape = match shape {
        [n] => vec![*n; dim],
        shape => shape.to_vec(),
    };
    let text = || format!("grid:{}", shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x"));
    let refuse = |requirement: String| UsageError::new("query", text(), requirement);
    ensure!(shape.len() == dim, refuse(format!("the model has {dim} axes: {domain}")));
    let n = shape.iter().copied().fold(1, usize::saturating_mul);
    ensure!(n <= MOST_POINTS, refuse(format!("at most {MOST_POINTS} points at once")));
    let placement = |periodic| if periodic { Placement::Left } else { Placement::Vertex };
    let axes: Vec<(usize, Placement)> =
        shape.iter().zip(domain.axes()).map(|(&n, axis)| (n, placement(axis.periodic))).collect();
    Ok(Grid::uniform(domain.clone(), &axes)?)
}
