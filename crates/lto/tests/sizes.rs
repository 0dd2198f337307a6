//! Sizes before anything is made: estimates against the real number of parameters, and absurd ones refused.

#[path = "../../lto-numerics/tests/common/allocation.rs"]
mod allocation;

use lto::Device;
use lto::data::Data;
use lto::experiment::Experiment;
use lto::train::{Control, Observer, Trainer};
use std::path::Path;
use toml::{Table, Value};

#[global_allocator]
static ALLOCATOR: allocation::Watched = allocation::Watched;

/// Configurations of every kind of model, beside those of the project.
const FURTHER: [&str; 6] = [
    "kind = 'deeponet'\nbranch = [8, 6]\ntrunk = [8]\nbasis = 4",
    "kind = 'fno'\nform = 'neural_operator'\nwidth = 6\nmodes = 4\nblocks = 2",
    "kind = 'f_fno'\nwidth = 6\nmodes = 4\nlayers = 2\nshare = false",
    "kind = 'lno'\nblocks = 2\nmodes = 5\ndim = 8\nheads = 2\nqueries = 'any'",
    "kind = 'twin'\nlatent_points = 8\nlatent_channels = 2\nencoder = { kind = 'attention', width = 4 }\n\
     evolution = { kind = 'spectral', width = 4, modes = 3, blocks = 2 }\ndecoder = { hidden = 4 }",
    "kind = 'twin'\nlatent_points = 8\nlatent_channels = 2\nencoder = { kind = 'set_conv', hidden = 4 }\n\
     evolution = { kind = 'multigrid', width = 4, levels = 3, cycles = 2 }\ndecoder = { hidden = 4 }",
];

/// Every configuration with its defaults written out, on data that are generated.
fn configurations() -> Vec<(String, Table)> {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let mut texts: Vec<(String, String)> = Vec::new();
    for folder in ["paper", "ours", "thirdparty"] {
        for entry in std::fs::read_dir(configs.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            // Models of records need the records: `crates/lto/tests/stations.rs` has them.
            if !text.contains("records =") {
                texts.push((path.display().to_string(), text));
            }
        }
    }
    for model in FURTHER {
        texts.push((model.into(), format!("[data]\nsamples = 20\n[model]\n{model}\n[train]\nsteps = 1")));
    }
    let resolved = |(name, text): (String, String)| {
        let mut table: Table = text.parse().unwrap();
        if !table["data"].as_table().unwrap().contains_key("generate") {
            let (axes, pde) = (if name.contains("burgers") { 1 } else { 2 }, "pde = 'heat', resolution = 16");
            let pde = match name.contains("darcy") {
                true => "pde = 'darcy', resolution = 17".into(),
                false => format!("{pde}, dim = {axes}, n_frames = 60"),
            };
            let data = format!("generate = {{ {pde} }}\nsamples = 60").parse().unwrap();
            table.insert("data".into(), Value::Table(data));
        }
        let experiment = Experiment::parse(&table.to_string(), &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
        (name, experiment.to_toml().unwrap().parse().unwrap())
    };
    texts.into_iter().map(resolved).collect()
}

/// The weights that are counted are part of the parameters, and most of them.
#[test]
fn estimates_are_just_below_the_number_of_parameters() {
    for (name, table) in configurations() {
        let experiment = Experiment::parse(&table.to_string(), &[]).unwrap();
        let problem = Data::open(&experiment.data, 1.0).unwrap().problem();
        let operator = experiment.model.init(&problem, 0, Device::cpu()).unwrap();
        let numbers: usize = operator.parameters().iter().map(|p| p.values.len()).sum();
        let share = experiment.model.size(&problem).weights / numbers as f64;
        assert!((0.4..=1.0).contains(&share), "{name}: {share}");
    }
}

/// Stops when the model is made and the first sample would be solved.
struct UntilTheModel;

impl Observer for UntilTheModel {
    fn preparing(&mut self, _done: usize, _total: usize) -> Control {
        Control::Stop
    }
}

/// Every number of every configuration, set to what nobody would: told or taken, but never a panic nor memory without end.
#[test]
fn absurd_numbers_are_refused_before_memory_is_taken() {
    let whole = [0, 1, -1, 1 << 31, 1 << 40, i64::MAX].map(Value::Integer);
    let real = [0.0, -1.0, 1e308, f64::NAN, f64::INFINITY].map(Value::Float);
    let run = tempfile::tempdir().unwrap();
    let mut kinds = std::collections::HashSet::new();
    for (name, table) in configurations() {
        for path in numbers(&Value::Table(table.clone()), &mut Vec::new()) {
            // The same key of the same kind of model and data need not be tried in every file.
            let kind = ["encoder", "evolution", "form"]
                .map(|part| table["model"].get(part).map(|v| v.get("kind").unwrap_or(v).to_string()));
            let pde = table["data"]["generate"]["pde"].clone();
            if !kinds.insert(format!("{:?} {kind:?} {pde} {path:?}", table["model"]["kind"])) {
                continue;
            }
            let mut value = Value::Table(table.clone());
            let values = if at(&mut value, &path).is_float() { &real[..] } else { &whole[..] };
            for absurd in values {
                // A list of 2³¹ samples fits into some machines.
                if path.concat() == "datasamples" && *absurd == Value::Integer(1 << 31) {
                    continue;
                }
                *at(&mut value, &path) = absurd.clone();
                let text = value.as_table().unwrap().to_string();
                let Ok(experiment) = Experiment::parse(&text, &[]) else { continue };
                let ended = Trainer::start(experiment, &run.path().join("run"), false, &mut UntilTheModel);
                assert!(ended.is_err(), "{name}");
                let most = allocation::largest();
                assert!(most < 256 << 20, "{most} bytes for {} = {absurd} of {name}", path.join("."));
            }
        }
    }
}

/// Paths of all numbers.
fn numbers(value: &Value, path: &mut Vec<String>) -> Vec<Vec<String>> {
    let entries: Vec<(String, &Value)> = match value {
        Value::Integer(_) | Value::Float(_) => return vec![path.clone()],
        Value::Table(table) => table.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(i, value)| (i.to_string(), value)).collect(),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for (key, value) in entries {
        path.push(key);
        found.extend(numbers(value, path));
        path.pop();
    }
    found
}

/// The value at a path.
fn at<'a>(value: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(value, |value, key| match value {
        Value::Array(list) => &mut list[key.parse::<usize>().unwrap()],
        other => &mut other[key.as_str()],
    })
}
