//! Eq. bias-bound and Proposition quadrature. Lemma kbar-constant is checked beside `kernel_mass`, Lemma
//! encoder-stability beside the set convolution.

use crate::{crowding_towards_the_middle, fit, unit};
use lto_numerics::design::PointDesign;
use lto_numerics::domain::Domain;
use lto_numerics::grid::Grid;
use lto_numerics::kernel::Gaussian;
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{
    Certificate, Estimator, Profile, Regularity, TrialField, kernel_mass, smoothed, smoothing_bias,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn the_smoothing_bias_is_below_its_bound_and_of_second_order() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for dim in 1..=3 {
        let domain = unit(dim, true);
        let field = TrialField::random(&domain, 4, 2, &mut rng);
        let m = field.regularity(&domain).unwrap().curvature_bound;
        for ell in [0.02, 0.1, 0.6] {
            let kernel = Gaussian::new(ell).unwrap();
            for _ in 0..[20, 10, 2][dim - 1] {
                let x: Vec<f64> = (0..dim).map(|_| rng.random()).collect();
                let bias = smoothing_bias(&domain, &kernel, |y| field.value(y), &x);
                assert!(bias <= 0.5 * dim as f64 * m * ell * ell, "{dim} {ell}: {bias}");
            }
        }
    }
    // At the crest of a wave along the only axis, bound and bias meet as ℓ shrinks.
    let (domain, wave) = (unit(1, true), TrialField::wave(&unit(1, true), 1.5, 1));
    let m = wave.regularity(&domain).unwrap().curvature_bound;
    let crest = [1.0 - 0.3 / std::f64::consts::TAU];
    let bias = |ell: f64| smoothing_bias(&domain, &Gaussian::new(ell).unwrap(), |y| wave.value(y), &crest);
    let pairs: Vec<_> = [0.005, 0.01, 0.02].map(|ell| (ell, bias(ell))).to_vec();
    assert!((pairs[0].1 / (0.5 * m * 0.005f64.powi(2)) - 1.0).abs() < 1e-3);
    assert!((fit(&pairs).slope - 2.0).abs() < 0.01);
}

/// At an end and at a corner, where the state slopes along the diagonal: the bound is met to a third, and of first order.
#[test]
fn at_an_open_end_the_bias_is_of_first_order_and_below_its_bound() {
    for (dim, n) in [(1, 4000), (2, 400)] {
        let (domain, bend) = (unit(dim, false), 0.2);
        let diagonal = (dim as f64).sqrt();
        let state = |x: &[f64]| x.iter().map(|x| x / diagonal + 0.5 * bend * x * x).sum::<f64>();
        let regularity = Regularity::new(&domain, bend, Some(4.0), Some(1.0 + bend * diagonal)).unwrap();
        let certificate = Certificate::new(&crate::fine(&domain, n), regularity).unwrap();
        let bias = |ell: f64| smoothing_bias(&domain, &Gaussian::new(ell).unwrap(), state, &vec![0.0; dim]);
        for ell in [0.04, 0.1] {
            let bound = certificate.theorem_bound(&SetConv::new(ell).unwrap()).unwrap().smoothing_bias;
            assert!(bias(ell) <= bound && bound <= 1.5 * bias(ell), "{dim} {ell}: {} {bound}", bias(ell));
        }
        let pairs: Vec<_> = [1e-4, 2e-4, 4e-4].map(|ell| (ell, bias(ell))).to_vec();
        assert!((fit(&pairs).slope - 1.0).abs() < 0.02);
    }
}

/// |ρ |Ω|/N − κ̄| / κ̄ in the middle, and its bound.
fn density_error(dim: usize, n: usize, ell: f64) -> (f64, f64, f64) {
    let (domain, points) = (unit(dim, true), crowding_towards_the_middle(dim, n));
    let (setconv, middle) = (SetConv::new(ell).unwrap(), vec![0.5; dim]);
    let query = Points::grid(Grid::from_coordinates(domain.clone(), vec![vec![0.5]; dim]).unwrap());
    let density = setconv.apply(&points, &vec![1.0; points.len()], &query).unwrap().density[0];
    let mass = kernel_mass(&domain, setconv.kernel(), &middle);
    let delta = lto_numerics::geometry::fill_distance(&points, 1e-3).unwrap().upper;
    let eta = 2.0 * delta / ell;
    let bound = eta * Profile::Gradient.swollen_integral(dim, eta) * ell.powi(dim as i32) / mass;
    ((density / points.len() as f64 / mass - 1.0).abs(), bound, delta)
}

#[test]
fn the_density_is_off_by_the_order_of_delta_over_ell_where_points_crowd() {
    for (dim, sizes) in [(1, [101, 201, 401, 801]), (2, [41, 81, 161, 321]), (3, [41, 61, 81, 101])] {
        let at = |n: usize, ell: f64| {
            let (error, bound, delta) = density_error(dim, n, ell);
            assert!(error <= bound, "{dim} {n} {ell}: {error} above {bound}");
            // Nor is the bound vacuous.
            assert!(delta > 0.2 * ell || bound < 10.0 * error, "{dim} {n} {ell}: {bound} against {error}");
            (delta, error)
        };
        let finer = fit(&sizes.map(|n| at(n, 0.12)));
        assert!((finer.slope - 1.0).abs() < 0.1, "{dim}: {finer:?}");
        let wider = fit(&[0.06, 0.08, 0.11].map(|ell| (ell, at(sizes[3], ell).1)));
        assert!((wider.slope + 1.0).abs() < 0.15, "{dim}: {wider:?}");
    }
}

/// max over some places of |û − ū_ℓ|.
fn quadrature_error(domain: &Domain, points: &Points, ell: f64, field: &TrialField, places: &[f64]) -> f64 {
    let (setconv, dim) = (SetConv::new(ell).unwrap(), domain.dim());
    let values: Vec<f64> = points.coordinates().chunks_exact(dim).map(|x| field.value(x)).collect();
    let query = Points::scattered(domain.clone(), places.to_vec()).unwrap();
    let found = Estimator::NadarayaWatson.apply(&setconv, points, &values, &query).unwrap();
    let error =
        |(x, found): (&[f64], f64)| (found - smoothed(domain, setconv.kernel(), |y| field.value(y), x)).abs();
    places.chunks_exact(dim).zip(found).map(error).fold(0.0, f64::max)
}

#[test]
fn the_quadrature_error_is_below_c_delta_over_ell() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let cases = [
        (PointDesign::Grid, 1, 60, 0.2),
        (PointDesign::Jittered, 1, 300, 0.05),
        (PointDesign::Grid, 2, 1600, 0.2),
        (PointDesign::Jittered, 2, 4096, 0.2),
        (PointDesign::Grid, 3, 64_000, 0.2),
    ];
    for (design, dim, n, ell) in cases {
        let domain = unit(dim, true);
        let points = design.points(&domain, n, &mut rng).unwrap();
        let field = TrialField::random(&domain, 3, 2, &mut rng);
        let certificate = Certificate::new(&points, field.regularity(&domain).unwrap()).unwrap();
        assert!(certificate.assumptions.hold() && certificate.is_certain());
        let bound = certificate.theorem_bound(&SetConv::new(ell).unwrap()).unwrap();
        let places: Vec<f64> = (0..[24, 6, 1][dim - 1] * dim).map(|_| rng.random()).collect();
        let error = quadrature_error(&domain, &points, ell, &field, &places);
        assert!(error <= bound.quadrature_error, "{dim} {n}: {error} above {bound:?}");
    }
}

#[test]
fn the_quadrature_error_falls_with_delta() {
    let domain = unit(1, true);
    let field = TrialField::wave(&domain, 1.0, 3);
    let error = |n: usize| {
        let points = crowding_towards_the_middle(1, n);
        (1.0 / n as f64, quadrature_error(&domain, &points, 0.1, &field, &[0.5, 0.55, 0.45, 0.6]))
    };
    let fit = fit(&[51, 101, 201, 401, 801].map(error));
    assert!((fit.slope - 1.0).abs() < 0.1, "{fit:?}");
}
