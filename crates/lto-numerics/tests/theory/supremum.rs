//! The bound over the whole domain, between query points too.

use crate::unit;
use lto_numerics::design::PointDesign;
use lto_numerics::domain::{Axis, Domain};
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{Estimator, LocalBounds, Regularity, Supremum, TrialField};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Dense places, none of them a corner or center of a box that the search looks at.
fn everywhere(domain: &Domain, n: usize) -> Points {
    PointDesign::Iid.points(domain, n, &mut ChaCha8Rng::seed_from_u64(11)).unwrap()
}

#[test]
fn no_error_is_above_it_anywhere_and_it_is_near_the_largest_local_bound() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let mixed = Domain::new(vec![Axis::new("x", -1.0, 1.0, true), Axis::new("y", 0.0, 0.8, false)]).unwrap();
    for (domain, design, n, scale) in [
        (unit(1, true), PointDesign::Jittered, 40, 0.6),
        (unit(1, false), PointDesign::Jittered, 12, 1.2),
        (mixed.clone(), PointDesign::Jittered, 150, 0.7),
        (unit(3, false), PointDesign::Jittered, 27, 0.9),
        (unit(2, false), PointDesign::Clustered, 60, 1.0),
        (mixed, PointDesign::Iid, 80, 1.0),
        // Wider than the distance between clusters, and half as wide as the domain.
        (unit(2, false), PointDesign::Iid, 30, 3.0),
    ] {
        let spacing = (domain.volume() / n as f64).powf(1.0 / domain.dim() as f64);
        let setconv = SetConv::new(scale * spacing).unwrap();
        let points = design.points(&domain, n, &mut rng).unwrap();
        let field = TrialField::random(&domain, 3, 2, &mut rng);
        let regularity = field.regularity(&domain).unwrap();
        let query = everywhere(&domain, 4000);
        let sample = |points: &Points| -> Vec<f64> {
            points.coordinates().chunks_exact(domain.dim()).map(|x| field.value(x)).collect()
        };
        for estimator in Estimator::ALL {
            let case = format!("{design:?} {n} {estimator:?}");
            let found = Supremum::find(&setconv, estimator, &points, &regularity, 0.1).unwrap();
            let upper = found.upper.expect(&case);
            let local = LocalBounds::new(&setconv, estimator, &points, &regularity, &query).unwrap();
            let largest = local.worst().1.bound;
            // Boxes expand about their middle, so that theirs may be a little below the bounds about the places themselves.
            assert!(largest <= 1.05 * upper, "{case}: {largest} above {upper}");
            // The search found a place that is about as bad as the worst of many.
            assert!(
                found.lower >= 0.9 * largest && found.lower <= 1.05 * upper,
                "{case}: {found:?} {largest}"
            );
            if domain.dim() < 3 {
                assert!(upper <= 1.1 * found.lower * (1.0 + 1e-12), "{case}: {found:?}");
            }
            let estimate = estimator.apply(&setconv, &points, &sample(&points), &query).unwrap();
            let error = estimate.iter().zip(sample(&query)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error <= upper, "{case}: {error} above {upper}");
        }
    }
}

/// Equal places by the hundred: all of them are looked at, none to the end before the others.
#[test]
fn on_a_grid_the_bound_everywhere_is_near_that_at_places_for_both_estimators() {
    let domain = unit(2, true);
    let points = PointDesign::Grid.points(&domain, 256, &mut ChaCha8Rng::seed_from_u64(0)).unwrap();
    let regularity = TrialField::wave(&domain, 1.0, 1).regularity(&domain).unwrap();
    for (estimator, scale) in Estimator::ALL.into_iter().zip([0.6, 0.45]) {
        let setconv = SetConv::new(scale / 16.0).unwrap();
        let found = Supremum::find(&setconv, estimator, &points.to_scattered(), &regularity, 0.1).unwrap();
        let query = everywhere(&domain, 4000);
        let local = LocalBounds::new(&setconv, estimator, &points, &regularity, &query).unwrap();
        let (largest, upper) = (local.worst().1.bound, found.upper.unwrap());
        assert!(upper <= 1.1 * largest && upper >= 0.95 * largest, "{estimator:?} {upper} {largest}");
    }
}

/// A transect across a torus and one sensor on a circle: half a period away the shortest way goes either way round, for all
/// sensors that count. The signal does not care.
#[test]
fn half_a_period_away_from_all_sensors_the_signal_is_certified() {
    let torus = Domain::new(vec![Axis::new("x", 0.0, 1.0, true), Axis::new("y", 0.0, 10.0, true)]).unwrap();
    let transect = (0..20).flat_map(|i| [0.0, 0.25 + 0.5 * f64::from(i)]).collect();
    for (points, ell) in [
        (Points::scattered(torus, transect).unwrap(), 0.3),
        (Points::scattered(unit(1, true), vec![0.2]).unwrap(), 0.2),
    ] {
        for sup in [None, Some(100.0)] {
            let regularity = Regularity::new(points.domain(), 1.0, sup, None).unwrap();
            let (setconv, estimator) = (SetConv::new(ell).unwrap(), Estimator::NadarayaWatson);
            let found = Supremum::find(&setconv, estimator, &points, &regularity, 0.1).unwrap();
            let query = everywhere(points.domain(), 4000);
            let local = LocalBounds::new(&setconv, estimator, &points, &regularity, &query).unwrap();
            let (largest, upper) = (local.worst().1.bound, found.upper.unwrap());
            assert!(upper >= largest && upper <= 1.15 * largest, "{sup:?} {upper} {largest}");
        }
    }
}

/// Where the fit falls back to the signal, it has the bound of the signal: nowhere determined, and in a gap only.
#[test]
fn where_the_fit_is_undetermined_the_signal_is_certified() {
    let find = |points: &Points, ell: f64, estimator: Estimator| {
        let regularity = TrialField::wave(points.domain(), 1.0, 1).regularity(points.domain()).unwrap();
        Supremum::find(&SetConv::new(ell).unwrap(), estimator, points, &regularity, 0.1).unwrap()
    };
    let [line, plane, space] = [1, 2, 3].map(|dim| unit(dim, false));
    let straight = (0..9).flat_map(|i| [0.1 * f64::from(i) + 0.05, 0.4]).collect();
    let slanted = (0..9).flat_map(|i| [0.1 * f64::from(i) + 0.05, 0.05 * f64::from(i) + 0.3]).collect();
    for points in [
        Points::scattered(plane.clone(), straight).unwrap(),
        Points::scattered(plane.clone(), slanted).unwrap(),
        Points::scattered(plane, vec![0.2, 0.3, 0.7, 0.6]).unwrap(),
        Points::scattered(line.clone(), vec![0.3]).unwrap(),
        Points::scattered(space, vec![0.2, 0.3, 0.1, 0.7, 0.6, 0.9]).unwrap(),
    ] {
        let query = everywhere(points.domain(), 500);
        let fit = SetConv::new(0.1).unwrap().local_linear(&points, &vec![1.0; points.len()], &query);
        assert_eq!(fit.unwrap().n_fallbacks, query.len());
        let [signal, affine] = Estimator::ALL.map(|estimator| find(&points, 0.1, estimator));
        assert!(signal.upper.is_some());
        assert_eq!(signal, affine);
    }
    // Determined near the ends, undetermined in parts of the gap, where the nearest sensor alone counts or the density
    // underflows.
    let points = Points::scattered(line, vec![0.0, 0.01, 0.02, 0.97, 0.99, 1.0]).unwrap();
    for ell in [0.02, 0.01] {
        let query = everywhere(points.domain(), 4000);
        let setconv = SetConv::new(ell).unwrap();
        let fit = setconv.local_linear(&points, &[1.0; 6], &query).unwrap();
        assert!(fit.n_fallbacks > 100 && fit.n_fallbacks < 3900, "{}", fit.n_fallbacks);
        let upper = find(&points, ell, Estimator::LocalLinear).upper.unwrap();
        let regularity = TrialField::wave(points.domain(), 1.0, 1).regularity(points.domain()).unwrap();
        let local = LocalBounds::new(&setconv, Estimator::LocalLinear, &points, &regularity, &query).unwrap();
        assert!(local.worst().1.bound <= upper && local.n_fallbacks == fit.n_fallbacks, "{upper}");
    }
}
