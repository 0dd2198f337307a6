//! The certificate is about the code that runs: bounds hold for the signal that an encoder computes, in single precision
//! and with its own density floor.

use burn::tensor::Device;
use lto::operator::Architecture;
use lto::problem::Problem;
use lto::twin::Twin;
use lto::twin::config::TwinConfig;
use lto::twin::encoder::Encoder;
use lto_numerics::dataset::Context;
use lto_numerics::theory::{Estimator, LocalBounds, TrialField};
use lto_numerics::{Domain, Grid, Placement, PointDesign, Points, SetConv};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn twin(domain: &Domain, encoder: &str) -> lto::error::Result<Twin> {
    let config: TwinConfig = toml::from_str(&format!(
        "latent_points = 12\nlatent_channels = 2\nencoder = {{ kind = 'set_conv', hidden = 2, {encoder} }}\n\
         evolution = {{ kind = 'steady', width = 2 }}\ndecoder = {{ hidden = 2 }}"
    ))
    .unwrap();
    let (domain, native) = (domain.clone(), vec![12; domain.dim()]);
    let problem = Problem {
        domain,
        source_channels: 1,
        target_channels: 1,
        native,
        times: None,
        changes: Vec::new(),
        measured: Default::default(),
    };
    Twin::new(&config, &problem, &Device::flex())
}

/// The signal of a state sampled at the points, as the encoder computes it.
fn signal(twin: &Twin, points: &Points, field: &TrialField) -> Vec<f64> {
    let values = points.coordinates().chunks_exact(points.dim()).map(|x| field.value(x)).collect();
    let context = Context { points: points.clone(), n_channels: 1, values, deviations: None };
    let Encoder::SetConv(encoder) = &twin.network.encoder else {
        unreachable!("asked for a set convolution")
    };
    let channels = encoder.channels(&[context], twin.grid()).into_data();
    channels.iter::<f32>().skip(twin.grid().grid().len()).map(f64::from).collect()
}

#[test]
fn the_bound_of_an_encoder_holds_for_its_signal_and_knows_its_floor() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut violations = 0;
    for (dim, periodic) in [(1, true), (1, false), (2, true), (2, false)] {
        let domain = Domain::unit(dim, periodic).unwrap();
        for floor in [1e-8, 1e-3, 0.3, 5.0] {
            let length_scale = rng.random_range(0.03..0.2);
            let twin =
                twin(&domain, &format!("length_scale = {length_scale}, density_floor = {floor}")).unwrap();
            let query = Points::grid(twin.grid().grid().clone());
            let grid = Grid::cubic(domain.clone(), 9, Placement::Center).unwrap();
            let layouts = [
                Points::masked(grid.clone(), (0..grid.len()).step_by(2).collect()).unwrap(),
                PointDesign::Iid.points(&domain, 40, &mut rng).unwrap(),
                PointDesign::Iid.points(&domain, 3000, &mut rng).unwrap(),
                Points::grid(grid),
            ];
            for points in layouts {
                let setconv = twin.set_convolution(&points).unwrap();
                assert_eq!(setconv.density_floor(), floor);
                assert!((setconv.kernel().length_scale() / length_scale - 1.0).abs() < 1e-6);
                let field = TrialField::random(&domain, 3, 1, &mut rng);
                let regularity = field.regularity(&domain).unwrap();
                let bounds = |setconv: &SetConv| {
                    LocalBounds::new(setconv, Estimator::NadarayaWatson, &points, &regularity, &query)
                        .unwrap()
                        .bounds
                };
                let (bounds, usual) = (bounds(&setconv), bounds(&SetConv::new(length_scale).unwrap()));
                let found = signal(&twin, &points, &field);
                for (i, x) in query.coordinates().chunks_exact(dim).enumerate() {
                    let error = (found[i] - field.value(x)).abs();
                    assert!(error <= bounds[i].bound, "{dim} {floor} {x:?}: {error} above {:?}", bounds[i]);
                    violations += usize::from(error > usual[i].bound);
                }
            }
        }
    }
    // With the usual floor in place of its own the bound would be about another encoder.
    assert!(violations > 100, "{violations}");
}

/// A length scale that follows the layout is larger for fewer points, never below the latent grid's own, and what is
/// certified is what is computed.
#[test]
fn the_length_scale_follows_the_layout() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for dim in 1..=2 {
        let domain = Domain::unit(dim, true).unwrap();
        let twin = twin(&domain, "length_scale = { layout = 0.7 }").unwrap();
        let latent = 1.0 / twin.grid().grid().shape()[0] as f64;
        let query = Points::grid(twin.grid().grid().clone());
        for n in [9, 100, 4096] {
            let points = PointDesign::Iid.points(&domain, n, &mut rng).unwrap();
            let setconv = twin.set_convolution(&points).unwrap();
            let expected = 0.7 * (n as f64).powf(-1.0 / dim as f64).max(latent);
            assert!((setconv.kernel().length_scale() / expected - 1.0).abs() < 1e-6, "{dim} {n}");
            let field = TrialField::random(&domain, 3, 1, &mut rng);
            let values: Vec<f64> = points.coordinates().chunks_exact(dim).map(|x| field.value(x)).collect();
            let signal = setconv.apply(&points, &values, &query).unwrap().signal;
            let found = self::signal(&twin, &points, &field);
            assert!(signal.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-5), "{dim} {n}");
        }
    }
}

/// At a sensor alone in its neighborhood the estimate is exact but for the floor: what is left is single precision.
#[test]
fn without_the_slack_of_single_precision_the_bound_would_not_hold() {
    let domain = Domain::unit(1, true).unwrap();
    let twin = twin(&domain, "length_scale = 0.01").unwrap();
    let points = Points::grid(twin.grid().grid().clone());
    let setconv = twin.set_convolution(&points).unwrap();
    let (mut rng, mut worst) = (ChaCha8Rng::seed_from_u64(1), 0.0f64);
    for _ in 0..20 {
        let field = TrialField::random(&domain, 3, 2, &mut rng);
        let regularity = field.regularity(&domain).unwrap();
        let bounds = |setconv| {
            LocalBounds::new(setconv, Estimator::NadarayaWatson, &points, &regularity, &points)
                .unwrap()
                .bounds
        };
        let (bounds, double) =
            (bounds(&setconv), bounds(&SetConv::new(setconv.kernel().length_scale()).unwrap()));
        let found = signal(&twin, &points, &field);
        for (i, x) in points.coordinates().iter().enumerate() {
            let error = (found[i] - field.value(&[*x])).abs();
            assert!(error <= bounds[i].bound, "{x}: {error} above {:?}", bounds[i]);
            worst = worst.max(error / double[i].bound);
        }
    }
    assert!(worst > 1.0, "{worst}");
}

#[test]
fn a_floor_that_single_precision_does_not_know_is_refused() {
    for floor in ["0.0", "-1.0", "nan", "1e-60"] {
        let error = twin(&Domain::unit(1, true).unwrap(), &format!("density_floor = {floor}")).unwrap_err();
        assert!(error.to_string().contains("density_floor"), "{error}");
    }
}
