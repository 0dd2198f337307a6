//! The bounds from the fill distance are never violated: grids with equal and with unequal cells, open and periodic.

use crate::property::{Found, draw_domain, draw_places, largest};
use crate::states::{Known, State};
use lto_numerics::grid::Grid;
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{Certificate, Partition};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One state, one grid, one scale; panics where a bound is violated.
pub fn attempt(seed: u64, found: &mut Found) {
    let rng = &mut ChaCha8Rng::seed_from_u64(!seed);
    // Grids in space have tens of thousands of points: one in seven.
    let dim = [1, 1, 1, 2, 2, 2, 3][rng.random_range(0..7)];
    let domain = draw_domain(dim, rng);
    // Of three axes open ones leave an eighth of the kernel in a corner: it would take too many points.
    let axes = domain.axes().iter().map(|axis| {
        let mut axis = axis.clone();
        axis.periodic |= dim == 3;
        axis
    });
    let domain = lto_numerics::domain::Domain::new(axes.collect()).unwrap();
    // Evenly, anywhere in equal intervals, or a little beyond them.
    let shake = [0.0, 0.99, 1.2][rng.random_range(0..3)];
    let coordinates = domain.axes().iter().map(|axis| {
        let n = rng.random_range([30..400, 24..60, 26..34][dim - 1].clone());
        let mut x: Vec<f64> = (0..n)
            .map(|i| {
                let within = 0.5 + 0.5 * shake * rng.random_range(-1.0..1.0);
                let x = axis.lower + axis.length() * (i as f64 + within) / n as f64;
                x.clamp(axis.lower, axis.upper - 1e-9)
            })
            .collect();
        x.sort_by(f64::total_cmp);
        x
    });
    let coordinates: Vec<_> = coordinates.collect();
    let Ok(grid) = Grid::from_coordinates(domain.clone(), coordinates) else { return };
    let context = Points::grid(grid);
    let mut state = State::draw(&domain, rng);
    let Some(regularity) = state.regularity(Known::draw(rng)) else { return };
    let certificate = Certificate::new(&context, regularity.clone()).unwrap();
    assert!(certificate.is_certain());
    let places = draw_places(&domain, &context, 6, rng);
    state.center_at(&places[..dim]);
    let query = Points::scattered(domain, places).unwrap();
    let (values, truth) = (state.values(&context), state.values(&query));
    let error = |ell: f64| {
        let estimate = SetConv::new(ell).unwrap().apply(&context, &values, &query).unwrap().signal;
        largest(estimate.iter().zip(&truth).map(|(a, b)| (a - b).abs()))
    };
    let unknown = if regularity.sup_bound.is_none() { state.sup() } else { 0.0 };
    let holds = |ell: f64, bound: f64, relative_loss: f64| {
        let error = error(ell);
        assert!(error <= bound + relative_loss * unknown, "seed {seed}, {ell}: {error} above {bound}");
        error
    };
    let any = certificate.fill_distance.upper * rng.random_range(1.0f64..4.0).exp();
    let setconv = SetConv::new(any).unwrap();
    if let Some(bound) = certificate.theorem_bound(&setconv) {
        holds(any, bound.bound, bound.relative_loss);
    }
    if let Some(bound) = certificate.lipschitz_bound(&setconv) {
        holds(any, bound.bound, bound.relative_loss);
        found.n_unequal +=
            usize::from(matches!(certificate.assumptions.partition, Partition::Voronoi { .. }));
    }
    if let Some(best) = certificate.best_theorem_bound().unwrap() {
        found.theorem.push(dim, best.bound, holds(best.length_scale, best.bound, best.relative_loss));
    }
    if let Some(best) = certificate.best_lipschitz_bound().unwrap() {
        found.lipschitz.push(dim, best.bound, holds(best.length_scale, best.bound, best.relative_loss));
    }
}
