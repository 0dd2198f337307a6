//! Certificates are never violated: random states, layouts, domains and scales.

use lto_numerics::design::Design;
use lto_numerics::domain::{Axis, Domain};
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{Certificate, Estimator, LocalBounds, Regularity, Supremum, TrialField};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How far above the true error, over the places, the largest bound lies.
#[derive(Default)]
struct Tightness {
    nadaraya_watson: Vec<f64>,
    local_linear: Vec<f64>,
    lipschitz: Vec<f64>,
    theorem: Vec<f64>,
    /// How many bounds over the whole domain were found.
    n_everywhere: usize,
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

/// One state, one layout, one scale; panics where a bound is violated.
fn attempt(seed: u64, tightness: &mut Tightness) {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let dim = rng.random_range(1..=3);
    let axis = |rng: &mut ChaCha8Rng| {
        let lower = rng.random_range(-2.0..2.0);
        Axis::new("x", lower, lower + rng.random_range(0.5..2.0), rng.random_bool(0.5))
    };
    let domain = Domain::new((0..dim).map(|_| axis(rng)).collect()).unwrap();
    let design = Design::ALL[rng.random_range(0..Design::ALL.len())];
    let n = rng.random_range(1..150);
    let Ok(context) = design.points(&domain, n, rng) else { return };
    let (n_waves, max_frequency) = (rng.random_range(1..4), rng.random_range(1..4));
    let field = TrialField::random(&domain, n_waves, max_frequency, rng);
    // The slope as known, or as derived from the other bounds.
    let known = field.regularity(&domain).unwrap();
    let derived = Regularity::new(&domain, known.curvature_bound, known.sup_bound, None).unwrap();
    let regularity = if rng.random_bool(0.5) { known } else { derived };
    let spacing = (domain.volume() / n as f64).powf(1.0 / dim as f64);
    let ell = spacing * rng.random_range(-1.5f64..1.5).exp();
    let setconv = SetConv::new(ell).unwrap();
    let query = Design::Iid.points(&domain, 24, rng).unwrap();
    let sample = |points: &Points| -> Vec<f64> {
        points.coordinates().chunks_exact(dim).map(|x| field.value(x)).collect()
    };
    let (values, truth) = (sample(&context), sample(&query));
    let sup = regularity.sup_bound.unwrap();
    let mut errors_of_signal = 0.0;
    for estimator in Estimator::ALL {
        let found = estimator.apply(&setconv, &context, &values, &query).unwrap();
        let local = LocalBounds::new(&setconv, estimator, &context, &regularity, &query).unwrap();
        let errors: Vec<f64> = found.iter().zip(&truth).map(|(a, b)| (a - b).abs()).collect();
        for (error, bound) in errors.iter().zip(&local.bounds) {
            // Rounding, which the weights amplify.
            let slack = 1e-8 * sup * bound.lebesgue;
            assert!(*error <= bound.bound + slack, "seed {seed}, {estimator:?}: {error} above {bound:?}");
        }
        // Everywhere, at some of the layouts: it takes many boxes.
        if dim < 3 && n < 30 && seed.is_multiple_of(5) {
            let found = Supremum::find(&setconv, estimator, &context, &regularity, 0.2).unwrap();
            let (error, upper) = (largest(errors.iter().copied()), found.upper.unwrap_or(f64::INFINITY));
            let slack = 1e-8 * sup * local.worst().1.lebesgue;
            assert!(error <= upper + slack, "seed {seed}, {estimator:?}: {error} above {found:?}");
            tightness.n_everywhere += usize::from(found.upper.is_some());
        }
        let ratio = local.worst().1.bound / largest(errors.iter().copied());
        match estimator {
            Estimator::NadarayaWatson => {
                errors_of_signal = largest(errors.iter().copied());
                tightness.nadaraya_watson.push(ratio);
            }
            Estimator::LocalLinear => tightness.local_linear.push(ratio),
        }
    }
    // The bounds over the whole domain: wide kernels, and designs whose cells have equal volumes.
    if !matches!(design, Design::Grid | Design::Jittered) {
        return;
    }
    let certificate = Certificate::new(&context, regularity).unwrap();
    if !certificate.is_certain() {
        return;
    }
    let wide = certificate.fill_distance.upper * rng.random_range(1.0f64..4.0).exp();
    let found = SetConv::new(wide).unwrap().apply(&context, &values, &query).unwrap().signal;
    let error = largest(found.iter().zip(&truth).map(|(a, b)| (a - b).abs()));
    if let Some(bound) = certificate.theorem_bound(wide).unwrap() {
        assert!(error <= bound.bound + 1e-8 * sup, "seed {seed}: {error} above {bound:?}");
        let best = certificate.best_theorem_bound().unwrap().unwrap();
        tightness.theorem.push(best.bound / errors_of_signal);
    }
    if let Some(bound) = certificate.lipschitz_bound(wide).unwrap() {
        assert!(error <= bound.bound + 1e-8 * sup, "seed {seed}: {error} above {bound:?}");
        let best = certificate.best_lipschitz_bound().unwrap().unwrap();
        tightness.lipschitz.push(best.bound / errors_of_signal);
    }
}

fn attempts(seeds: std::ops::Range<u64>) -> Tightness {
    let mut tightness = Tightness::default();
    seeds.for_each(|seed| attempt(seed, &mut tightness));
    tightness
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn no_bound_is_violated_and_bounds_from_weights_are_not_far_off() {
    let found = attempts(0..600);
    assert!(found.n_everywhere > 10, "{}", found.n_everywhere);
    assert!(found.theorem.len() > 40 && found.lipschitz.len() > 40, "too few equal-volume layouts");
    let [signal, affine] = [median(found.nadaraya_watson), median(found.local_linear)];
    assert!(signal < 12.0 && affine < 12.0, "{signal} {affine}");
}

/// `make certify-check` runs this.
#[test]
#[ignore = "three minutes; 600 of these run with the suite"]
fn no_bound_is_violated_in_a_hundred_thousand_attempts() {
    let found = attempts(1000..101_000);
    let of = |values: Vec<f64>| (values.len(), median(values));
    println!("bounds over the whole domain: {}", found.n_everywhere);
    println!("bound over true error, (number, median):");
    println!("  Nadaraya–Watson, weights: {:?}", of(found.nadaraya_watson));
    println!("  local linear, weights:    {:?}", of(found.local_linear));
    println!("  Lipschitz form, best ℓ:   {:?}", of(found.lipschitz));
    println!("  theorem, best ℓ*:         {:?}", of(found.theorem));
}
