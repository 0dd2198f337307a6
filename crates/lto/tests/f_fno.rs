//! The factorized Fourier neural operator equals an independent implementation (`fixtures/make_f_fno.py`), forward and
//! backward, and says what it cannot do.

#[path = "common/whole_grids.rs"]
mod whole_grids;

use burn::tensor::Device;
use lto::baseline::f_fno::FFno;
use lto::baseline::f_fno::config::FFnoConfig;
use lto::operator::{Operator, Reach};
use lto::problem::Problem;
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Placement, Points};
use std::f64::consts::TAU;
use std::sync::Arc;
use whole_grids::{assert_equals_fixture, difference, grid, numbers, problem, refusal};

fn operator(text: &str, problem: Problem) -> FFno {
    FFno::new(&toml::from_str::<FFnoConfig>(text).unwrap(), &problem, &Device::flex().autodiff()).unwrap()
}

#[test]
fn forward_and_gradients_equal_an_independent_implementation() {
    for (name, channels, shape, text) in [
        ("f_fno_1d", [2, 1], vec![17], "modes = 5\nlayers = 3"),
        ("f_fno_2d", [1, 2], vec![10, 7], "modes = [4, 3]\nlayers = 3"),
        ("f_fno_2d_own", [1, 1], vec![6, 8], "modes = [4, 5]\nlayers = 2\nshare = false"),
    ] {
        let domain = Domain::unit(shape.len(), false).unwrap();
        let text = format!("width = 3\nhidden = 5\n{text}");
        let f_fno = operator(&text, problem(&domain, channels, &shape));
        assert_equals_fixture(&f_fno, name, &grid(&domain, &shape, Placement::Vertex));
    }
}

/// Weights have a size of their own: at first that of their direction, whose length then does not matter.
#[test]
fn only_the_direction_of_a_direction_matters() {
    let domain = Domain::unit(2, true).unwrap();
    let f_fno = operator("width = 4\nmodes = 3", problem(&domain, [1, 1], &[8, 6]));
    let points = Arc::new(grid(&domain, &[8, 6], Placement::Left));
    let values: Vec<f64> = (0..48).map(|i| (0.7 * f64::from(i)).sin()).collect();
    let context = Context { points: points.as_ref().clone(), n_channels: 1, values, deviations: None };
    let predict = |operator: &dyn Operator| {
        numbers(
            operator
                .forward(std::slice::from_ref(&context), &[(0.0, 0.1)], std::slice::from_ref(&points))
                .unwrap(),
        )
    };
    let expected: Vec<f64> = predict(&f_fno).into_iter().map(f64::from).collect();
    let scaled = |what: &'static str| {
        let mut parameters = f_fno.parameters().into_iter();
        f_fno.with_parameters(&mut |name, _| {
            let values = parameters.next()?.values;
            let factor = if name.ends_with(what) { 3.0 } else { 1.0 };
            Some(values.into_iter().map(|v| factor * v).collect())
        })
    };
    assert!(difference(&predict(scaled("direction").as_ref()), &expected) < 1e-5);
    assert!(difference(&predict(scaled("scale").as_ref()), &expected) > 0.1);
    let all = f_fno.parameters();
    let of = |name: &str| &all.iter().find(|p| p.name == name).unwrap().values;
    for (o, scale) in of("layers.2.first.scale").iter().enumerate() {
        let squares: f32 = of("layers.2.first.direction").iter().skip(o).step_by(16).map(|v| v * v).sum();
        assert!((squares.sqrt() - scale).abs() < 1e-6);
    }
}

/// The field is the same whatever the grid, so the prediction is too, but for what the sawtooth of the coordinates and the
/// harmonics of ReLU alias: that falls with the spacing.
#[test]
fn a_finer_grid_shows_the_same_function() {
    let domain = Domain::unit(2, true).unwrap();
    let f_fno = operator("width = 4\nmodes = 5\nlayers = 3", problem(&domain, [1, 1], &[16, 16]));
    let predict = |n: usize| {
        let points = grid(&domain, &[n, n], Placement::Left);
        let at = |i: usize| TAU * i as f64 / n as f64;
        let values = (0..n * n).map(|i| (at(i / n) + 2.0 * at(i % n)).sin() + at(i / n).cos()).collect();
        let context = Context { points: points.clone(), n_channels: 1, values, deviations: None };
        numbers(f_fno.forward(&[context], &[(0.0, 0.1)], &[Arc::new(points)]).unwrap())
    };
    let fine = predict(256);
    let off = |n: usize| {
        let step = 256 / n;
        let coarse = predict(n);
        let pairs = coarse.iter().enumerate().map(|(i, v)| (v, fine[i / n * step * 256 + i % n * step]));
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    let (coarse, finer) = (off(16), off(64));
    assert!(coarse < 0.1 && finer < 0.35 * coarse, "{coarse} {finer}");
}

#[test]
fn what_it_cannot_do_is_said() {
    let domain = Domain::unit(2, true).unwrap();
    let f_fno = operator("width = 2\nmodes = 9", problem(&domain, [1, 1], &[32, 32]));
    assert_eq!(f_fno.reach(), Reach::Step);
    let (native, coarse) =
        (grid(&domain, &[32, 32], Placement::Left), |n| grid(&domain, &[n, n], Placement::Left));
    assert_eq!(refusal(&f_fno, &native, &native), "nothing");
    // 16 points have the wavenumbers 0 to 8: just enough.
    assert_eq!(refusal(&f_fno, &coarse(16), &coarse(16)), "nothing");
    assert!(refusal(&f_fno, &coarse(14), &coarse(14)).contains("9 modes"));
    assert!(refusal(&f_fno, &native, &coarse(16)).contains("the grid of its context"));
    let scattered = Points::scattered(domain, vec![0.1, 0.2, 0.7, 0.4]).unwrap();
    assert!(refusal(&f_fno, &scattered, &native).contains("whole grid"));
}

#[test]
fn configurations_that_do_not_fit_are_refused() {
    let domain = Domain::unit(2, true).unwrap();
    for (text, part) in [
        ("width = 0\nmodes = 3", "model.width"),
        ("width = 2\nmodes = 3\nlayers = 0", "model.layers"),
        ("width = 2\nmodes = 3\nexpansion = 0", "model.expansion"),
        ("width = 2\nmodes = [3]", "2 axes"),
        ("width = 2\nmodes = [3, 6]", "5 wavenumbers"),
        ("width = 2\nmodes = 0", "model.modes"),
    ] {
        let config: FFnoConfig = toml::from_str(text).unwrap();
        let made = FFno::new(&config, &problem(&domain, [1, 1], &[8, 8]), &Device::flex());
        let message = made.err().unwrap().to_string();
        assert!(message.contains(part), "{message}");
    }
    assert!(toml::from_str::<FFnoConfig>("width = 2\nmodes = 3\nblocks = 2").is_err());
}
