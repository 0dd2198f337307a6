//! Every method of summation against the sums as defined, and the properties that the paper proves.

use super::moments::{Moments, Term, pick};
use super::{SetConv, TRUNCATION, dense, tiles};
use crate::domain::{Axis, Domain};
use crate::error::Error;
use crate::grid::{Grid, Placement};
use crate::kernel::Gaussian;
use crate::points::{PointStructure, Points};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(super) fn random_domain(dim: usize, rng: &mut ChaCha8Rng) -> Domain {
    let axis = |rng: &mut ChaCha8Rng| {
        let (lower, length) = (rng.random_range(-2.0..2.0), rng.random_range(0.5..2.0));
        Axis::new("x", lower, lower + length, rng.random())
    };
    Domain::new((0..dim).map(|_| axis(rng)).collect()).unwrap()
}

pub(super) fn random_grid(domain: &Domain, most: usize, rng: &mut ChaCha8Rng) -> Grid {
    let axes: Vec<_> = domain
        .axes()
        .iter()
        .map(|axis| {
            let placements = if axis.periodic { &Placement::ALL[..2] } else { &Placement::ALL[..] };
            (rng.random_range(1..=most), placements[rng.random_range(0..placements.len())])
        })
        .collect();
    Grid::uniform(domain.clone(), &axes).unwrap()
}

/// A grid with random lines. No point of it is half a period from one of a uniform grid, where rounding would
/// decide the sign of the shortest displacement, and with it odd moments.
fn uneven_grid(domain: &Domain, most: usize, rng: &mut ChaCha8Rng) -> Grid {
    let line = |axis: &Axis, rng: &mut ChaCha8Rng| {
        let n = rng.random_range(1..=most);
        let mut x: Vec<f64> = (0..n).map(|_| rng.random_range(axis.lower..axis.upper)).collect();
        x.sort_by(f64::total_cmp);
        x
    };
    let coordinates = domain.axes().iter().map(|axis| line(axis, rng)).collect();
    Grid::from_coordinates(domain.clone(), coordinates).unwrap()
}

pub(super) fn random_points(domain: &Domain, n: usize, rng: &mut ChaCha8Rng) -> Points {
    let point = |rng: &mut ChaCha8Rng| -> Vec<f64> {
        domain.axes().iter().map(|a| rng.random_range(a.lower..a.upper)).collect()
    };
    Points::scattered(domain.clone(), (0..n).flat_map(|_| point(rng)).collect()).unwrap()
}

pub(super) fn random_mask(grid: &Grid, rng: &mut ChaCha8Rng) -> Points {
    let mut indices: Vec<usize> = (0..grid.len()).filter(|_| rng.random_bool(0.5)).collect();
    if indices.is_empty() {
        indices.push(rng.random_range(0..grid.len()));
    }
    Points::masked(grid.clone(), indices).unwrap()
}

pub(super) fn random_values(n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// Errors are measured against the density (sums with |u| ≤ 1 and |δ| ≤ 1 or so cancel); below 1e-290 numbers
/// are subnormal or nearly so.
fn assert_close(a: &[f64], b: &[f64], density: &[f64], scale: f64, what: &str) {
    assert_eq!(a.len(), b.len());
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        let allowed = 1e-10 * scale * density[i % density.len()] + 1e-290;
        assert!((a - b).abs() <= allowed, "{what}: {a} and {b} at {i}, allowed {allowed:e}");
    }
}

/// Every applicable method against the dense sums.
fn check_all_ways(moments: &Moments, grids: Option<(&Grid, &Grid)>) {
    let expected = dense::sums(moments);
    let density = &expected[..moments.query.len()];
    // Powers of displacements scale with the domain.
    let scale = moments.context.domain().diameter().max(1.0).powi(2);
    assert_close(&tiles::sums(moments), &expected, density, scale, "tiles");
    assert_close(&moments.sums(), &expected, density, scale, "chosen way");
    let scattered = moments.query.to_scattered();
    let direct = Moments { query: &scattered, ..*moments };
    assert_close(&tiles::sums(&direct), &expected, density, scale, "scattered query");
    if let Some((from, to)) = grids {
        let mut sums = moments.weights(from, to).sums(moments);
        if let PointStructure::Masked { indices, .. } = moments.query.structure() {
            sums = pick(&sums, to.len(), indices);
        }
        assert_close(&sums, &expected, density, scale, "axis products");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// From ℓ a thousandth of the spacing (densities underflow) to ℓ ten times the domain.
    #[test]
    fn scattered_masked_grid_and_dense_agree(seed: u64, dim in 1usize..=3, exponent in -4.0..1.0, affine: bool) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let domain = random_domain(dim, rng);
        let kernel = Gaussian::new(domain.diameter() * 10f64.powf(exponent)).unwrap();
        let most = [60, 14, 6][dim - 1];
        let from = random_grid(&domain, most, rng);
        let to = if affine { uneven_grid(&domain, most, rng) } else { random_grid(&domain, most, rng) };
        let terms = if affine { Term::affine(dim, 2) } else { Term::channels(2) };
        let truncation = if affine { 1e-3 * TRUNCATION } else { TRUNCATION };
        let (full, masked) = (Points::grid(from.clone()), random_mask(&from, rng));
        let (n, queries) = (rng.random_range(1..400), [Points::grid(to.clone()), random_mask(&to, rng)]);
        let scattered = random_points(&domain, n, rng);
        for query in &queries {
            for (context, grids) in
                [(&full, Some((&from, &to))), (&masked, Some((&from, &to))), (&scattered, None)]
            {
                let values = random_values(2 * context.len(), rng);
                let moments = Moments { kernel, context, values: &values, query, terms: &terms, truncation };
                check_all_ways(&moments, grids);
            }
        }
    }

    /// |û(u) − û(v)| ≤ max |u − v| for all N, placements and ℓ, and |ν(u) − ν(v)| ≤ ρ max |u − v|.
    #[test]
    fn the_signal_is_one_lipschitz(seed: u64, dim in 1usize..=3, exponent in -3.0..1.0, on_grid: bool) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let domain = random_domain(dim, rng);
        let n = rng.random_range(1..300);
        let context = if on_grid {
            random_mask(&random_grid(&domain, 8, rng), rng)
        } else {
            random_points(&domain, n, rng)
        };
        let query = Points::grid(random_grid(&domain, 8, rng));
        let (u, v) = (random_values(context.len(), rng), random_values(context.len(), rng));
        let largest = u.iter().zip(&v).map(|(u, v)| (u - v).abs()).fold(0.0, f64::max);
        let setconv = SetConv::new(domain.diameter() * 10f64.powf(exponent)).unwrap();
        let [of_u, of_v] = [&u, &v].map(|values| setconv.apply(&context, values, &query).unwrap());
        for (a, b) in of_u.signal.iter().zip(&of_v.signal) {
            prop_assert!((a - b).abs() <= largest * (1.0 + 1e-12), "{a} {b} {largest}");
        }
        for ((a, b), rho) in of_u.raw_signal.iter().zip(&of_v.raw_signal).zip(&of_u.density) {
            // Subnormal numbers have fewer digits.
            let most = rho * largest * (1.0 + 1e-12) + f64::MIN_POSITIVE;
            prop_assert!((a - b).abs() <= most, "{a} {b} {rho} {largest}");
        }
    }

    #[test]
    fn the_order_of_the_context_does_not_matter(seed: u64, dim in 1usize..=3, on_grid: bool) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let domain = random_domain(dim, rng);
        let points = random_points(&domain, 150, rng);
        let values = random_values(150, rng);
        let mut order: Vec<usize> = (0..150).collect();
        for i in (1..150).rev() {
            order.swap(i, rng.random_range(0..=i));
        }
        let flat = points.coordinates();
        let shuffled = order.iter().flat_map(|&i| flat[i * dim..(i + 1) * dim].to_vec()).collect();
        let shuffled = Points::scattered(domain.clone(), shuffled).unwrap();
        let shuffled_values: Vec<f64> = order.iter().map(|&i| values[i]).collect();
        let grid = Points::grid(random_grid(&domain, 8, rng));
        let query = if on_grid { grid } else { grid.to_scattered() };
        let setconv = SetConv::new(0.2).unwrap();
        prop_assert_eq!(
            setconv.apply(&points, &values, &query).unwrap(),
            setconv.apply(&shuffled, &shuffled_values, &query).unwrap()
        );
    }

    #[test]
    fn moving_all_points_round_a_periodic_domain_changes_nothing(
        seed: u64, dim in 1usize..=3, shift in prop::array::uniform3(-2.0..2.0), length_scale in 0.02..0.5,
    ) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let domain = Domain::unit(dim, true).unwrap();
        let (context, query) = (random_points(&domain, 100, rng), random_points(&domain, 40, rng));
        let values = random_values(100, rng);
        let moved = |points: &Points| {
            let moved = points.coordinates().iter().enumerate()
                .map(|(i, x)| domain.axes()[i % dim].wrap(x + shift[i % dim])).collect();
            Points::scattered(domain.clone(), moved).unwrap()
        };
        let setconv = SetConv::new(length_scale).unwrap();
        let here = setconv.apply(&context, &values, &query).unwrap();
        let there = setconv.apply(&moved(&context), &values, &moved(&query)).unwrap();
        // Rounding moves points by 1e-16, which κ amplifies by d/ℓ².
        assert_close(&here.density, &there.density, &here.density, 1.0, "density");
        assert_close(&here.raw_signal, &there.raw_signal, &here.density, 1.0, "raw signal");
        assert_close(&here.signal, &there.signal, &[1.0], 1.0, "signal");
    }

    #[test]
    fn the_local_linear_estimate_is_exact_on_affine_functions(
        seed: u64, dim in 1usize..=3, length_scale in 0.1..0.4, layout in 0..3,
    ) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let domain = Domain::unit(dim, false).unwrap();
        let grid = Grid::cubic(domain.clone(), [40, 12, 8][dim - 1], Placement::Vertex).unwrap();
        let context = match layout {
            0 => Points::grid(grid),
            1 => random_mask(&grid, rng),
            _ => random_points(&domain, 300, rng),
        };
        let query = Points::grid(random_grid(&domain, 7, rng));
        let slope: Vec<f64> = random_values(dim, rng);
        let affine = |points: &Points| -> Vec<f64> {
            points.coordinates().chunks_exact(dim)
                .map(|x| 0.7 + x.iter().zip(&slope).map(|(x, s)| x * s).sum::<f64>()).collect()
        };
        let values = affine(&context);
        let estimate = SetConv::new(length_scale).unwrap().local_linear(&context, &values, &query).unwrap();
        prop_assert_eq!(estimate.n_fallbacks, 0);
        assert_close(&estimate.signal, &affine(&query), &[1.0], 1.0, "estimate");
    }
}

#[test]
fn on_a_periodic_axis_affine_is_meant_along_shortest_ways() {
    let domain = Domain::unit(1, true).unwrap();
    let context = Points::grid(Grid::cubic(domain.clone(), 64, Placement::Center).unwrap());
    let values: Vec<f64> =
        context.coordinates().iter().map(|&x| domain.axes()[0].displacement(0.0, x)).collect();
    // Near 0 the field is x across the joined ends, until 0.5 comes within reach.
    let query = Points::scattered(domain, vec![0.0, 0.05, 0.97]).unwrap();
    let estimate = SetConv::new(0.05).unwrap().local_linear(&context, &values, &query).unwrap();
    for (a, b) in estimate.signal.iter().zip([0.0, 0.05, -0.03]) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

#[test]
fn neighbors_on_a_line_or_too_few_fall_back_to_the_signal() {
    let domain = Domain::unit(2, false).unwrap();
    let line = Points::scattered(domain.clone(), vec![0.1, 0.5, 0.4, 0.5, 0.9, 0.5]).unwrap();
    let two = Points::scattered(domain.clone(), vec![0.1, 0.5, 0.4, 0.8]).unwrap();
    let query = Points::grid(Grid::cubic(domain, 5, Placement::Center).unwrap());
    for (context, values) in [(&line, &[1.0, 2.0, 4.0][..]), (&two, &[1.0, 2.0])] {
        for length_scale in [1e-3, 0.3] {
            let setconv = SetConv::new(length_scale).unwrap();
            let estimate = setconv.local_linear(context, values, &query).unwrap();
            let signal = setconv.apply(context, values, &query).unwrap().signal;
            assert_eq!(estimate.n_fallbacks, 25);
            assert_close(&estimate.signal, &signal, &[1.0], 10.0, "fallback");
        }
    }
}

#[test]
fn the_raw_signal_has_no_bound_but_the_number_of_points() {
    let domain = Domain::unit(1, true).unwrap();
    let query = Points::scattered(domain.clone(), vec![0.5]).unwrap();
    let setconv = SetConv::new(0.1).unwrap();
    for n in [10, 100, 1000] {
        let cluster = (0..n).map(|i| 0.5 + 1e-7 * f64::from(i)).collect();
        let context = Points::scattered(domain.clone(), cluster).unwrap();
        let channels = setconv.apply(&context, &vec![1.0; n as usize], &query).unwrap();
        assert!((channels.density[0] / f64::from(n) - 1.0).abs() < 1e-6);
        assert!((channels.raw_signal[0] / f64::from(n) - 1.0).abs() < 1e-6);
        assert!((channels.signal[0] - 1.0).abs() < 1e-8);
    }
}

#[test]
fn a_nearest_point_many_length_scales_away_is_not_lost() {
    let domain = Domain::unit(2, false).unwrap();
    let context = Points::scattered(domain.clone(), vec![0.0, 0.0, 1.0, 1.0]).unwrap();
    let query = Points::scattered(domain, vec![0.3, 0.0]).unwrap();
    for ratio in [5.0f64, 10.0, 30.0] {
        let channels = SetConv::new(0.3 / ratio).unwrap().apply(&context, &[3.0, 5.0], &query).unwrap();
        let expected = (-0.5 * ratio * ratio).exp();
        assert!((channels.density[0] / expected - 1.0).abs() < 1e-10, "{ratio}: {}", channels.density[0]);
        assert!((channels.signal[0] - 3.0 * expected / (expected + 1e-8)).abs() < 1e-10);
    }
    let channels = SetConv::new(1e-3).unwrap().apply(&context, &[3.0, 5.0], &query).unwrap();
    assert_eq!((channels.density[0], channels.signal[0]), (0.0, 0.0));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let domain = Domain::unit(2, true).unwrap();
    let grid = Grid::cubic(domain.clone(), 70, Placement::Left).unwrap();
    let query = Points::grid(Grid::cubic(domain.clone(), 50, Placement::Center).unwrap());
    let setconv = SetConv::new(0.03).unwrap();
    for context in [random_points(&domain, 40_000, rng), random_mask(&grid, rng)] {
        let values = random_values(context.len(), rng);
        let with = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| setconv.apply(&context, &values, &query).unwrap())
        };
        assert_eq!(with(1), with(3));
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let domain = Domain::unit(2, true).unwrap();
    let grid = |domain: Domain| Points::grid(Grid::cubic(domain, 4, Placement::Left).unwrap());
    let (context, setconv) = (grid(domain.clone()), SetConv::new(0.1).unwrap());
    let query = context.clone();
    let err = setconv.apply(&context, &[0.0; 17], &query).unwrap_err();
    assert!(matches!(err, Error::Mismatch { expected: 16, got: 17, .. }), "{err}");
    assert!(matches!(setconv.apply(&context, &[], &query), Err(Error::Mismatch { got: 0, .. })));
    let mut values = vec![0.0; 32];
    values[19] = f64::NAN;
    let err = setconv.local_linear(&context, &values, &query).unwrap_err();
    assert!(err.to_string().contains("NaN at index [1, 3]"), "{err}");
    let err = setconv.apply(&context, &[0.0; 16], &grid(Domain::unit(2, false).unwrap())).unwrap_err();
    assert!(matches!(err, Error::DomainMismatch { .. }), "{err}");
    assert!(err.to_string().contains("x in [0, 1] periodic"), "{err}");
    assert!(matches!(SetConv::new(-1.0), Err(Error::Parameter { name: "length_scale", .. })));
    for floor in [0.0, -1.0, f64::NAN] {
        assert!(matches!(
            setconv.with_density_floor(floor),
            Err(Error::Parameter { name: "density_floor", .. })
        ));
    }
}
