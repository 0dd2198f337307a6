//! Uniform grids of a given number of points.

use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::grid::{Grid, Placement, factor_shapes};
use crate::points::Points;

/// Largest ratio of a cell's length to its width.
const MOST_ELONGATED: f64 = 2.0;

pub(super) fn points(domain: &Domain, n: usize) -> Result<Points> {
    let Some(shape) = shape(domain, n) else {
        let feasible = |m: &usize| shape(domain, *m).is_some();
        let below = (1..n).rev().find(feasible);
        let above = (n + 1..=8 * n).find(feasible).unwrap_or_else(|| fewest(domain));
        let nearest = below.map_or_else(|| above.to_string(), |below| format!("{below} or {above}"));
        return Err(Error::InfeasibleGrid { n, nearest });
    };
    let placement = |periodic| if periodic { Placement::Left } else { Placement::Center };
    let axes: Vec<_> =
        domain.axes().iter().zip(shape).map(|(axis, count)| (count, placement(axis.periodic))).collect();
    Ok(Points::grid(Grid::uniform(domain.clone(), &axes)?))
}

/// The numbers of points per axis, with product `n`, that make the most nearly cubic cells; `None` if none
/// come close enough.
fn shape(domain: &Domain, n: usize) -> Option<Vec<usize>> {
    let elongation = |shape: &Vec<usize>| {
        let widths = || domain.axes().iter().zip(shape).map(|(axis, &count)| axis.length() / count as f64);
        widths().fold(0.0, f64::max) / widths().fold(f64::INFINITY, f64::min)
    };
    factor_shapes(n, domain.dim())
        .into_iter()
        .min_by(|a, b| elongation(a).total_cmp(&elongation(b)))
        .filter(|shape| elongation(shape) <= MOST_ELONGATED * (1.0 + 1e-12))
}

/// A number of points that fills a grid: one along the shortest axis, and cells between half that length and
/// all of it along the others. One more point on every axis fills a grid again, of at most eight times as
/// many.
fn fewest(domain: &Domain) -> usize {
    let shortest = domain.axes().iter().map(|axis| axis.length()).fold(f64::INFINITY, f64::min);
    domain.axes().iter().map(|axis| (axis.length() / shortest).ceil() as usize).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Axis;

    #[test]
    fn shapes_follow_the_axes() {
        let long =
            Domain::new(vec![Axis::new("x", 0.0, 4.0, true), Axis::new("y", 0.0, 1.0, false)]).unwrap();
        assert_eq!(shape(&long, 100), Some(vec![20, 5]));
        assert_eq!(shape(&Domain::unit(2, true).unwrap(), 12), Some(vec![3, 4]));
        assert_eq!(shape(&Domain::unit(3, true).unwrap(), 1000), Some(vec![10, 10, 10]));
        assert_eq!(shape(&Domain::unit(1, true).unwrap(), 97), Some(vec![97]));
    }

    #[test]
    fn numbers_that_fill_no_grid_are_refused_with_their_neighbors() {
        let err = points(&Domain::unit(2, true).unwrap(), 97).unwrap_err();
        assert!(err.to_string().contains("use 96 or 98 points"), "{err}");
        let long = Domain::new(vec![Axis::new("x", 0.0, 1e3, true), Axis::new("y", 0.0, 1.0, true)]).unwrap();
        let err = points(&long, 3).unwrap_err();
        assert!(err.to_string().contains("use 1000 points"), "{err}");
    }
}
