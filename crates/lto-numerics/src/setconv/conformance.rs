//! Single precision against double, and slopes against differences, over random layouts.

use super::SetConv;
use super::tests::{random_domain, random_grid, random_mask, random_points, random_values};
use crate::grid::Grid;
use crate::points::Points;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A context of 1 to thousands of points: a grid, a mask (of half the points, or very few), scattered, or
/// scattered in a corner, which leaves most of the domain empty.
fn draw(seed: u64, rng: &mut ChaCha8Rng) -> (Points, Vec<f64>, Grid) {
    let dim = 1 + (seed % 2) as usize;
    let domain = random_domain(dim, rng);
    let to = random_grid(&domain, [200, 24][dim - 1], rng);
    let from = random_grid(&domain, [2000, 60][dim - 1], rng);
    let n = (3000f64.powf(rng.random::<f64>())) as usize;
    let points = match seed / 2 % 5 {
        0 => Points::grid(from),
        1 => random_mask(&from, rng),
        2 => {
            let few =
                (0..3).map(|_| rng.random_range(0..from.len())).collect::<std::collections::BTreeSet<_>>();
            Points::masked(from, few.into_iter().collect()).unwrap()
        }
        3 => random_points(&domain, n, rng),
        _ => {
            let inside = |(i, x): (usize, &f64)| {
                let axis = &domain.axes()[i % dim];
                axis.lower + 0.1 * (x - axis.lower)
            };
            let crowded = random_points(&domain, n, rng);
            let crowded = crowded.coordinates().iter().enumerate().map(inside).collect();
            Points::scattered(domain, crowded).unwrap()
        }
    };
    let values = random_values(2 * points.len(), rng);
    (points, values, to)
}

#[test]
fn single_precision_is_within_its_bound_of_double_and_slopes_are_those_of_the_values() {
    let (mut worst, mut empty) = (0.0f64, 0);
    for seed in 0..400 {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (points, values, grid) = draw(seed, rng);
        let dim = grid.dim();
        let ell = grid.domain().diameter() * 10f64.powf(rng.random_range(-3.0..0.5));
        let floor = [1e-8, 1e-8, 1e-3, 1e-30][rng.random_range(0..4)];
        let setconv = SetConv::new(ell).unwrap().with_density_floor(floor).unwrap();
        let exact = setconv.apply(&points, &values, &Points::grid(grid.clone())).unwrap();
        let contexts = &[(&points, &values[..])];
        let single = setconv.on_grid::<f32>(contexts, &grid, true);
        let double = setconv.on_grid::<f64>(contexts, &grid, true);
        let alone = setconv.on_grid::<f32>(contexts, &grid, false);
        assert!(alone.slopes.is_empty());
        let n = grid.len();
        let largest = values.iter().fold(0.0f64, |most, u| most.max(u.abs()));
        let h = 1e-4f64;
        let moved = |sign: f64| {
            let moved = setconv.with_length_scale(ell * (sign * h).exp()).unwrap();
            moved.on_grid::<f64>(contexts, &grid, false).values
        };
        let (up, down) = (moved(1.0), moved(-1.0));
        for (i, (&rho, &of_double)) in exact.density.iter().zip(&double.values).enumerate() {
            assert!((of_double - rho).abs() <= 1e-10 * rho + 1e-290, "{seed} {i}: {of_double} {rho}");
            let bound = setconv.single_precision_error(rho, points.len(), dim);
            // Small except where weights are cut off, and twenty times typical rounding.
            assert!(bound < 1.5e-4 || rho + floor < 1e-8, "{seed} {i}: {bound}");
            empty += usize::from(rho < 1e-12);
            for channel in 0..2 {
                let (signal, place) = (exact.signal[channel * n + i], (1 + channel) * n + i);
                assert!((double.values[place] - signal).abs() <= 1e-10 * largest, "{seed} {i}");
                for found in [single.values[place], alone.values[place]] {
                    let error = (f64::from(found) - signal).abs() / largest;
                    assert!(error <= bound, "{seed} {i}: {error} above {bound} at density {rho}");
                    if rho + floor > 1e-8 {
                        worst = worst.max(error);
                    }
                }
            }
        }
        for (place, slope) in double.slopes.iter().enumerate() {
            let (difference, rho) = ((up[place] - down[place]) / (2.0 * h), exact.density[place % n]);
            // The third derivative in log ℓ grows with the squared distance over ℓ, which is about −2 log κ.
            let steep = (1.0 - 2.0 * rho.max(1e-300).ln()).max(3.0).powi(3);
            let size = slope.abs() + if place < n { rho } else { largest };
            assert!(
                (slope - difference).abs() <= 1e-6 * steep * size + 1e-12,
                "{seed} {place}: {slope} {difference}"
            );
            let of_single = f64::from(single.slopes[place]);
            if rho + floor > 1e-8 {
                // Below e^−43 nothing is left of a weight.
                let allowed = 1e-5 * size * (1.0 - 2.0 * rho.max(1e-30).ln()).max(1.0) + 1e-13;
                assert!((of_single - slope).abs() <= allowed, "{seed} {place}: {of_single} {slope}");
            }
        }
    }
    assert!(worst < 1e-5 && empty > 1000, "{worst:e}, {empty} places without points near");
}

#[test]
fn a_batch_is_its_contexts_one_by_one() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let domain = random_domain(2, rng);
    let (from, other, to) =
        (random_grid(&domain, 20, rng), random_grid(&domain, 9, rng), random_grid(&domain, 12, rng));
    let layouts = [
        Points::grid(from.clone()),
        random_points(&domain, 70, rng),
        random_mask(&from, rng),
        Points::grid(other),
        random_points(&domain, 5000, rng),
    ];
    let values: Vec<Vec<f64>> = layouts.iter().map(|points| random_values(points.len(), rng)).collect();
    let contexts: Vec<(&Points, &[f64])> =
        layouts.iter().zip(values.iter().map(|values| &values[..])).collect();
    let setconv = SetConv::new(0.02).unwrap();
    let together = setconv.on_grid::<f32>(&contexts, &to, true);
    let size = 2 * to.len();
    for (i, context) in contexts.iter().enumerate() {
        let alone = setconv.on_grid::<f32>(std::slice::from_ref(context), &to, true);
        assert_eq!(alone.values, together.values[i * size..(i + 1) * size]);
        assert_eq!(alone.slopes, together.slopes[i * size..(i + 1) * size]);
    }
    assert!(setconv.on_grid::<f32>(&[], &to, true).values.is_empty());
}
