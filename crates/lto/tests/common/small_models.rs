//! One small model of every kind, encoder, output and evolution, with something to see.

use lto::model::{Model, ModelCard, ModelConfig};
use lto::problem::Problem;
use lto::twin::evolution::EvolutionConfig;
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Domain, Grid, Placement, Points};
use serde_json::{Value, json};

pub const N: usize = 16;

/// One small model of every kind, and of every encoder.
pub fn models() -> Vec<ModelConfig> {
    let twin = |encoder: Value| {
        json!({"kind": "twin", "latent_points": 16, "latent_channels": 4, "encoder": encoder,
               "evolution": {"kind": "timed", "width": 8}, "decoder": {"hidden": 16}})
    };
    let seeing = json!({"kind": "set_conv", "hidden": 4, "estimate": true, "length_scale": {"layout": 0.6}});
    let moving = |output: &str| {
        let mut moving = twin(seeing.clone());
        moving["output"] = json!(output);
        moving
    };
    let mut spreading = moving("gated");
    spreading["semigroup"] = json!({"modes": 4});
    let course = |kind: &str| {
        let x: Vec<f64> = (0..N).map(|i| i as f64 / N as f64).collect();
        json!({"kind": kind, "times": [0.0, 0.5], "coordinates": [x], "period": 1.0})
    };
    let all = [
        twin(json!({"kind": "set_conv", "hidden": 4})),
        twin(json!({"kind": "attention", "width": 8})),
        moving("transport"),
        moving("gated"),
        spreading,
        json!({"kind": "persistence"}),
        json!({"kind": "interpolation"}),
        course("climatology"),
        course("anomaly_persistence"),
        json!({"kind": "lno", "blocks": 1, "modes": 8, "dim": 16, "heads": 2, "layers": 1, "queries": "any"}),
        json!({"kind": "fno", "width": 6, "modes": 4, "hidden": 16}),
        json!({"kind": "fno", "form": "neural_operator", "width": 6, "modes": 6}),
        json!({"kind": "f_fno", "width": 6, "modes": 4, "hidden": 16}),
        json!({"kind": "deeponet", "branch": [16], "trunk": [16, 16], "basis": 8}),
    ];
    all.map(|value| serde_json::from_value(value).unwrap()).to_vec()
}

pub fn evolutions() -> Vec<EvolutionConfig> {
    let all = [
        json!({"kind": "steady", "width": 4}),
        json!({"kind": "timed", "width": 4}),
        json!({"kind": "residual", "width": 4}),
        json!({"kind": "spectral", "width": 4, "modes": 3, "blocks": 2}),
        json!({"kind": "spectral", "width": 4, "modes": 3, "blocks": 3, "taps": 5, "dilations": [1, 4]}),
        json!({"kind": "spectral", "width": 4, "modes": 3, "blocks": 2, "displacements": 2}),
        json!({"kind": "multigrid", "width": 4, "levels": 3, "cycles": 2}),
    ];
    all.map(|value| serde_json::from_value(value).unwrap()).to_vec()
}

/// Values of one channel on a periodic grid of 16 points an axis.
pub fn problem(dim: usize, times: Option<[f64; 2]>) -> Problem {
    Problem {
        domain: Domain::unit(dim, true).unwrap(),
        source_channels: 1,
        target_channels: 1,
        native: vec![N; dim],
        times,
        changes: Vec::new(),
        measured: Default::default(),
    }
}

/// The native grid.
pub fn grid(dim: usize) -> Points {
    Points::grid(Grid::cubic(Domain::unit(dim, true).unwrap(), N, Placement::Left).unwrap())
}

/// An untrained model for values about 2, with a native interval of 0.25.
pub fn untrained(problem: Problem, config: ModelConfig) -> lto::Result<Model> {
    let normalizer: Normalizer = serde_json::from_str(r#"{"mean": [2.0], "scale": [0.5]}"#).unwrap();
    let card = ModelCard {
        native_interval: problem.times.map(|_| 0.25),
        source_normalizer: normalizer.clone(),
        target_normalizer: normalizer,
        ..ModelCard::untrained(problem, config)
    };
    Model::new(card, 7)
}

/// The model with weights away from the start, where some say the same everywhere.
pub fn stirred(model: &Model) -> Model {
    let (mut at, mut angle) = (model.operator().parameters().into_iter(), 0.0f32);
    let operator = model.operator().with_parameters(&mut |_, _| {
        let mut values = at.next()?.values;
        for value in &mut values {
            angle += 1.7;
            *value += 0.3 * angle.sin();
        }
        Some(values)
    });
    Model::of(model.card().clone(), operator)
}

/// A wave at points.
pub fn wave(points: &Points, phase: f64) -> Vec<f64> {
    let at = |x: &[f64]| 2.0 + 0.5 * (phase + std::f64::consts::TAU * x.iter().sum::<f64>()).sin();
    points.coordinates().chunks_exact(points.dim()).map(at).collect()
}

/// The wave, observed.
pub fn context(points: Points, phase: f64) -> Context {
    Context { n_channels: 1, values: wave(&points, phase), points, deviations: None }
}
