//! The bound over the whole domain, between query points too.

use crate::unit;
use lto_numerics::design::Design;
use lto_numerics::domain::{Axis, Domain};
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{Estimator, LocalBounds, Supremum, TrialField};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Dense places, none of them a corner or center of a box that the search looks at.
fn everywhere(domain: &Domain, n: usize) -> Points {
    Design::Iid.points(domain, n, &mut ChaCha8Rng::seed_from_u64(11)).unwrap()
}

#[test]
fn no_local_bound_and_no_error_is_above_it_anywhere_and_it_is_near() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let mixed = Domain::new(vec![Axis::new("x", -1.0, 1.0, true), Axis::new("y", 0.0, 0.8, false)]).unwrap();
    for (domain, n, scale) in
        [(unit(1, true), 40, 0.6), (unit(1, false), 12, 1.2), (mixed, 150, 0.7), (unit(3, false), 27, 0.9)]
    {
        let spacing = (domain.volume() / n as f64).powf(1.0 / domain.dim() as f64);
        let setconv = SetConv::new(scale * spacing).unwrap();
        let points = Design::Jittered.points(&domain, n, &mut rng).unwrap();
        let field = TrialField::random(&domain, 3, 2, &mut rng);
        let regularity = field.regularity(&domain).unwrap();
        let query = everywhere(&domain, 4000);
        let sample = |points: &Points| -> Vec<f64> {
            points.coordinates().chunks_exact(domain.dim()).map(|x| field.value(x)).collect()
        };
        for estimator in Estimator::ALL {
            let found = Supremum::find(&setconv, estimator, &points, &regularity, 0.1).unwrap();
            let upper = found.upper.unwrap();
            let local = LocalBounds::new(&setconv, estimator, &points, &regularity, &query).unwrap();
            let largest = local.worst().1.bound;
            assert!(largest <= upper, "{estimator:?}: {largest} above {upper}");
            // The search found a place that is about as bad as the worst of many.
            assert!(found.lower >= 0.9 * largest && found.lower <= upper, "{found:?} {largest}");
            if domain.dim() < 3 {
                assert!(upper <= 1.1 * found.lower * (1.0 + 1e-12), "{found:?}");
            }
            let estimate = estimator.apply(&setconv, &points, &sample(&points), &query).unwrap();
            let error = estimate.iter().zip(sample(&query)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error <= upper, "{estimator:?}: {error} above {upper}");
        }
    }
}

/// Only one point in reach determines no affine function: nothing is claimed there.
#[test]
fn where_the_fit_may_be_undetermined_nothing_is_claimed() {
    let domain = unit(1, false);
    let points = Points::scattered(domain.clone(), vec![0.0, 0.01, 0.02, 1.0]).unwrap();
    let regularity = TrialField::wave(&domain, 1.0, 1).regularity(&domain).unwrap();
    let setconv = SetConv::new(0.02).unwrap();
    let found = Supremum::find(&setconv, Estimator::LocalLinear, &points, &regularity, 0.1).unwrap();
    assert_eq!(found.upper, None);
    // The signal is always some mean of values.
    let found = Supremum::find(&setconv, Estimator::NadarayaWatson, &points, &regularity, 0.1).unwrap();
    assert!(found.upper.unwrap() <= regularity.oscillation + regularity.sup_bound.unwrap());
}
