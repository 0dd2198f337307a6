//! What is fuzzed: sound files of every kind, and what reads them.

use crate::mutate;
use crate::repair::{Sum, checksums, repair};
use lto::Device;
use lto::experiment::Experiment;
use lto::import::read_state_dict;
use lto::model::{Model, ModelCard, ModelConfig};
use lto::problem::Problem;
use lto::train::checkpoint::Position;
use lto::weights;
use lto_numerics::dataset::write::NpzArchive;
use lto_numerics::dataset::{Dataset, DatasetSummary, GridOption, LayoutKind, OpenOptions, format};
use lto_numerics::records::{FaultPolicy, RecordInspection, RecordOptions, Records};
use lto_numerics::{Domain, Placement};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;

/// Elements read of arrays that claim more.
const MOST_ELEMENTS: usize = 1 << 20;
/// Numbers that break what believes them.
const EXTREMES: [&str; 12] = [
    "0",
    "-1",
    "1",
    "1e308",
    "1e-300",
    "65536",
    "100000",
    "4294967296",
    "9223372036854775807",
    "nan",
    "inf",
    "\"x\"",
];

/// What reads a file.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Data,
    Records,
    Model,
    Checkpoint,
    Pickle,
    Config,
}

/// A sound file.
pub struct Input {
    /// Its name in reports: a path.
    pub name: String,
    target: Target,
    bytes: Vec<u8>,
    sums: Vec<Sum>,
}

impl Input {
    fn new(name: impl Into<String>, target: Target, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), target, sums: checksums(&bytes), bytes }
    }

    /// The name of its mutants: suffixes tell formats apart.
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// The mutation with this seed: of any bytes, with checksums made right in half of the cases; or, in text, of a number.
    pub fn mutant(&self, seed: u64) -> Vec<u8> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let text = match self.target {
            Target::Data | Target::Pickle => 0..0,
            Target::Records | Target::Config => 0..self.bytes.len(),
            // A header of JSON after its length.
            Target::Model | Target::Checkpoint => 8..8 + header_length(&self.bytes),
        };
        if !text.is_empty() && rng.random_bool(0.75) {
            let header = other_number(&self.bytes[text.clone()], &mut rng);
            let mut mutant = [&header, &self.bytes[text.end..]].concat();
            if text.start > 0 {
                mutant.splice(0..0, (header.len() as u64).to_le_bytes());
            }
            return mutant;
        }
        let mut mutant = mutate::mutation(&self.bytes, seed);
        if mutant.len() == self.bytes.len() && rng.random() {
            repair(&mut mutant, &self.sums);
        }
        mutant
    }

    /// Reads a mutant as its kind is read, whatever comes of it.
    pub fn exercise(&self, path: &Path) {
        match self.target {
            Target::Data => read_data(path),
            Target::Records => read_records(path),
            Target::Model => drop(Model::load(path)),
            Target::Checkpoint => drop(weights::read::<Position>(path)),
            Target::Pickle => drop(read_state_dict(path)),
            Target::Config => {
                let Ok(experiment) = Experiment::read(path, &[]) else { return };
                let size = experiment.model.size(&problem());
                // A large model is no finding where the machine has room for it; it only has to be refused where not.
                if size.weights + size.state < LARGE {
                    drop(experiment.model.init(&problem(), 0, Device::cpu()));
                } else {
                    drop(size.check());
                }
            }
        }
    }
}

/// Numbers of a model that stay far below the harness's limit of memory.
const LARGE: f64 = 1e7;

fn header_length(bytes: &[u8]) -> usize {
    bytes.first_chunk().map_or(0, |length| u64::from_le_bytes(*length) as usize)
}

/// A text with one of its numbers replaced.
fn other_number(text: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let is_number = |b: &u8| b.is_ascii_digit() || *b == b'.';
    let starts: Vec<usize> =
        (1..text.len()).filter(|&i| is_number(&text[i]) && !is_number(&text[i - 1])).collect();
    let Some(&start) = starts.get(rng.random_range(0..starts.len().max(1))) else { return text.to_vec() };
    let end = start + text[start..].iter().take_while(|b| is_number(b)).count();
    let number = EXTREMES[rng.random_range(0..EXTREMES.len())];
    [&text[..start], number.as_bytes(), &text[end..]].concat()
}

/// Lists a file, reads its arrays, and opens it in every layout.
/// Reads a record, faults refused and skipped, with every frame of what is understood.
fn read_records(path: &Path) {
    for faults in [FaultPolicy::Refuse, FaultPolicy::Skip] {
        let Ok(records) = Records::open(path, &RecordOptions { faults, ..RecordOptions::default() }) else {
            continue;
        };
        for frame in 0..records.times().len() {
            drop(records.frame(frame));
        }
        drop(RecordInspection::new(&records));
    }
}

fn read_data(path: &Path) {
    let mut axes = Vec::new();
    if let Ok(mut store) = format::open(path) {
        for info in store.arrays().to_vec() {
            let zeros = vec![0; info.shape.len()];
            let small: Vec<usize> = info.shape.iter().map(|&n| n.min(2)).collect();
            let ends: Vec<usize> = info.shape.iter().zip(&small).map(|(n, s)| n - s).collect();
            let elements = info.shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
            let whole =
                elements.is_some_and(|n| n <= MOST_ELEMENTS).then(|| (zeros.clone(), info.shape.clone()));
            for (start, count) in [(zeros, small.clone()), (ends, small)].into_iter().chain(whole) {
                drop(store.read(&info.name, &start, &count));
            }
            let names = ["n", "t", "x", "y", "z", "c"];
            axes.push((info.name, names[..info.shape.len().min(names.len())].join(",")));
        }
    }
    let detected = [OpenOptions::default()];
    let layouts =
        LayoutKind::ALL.map(|layout| OpenOptions { layout: Some(layout), ..OpenOptions::default() });
    let grid = Some(GridOption::Placement(Placement::Left));
    let generic = axes.into_iter().map(|(key, axes)| OpenOptions {
        keys: vec![key],
        axes: Some(axes),
        grid: grid.clone(),
        ..OpenOptions::default()
    });
    for options in detected.into_iter().chain(layouts).chain(generic) {
        if let Ok(mut data) = Dataset::open(path, &options) {
            drop(DatasetSummary::of(&mut data, Some(1)));
            drop(data.read(0..data.len().min(1)));
        }
    }
}

fn problem() -> Problem {
    let domain = Domain::unit(2, true).expect("two axes");
    Problem {
        domain,
        source_channels: 1,
        target_channels: 1,
        native: vec![16, 16],
        times: Some([0.0, 1.0]),
        changes: Vec::new(),
        measured: Default::default(),
    }
}

/// Files of the tests and configurations, and some made here in `folder`.
pub fn inputs(folder: &Path) -> Vec<Input> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut inputs = Vec::new();
    let mut add = |under: &str, suffixes: &[&str], target: Target| {
        let mut paths: Vec<_> = std::fs::read_dir(root.join(under))
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|s| suffixes.iter().any(|suffix| s == *suffix)))
            .collect();
        paths.sort();
        for path in paths {
            let name = format!("{under}/{}", path.file_name().unwrap_or_default().to_string_lossy());
            inputs.extend(std::fs::read(&path).map(|bytes| Input::new(name, target, bytes)));
        }
    };
    let data = ["csv", "tsv", "npy", "npz", "mat", "h5", "hdf5"];
    for format in ["csv", "hdf5", "layouts", "mat5", "npy"] {
        add(&format!("crates/lto-numerics/tests/fixtures/{format}"), &data, Target::Data);
    }
    add("crates/lto-numerics/tests/fixtures/records", &["csv", "nc"], Target::Records);
    add("crates/lto/tests/fixtures", &["pt"], Target::Pickle);
    for configs in ["ours", "paper", "reproduce", "thirdparty"] {
        add(&format!("configs/{configs}"), &["toml"], Target::Config);
    }
    inputs.extend(layouts(folder));
    inputs.extend(models(folder));
    inputs
}

/// A small archive of arrays for each layout that no fixture has.
fn layouts(folder: &Path) -> Vec<Input> {
    /// Arrays by name and shape.
    type Arrays<'a> = &'a [(&'a str, &'a [usize])];
    let files: [(&str, Arrays); 8] = [
        ("pdebench", &[("tensor", &[2, 3, 4]), ("x-coordinate", &[4]), ("t-coordinate", &[4])]),
        (
            "darcy",
            &[("nu", &[2, 3, 4]), ("tensor", &[2, 1, 3, 4]), ("x-coordinate", &[3]), ("y-coordinate", &[4])],
        ),
        (
            "compressible",
            &[
                ("density", &[2, 3, 4]),
                ("pressure", &[2, 3, 4]),
                ("Vx", &[2, 3, 4]),
                ("x-coordinate", &[4]),
                ("t-coordinate", &[3]),
            ],
        ),
        ("grouped", &[("0000/data", &[3, 4, 1]), ("0000/grid/x", &[4]), ("0000/grid/t", &[3])]),
        ("fno_navier_stokes", &[("a", &[2, 4, 4]), ("u", &[2, 4, 4, 3]), ("t", &[1, 3])]),
        ("fno_burgers", &[("a", &[2, 8]), ("u", &[2, 8])]),
        ("pinn", &[("x", &[8, 1]), ("tt", &[1, 3]), ("uu", &[8, 3])]),
        ("labelled", &[("t2m", &[3, 4, 5]), ("hours", &[3]), ("lat", &[4]), ("lon", &[5])]),
    ];
    let archive = |(name, arrays): (&str, &[(&str, &[usize])])| {
        let path = folder.join(format!("{name}.npz"));
        let mut archive = NpzArchive::create(&path)?;
        for (array, shape) in arrays {
            let values: Vec<f64> = (0..shape.iter().product()).map(|i| i as f64).collect();
            archive.numbers(array, shape, &values)?;
        }
        archive.finish()?;
        let bytes = std::fs::read(&path).map_err(|source| lto_numerics::Error::Io { path, source })?;
        Ok(Input::new(format!("made/{name}.npz"), Target::Data, bytes))
    };
    let made: lto_numerics::Result<Vec<Input>> = files.into_iter().map(archive).collect();
    made.expect("the folder can be written")
}

/// A small model of each kind, and a checkpoint.
fn models(folder: &Path) -> Vec<Input> {
    let configs = [
        (
            "twin",
            "kind = 'twin'\nlatent_points = 8\nlatent_channels = 2\nencoder = { kind = 'set_conv', hidden = 3 }\n\
             evolution = { kind = 'timed', width = 4 }\ndecoder = { hidden = 5 }",
        ),
        ("fno", "kind = 'fno'\nwidth = 4\nmodes = 2\nblocks = 1\nhidden = 4"),
        ("f_fno", "kind = 'f_fno'\nwidth = 4\nmodes = 2\nlayers = 1\nhidden = 4"),
    ];
    let normalizer = || serde_json::from_str(r#"{"mean": [0.5], "scale": [2.0]}"#).expect("numbers");
    let mut inputs = Vec::new();
    for (name, config) in configs {
        let model: ModelConfig = match toml::from_str(config) {
            Ok(model) => model,
            Err(error) => panic!("{name}: {error}"),
        };
        let operator = model.init(&problem(), 3, Device::cpu()).expect("a small network");
        let position = Position {
            step: 3,
            seconds: 1.5,
            cpu_seconds: 1.5,
            means: Default::default(),
            errors: Default::default(),
            normalizers: (normalizer(), normalizer()),
        };
        let mut file = |kind: &str, target, write: &dyn Fn(&Path) -> lto::Result<()>| {
            let path = folder.join("made.safetensors");
            write(&path).expect("the folder can be written");
            let bytes = std::fs::read(&path).expect("it was written");
            inputs.push(Input::new(format!("made/{name}_{kind}.safetensors"), target, bytes));
        };
        let parameters = operator.parameters();
        file("checkpoint", Target::Checkpoint, &|path| weights::write(path, &parameters, &position));
        let card = ModelCard {
            source_normalizer: normalizer(),
            target_normalizer: normalizer(),
            native_interval: Some(0.1),
            ..ModelCard::untrained(problem(), model)
        };
        let model = Model::of(card, operator);
        file("model", Target::Model, &|path| model.save(path));
    }
    inputs
}
