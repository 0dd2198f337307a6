//! Theorem eps-disc, Corollary optimized-disc, and the sharper bound.

use crate::{fine, fit, unit};
use lto_numerics::design::PointDesign;
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
    for (dim, design, n, n_fine, scales) in [
        (1, PointDesign::Jittered, 400, 501, [0.05, 0.1, 0.3]),
        (2, PointDesign::Jittered, 4096, 61, [0.2, 0.3, 0.4]),
        (3, PointDesign::Grid, 27_000, 17, [0.1, 0.2, 0.3]),
    ] {
        // Of three open axes only an eighth of the kernel is left in a corner: it would take too many points.
        for periodic in [true, false].into_iter().filter(|periodic| *periodic || dim < 3) {
            let domain = unit(dim, periodic);
            let points = design.points(&domain, n, &mut rng).unwrap();
            let field = TrialField::random(&domain, 3, 2, &mut rng);
            let certificate = Certificate::new(&points, field.regularity(&domain).unwrap()).unwrap();
            assert_eq!(certificate.assumptions.hold(), periodic, "{dim}: {:?}", certificate.assumptions);
            assert!(certificate.is_certain());
            let query = fine(&domain, n_fine);
            for ell in scales {
                let setconv = SetConv::new(ell).unwrap();
                let states = [|x: &[f64]| field.value(x)];
                let error =
                    discretization_error(Estimator::NadarayaWatson, &setconv, &points, &query, &states)
                        .unwrap();
                let case = format!("{dim} {ell} {periodic}: {error}");
                let theorem = certificate.theorem_bound(&setconv).expect(&case);
                let lipschitz = certificate.lipschitz_bound(&setconv).expect(&case);
                assert!(error <= theorem.bound, "{case} above {theorem:?}");
                assert!(error <= lipschitz.bound, "{case} above {lipschitz:?}");
                let range = certificate.regularity.oscillation;
                assert!(theorem.bound.max(lipschitz.bound) <= range * (1.0 + 1e-7), "{case}: {theorem:?}");
            }
            let narrow = SetConv::new(certificate.fill_distance.lower).unwrap();
            assert_eq!(certificate.theorem_bound(&narrow), None);
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
            // Cells of a grid reach δ, half of what the theorem assumes.
            let ratio = theorem.constant / limit;
            assert!(ratio > 0.5 && ratio < 2.0, "{theorem:?} {limit}");
            ((delta, theorem.bound), (delta, lipschitz.bound))
        };
        let found = sizes.map(of);
        let theorem = fit(&found.map(|f| f.0)).slope;
        let lipschitz = fit(&found.map(|f| f.1)).slope;
        assert!((theorem - 2.0 / 3.0).abs() < 0.15, "{dim}: {theorem}");
        assert!((lipschitz - 1.0).abs() < 0.15, "{dim}: {lipschitz}");
    }
}

/// On a line the volumes are exact, so that the bound for unequal cells holds for sure; it is above that of an even layout.
#[test]
fn unequal_cells_are_reported_and_loosen_the_bound() {
    let domain = unit(1, true);
    let field = TrialField::wave(&domain, 1.0, 1);
    let of = |shake: f64| {
        // Pairs of neighbors move towards each other and all the pairs towards the middle: cells grow outwards.
        let x = (0..400).map(|i| {
            let even = (f64::from(i) + 0.5) / 400.0;
            let pairwise = if i % 2 == 0 { 0.45 } else { -0.45 } / 400.0;
            even + shake * (pairwise - 0.02 * (std::f64::consts::TAU * even).sin())
        });
        let points = lto_numerics::points::Points::scattered(domain.clone(), x.collect()).unwrap();
        let certificate = Certificate::new(&points, field.regularity(&domain).unwrap()).unwrap();
        (points, certificate)
    };
    let (_, even) = of(0.0);
    let (points, uneven) = of(1.0);
    let Partition::Voronoi { equal_volume, deviation, least_ratio, exact } = uneven.assumptions.partition
    else {
        panic!("{uneven:?}");
    };
    assert!(matches!(even.assumptions.partition, Partition::EqualVolume { .. }) && exact);
    assert_eq!(equal_volume, EqualVolume::Undecided);
    // Cells are from 1 − 0.04π to 1 + 0.04π times as long as the mean.
    let stretch = 0.04 * std::f64::consts::PI;
    assert!((least_ratio * (1.0 + stretch) - 1.0).abs() < 1e-3, "{least_ratio}");
    assert!((deviation - (1.0 / (1.0 - stretch) - 1.0)).abs() < 1e-3, "{deviation}");
    assert!(uneven.is_certain() && !uneven.assumptions.hold() && even.assumptions.hold());
    let query = fine(&domain, 4001);
    for ell in [0.02, 0.05, 0.1] {
        let states = [|x: &[f64]| field.value(x)];
        let setconv = SetConv::new(ell).unwrap();
        let error = discretization_error(Estimator::NadarayaWatson, &setconv, &points, &query, &states);
        let error = error.unwrap();
        let theorem = |of: &Certificate| of.theorem_bound(&setconv).unwrap();
        let lipschitz = |of: &Certificate| of.lipschitz_bound(&setconv).unwrap().bound;
        let bound = theorem(&uneven);
        assert!(error <= bound.bound && error <= lipschitz(&uneven), "{ell}: {error} above {bound:?}");
        assert!(bound.quadrature_error > theorem(&even).quadrature_error, "{ell}");
        assert!(lipschitz(&uneven) > lipschitz(&even), "{ell}");
    }
}
