//! Sources estimated by the covariance of the training states.

#[path = "common/store.rs"]
mod store;

use lto::Model;
use lto::experiment::Experiment;
use lto::train::{Silent, Trainer};
use lto_numerics::dataset::Context;
use lto_numerics::kriging::Wave;
use lto_numerics::pde::sample_rng;
use lto_numerics::{Domain, Grid, Placement, Points};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::TAU;
use std::path::Path;
use store::store;

/// A run of one idle step on states of the heat equation: the model is what it begins as.
fn begun(run: &Path, source: &str) -> Model {
    let text = format!(
        "[data]\ngenerate = {{ pde = 'heat', resolution = 32, n_frames = 5 }}\nsamples = 60
        split = {{ counts = {{ train = 56, validation = 2, test = 2 }} }}
        [model]\nkind = 'twin'\nlatent_points = 32\nlatent_channels = 2\noutput = 'gated'\nsource = '{source}'
        decoder = {{ hidden = 4, interpolation = 'cubic' }}\nencoder = {{ kind = 'set_conv', hidden = 4 }}
        evolution = {{ kind = 'residual', width = 4 }}
        [train]\nsteps = 1\nlearning_rate = 1e-12\nobjective = {{ reconstruction_weight = 0.0 }}\nvalidation = {{ samples = 1 }}"
    );
    let experiment: Experiment = toml::from_str(&text).unwrap();
    Trainer::start(experiment, run, false, &mut Silent).unwrap().run(&mut Silent).unwrap();
    Model::load(run).unwrap()
}

fn scattered(domain: &Domain, n: usize, seed: u64) -> Points {
    let mut rng = sample_rng(seed, 0);
    Points::scattered(domain.clone(), (0..2 * n).map(|_| rng.random::<f64>()).collect()).unwrap()
}

/// A smooth state that no training sample is.
fn state(x: &[f64]) -> f64 {
    0.6 + 0.4 * (TAU * x[0]).sin() * (TAU * x[1]).cos() + 0.2 * (TAU * (x[0] + x[1])).cos()
}

/// The covariance is measured as a spectrum and kept in the model's file; from few sensors the source is far better known by
/// it than by lines through neighbors, with and without noise that nobody tells of.
#[test]
fn a_spectrum_tells_a_smooth_state_from_few_sensors() {
    let folder = tempfile::tempdir().unwrap();
    let [best, lines] =
        ["best_linear", "local_linear"].map(|source| begun(&folder.path().join(source), source));
    let covariances = &best.card().problem.measured.covariances;
    assert!(covariances.len() == 1 && covariances[0].parts.is_empty());
    // Heat spreads: long waves carry more than short ones.
    let carried = |size: i32| -> f64 {
        let of_size = covariances[0].waves.iter().filter(|Wave(k, _)| k[0].abs().max(k[1].abs()) == size);
        of_size.map(|Wave(_, variance)| variance).sum()
    };
    assert!(carried(1) > 4.0 * carried(3) && carried(3) > carried(5), "{covariances:?}");
    assert!(lines.card().problem.measured.covariances.is_empty());

    let domain = &best.card().problem.domain;
    let query = scattered(domain, 300, 2);
    let truth: Vec<f64> = query.coordinates().chunks_exact(2).map(state).collect();
    let size = truth.iter().map(|u| u * u).sum::<f64>().sqrt();
    let error = |model: &Model, n: usize, noise: f64| {
        let sensors = scattered(domain, n, n as u64);
        let mut rng = sample_rng(3, n as u64);
        let noisy = |x: &[f64]| state(x) + noise * (rng.random::<f64>() - 0.5) * 12f64.sqrt();
        let values = sensors.coordinates().chunks_exact(2).map(noisy).collect();
        let encoded = model.encode(&Context::new(sensors, 1, values), 0.0).unwrap();
        // Nothing has changed yet: the state is the estimated source.
        let found = encoded.at(0.0).unwrap().decode(&query).unwrap().values;
        found.iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt() / size
    };
    for (n, noise, most) in [(60, 0.0, 0.02), (300, 0.0, 0.005), (60, 0.02, 0.05), (300, 0.02, 0.03)] {
        let (by_spectrum, by_lines) = (error(&best, n, noise), error(&lines, n, noise));
        assert!(by_spectrum < most, "{n} {noise}: {by_spectrum}");
        assert!(noise > 0.0 || by_spectrum < 0.3 * by_lines, "{n}: {by_spectrum} {by_lines}");
    }
}

/// On an open domain the covariance is a sum of exponentials, and what persists of a departure from the mean course is
/// measured over every lead: of an autoregressive series with the coefficient 0.8, a share of 0.8 over one interval, and its powers
/// over several. That much is left of an observed departure where the model begins.
#[test]
fn departures_fade_as_the_data_prove() {
    const POINTS: usize = 8;
    const FRAMES: usize = 1200;
    let folder = tempfile::tempdir().unwrap();
    let (path, run) = (folder.path().join("record.npz"), folder.path().join("run"));
    let mut rng = sample_rng(4, 0);
    let mut now = [0.0; POINTS];
    let mut series = Vec::new();
    for _ in 0..FRAMES {
        let normal = |rng: &mut _| -> f64 { StandardNormal.sample(rng) };
        now.iter_mut().for_each(|a| *a = 0.8 * *a + 0.6 * normal(&mut rng));
        series.push(now);
    }
    let course = |t: f64| 50.0 + 3.0 * (TAU * t / 6.0).sin();
    let grid = Grid::cubic(Domain::unit(1, false).unwrap(), POINTS, Placement::Vertex).unwrap();
    let times: Vec<f64> = (0..FRAMES).map(|hour| hour as f64).collect();
    store(&path, vec![grid], &times, 1, |_, x, t| {
        course(t) + series[t as usize][(x[0] * (POINTS - 1) as f64).round() as usize]
    });
    let text = format!(
        "[data]\npath = {path:?}\ngrid = 'vertex'\nperiodic = 'none'\nwindow = {{ frames = 12, stride = 12 }}
        time_period = 6.0\nanomalies = true\nsplit = {{ counts = {{ train = 96, validation = 2, test = 2 }} }}
        [model]\nkind = 'twin'\nlatent_points = 8\nlatent_channels = 2\noutput = 'gated'\nsource = 'best_linear'
        decoder = {{ hidden = 4, interpolation = 'cubic' }}\nencoder = {{ kind = 'set_conv', hidden = 4 }}
        evolution = {{ kind = 'residual', width = 4 }}
        [train]\nsteps = 1\nlearning_rate = 1e-12\nobjective = {{ reconstruction_weight = 0.0 }}\nvalidation = {{ samples = 1 }}"
    );
    let experiment: Experiment = toml::from_str(&text).unwrap();
    Trainer::start(experiment, &run, false, &mut Silent).unwrap().run(&mut Silent).unwrap();
    let model = Model::load(&run).unwrap();
    let measured = &model.card().problem.measured;
    assert!(measured.covariances[0].waves.is_empty() && measured.covariances[0].noise == 0.0);
    for (lead, exact) in [(1.0, 0.8), (2.0, 0.64), (4.0, 0.4096)] {
        let found = measured.persisting(lead);
        assert!(found > exact - 0.02 && found < exact + 0.1, "{lead}: {found}");
    }
    let points =
        Points::grid(Grid::cubic(Domain::unit(1, false).unwrap(), POINTS, Placement::Vertex).unwrap());
    let observed = Context::new(points.clone(), 1, vec![course(1.0) + 2.0; POINTS]);
    let forecast = model.predict(&observed, 1.0, &[3.0], &std::sync::Arc::new(points)).unwrap().values;
    let exact = course(3.0) + 2.0 * measured.persisting(2.0);
    assert!(forecast.iter().all(|u| (u - exact).abs() < 0.15), "{forecast:?} {exact}");
}
