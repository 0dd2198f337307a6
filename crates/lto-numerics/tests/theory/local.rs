//! The bounds from actual weights, against weights made another way.

use crate::{fine, fit, unit};
use lto_numerics::design::PointDesign;
use lto_numerics::domain::{Axis, Domain};
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{Certificate, Estimator, LocalBounds, Regularity, Supremum, TrialField};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn mixed() -> Domain {
    Domain::new(vec![Axis::new("x", -1.0, 1.0, true), Axis::new("y", 0.0, 0.8, false)]).unwrap()
}

/// The estimate is linear in the values, so that the estimates of unit vectors are the weights.
fn weights(estimator: Estimator, setconv: &SetConv, context: &Points, query: &Points) -> Vec<f64> {
    let n = context.len();
    let identity: Vec<f64> = (0..n * n).map(|k| f64::from(u8::from(k / n == k % n))).collect();
    estimator.apply(setconv, context, &identity, query).unwrap()
}

#[test]
fn moments_and_lebesgue_constants_are_those_of_the_actual_weights() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for domain in [unit(1, false), mixed(), unit(3, true)] {
        let context = PointDesign::Iid.points(&domain, 40, &mut rng).unwrap();
        let query = PointDesign::Iid.points(&domain, 12, &mut rng).unwrap();
        let regularity = Regularity::new(&domain, 1.0, Some(1e6), Some(1e6)).unwrap();
        let setconv = SetConv::new(0.17).unwrap();
        for estimator in Estimator::ALL {
            let found = LocalBounds::new(&setconv, estimator, &context, &regularity, &query).unwrap();
            assert_eq!(found.n_fallbacks, 0);
            let weights = weights(estimator, &setconv, &context, &query);
            let (dim, queries, points) = (domain.dim(), query.coordinates(), context.coordinates());
            for (q, x) in queries.chunks_exact(dim).enumerate() {
                let (mut lebesgue, mut second, mut mean) = (0.0, 0.0, vec![0.0; dim]);
                for (j, c) in points.chunks_exact(dim).enumerate() {
                    let w: f64 = weights[j * query.len() + q];
                    lebesgue += w.abs();
                    second += w.abs() * domain.distance_squared(x, c);
                    for (d, axis) in domain.axes().iter().enumerate() {
                        mean[d] += w * axis.displacement(x[d], c[d]);
                    }
                }
                let first = mean.iter().map(|m| m * m).sum::<f64>().sqrt();
                let bound = &found.bounds[q];
                let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + b.abs());
                assert!(near(bound.lebesgue, lebesgue), "{estimator:?}: {bound:?} {lebesgue}");
                assert!(near(bound.second_moment, second) && near(bound.first_moment, first), "{bound:?}");
                if estimator == Estimator::LocalLinear {
                    let taylor = bound.bound - bound.relative_loss * 1e6;
                    assert!((taylor - 0.5 * second).abs() < 1e-6, "{bound:?} {second}");
                }
            }
        }
    }
}

/// For u(y) = ½|y − x|² the error at x is ½ Σ w |d|²: the bounds cannot be improved.
#[test]
fn parabolas_attain_the_curvature_term() {
    let domain = unit(2, false);
    let context = PointDesign::Jittered.points(&domain, 64, &mut ChaCha8Rng::seed_from_u64(6)).unwrap();
    let x = [0.41, 0.57];
    let query = Points::scattered(domain.clone(), x.to_vec()).unwrap();
    let parabola = |y: &[f64]| 0.5 * y.iter().zip(&x).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let values: Vec<f64> = context.coordinates().chunks_exact(2).map(parabola).collect();
    let regularity = Regularity::new(&domain, 1.0, None, Some(2f64.sqrt())).unwrap();
    let setconv = SetConv::new(0.1).unwrap();
    for estimator in Estimator::ALL {
        let error = estimator.apply(&setconv, &context, &values, &query).unwrap()[0];
        let bound = LocalBounds::new(&setconv, estimator, &context, &regularity, &query).unwrap().bounds[0];
        assert!(error <= bound.bound);
        let curvature = 0.5 * bound.second_moment;
        // Negative weights count with their sign in the error and without it in the bound.
        let least = if estimator == Estimator::NadarayaWatson { 1.0 - 1e-6 } else { 0.8 };
        assert!(
            error > least * curvature && error < curvature * (1.0 + 1e-6),
            "{estimator:?} {error} {bound:?}"
        );
    }
}

/// On open axes states of one curvature may be arbitrarily steep. The local linear bounds from the curvature alone hold at places and
/// everywhere; averages have none.
#[test]
fn a_plane_of_any_slope_does_not_change_the_local_linear_error() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for (dim, n) in [(1, 20), (2, 60)] {
        let domain = unit(dim, false);
        let points = PointDesign::Jittered.points(&domain, n, &mut rng).unwrap();
        let field = TrialField::wave(&domain, 1.0, 1);
        let curvature = field.regularity(&domain).unwrap().curvature_bound;
        let regularity = Regularity::of_any_range(&domain, curvature, None, None).unwrap();
        assert!(Regularity::new(&domain, curvature, None, None).is_err() && !regularity.bounds_range());
        let certificate = Certificate::new(&points, regularity.clone()).unwrap();
        assert!(certificate.best_theorem_bound().unwrap().is_none());
        assert!(certificate.best_lipschitz_bound().unwrap().is_none());
        let query = fine(&domain, 37);
        let tuned = certificate.tuned(&points, Estimator::LocalLinear, &query).unwrap();
        let setconv = SetConv::new(tuned.length_scale).unwrap();
        let everywhere = Supremum::find(&setconv, Estimator::LocalLinear, &points, &regularity, 0.1).unwrap();
        let upper = everywhere.upper.expect("a bound everywhere");
        for slope in [0.0, 1.0, 1e4] {
            let state = |x: &[f64]| field.value(x) + slope * x.iter().sum::<f64>();
            let values: Vec<f64> = points.coordinates().chunks_exact(dim).map(state).collect();
            let found = setconv.local_linear(&points, &values, &query).unwrap().signal;
            for ((x, found), at) in query.coordinates().chunks_exact(dim).zip(found).zip(&tuned.local.bounds)
            {
                let error = (found - state(x)).abs() - at.relative_loss * (1.0 + dim as f64 * slope);
                assert!(error <= at.bound && error <= upper, "{dim} {slope} {x:?} {error} {at:?} {upper}");
            }
        }
        let averages =
            Supremum::find(&setconv, Estimator::NadarayaWatson, &points, &regularity, 0.1).unwrap();
        assert_eq!((averages.lower, averages.upper), (f64::INFINITY, None));
    }
}

/// The certified error of the local linear estimate on a box with boundaries falls as N^{−2/D}, and so does the error.
#[test]
fn the_local_linear_bound_has_twice_the_order_boundaries_included() {
    for (dim, sizes) in [(1, [32, 128, 512]), (2, [64, 256, 1024]), (3, [4096, 13_824, 32_768])] {
        let domain = unit(dim, false);
        let field = TrialField::wave(&domain, 1.0, 1);
        let regularity = field.regularity(&domain).unwrap();
        let (mut bounds, mut errors) = (Vec::new(), Vec::new());
        for n in sizes {
            let points = PointDesign::Grid.points(&domain, n, &mut ChaCha8Rng::seed_from_u64(7)).unwrap();
            let setconv = SetConv::new(0.9 * (n as f64).powf(-1.0 / dim as f64)).unwrap();
            // Both ends of every axis are in the query.
            let query = lto_numerics::theory::plan::PlaceGrid::new(&domain, 800).unwrap();
            let local =
                LocalBounds::new(&setconv, Estimator::LocalLinear, &points, &regularity, query.points())
                    .unwrap();
            assert_eq!(local.n_fallbacks, 0);
            let values: Vec<f64> = points.coordinates().chunks_exact(dim).map(|x| field.value(x)).collect();
            let found = setconv.local_linear(&points, &values, query.points()).unwrap().signal;
            let truth = query.points().coordinates();
            let difference = |(x, found): (&[f64], f64)| (field.value(x) - found).abs();
            let error = truth.chunks_exact(dim).zip(found).map(difference).fold(0.0, f64::max);
            bounds.push((n as f64, local.worst().1.second_moment));
            errors.push((n as f64, error));
        }
        let rate = -2.0 / dim as f64;
        let bound = fit(&bounds).slope;
        let error = fit(&errors).slope;
        assert!((bound / rate - 1.0).abs() < 0.15, "{dim}: {bound} against {rate}");
        assert!(error < 0.7 * rate, "{dim}: {error} against {rate}");
    }
}

#[test]
fn a_tuned_scale_is_the_widest_that_is_about_as_good_as_any() {
    let domain = unit(2, true);
    let points = PointDesign::Halton.points(&domain, 100, &mut ChaCha8Rng::seed_from_u64(8)).unwrap();
    let regularity = Regularity::new(&domain, 40.0, Some(1.0), None).unwrap();
    let certificate = Certificate::new(&points, regularity.clone()).unwrap();
    let query = fine(&domain, 23);
    for estimator in Estimator::ALL {
        let tuned = certificate.tuned(&points, estimator, &query).unwrap();
        let most = tuned.local.worst().1.bound;
        let other = |factor: f64| {
            let setconv = SetConv::new(factor * tuned.length_scale).unwrap();
            let local = LocalBounds::new(&setconv, estimator, &points, &regularity, &query).unwrap();
            local.worst().1.bound
        };
        let narrower = [0.4, 0.6, 0.8, 0.85, 0.9, 0.95].map(other);
        let least = narrower.into_iter().fold(most, f64::min);
        assert!(most <= (1.0 + Certificate::ROBUSTNESS) * least, "{estimator:?} {most} {narrower:?}");
        let wider = [1.04, 1.25, 2.5].map(other);
        assert!(wider.iter().all(|&bound| bound > 1.04 * least), "{estimator:?} {least} {wider:?}");
    }
}

/// Four sensors say nothing about a state of range ω: all ℓ are as good by the bound, but narrow ones lose the values
/// to the density floor, which without sup|u| no bound covers.
#[test]
fn without_a_sup_bound_scales_that_lose_the_values_are_not_chosen() {
    let domain = unit(2, true);
    let points = fine(&domain, 2);
    let regularity = Regularity::new(&domain, 40.0, None, None).unwrap();
    assert_eq!(regularity.oscillation, 5.0);
    let certificate = Certificate::new(&points, regularity.clone()).unwrap();
    for estimator in Estimator::ALL {
        let tuned = certificate.tuned(&points, estimator, &fine(&domain, 9)).unwrap();
        assert!(tuned.local.bounds.iter().all(|at| at.relative_loss < 1.1e-6), "{tuned:?}");
        // A mean of ten, which M says nothing about.
        let state = |x: &[f64]| 10.0 + (std::f64::consts::TAU * x[0]).cos();
        let setconv = SetConv::new(tuned.length_scale).unwrap();
        assert!(certificate.relative_loss(&setconv) < 1.1e-6);
        let error = lto_numerics::theory::discretization_error(
            estimator,
            &setconv,
            &points,
            &fine(&domain, 9),
            &[state],
        );
        assert!(error.unwrap() <= tuned.local.worst().1.bound);
    }
    let narrow = SetConv::new(0.15 * certificate.fill_distance.upper).unwrap();
    assert!(certificate.relative_loss(&narrow) > 0.9);
}

#[test]
fn far_from_all_points_the_bound_knows_the_density_floor() {
    let domain = unit(1, false);
    let context = Points::scattered(domain.clone(), vec![0.0, 0.01]).unwrap();
    let query = Points::scattered(domain.clone(), vec![0.9]).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let setconv = SetConv::new(0.02).unwrap();
    for _ in 0..50 {
        let field = TrialField::random(&domain, 2, 1, &mut rng);
        let regularity = field.regularity(&domain).unwrap();
        for estimator in Estimator::ALL {
            let values = [field.value(&[0.0]), field.value(&[0.01])];
            let found = estimator.apply(&setconv, &context, &values, &query).unwrap()[0];
            let bound =
                LocalBounds::new(&setconv, estimator, &context, &regularity, &query).unwrap().bounds[0];
            assert!((found - field.value(&[0.9])).abs() <= bound.bound);
            // Without sup|u| the floor is not in the bound, and is told apart: all of the values are lost.
            let unknown = Regularity { sup_bound: None, ..regularity.clone() };
            let without =
                LocalBounds::new(&setconv, estimator, &context, &unknown, &query).unwrap().bounds[0];
            assert!(without.relative_loss > 0.999 && without.bound < bound.bound, "{without:?} {bound:?}");
        }
    }
    let elsewhere = Points::scattered(unit(1, true), vec![0.5]).unwrap();
    let regularity = Regularity::new(&domain, 1.0, Some(1.0), None).unwrap();
    assert!(LocalBounds::new(&setconv, Estimator::LocalLinear, &context, &regularity, &elsewhere).is_err());
}

/// Where states vary too much for so few points, every ℓ has the trivial bound somewhere: the mean decides.
#[test]
fn of_equal_largest_bounds_the_scale_with_the_least_mean_is_chosen() {
    let domain = unit(2, false);
    let points = PointDesign::Iid.points(&domain, 30, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    let regularity = Regularity::new(&domain, 20.0, Some(1.0), None).unwrap();
    let certificate = Certificate::new(&points, regularity.clone()).unwrap();
    let (estimator, query) = (Estimator::NadarayaWatson, fine(&domain, 25));
    let tuned = certificate.tuned(&points, estimator, &query).unwrap();
    let largest = tuned.local.worst().1.bound;
    assert!((1.99..2.01).contains(&largest), "{largest}");
    let wide = SetConv::new(3.0 * certificate.fill_distance.upper).unwrap();
    let wide = LocalBounds::new(&wide, estimator, &points, &regularity, &query).unwrap();
    assert!(
        wide.worst().1.bound <= largest && tuned.local.mean() < 0.8 * wide.mean(),
        "{}",
        tuned.local.mean()
    );
}
