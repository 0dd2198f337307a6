//! Tiny models with random weights.

use lto::model::{Model, ModelCard, ModelConfig};
use lto::problem::Problem;
use lto_numerics::Domain;
use lto_numerics::dataset::Normalizer;
use std::collections::BTreeMap;
use std::path::Path;

/// The `[model]` of a tiny twin, for configuration files.
pub const TWIN: &str = "
[model]
kind = 'twin'
latent_points = 8
latent_channels = 2
encoder = { kind = 'set_conv', hidden = 2 }
evolution = { kind = 'timed', width = 4 }
decoder = { hidden = 4 }
";

/// Writes a model on the unit box: one channel `u`, of times 0 to 1, or steady.
pub fn write(path: &Path, dim: usize, periodic: bool, steady: bool) {
    write_with_floor(path, dim, periodic, steady, 1e-8);
}

/// The same with another density floor of the encoder.
pub fn write_with_floor(path: &Path, dim: usize, periodic: bool, steady: bool, density_floor: f64) {
    let evolution = if steady { "steady" } else { "timed" };
    let config = serde_json::json!({
        "kind": "twin", "latent_points": 8, "latent_channels": 3,
        "encoder": {"kind": "set_conv", "hidden": 2, "density_floor": density_floor},
        "evolution": {"kind": evolution, "width": 4},
        "decoder": {"hidden": 4},
    });
    write_model(path, dim, periodic, steady, config);
}

/// A model that has nothing to encode with.
pub fn write_interpolation(path: &Path) {
    write_model(path, 1, true, false, serde_json::json!({"kind": "interpolation"}));
}

fn write_model(path: &Path, dim: usize, periodic: bool, steady: bool, config: serde_json::Value) {
    let problem = Problem {
        domain: Domain::unit(dim, periodic).unwrap(),
        source_channels: 1,
        target_channels: 1,
        native: vec![12; dim],
        times: (!steady).then_some([0.0, 1.0]),
        changes: Vec::new(),
        measured: Default::default(),
    };
    let config: ModelConfig = serde_json::from_value(config).unwrap();
    let normalizer: Normalizer = serde_json::from_str(r#"{"mean": [10.0], "scale": [2.0]}"#).unwrap();
    let card = ModelCard {
        source_normalizer: normalizer.clone(),
        target_normalizer: normalizer,
        native_interval: (!steady).then_some(0.25),
        data: "nothing".into(),
        errors: BTreeMap::from([("validation".to_string(), 0.5)]),
        ..ModelCard::untrained(problem, config)
    };
    Model::new(card, 3).unwrap().save(path).unwrap();
}
