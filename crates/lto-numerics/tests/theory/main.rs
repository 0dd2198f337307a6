//! The statements of the paper, one after another, checked by numbers; `docs/theory.md` says which is where.

mod lemmas;
mod lifted;
mod local;
mod noise;
mod plans;
mod property;
mod property_fill;
mod rates;
mod states;
mod supremum;
mod theorem;
mod tightness;

use lto_numerics::domain::Domain;
use lto_numerics::grid::{Grid, Placement};
use lto_numerics::points::Points;
use lto_numerics::theory::RateFit;

/// A domain whose axes are periodic or not, as told.
fn unit(dim: usize, periodic: bool) -> Domain {
    Domain::unit(dim, periodic).unwrap()
}

/// The rate of pairs (size, error).
fn fit(pairs: &[(f64, f64)]) -> RateFit {
    let (sizes, errors): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    RateFit::fit(&sizes, &errors).unwrap()
}

/// A grid of places whose number per axis shares no factor with those of the contexts.
fn fine(domain: &Domain, n: usize) -> Points {
    Points::grid(Grid::cubic(domain.clone(), n, Placement::Center).unwrap())
}

/// One point in each of nᴰ equal boxes of the periodic unit box, all as near as they can be to the middle of the box
/// (which has n odd boxes along each axis): the sums of a kernel around the middle are as far above the integral as an
/// equal-volume partition allows.
fn crowding_towards_the_middle(dim: usize, n: usize) -> Points {
    let corner = |i: usize| match (2 * i + 1).cmp(&n) {
        std::cmp::Ordering::Less => (i + 1) as f64,
        std::cmp::Ordering::Equal => i as f64 + 0.5,
        std::cmp::Ordering::Greater => i as f64,
    };
    // Just inside the boxes, so that no two points meet.
    let along: Vec<f64> =
        (0..n).map(|i| (corner(i) + 1e-6 * (i as f64 + 0.5 - corner(i))) / n as f64).collect();
    Points::grid(Grid::from_coordinates(unit(dim, true), vec![along; dim]).unwrap())
}
