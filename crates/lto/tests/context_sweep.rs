//! Errors over context sizes, against a model whose predictions are known.

use lto::Device;
use lto::evaluate::context_sweep::context_sweep;
use lto::model::{Model, ModelCard, ModelConfig};
use lto::problem::Problem;
use lto_numerics::Sample;
use lto_numerics::dataset::{ContextDesign, Normalizer};
use lto_numerics::pde::{HeatConfig, PdeConfig, sample_rng};

/// A twin whose decoder gives 0 everywhere: its prediction is the mean of the target normalizer.
fn constant_model(value: f64) -> Model {
    let problem = Problem {
        domain: lto_numerics::Domain::unit(2, true).unwrap(),
        source_channels: 1,
        target_channels: 1,
        native: vec![16, 16],
        times: Some([0.0, 0.016]),
        changes: Vec::new(),
        measured: Default::default(),
    };
    let config: ModelConfig = toml::from_str(
        "kind = 'twin'\nlatent_points = 8\nlatent_channels = 2\nencoder = { kind = 'set_conv', hidden = 2 }\n\
         evolution = { kind = 'timed', width = 2 }\ndecoder = { hidden = 2 }",
    )
    .unwrap();
    let operator = config.init(&problem, 0, Device::cpu()).unwrap();
    let operator = operator.with_parameters(&mut |name, shape| {
        let n = shape.iter().product();
        (name.starts_with("decoder") && !name.ends_with("length_scale")).then(|| vec![0.0; n])
    });
    let normalizer = |mean: f64| -> Normalizer {
        serde_json::from_value(serde_json::json!({"mean": [mean], "scale": [1.0]})).unwrap()
    };
    let card = ModelCard {
        source_normalizer: normalizer(0.0),
        target_normalizer: normalizer(value),
        ..ModelCard::untrained(problem, config)
    };
    Model::of(card, operator)
}

fn samples(n: u64) -> Vec<Sample> {
    let heat =
        PdeConfig::Heat(HeatConfig { resolution: 16, n_frames: 3, ..HeatConfig::default() }).build().unwrap();
    (0..n).map(|i| heat.sample(&mut sample_rng(5, i)).unwrap().remove(0)).collect()
}

#[test]
fn errors_are_relative_to_the_truth_of_each_pair_and_averaged_by_sample() {
    let samples = samples(3);
    let value = 0.3;
    let model = constant_model(value);
    let designs = [ContextDesign::Random { context_fraction: 0.25 }, ContextDesign::Strided { stride: 2 }];
    let pairs = [(0, 1), (1, 2), (0, 2)];
    let sweep = context_sweep(&model, &samples, &pairs, &designs, 1).unwrap();
    let mut expected = Vec::new();
    for sample in &samples {
        let Sample::Evolution(trajectory) = sample else { panic!() };
        let error = |frame: usize| {
            let norm = |f: &dyn Fn(f64) -> f64| {
                trajectory.frame(frame).iter().map(|&u| f(u).powi(2)).sum::<f64>().sqrt()
            };
            norm(&|u| u - value) / norm(&|u| u)
        };
        expected.push((error(1) + 2.0 * error(2)) / 3.0);
    }
    assert_eq!(sweep.len(), 2);
    for result in &sweep {
        assert_eq!(result.n_points, 64);
        assert_eq!(result.relative_l2.errors.len(), 3);
        for (error, exact) in result.relative_l2.errors.iter().zip(&expected) {
            assert!((error - exact).abs() < 1e-5 * exact, "{error} {exact}");
        }
    }
}

#[test]
fn what_cannot_be_swept_is_told() {
    let (model, samples) = (constant_model(0.0), samples(1));
    let design = [ContextDesign::Strided { stride: 2 }];
    let sweep = |pairs, samples: &[Sample]| context_sweep(&model, samples, pairs, &design, 1);
    assert!(sweep(&[(0, 3)], &samples).unwrap_err().to_string().contains("frames are 0 to 2"));
    assert!(sweep(&[(0, 1)], &[]).is_err());
    let too_many = [ContextDesign::Random { context_fraction: 2.0 }];
    assert!(context_sweep(&model, &samples, &[(0, 1)], &too_many, 1).is_err());
}
