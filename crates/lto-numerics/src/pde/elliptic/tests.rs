use super::*;
use crate::pde::sample_rng;
use rand::RngExt;

/// A coefficient without any smoothness or symmetry, 3 or 12 at random.
fn rough(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = sample_rng(seed, 0);
    (0..n * n).map(|_| if rng.random::<bool>() { 12.0 } else { 3.0 }).collect()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

/// Gaussian elimination on the dense matrix written down from the definition.
fn dense_solution(n: usize, a: &[f64], f: &[f64]) -> Vec<f64> {
    let interior: Vec<usize> =
        (0..n * n).filter(|p| (1..n - 1).contains(&(p / n)) && (1..n - 1).contains(&(p % n))).collect();
    let h2 = (1.0 / (n - 1) as f64).powi(2);
    let size = interior.len();
    let mut rows: Vec<Vec<f64>> = interior
        .iter()
        .map(|&p| {
            let mut row = vec![0.0; size + 1];
            for q in [p - 1, p + 1, p - n, p + n] {
                let face = 0.5 * (a[p] + a[q]) / h2;
                row[interior.iter().position(|&k| k == p).unwrap()] += face;
                if let Some(column) = interior.iter().position(|&k| k == q) {
                    row[column] -= face;
                }
            }
            row[size] = f[p];
            row
        })
        .collect();
    for k in 0..size {
        let pivot = rows[k].clone();
        for row in rows.iter_mut().skip(k + 1) {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).skip(k).for_each(|(value, p)| *value -= factor * p);
        }
    }
    let mut u = vec![0.0; n * n];
    for k in (0..size).rev() {
        let known: f64 = (k + 1..size).map(|c| rows[k][c] * u[interior[c]]).sum();
        u[interior[k]] = (rows[k][size] - known) / rows[k][k];
    }
    u
}

#[test]
fn agrees_with_dense_elimination_on_every_small_grid() {
    for n in 3..14 {
        let a = rough(n, n as u64);
        let f: Vec<f64> = (0..n * n).map(|p| (p as f64).sin()).collect();
        let (fast, dense) = (solve(n, &a, &f).unwrap(), dense_solution(n, &a, &f));
        let scale = dense.iter().fold(0.0f64, |m, u| m.max(u.abs()));
        assert!(largest_difference(&fast, &dense) < 1e-10 * scale, "n = {n}");
    }
}

#[test]
fn the_residual_is_below_the_tolerance_for_any_size_and_coefficient() {
    for (n, contrast) in [(64, 4.0), (85, 4.0), (106, 1e3), (129, 1e6), (141, 1.0)] {
        let a: Vec<f64> = rough(n, 7).iter().map(|&a| if a > 3.0 { contrast } else { 1.0 }).collect();
        let f = vec![1.0; n * n];
        let u = solve(n, &a, &f).unwrap();
        let residual = relative_residual(n, &a, &f, &u).unwrap();
        assert!(residual < 1e-10, "n = {n}, contrast {contrast}: {residual:e}");
        // Maximum principle: a positive source gives a positive solution inside.
        for i in 1..n - 1 {
            assert!(u[i * n + 1..(i + 1) * n - 1].iter().all(|&u| u > 0.0));
        }
        assert!((0..n).all(|i| [i, i * n, (n - 1) * n + i, i * n + n - 1].iter().all(|&p| u[p] == 0.0)));
    }
}

#[test]
fn second_order_on_a_smooth_problem() {
    let errors: Vec<f64> = [33, 65, 129]
        .iter()
        .map(|&n| {
            let [a, f, exact] = EllipticProblem::smooth().on_vertices(n);
            largest_difference(&solve(n, &a, &f).unwrap(), &exact)
        })
        .collect();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.05, "{errors:?}");
    }
}

#[test]
fn constant_coefficient_converges_to_the_series() {
    let error = |n: usize| {
        let u = solve(n, &vec![7.0; n * n], &vec![1.0; n * n]).unwrap();
        let h = 1.0 / (n - 1) as f64;
        let exact: Vec<f64> =
            (0..n * n).map(|p| unit_source_solution((p / n) as f64 * h, (p % n) as f64 * h) / 7.0).collect();
        largest_difference(&u, &exact)
    };
    let order = (error(41) / error(81)).log2();
    // The corners, where the solution has no bounded third derivative, cost a little.
    assert!((order - 2.0).abs() < 0.1, "{order}");
    // The torsion constant of the square: max u = 0.0736713…
    assert!((unit_source_solution(0.5, 0.5) - 0.073_671_353_3).abs() < 1e-9);
}

#[test]
fn transposing_and_mirroring_the_coefficient_does_the_same_to_the_solution() {
    let n = 50;
    let a = rough(n, 3);
    let f: Vec<f64> = (0..n * n).map(|p| 1.0 + (0.37 * p as f64).cos()).collect();
    let u = solve(n, &a, &f).unwrap();
    let scale = u.iter().fold(0.0f64, |m, u| m.max(u.abs()));
    let transpose = |p: usize| (p % n) * n + p / n;
    let mirror = |p: usize| (p / n) * n + n - 1 - p % n;
    for map in [&transpose as &dyn Fn(usize) -> usize, &mirror] {
        let moved = |values: &[f64]| (0..n * n).map(|p| values[map(p)]).collect::<Vec<f64>>();
        let solution = solve(n, &moved(&a), &moved(&f)).unwrap();
        assert!(largest_difference(&solution, &moved(&u)) < 1e-10 * scale);
    }
}

#[test]
fn the_solution_is_linear_in_the_source_and_inverse_in_the_coefficient() {
    let n = 38;
    let a = rough(n, 4);
    let u = solve(n, &a, &vec![1.0; n * n]).unwrap();
    let tripled: Vec<f64> = a.iter().map(|a| 3.0 * a).collect();
    let same = solve(n, &tripled, &vec![3.0; n * n]).unwrap();
    assert!(largest_difference(&u, &same) < 1e-12);
    assert_eq!(solve(n, &a, &vec![0.0; n * n]).unwrap(), vec![0.0; n * n]);
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let (a, f) = (vec![1.0; 25], vec![1.0; 25]);
    assert!(matches!(solve(2, &[1.0; 4], &[1.0; 4]), Err(Error::Parameter { name: "resolution", .. })));
    assert!(matches!(solve(5, &a[1..], &f), Err(Error::Mismatch { expected: 25, got: 24, .. })));
    let with = |values: &[f64], value: f64| {
        let mut values = values.to_vec();
        values[7] = value;
        values
    };
    let err = solve(5, &with(&a, -2.0), &f).unwrap_err();
    assert_eq!(err.to_string(), "coefficient = -2 at [1, 2]: must be positive");
    assert!(matches!(solve(5, &with(&a, f64::INFINITY), &f), Err(Error::NonFiniteValue { .. })));
    let err = solve(5, &a, &with(&f, f64::NAN)).unwrap_err();
    assert!(err.to_string().contains("right-hand side holds NaN at index [1, 2]"), "{err}");
}
