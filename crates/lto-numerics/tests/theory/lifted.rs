//! Eq. lifted-lto, Eq. base-bound and Corollary disc-invariance: predictions at the points, lifted to the domain.

use crate::{fine, fit, unit};
use lto_numerics::design::PointDesign;
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{
    Certificate, Estimator, Regularity, TheoremBound, discretization_error, lifted_bound,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;

/// Heat: modes decay by e^{−|q|²t}, so that Φ(t; 0, u) is known in closed form.
struct Heat {
    modes: Vec<(f64, f64, f64)>,
}

impl Heat {
    fn value(&self, t: f64, x: &[f64]) -> f64 {
        let mode = |&(amplitude, p, q): &(f64, f64, f64)| {
            let decay = (-TAU * TAU * (p * p + q * q) * t).exp();
            amplitude * decay * (TAU * (p * x[0] + q * x[1])).cos()
        };
        self.modes.iter().map(mode).sum()
    }

    fn regularity(&self, t: f64, points: &Points) -> Regularity {
        let bound = |power: i32| -> f64 {
            let size = |&(a, p, q): &(f64, f64, f64)| {
                let q = TAU * f64::hypot(p, q);
                a.abs() * (-q * q * t).exp() * q.powi(power)
            };
            self.modes.iter().map(size).sum()
        };
        Regularity::new(points.domain(), bound(2), Some(bound(0)), Some(bound(1))).unwrap()
    }
}

/// A propagator that is exact but for an error of at most ε at each point, lifted by either estimator.
#[test]
fn a_lifted_prediction_is_off_by_its_errors_at_the_points_and_the_discretization() {
    let domain = unit(2, true);
    let (heat, t) = (Heat { modes: vec![(1.0, 1.0, 0.0), (-0.5, 1.0, 2.0), (0.3, 0.0, 1.0)] }, 0.004);
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let query = fine(&domain, 31);
    let truth = |points: &Points| -> Vec<f64> {
        points.coordinates().chunks_exact(2).map(|x| heat.value(t, x)).collect()
    };
    for (n, error) in [(64, 0.0), (144, 0.05), (256, 0.2)] {
        let points = PointDesign::Jittered.points(&domain, n, &mut rng).unwrap();
        let exact = truth(&points);
        let predicted: Vec<f64> = exact.iter().map(|u| u + error * rng.random_range(-1.0..1.0)).collect();
        let certificate = Certificate::new(&points, heat.regularity(t, &points)).unwrap();
        for estimator in Estimator::ALL {
            let tuned = certificate.tuned(&points, estimator, &query).unwrap();
            let setconv = SetConv::new(tuned.length_scale).unwrap();
            let lift = |values: &[f64]| estimator.apply(&setconv, &points, values, &query).unwrap();
            let off = |lifted: Vec<f64>| {
                lifted.iter().zip(truth(&query)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
            };
            let lebesgue = tuned.local.bounds.iter().map(|at| at.lebesgue).fold(1.0, f64::max);
            let certified = tuned.local.worst().1.bound;
            let measured = off(lift(&exact));
            let total = off(lift(&predicted));
            for discretization in [measured, certified] {
                let bound = lifted_bound(&predicted, &exact, lebesgue, discretization).unwrap();
                assert!(total <= bound, "{n} {estimator:?}: {total} above {bound}");
            }
            // The errors at the points matter, and are not amplified by the signal: shifted values are shifted.
            let shifted: Vec<f64> = exact.iter().map(|u| u + 1.0).collect();
            let bound = lifted_bound(&shifted, &exact, lebesgue, measured).unwrap();
            let total = off(lift(&shifted));
            assert!(total <= bound && total > 1.0 - measured, "{n} {estimator:?}: {total} {bound}");
        }
    }
    assert!(lifted_bound(&[1.0], &[1.0, 2.0], 1.0, 0.0).is_err());
}

/// With ℓ* the lifted error of an exact propagator falls as N^{−2/(3D)}; that of one that is off by ε at the points stays
/// below ε plus that, for every N.
#[test]
fn the_lifted_error_falls_to_that_of_the_propagator() {
    let (domain, heat, t) = (unit(2, true), Heat { modes: vec![(1.0, 1.0, 1.0)] }, 0.002);
    let state = |x: &[f64]| heat.value(t, x);
    let errors = [128usize, 256, 512].map(|along| {
        let points = fine(&domain, along);
        let bounds = heat.regularity(t, &points);
        let certificate = Certificate::new(&points, bounds.clone()).unwrap();
        let constant = TheoremBound::limit_constant(2, bounds.oscillation);
        let delta = certificate.fill_distance.upper;
        let (ell, _) = TheoremBound::optimum(2, bounds.curvature_bound, constant, delta);
        let (setconv, query) = (SetConv::new(ell).unwrap(), fine(&domain, 61));
        let signal = Estimator::NadarayaWatson;
        let error = discretization_error(signal, &setconv, &points, &query, &[state]).unwrap();
        let theorem = certificate.theorem_bound(&setconv).unwrap().bound;
        assert!(error <= theorem, "{along}: {error} above {theorem}");
        let off = |x: &[f64]| state(x) + 0.1 * (40.0 * x[0]).sin();
        let lift = |u: &dyn Fn(&[f64]) -> f64| -> Vec<f64> {
            let values: Vec<f64> = points.coordinates().chunks_exact(2).map(u).collect();
            signal.apply(&setconv, &points, &values, &query).unwrap()
        };
        let truth: Vec<f64> = query.coordinates().chunks_exact(2).map(state).collect();
        let total = lift(&off).iter().zip(&truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(total <= 0.1 + error, "{along}: {total} above 0.1 + {error}");
        ((along * along) as f64, error)
    });
    let slope = fit(&errors).slope;
    assert!(slope < -0.9 / 3.0 && slope > -1.1 / 3.0, "{slope}");
}
