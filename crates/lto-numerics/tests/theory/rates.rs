//! Corollary disc-invariance: the rates in N.

use crate::{crowding_towards_the_middle, fine, fit, unit};
use lto_numerics::design::PointDesign;
use lto_numerics::domain::Domain;
use lto_numerics::pde::HeatField;
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{
    Certificate, Estimator, RateSweep, Regularity, ScaleRule, SweepRequest, TheoremBound, TrialField,
    smoothed,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const OPTIMUM: (Estimator, ScaleRule) = (Estimator::NadarayaWatson, ScaleRule::Optimum);

fn request<'a>(
    design: PointDesign,
    (estimator, rule): (Estimator, ScaleRule),
    regularity: &'a Regularity,
    query: &'a Points,
) -> SweepRequest<'a> {
    let n_layouts = if design == PointDesign::Grid { 1 } else { 3 };
    SweepRequest { design, estimator, rule, n_layouts, seed: 1, regularity, query, tuning: query }
}

/// ε_disc(N) of one wave along each axis.
fn sweep_wave(
    domain: &Domain,
    n_fine: usize,
    sizes: &[usize],
    design: PointDesign,
    how: (Estimator, ScaleRule),
) -> RateSweep {
    let wave = TrialField::wave(domain, 1.0, 1);
    let (regularity, query) = (wave.regularity(domain).unwrap(), fine(domain, n_fine));
    request(design, how, &regularity, &query).run(sizes, &[|x: &[f64]| wave.value(x)]).unwrap()
}

#[test]
fn on_grids_the_error_at_the_optimum_has_the_rate_of_the_corollary() {
    for (dim, along, n_fine) in
        [(1, [1 << 10, 1 << 12, 1 << 14], 997), (2, [128, 256, 512], 61), (3, [48, 80, 128], 17)]
    {
        let sizes = along.map(|n: usize| n.pow(dim as u32));
        let found = sweep_wave(&unit(dim, true), n_fine, &sizes, PointDesign::Grid, OPTIMUM);
        let rate = -2.0 / (3.0 * dim as f64);
        assert!((found.predicted_slope.unwrap() - rate).abs() < 1e-12);
        // The bias of a wave saturates: the slope comes near its limit from above.
        assert!(found.fit.slope > rate && found.fit.slope < 0.9 * rate, "{dim}: {found:?}");
        // ℓ* is of order δ^{1/3}.
        let scales: Vec<_> = found.points.iter().map(|at| (at.fill_distance, at.length_scale)).collect();
        assert!((fit(&scales).slope - 1.0 / 3.0).abs() < 1e-9);
    }
}

/// The optimum on equal-volume layouts that crowd, so that the sums are off the integrals as far as such layouts allow:
/// error and bound of the theorem keep their ratio while both fall by δ^{2/3}, and both parts of the error are there. The
/// part of the sums is of order δ for any one state (the Lipschitz form says so), hence falls behind the bias.
#[test]
fn where_points_crowd_the_error_at_the_optimum_keeps_its_ratio_to_the_bound() {
    let domain = unit(1, true);
    let wave = TrialField::wave(&domain, 1.0, 1);
    let bounds = wave.regularity(&domain).unwrap();
    let (mut errors, mut sums) = (Vec::new(), Vec::new());
    for n in [51, 201, 801, 3201] {
        let points = crowding_towards_the_middle(1, n);
        let certificate = Certificate::new(&points, bounds.clone()).unwrap();
        assert!(certificate.assumptions.hold());
        let delta = certificate.fill_distance.upper;
        let constant = TheoremBound::limit_constant(1, bounds.oscillation);
        let (ell, bound) = TheoremBound::optimum(1, bounds.curvature_bound, constant, delta);
        let (setconv, query) = (SetConv::new(ell).unwrap(), fine(&domain, 8 * n + 1));
        let state = |x: &[f64]| wave.value(x);
        let values: Vec<f64> = points.coordinates().iter().map(|x| state(&[*x])).collect();
        let estimate = setconv.apply(&points, &values, &query).unwrap().signal;
        // [error, bias, error of the sums] at their largest.
        let mut parts = [0.0f64; 3];
        for (x, found) in query.coordinates().iter().zip(estimate) {
            let (truth, smooth) = (state(&[*x]), smoothed(&domain, setconv.kernel(), state, &[*x]));
            let at = [found - truth, smooth - truth, found - smooth].map(f64::abs);
            parts = std::array::from_fn(|i| parts[i].max(at[i]));
        }
        let [error, bias, quadrature] = parts;
        assert!(bound / error > 2.8 && bound / error < 3.4, "{n}: {bound} {error}");
        assert!(bias > 0.9 * error && quadrature > 0.01 * error, "{n}: {parts:?}");
        if n == 51 {
            // Here they are a tenth of the error, which is more than the bias alone.
            assert!(quadrature > 0.08 * error && error > 1.03 * bias, "{parts:?}");
        }
        errors.push((delta, error));
        sums.push((delta, quadrature));
    }
    assert!((fit(&errors).slope - 2.0 / 3.0).abs() < 0.04, "{errors:?}");
    assert!((fit(&sums).slope - 1.0).abs() < 0.2, "{sums:?}");
}

#[test]
fn independent_points_have_the_rate_with_a_logarithm() {
    for (dim, sizes, n_fine) in
        [(1, [128, 512, 2048], 1 << 14), (2, [144, 576, 2304], 137), (3, [1024, 4096, 16_384], 24)]
    {
        // Eight places for each point at least on lines and planes, and about one in space.
        let found = sweep_wave(&unit(dim, true), n_fine, &sizes, PointDesign::Iid, OPTIMUM);
        let pairs: Vec<_> = found
            .points
            .iter()
            .map(|at| ((at.n_points as f64).ln() / at.n_points as f64, at.error))
            .collect();
        let (slope, rate) = (fit(&pairs).slope, 2.0 / (3.0 * dim as f64));
        assert!((slope / rate - 1.0).abs() < 0.3, "{dim}: {slope} against {rate}, {pairs:?}");
        // The same, said as a slope in N: flatter than without the logarithm.
        let predicted = found.predicted_slope.unwrap();
        assert!(predicted > -rate && predicted < -0.8 * rate, "{dim}: {predicted}");
    }
}

/// At the best ℓ the local linear estimate has N^{−2/D} on every design, boundaries included; Nadaraya–Watson is between
/// N^{−1/D} and that where points are not placed regularly.
#[test]
fn the_local_linear_estimate_has_twice_the_order_of_the_signal() {
    for periodic in [true, false] {
        let domain = unit(2, periodic);
        let slope = |design, estimator| {
            sweep_wave(&domain, 67, &[64, 256, 1024], design, (estimator, ScaleRule::Best)).fit
        };
        let found = slope(PointDesign::Jittered, Estimator::LocalLinear);
        assert!((found.slope + 1.0).abs() < 0.15, "{periodic}: {found:?}");
        // Steeper on open grids: at the best ℓ errors of either sign cancel in part.
        let (found, least) =
            (slope(PointDesign::Grid, Estimator::LocalLinear), if periodic { -1.05 } else { -1.3 });
        assert!(found.slope < -0.9 && found.slope > least, "{periodic}: {found:?}");
        let signal = slope(PointDesign::Jittered, Estimator::NadarayaWatson);
        assert!(signal.slope < -0.4 && signal.slope > -0.85, "{periodic}: {signal:?}");
    }
}

#[test]
fn a_sweep_follows_from_its_seed_and_takes_states_in_closed_form() {
    let domain = unit(2, true);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let fields: Vec<HeatField> = (0..2).map(|_| HeatField::draw(2, 4, &mut rng)).collect();
    let states: Vec<_> = fields.iter().map(|field| |x: &[f64]| field.value(x)).collect();
    let (regularity, query) = (fields[0].regularity().unwrap(), fine(&domain, 21));
    let asked = request(PointDesign::Halton, OPTIMUM, &regularity, &query);
    let found = asked.run(&[64, 256], &states).unwrap();
    assert_eq!(found, asked.run(&[64, 256], &states).unwrap());
    assert_ne!(found, SweepRequest { seed: 2, ..asked }.run(&[64, 256], &states).unwrap());
    assert_eq!(found.points[0].errors.len(), 3);
    // The largest over the states, for every layout.
    let each = asked.run(&[64], &states[..1]);
    assert!(each.is_err(), "one size has no rate");
    let first = asked.point(64, &states[..1]).unwrap();
    assert!(first.errors.iter().zip(&found.points[0].errors).all(|(one, both)| one <= both));
    assert!(SweepRequest { n_layouts: 0, ..asked }.point(64, &states).is_err());
}
