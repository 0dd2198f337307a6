use super::*;
use crate::domain::Axis;
use crate::testing::assert_slope;
use crate::{Domain, Placement};
use std::f64::consts::TAU;

fn periodic(n: usize, placement: Placement) -> Arc<Grid> {
    Arc::new(Grid::cubic(Domain::unit(1, true).unwrap(), n, placement).unwrap())
}

fn on(domain: Domain, coordinates: Vec<Vec<f64>>) -> Arc<Grid> {
    Arc::new(Grid::from_coordinates(domain, coordinates).unwrap())
}

/// Deterministic values without structure.
fn noise(n: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * i * 37 + 11 * i) % 101) as f64 / 50.0 - 1.0).collect()
}

fn assert_close(got: &Field, expected: &Field, tolerance: f64) {
    assert_eq!(got.values().len(), expected.values().len());
    for (i, (u, v)) in got.values().iter().zip(expected.values()).enumerate() {
        assert!((u - v).abs() <= tolerance, "entry {i}: {u} against {v}");
    }
}

#[test]
fn strides_keep_every_bit_of_every_frame_and_channel() {
    let fine = Arc::new(Grid::cubic(Domain::unit(2, false).unwrap(), 7, Placement::Vertex).unwrap());
    let coarse = Arc::new(fine.strided(3).unwrap());
    let trajectory = Trajectory::new(fine, vec![0.0, 1.0], 2, noise(2 * 2 * 49)).unwrap();
    assert_eq!(Method::for_grids(trajectory.grid(), &coarse).unwrap(), Method::Stride);
    let picked = resample_trajectory(&trajectory, &coarse, Method::Stride).unwrap();
    for (t, c, i, j) in (0..36).map(|k| (k / 18, k / 9 % 2, k / 3 % 3, k % 3)) {
        let original = trajectory.frame(t)[c * 49 + 21 * i + 3 * j];
        assert_eq!(picked.frame(t)[c * 9 + 3 * i + j], original);
    }
}

#[test]
fn spectral_is_exact_for_resolved_waves_between_all_sizes_and_placements() {
    // Wavenumbers up to 2 fit on 5 or more points.
    let wave = |x: &[f64]| 0.3 + (TAU * x[0] + 0.4).sin() - 0.7 * (2.0 * TAU * x[0] - 1.1).cos();
    for n in [5, 6, 9, 16] {
        for m in [5, 6, 7, 12, 31] {
            for from in [Placement::Left, Placement::Center] {
                for to in [Placement::Left, Placement::Center] {
                    let target = periodic(m, to);
                    let field = Field::from_fn(periodic(n, from), wave);
                    let got = resample(&field, &target, Method::Spectral).unwrap();
                    assert_close(&got, &Field::from_fn(target, wave), 1e-13);
                }
            }
        }
    }
}

#[test]
fn spectral_handles_every_axis_of_a_box_on_its_own() {
    let axes =
        |a: usize, b: usize, c: usize| [(a, Placement::Left), (b, Placement::Center), (c, Placement::Left)];
    let domain = Domain::new(vec![
        Axis::new("x", -1.0, 1.0, true),
        Axis::new("y", 0.0, 3.0, true),
        Axis::new("z", 0.0, 1.0, true),
    ])
    .unwrap();
    let wave = |p: &[f64]| (TAU * (p[0] / 2.0 - p[1] / 3.0) + TAU * p[2]).sin();
    let source = Arc::new(Grid::uniform(domain.clone(), &axes(4, 7, 8)).unwrap());
    let target = Arc::new(Grid::uniform(domain, &axes(9, 4, 3)).unwrap());
    assert_eq!(Method::for_grids(&source, &target).unwrap(), Method::Spectral);
    let got = resample(&Field::from_fn(source, wave), &target, Method::Spectral).unwrap();
    assert_close(&got, &Field::from_fn(target, wave), 1e-13);
}

#[test]
fn the_highest_wave_of_an_even_grid_is_a_cosine_about_its_points() {
    let (n, m) = (8, 20);
    for (from, offset) in [(Placement::Left, 0.0), (Placement::Center, 0.5 / n as f64)] {
        let wave = |x: &[f64]| (0.5 * n as f64 * TAU * (x[0] - offset)).cos();
        let source = Field::from_fn(periodic(n, from), wave);
        for to in [Placement::Left, Placement::Center] {
            for size in [n, m, m + 1] {
                let target = periodic(size, to);
                let got = resample(&source, &target, Method::Spectral).unwrap();
                assert_close(&got, &Field::from_fn(target, wave), 1e-13);
            }
        }
    }
    // On a coarser grid, a wave at its limit arrives as its samples, whatever its phase.
    let wave = |x: &[f64]| (4.0 * TAU * x[0] + 0.6).sin();
    for to in [Placement::Left, Placement::Center] {
        let target = periodic(n, to);
        let got = resample(&Field::from_fn(periodic(m, Placement::Left), wave), &target, Method::Spectral);
        assert_close(&got.unwrap(), &Field::from_fn(target, wave), 1e-13);
    }
}

#[test]
fn going_up_and_back_is_the_identity_and_going_down_drops_what_does_not_fit() {
    for (n, m) in [(1, 4), (2, 3), (6, 7), (6, 13), (7, 8), (7, 16), (8, 16)] {
        let low = periodic(n, Placement::Center);
        let field = Field::new(low.clone(), 1, noise(n)).unwrap();
        let up = resample(&field, &periodic(m, Placement::Center), Method::Spectral).unwrap();
        assert_close(&resample(&up, &low, Method::Spectral).unwrap(), &field, 1e-14);
    }
    let wave = |x: &[f64]| 0.5 + (6.0 * TAU * x[0]).cos();
    let down = resample(
        &Field::from_fn(periodic(32, Placement::Left), wave),
        &periodic(8, Placement::Left),
        Method::Spectral,
    );
    let mean = Field::from_fn(periodic(8, Placement::Left), |_| 0.5);
    assert_close(&down.unwrap(), &mean, 1e-14);
}

/// Coordinates stretched smoothly, so that splines see uneven intervals.
fn stretched(n: usize, placement: Placement) -> Vec<f64> {
    placement.coordinates(n, 0.0, 1.0).into_iter().map(|s| s + 0.08 * (TAU * s).sin()).collect()
}

#[test]
fn splines_are_fourth_order_on_uneven_coordinates() {
    let smooth = |x: &[f64]| (TAU * x[0] + 0.3).sin() + 0.4 * (2.0 * TAU * x[0]).cos();
    for (is_periodic, from) in [
        (true, Placement::Left),
        (true, Placement::Center),
        (false, Placement::Vertex),
        (false, Placement::Center),
    ] {
        let domain = Domain::unit(1, is_periodic).unwrap();
        let to = if is_periodic { Placement::Left } else { Placement::Vertex };
        let target = on(domain.clone(), vec![to.coordinates(333, 0.0, 1.0)]);
        let errors: Vec<(f64, f64)> = [40, 80, 160, 320]
            .into_iter()
            .map(|n| {
                let field = Field::from_fn(on(domain.clone(), vec![stretched(n, from)]), smooth);
                let got = resample(&field, &target, Method::Cubic).unwrap();
                let exact = Field::from_fn(target.clone(), smooth);
                let pairs = got.values().iter().zip(exact.values());
                (1.0 / n as f64, pairs.map(|(u, v)| (u - v).abs()).fold(0.0, f64::max))
            })
            .collect();
        assert_slope(&errors, 3.7..4.5);
    }
}

#[test]
fn splines_reproduce_cubics_and_their_own_points() {
    let domain = Domain::unit(2, false).unwrap();
    let cubic = |p: &[f64]| (2.0 * p[0].powi(3) - p[0] + 1.0) * (0.5 - p[1].powi(2) + p[1].powi(3));
    let source = on(domain.clone(), vec![stretched(6, Placement::Center), vec![0.1, 0.3, 0.4, 0.9]]);
    let target = Arc::new(Grid::cubic(domain, 9, Placement::Vertex).unwrap());
    let got = resample(&Field::from_fn(source, cubic), &target, Method::Cubic).unwrap();
    assert_close(&got, &Field::from_fn(target, cubic), 1e-12);
    let own = on(Domain::unit(1, true).unwrap(), vec![stretched(11, Placement::Center)]);
    let field = Field::new(own.clone(), 1, noise(11)).unwrap();
    assert_close(&resample(&field, &own, Method::Cubic).unwrap(), &field, 1e-14);
}

/// ```python
/// x, y = [0.1, 0.25, 0.45, 0.5, 0.8], [1, -2, 0.5, 3, 1.5]
/// scipy.interpolate.CubicSpline(x, y)([0, 0.2, 0.475, 0.79, 1])
/// scipy.interpolate.CubicSpline(x + [1.1], y + [1], bc_type="periodic")([0, 0.2, 0.475, 0.79, 0.95])
/// ```
#[test]
fn splines_agree_with_scipy() {
    let x = vec![0.1, 0.25, 0.45, 0.5, 0.8];
    let cases = [
        (
            false,
            1.0,
            [
                3.4259610821072624,
                -1.2536782154722355,
                1.6742035476981478,
                2.8503891789273865,
                -62.331039392501225,
            ],
        ),
        (
            true,
            0.95,
            [
                1.4558057119032726,
                -1.0292196511708709,
                1.7766475140712932,
                1.635756653463968,
                1.2908067542213881,
            ],
        ),
    ];
    for (is_periodic, last, expected) in cases {
        let domain = Domain::unit(1, is_periodic).unwrap();
        let field =
            Field::new(on(domain.clone(), vec![x.clone()]), 1, vec![1.0, -2.0, 0.5, 3.0, 1.5]).unwrap();
        let target = on(domain, vec![vec![0.0, 0.2, 0.475, 0.79, last]]);
        let got = resample(&field, &target, Method::Cubic).unwrap();
        assert_close(&got, &Field::new(target, 1, expected.to_vec()).unwrap(), 1e-11);
    }
}

#[test]
fn the_method_follows_the_grids() {
    let (left, center) = (periodic(16, Placement::Left), periodic(16, Placement::Center));
    let pick = |from: &Grid, to: &Grid| Method::for_grids(from, to).unwrap();
    assert_eq!(pick(&left, &periodic(8, Placement::Left)), Method::Stride);
    assert_eq!(pick(&left, &periodic(7, Placement::Left)), Method::Spectral);
    assert_eq!(pick(&left, &center), Method::Spectral);
    // Every second cell center is uniform and periodic, though neither left-aligned nor centered.
    let strided = center.strided(2).unwrap();
    assert_eq!(strided.placement(0), None);
    assert_eq!(pick(&strided, &center), Method::Spectral);
    let uneven = on(Domain::unit(1, true).unwrap(), vec![stretched(9, Placement::Left)]);
    assert_eq!(pick(&left, &uneven), Method::Cubic);
    assert_eq!(Method::ALL.map(Method::name), ["stride", "spectral", "cubic", "nearest"]);
}

/// Every value is that of the nearest point, also across the end of a periodic axis; the lower if tied.
#[test]
fn nearest_takes_the_value_of_the_nearest_point() {
    let values = vec![5.0, 7.0, 7.0, 9.0];
    let cases: [(bool, [f64; 6]); 2] =
        [(true, [5.0, 5.0, 5.0, 7.0, 9.0, 5.0]), (false, [5.0, 5.0, 5.0, 7.0, 9.0, 9.0])];
    for (periodic, expected) in cases {
        let domain = Domain::unit(1, periodic).unwrap();
        let source = Arc::new(Grid::cubic(domain.clone(), 4, Placement::Left).unwrap());
        let target = on(domain, vec![vec![0.0, 0.12, 0.125, 0.13, 0.85, 0.9]]);
        let field = Field::new(source, 1, values.clone()).unwrap();
        assert_eq!(resample(&field, &target, Method::Nearest).unwrap().values(), expected);
    }
    // Both axes of a box at once: a checkerboard stays one.
    let board = |x: &[f64]| f64::from(u8::from((x[0] < 0.5) == (x[1] < 0.5)));
    let square = |n| Arc::new(Grid::cubic(Domain::unit(2, false).unwrap(), n, Placement::Center).unwrap());
    let finer = resample(&Field::from_fn(square(4), board), &square(12), Method::Nearest).unwrap();
    assert_eq!(finer, Field::from_fn(square(12), board));
}

#[test]
fn methods_that_do_not_apply_name_the_axis_and_the_reason() {
    let plain = |n, placement| Grid::cubic(Domain::unit(1, false).unwrap(), n, placement).unwrap();
    let wider = Domain::new(vec![Axis::new("x", 0.0, 2.0, true)]).unwrap();
    let wider = Grid::cubic(wider, 8, Placement::Left).unwrap();
    let uneven = on(Domain::unit(1, true).unwrap(), vec![stretched(9, Placement::Left)]);
    let left = periodic(8, Placement::Left);
    let square = Grid::cubic(Domain::unit(2, true).unwrap(), 4, Placement::Left).unwrap();
    let far = on(Domain::unit(1, false).unwrap(), vec![vec![0.4, 0.5, 0.6, 0.7]]);
    let cases: [(Method, &Grid, &Grid, &str); 7] = [
        (Method::Stride, &left, &periodic(8, Placement::Center), "axis x: x = 0.0625 is not a point of"),
        (
            Method::Spectral,
            &plain(8, Placement::Left),
            &plain(4, Placement::Left),
            "axis x: the axis is not periodic",
        ),
        (Method::Spectral, &left, &uneven, "the target is not uniform"),
        (Method::Cubic, &left, &wider, "x in [0, 1] periodic and x in [0, 2] periodic"),
        (Method::Cubic, &periodic(3, Placement::Left), &left, "has 3 points"),
        (Method::Cubic, &far, &plain(8, Placement::Left), "x = 0 is more than one interval outside"),
        (Method::Cubic, &left, &square, "expected 1, got 2"),
    ];
    for (method, source, target, part) in cases {
        let field = Field::new(Arc::new(source.clone()), 1, noise(source.len())).unwrap();
        let message = resample(&field, &Arc::new(target.clone()), method).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    let message = Method::for_grids(&far, &plain(8, Placement::Left)).unwrap_err().to_string();
    assert!(message.starts_with("cubic resampling does not apply on axis x"), "{message}");
}
