//! Corollary disc-invariance: the rates in N.

use crate::{fit, unit};
use lto_numerics::design::Design;
use lto_numerics::geometry::fill_distance;
use lto_numerics::grid::{Grid, Placement};
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{Estimator, TheoremBound, TrialField, discretization_error};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// ε_disc(N) of one wave along each axis, at ℓ* of Corollary optimized-disc with the limit of the constant.
fn error_at_optimum(points: &Points, query: &Points) -> f64 {
    let domain = points.domain();
    let waves = [TrialField::wave(domain, 1.0, 1)];
    let bounds = waves[0].regularity(domain).unwrap();
    let constant = TheoremBound::limit_constant(domain.dim(), bounds.oscillation);
    let delta = fill_distance(points, 1e-2).unwrap().upper;
    let (ell, _) = TheoremBound::optimum(domain.dim(), bounds.curvature_bound, constant, delta);
    let states = waves.map(|wave| move |x: &[f64]| wave.value(x));
    discretization_error(Estimator::NadarayaWatson, &SetConv::new(ell).unwrap(), points, query, &states)
        .unwrap()
}

#[test]
fn on_grids_the_error_at_the_optimum_has_the_rate_of_the_corollary() {
    let families = [(1, [1 << 10, 1 << 12, 1 << 14], 997), (2, [128, 256, 512], 61), (3, [48, 80, 128], 17)];
    for (dim, sizes, n_fine) in families {
        let domain = unit(dim, true);
        let grid = |n, placement| Points::grid(Grid::cubic(domain.clone(), n, placement).unwrap());
        let query = grid(n_fine, Placement::Center);
        let errors = sizes.map(|n: usize| {
            let points = grid(n, Placement::Left);
            (points.len() as f64, error_at_optimum(&points, &query))
        });
        let (found, rate) = (fit(&errors).slope, -2.0 / (3.0 * dim as f64));
        // The bias of a wave saturates: the slope comes near its limit from above.
        assert!(found > rate && found < 0.9 * rate, "{dim}: {found} against {rate}, {errors:?}");
    }
}

#[test]
fn independent_points_have_the_rate_with_a_logarithm() {
    let seeds = 3;
    for (dim, sizes, n_fine) in [(1, [256, 1024, 4096], 301), (2, [256, 1024, 4096], 19)] {
        let domain = unit(dim, true);
        let query = crate::fine(&domain, n_fine);
        let errors = sizes.map(|n: usize| {
            let mean = (0..seeds)
                .map(|seed| Design::Iid.points(&domain, n, &mut ChaCha8Rng::seed_from_u64(seed)).unwrap())
                .map(|points| error_at_optimum(&points, &query) / seeds as f64)
                .sum::<f64>();
            ((n as f64).ln() / n as f64, mean)
        });
        let (found, rate) = (fit(&errors).slope, 2.0 / (3.0 * dim as f64));
        assert!((found / rate - 1.0).abs() < 0.25, "{dim}: {found} against {rate}, {errors:?}");
    }
}
