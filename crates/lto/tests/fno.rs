//! The Fourier neural operator equals independent implementations (`fixtures/make_fno.py`), forward and backward, and says
//! what it cannot do.

#[path = "common/whole_grids.rs"]
mod whole_grids;

use burn::tensor::Device;
use lto::baseline::fno::Fno;
use lto::baseline::fno::config::FnoConfig;
use lto::model::{Model, ModelCard, ModelConfig};
use lto::operator::{Operator, Reach};
use lto::problem::Problem;
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Grid, Placement, Points};
use std::f64::consts::TAU;
use std::sync::Arc;
use whole_grids::{assert_equals_fixture, grid, numbers, problem, refusal};

fn operator(text: &str, problem: Problem) -> Fno {
    Fno::new(&toml::from_str::<FnoConfig>(text).unwrap(), &problem, &Device::flex().autodiff()).unwrap()
}

#[test]
fn forward_and_gradients_equal_independent_implementations() {
    let published = "width = 3\nhidden = 5\nblocks = 4\n";
    let package = "form = 'neural_operator'\nwidth = 4\n";
    for (name, channels, shape, text) in [
        ("fno_1d", [2, 1], vec![17], format!("{published}modes = 5")),
        ("fno_2d", [1, 2], vec![10, 9], format!("{published}modes = 4")),
        ("fno_2d_overlap", [1, 1], vec![7, 7], format!("{published}modes = [4, 4]")),
        ("fno_package_1d", [2, 1], vec![16], format!("{package}modes = 6")),
        ("fno_package_2d", [1, 2], vec![12, 10], format!("{package}modes = [5, 6]")),
        ("fno_package_coarse", [1, 1], vec![4, 8], format!("{package}modes = [6, 12]")),
    ] {
        // The published programs count from 0 to 1, ends included; the package leaves the last out.
        let is_package = text.contains("form");
        let placement = if is_package { Placement::Left } else { Placement::Vertex };
        let domain = Domain::unit(shape.len(), is_package).unwrap();
        let fno = operator(&text, problem(&domain, channels, &shape));
        assert_equals_fixture(&fno, name, &grid(&domain, &shape, placement));
    }
}

/// The field is the same whatever the grid, so the prediction is too, but for what the sawtooth of the coordinates and the
/// harmonics of GELU alias: that falls with the spacing.
#[test]
fn a_finer_grid_shows_the_same_function() {
    let domain = Domain::unit(1, true).unwrap();
    let fno = operator("width = 4\nmodes = 5", problem(&domain, [1, 1], &[64]));
    let predict = |n: usize| {
        let points = grid(&domain, &[n], Placement::Left);
        let wave = |i: usize| (TAU * i as f64 / n as f64).sin() + (3.0 * TAU * i as f64 / n as f64).cos();
        let context = Context {
            points: points.clone(),
            n_channels: 1,
            values: (0..n).map(wave).collect(),
            deviations: None,
        };
        numbers(fno.forward(&[context], &[(0.0, 0.1)], &[Arc::new(points)]).unwrap())
    };
    let fine = predict(4096);
    let off = |n: usize| {
        let shared = fine.iter().step_by(4096 / n);
        predict(n).iter().zip(shared).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max)
    };
    let (coarse, finer) = (off(64), off(256));
    assert!(coarse < 0.02 && finer < 0.35 * coarse, "{coarse} {finer}");
}

#[test]
fn what_it_cannot_do_is_said() {
    let domain = Domain::unit(2, true).unwrap();
    let fno = operator("width = 2\nmodes = 17", problem(&domain, [1, 1], &[64, 64]));
    assert_eq!(fno.reach(), Reach::Step);
    let refuse = |points: &Points, query: &Points| refusal(&fno, points, query);
    let native = grid(&domain, &[64, 64], Placement::Left);
    let coarse = |n| grid(&domain, &[n, n], Placement::Left);
    assert_eq!(refuse(&native, &native), "nothing");
    // 32 points have the wavenumbers 0 to 16: just enough. 16 points have not.
    assert_eq!(refuse(&coarse(32), &coarse(32)), "nothing");
    assert!(refuse(&coarse(16), &coarse(16)).contains("17 modes"));
    assert!(refuse(&native, &coarse(32)).contains("the grid of its context"));
    let Ok(full) = Grid::cubic(domain.clone(), 64, Placement::Left) else { panic!() };
    let masked = Points::masked(full.clone(), (0..4095).collect()).unwrap();
    assert!(refuse(&masked, &native).contains("whole grid"));
    let scattered = Points::scattered(domain.clone(), vec![0.1, 0.2, 0.7, 0.4]).unwrap();
    assert!(refuse(&scattered, &native).contains("whole grid"));
    let mut axis = full.coordinates(0).to_vec();
    axis[5] += 0.003;
    let uneven = Grid::from_coordinates(domain, vec![axis, full.coordinates(1).to_vec()]).unwrap();
    assert!(refuse(&Points::grid(uneven.clone()), &Points::grid(uneven)).contains("varies"));
}

#[test]
fn configurations_that_do_not_fit_are_refused() {
    let domain = Domain::unit(2, true).unwrap();
    for (text, part) in [
        ("width = 0\nmodes = 3", "model.width"),
        ("width = 2\nmodes = [3]", "2 axes"),
        ("width = 2\nmodes = [3, 6]", "5 wavenumbers"),
        ("width = 2\nmodes = 0", "model.modes"),
    ] {
        let config: FnoConfig = toml::from_str(text).unwrap();
        let made = Fno::new(&config, &problem(&domain, [1, 1], &[8, 8]), &Device::flex());
        let message = made.err().unwrap().to_string();
        assert!(message.contains(part), "{message}");
    }
    assert!(toml::from_str::<FnoConfig>("width = 2\nmodes = 3\nmode = 2").is_err());
}

/// Other models are given fewer points at once.
#[test]
fn a_grid_is_never_cut() {
    let domain = Domain::unit(2, false).unwrap();
    let problem = Problem { times: None, ..problem(&domain, [1, 1], &[9, 9]) };
    let model: ModelConfig = toml::from_str("kind = 'fno'\nwidth = 2\nmodes = 3\nhidden = 2").unwrap();
    let card = ModelCard::untrained(problem, model);
    let model = Model::new(card, 1).unwrap();
    assert_eq!(model.operator().reach(), Reach::Direct);
    let points = grid(&domain, &[257, 257], Placement::Vertex);
    let values: Vec<f64> = (0..points.len()).map(|i| (0.01 * i as f64).sin()).collect();
    let context = Context { points: points.clone(), n_channels: 1, values, deviations: None };
    let predicted = model.encode(&context, 0.0).unwrap().at(0.0).unwrap().decode(&points).unwrap();
    assert_eq!(predicted.values.len(), 257 * 257);
}
