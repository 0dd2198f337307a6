//! Theorem eps-disc, Corollary optimized-disc, and the sharper bound.

use crate::{fine, fit, unit};
use lto_numerics::design::Design;
use lto_numerics::geometry::EqualVolume;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{
    Certificate, Estimator, Partition, Regularity, TheoremBound, TrialField, discretization_error,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

#[test]
fn both_bounds_hold_and_where_they_say_nothing_they_say_so() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for (dim, n, n_fine) in [(1, 200, 501), (2, 1024, 61), (3, 4096, 17)] {
        for periodic in [true, false] {
            let domain = unit(dim, periodic);
            let points = Design::Jittered.points(&domain, n, &mut rng).unwrap();
            let field = TrialField::random(&domain, 3, 2, &mut rng);
            let certificate = Certificate::new(&points, field.regularity(&domain).unwrap()).unwrap();
            assert_eq!(certificate.assumptions.hold(), periodic);
            assert!(certificate.is_certain());
            for ell in [0.03, 0.1, 0.3, 0.6] {
                let query = fine(&domain, n_fine);
                let setconv = SetConv::new(ell).unwrap();
                let states = [|x: &[f64]| field.value(x)];
                let error =
                    discretization_error(Estimator::NadarayaWatson, &setconv, &points, &query, &states)
                        .unwrap();
                if let Some(theorem) = certificate.theorem_bound(ell).unwrap() {
                    assert!(error <= theorem.bound, "{dim} {ell} {periodic}: {error} above {theorem:?}");
                }
                if let Some(lipschitz) = certificate.lipschitz_bound(ell).unwrap() {
                    assert!(error <= lipschitz.bound, "{dim} {ell} {periodic}: {error} above {lipschitz:?}");
                }
            }
            assert_eq!(certificate.theorem_bound(certificate.fill_distance.lower).unwrap(), None);
            assert!(certificate.theorem_bound(-1.0).is_err());
        }
    }
}

#[test]
fn the_optimum_of_the_corollary_is_the_least_of_the_theorem() {
    for (dim, m, c, delta) in [(1, 40.0, 3.0, 0.01), (2, 7.0, 2.0, 0.2), (3, 100.0, 5.0, 1e-4)] {
        let bound = |ell: f64| 0.5 * dim as f64 * m * ell * ell + c * delta / ell;
        let (ell, least) = TheoremBound::optimum(dim, m, c, delta);
        assert!((bound(ell) / least - 1.0).abs() < 1e-12);
        assert!(bound(1.01 * ell) > least && bound(0.99 * ell) > least);
        let (_, eighth) = TheoremBound::optimum(dim, m, c, delta / 8.0);
        assert!((least / eighth - 4.0).abs() < 1e-9);
    }
}

/// The best bounds over a family of grids: δ^{2/3} for the theorem, δ for the sharper form.
#[test]
fn the_best_bounds_have_their_rates() {
    for (dim, sizes) in
        [(1, [20_000, 80_000, 320_000]), (2, [3200, 12_800, 51_200]), (3, [2000, 8000, 32_000])]
    {
        let domain = unit(dim, true);
        let m = 4.0 * std::f64::consts::PI.powi(2);
        let of = |n: usize| {
            let points = fine(&domain, n);
            let certificate =
                Certificate::new(&points, Regularity::new(&domain, m, Some(1.0), None).unwrap());
            let certificate = certificate.unwrap();
            let theorem = certificate.best_theorem_bound().unwrap().unwrap();
            let lipschitz = certificate.best_lipschitz_bound().unwrap().unwrap();
            assert!(lipschitz.bound < theorem.bound);
            // The least of the bound is near where the corollary with its own constant says.
            let delta = certificate.fill_distance.upper;
            let (ell, _) = TheoremBound::optimum(dim, m, theorem.constant, delta);
            assert!((ell / theorem.length_scale).ln().abs() < 0.4, "{ell} {theorem:?}");
            let limit = TheoremBound::limit_constant(dim, certificate.regularity.oscillation);
            assert!(theorem.constant > limit && theorem.constant < 4.0 * limit, "{theorem:?} {limit}");
            ((delta, theorem.bound), (delta, lipschitz.bound))
        };
        let found = sizes.map(of);
        let theorem = fit(&found.map(|f| f.0)).slope;
        let lipschitz = fit(&found.map(|f| f.1)).slope;
        assert!((theorem - 2.0 / 3.0).abs() < 0.15, "{dim}: {theorem}");
        assert!((lipschitz - 1.0).abs() < 0.15, "{dim}: {lipschitz}");
    }
}

#[test]
fn unequal_cells_are_reported_and_loosen_the_bound() {
    let domain = unit(1, true);
    // Cells of 0.9 and 1.1 times the mean width.
    let x: Vec<f64> = (0..40).map(|i| (f64::from(i) + if i % 2 == 0 { 0.0 } else { 0.1 }) / 40.0).collect();
    let mut shifted = x.clone();
    shifted[0] = 0.013;
    shifted[1] = 0.0262;
    shifted[2] = 0.0263;
    let regularity = Regularity::new(&domain, 40.0, Some(1.0), None).unwrap();
    let of = |x: Vec<f64>| {
        let points = lto_numerics::points::Points::scattered(domain.clone(), x).unwrap();
        Certificate::new(&points, regularity.clone()).unwrap()
    };
    assert_eq!(of(x).assumptions.partition, Partition::EqualVolume);
    let uneven = of(shifted);
    let Partition::Voronoi { equal_volume, deviation, least_ratio } = uneven.assumptions.partition else {
        panic!("{uneven:?}");
    };
    assert_ne!(equal_volume, EqualVolume::Holds);
    assert!(deviation > 0.3 && least_ratio < 0.8, "{deviation} {least_ratio}");
    assert!(!uneven.is_certain() && !uneven.assumptions.hold());
}
