//! A model is saved and loaded whole; damaged files are refused by name.

use lto::model::{FILE_NAME, Forecast, Model, ModelCard, ModelConfig, Way};
use lto::problem::Problem;
use lto::{Device, weights};
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Domain, Points};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

#[path = "../../lto-numerics/tests/common/allocation.rs"]
mod allocation;

#[global_allocator]
static ALLOCATOR: allocation::Watched = allocation::Watched;

fn normalizer() -> Normalizer {
    serde_json::from_str(r#"{"mean": [0.5], "scale": [2.0]}"#).unwrap()
}

fn model() -> Model {
    let text = "kind = 'twin'\nlatent_points = 8\nlatent_channels = 2\nencoder = { kind = 'set_conv', hidden = 3 }\n\
                evolution = { kind = 'timed', width = 4 }\ndecoder = { hidden = 5 }";
    let model: ModelConfig = toml::from_str(text).unwrap();
    let domain = Domain::unit(2, true).unwrap();
    let problem = Problem {
        domain,
        source_channels: 1,
        target_channels: 1,
        native: vec![16, 16],
        times: Some([0.0, 1.0]),
        changes: Vec::new(),
        measured: Default::default(),
    };
    let card = ModelCard {
        source_normalizer: normalizer(),
        target_normalizer: normalizer(),
        native_interval: Some(0.1),
        ..ModelCard::untrained(problem, model)
    };
    Model::new(card, 3).unwrap()
}

fn sensors() -> Context {
    let points =
        Points::scattered(Domain::unit(2, true).unwrap(), vec![0.1, 0.2, 0.7, 0.4, 0.5, 0.9]).unwrap();
    Context { points, n_channels: 1, values: vec![1.0, -0.5, 3.0], deviations: None }
}

fn query() -> Arc<Points> {
    Arc::new(Points::scattered(Domain::unit(2, true).unwrap(), vec![0.3, 0.3, 0.8, 0.1]).unwrap())
}

#[test]
fn a_saved_model_predicts_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let made = model();
    let expected = made.predict(&sensors(), 0.0, &[0.25, 1.0], &query()).unwrap();
    made.save(&folder.path().join(FILE_NAME)).unwrap();
    // From the file and from the folder of a run.
    for path in [folder.path().join(FILE_NAME), folder.path().into()] {
        let loaded = Model::load(&path).unwrap();
        assert_eq!(loaded.card(), made.card());
        assert_eq!(loaded.predict(&sensors(), 0.0, &[0.25, 1.0], &query()).unwrap().values, expected.values);
    }
    assert_eq!(expected.values.len(), 4);
    assert!(expected.outside_range.is_empty());
}

/// The network sees (v − mean)/scale and gives back normalized values: shifting and scaling both normalizations shifts and
/// scales what comes out.
#[test]
fn predictions_are_in_physical_units() {
    let made = model();
    let mut card = made.card().clone();
    let other: Normalizer = serde_json::from_str(r#"{"mean": [-3.0], "scale": [10.0]}"#).unwrap();
    (card.source_normalizer, card.target_normalizer) = (other.clone(), other);
    let moved = Model::new(card, 3).unwrap();
    let mut context = sensors();
    let plain = made.predict(&context, 0.0, &[0.5], &query()).unwrap().values;
    context.values.iter_mut().for_each(|v| *v = (*v - 0.5) / 2.0 * 10.0 - 3.0);
    for (a, b) in moved.predict(&context, 0.0, &[0.5], &query()).unwrap().values.iter().zip(plain) {
        assert!((a - ((b - 0.5) / 2.0 * 10.0 - 3.0)).abs() < 1e-5);
    }
}

#[test]
fn damaged_files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.safetensors");
    let made = model();
    let load = |path: &Path| Model::load(path).map(|_| ()).unwrap_err().to_string();
    assert!(load(&path).contains("m.safetensors"));
    made.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    for keep in [0, 7, 100, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..keep]).unwrap();
        assert!(load(&path).contains("not a whole .safetensors file"), "{keep}");
    }
    let parameters = made.operator().parameters();
    weights::write(&path, &parameters[1..], made.card()).unwrap();
    assert!(load(&path).contains(&format!("{} are missing", parameters[0].name)));
    let mut changed = parameters.clone();
    changed[1].shape.reverse();
    weights::write(&path, &changed, made.card()).unwrap();
    assert!(load(&path).contains("has shape"));
    let mut changed = parameters.clone();
    changed[2].values[0] = f32::NAN;
    weights::write(&path, &changed, made.card()).unwrap();
    assert!(load(&path).contains("NaN"));
    let mut changed = parameters;
    changed[0].name = "encoder.unknown".into();
    weights::write(&path, &changed, made.card()).unwrap();
    assert!(load(&path).contains("missing"));
    weights::write(&path, &made.operator().parameters(), &"no card").unwrap();
    assert!(load(&path).contains("not understood"));
}

/// One number of the description enlarged: the file is refused before anything of that size is made.
#[test]
fn sizes_that_the_weights_do_not_have_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.safetensors");
    let made = model();
    let others = [
        "kind = 'fno'\nwidth = 2\nmodes = 2",
        "kind = 'fno'\nform = 'neural_operator'\nwidth = 2\nmodes = [4, 2]",
        "kind = 'f_fno'\nwidth = 2\nmodes = [2, 3]\nlayers = 2\nhidden = 4",
        "kind = 'deeponet'\nbranch = [4]\ntrunk = [4]\nbasis = 2\nsensor_stride = 4",
        "kind = 'lno'\nblocks = 1\nmodes = 3\ndim = 4\nheads = 2",
    ];
    let others = others.map(|text| {
        let model: ModelConfig = toml::from_str(text).unwrap();
        let operator = model.init(&made.card().problem, 3, Device::cpu()).unwrap();
        Model::of(ModelCard { model, ..made.card().clone() }, operator)
    });
    for made in [made].into_iter().chain(others) {
        let card = serde_json::to_value(made.card()).unwrap();
        let sizes = ["/problem/source_channels", "/problem/target_channels"].map(String::from).into_iter();
        for size in sizes.chain(numbers(&card["model"], "/model")) {
            // Where an encoder or kernel begins, and how far apart sensors are, are no sizes.
            if ["length_scale", "density_floor", "sensor_stride", "heads"]
                .iter()
                .any(|name| size.contains(name))
            {
                continue;
            }
            for value in [2830, 2147483647, 1 << 62, u64::MAX] {
                // A grid of 2830 × 2830 points fits.
                if size.ends_with("latent_points") && value == 2830 {
                    continue;
                }
                let mut card = card.clone();
                *card.pointer_mut(&size).unwrap() = value.into();
                weights::write(&path, &made.operator().parameters(), &card).unwrap();
                let error = Model::load(&path).map(|_| ()).unwrap_err().to_string();
                assert!(
                    error.contains("m.safetensors") || error.contains("model."),
                    "{size} = {value}: {error}"
                );
            }
        }
    }
    assert!(allocation::largest() < 64 << 20, "{} bytes", allocation::largest());
}

/// Paths of all numbers in a value.
fn numbers(value: &Value, path: &str) -> Vec<String> {
    match value {
        Value::Number(_) => vec![path.into()],
        Value::Array(list) => {
            list.iter().enumerate().flat_map(|(i, value)| numbers(value, &format!("{path}/{i}"))).collect()
        }
        Value::Object(map) => {
            map.iter().flat_map(|(key, value)| numbers(value, &format!("{path}/{key}"))).collect()
        }
        _ => Vec::new(),
    }
}

/// In memory as in a file: the same bytes, and the same predictions from them.
#[test]
fn the_bytes_of_a_model_are_those_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    let model = model();
    model.save(&path).unwrap();
    let bytes = model.to_bytes().unwrap();
    assert_eq!(bytes, std::fs::read(&path).unwrap());
    let predict = |model: &Model| model.predict(&sensors(), 0.0, &[0.5], &query()).unwrap();
    assert_eq!(predict(&Model::from_bytes(&bytes).unwrap()), predict(&model));
    let error = Model::from_bytes(&bytes[..bytes.len() / 2]).err().unwrap().to_string();
    assert!(error.contains(FILE_NAME), "{error}");
}

/// Models learn to go forward; what they would say about the past means nothing.
#[test]
fn times_before_the_observations_are_refused() {
    let model = model();
    let state = model.encode(&sensors(), 0.5).unwrap();
    let forecast = Forecast { context: &sensors(), s: 0.5, times: &[0.25] };
    let refused = [
        state.at(0.25).err(),
        model.predict(&sensors(), 0.5, &[0.75, 0.25], &query()).err(),
        model.predict_by(Way::Direct, &forecast, &query()).err(),
    ];
    for error in refused {
        let error = error.unwrap().to_string();
        assert!(error.contains("t = 0.25 is before the observations at s = 0.5"), "{error}");
    }
    assert!(state.at(0.5).is_ok());
}
