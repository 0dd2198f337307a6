//! Every configuration file of the project is understood, fits its data, and makes the model it says.

use lto::Device;
use lto::data::Data;
use lto::data::pairs::Pairs;
use lto::experiment::Experiment;
use lto::loss::LossKind;
use lto::model::ModelConfig;
use lto::twin::config::{Interpolation, LengthScale};
use lto::twin::encoder::EncoderConfig;
use lto::twin::evolution::EvolutionConfig;
use std::path::{Path, PathBuf};

/// Numbers of parameters as published.
const PUBLISHED: [(&str, usize); 12] = [
    ("burgers", 29_395),
    ("navier_stokes", 1_126_211),
    ("darcy", 29_139),
    ("darcy_attention", 28_894),
    ("darcy_attention_large", 240_594),
    ("lno_navier_stokes", 1_146_945),
    ("lno_darcy", 29_171),
    ("lno_darcy_large", 762_113),
    ("fno_burgers", 23_937),
    ("fno_navier_stokes", 1_124_193),
    ("f_fno_burgers", 29_426),
    ("f_fno_navier_stokes", 1_072_834),
];

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs").join(folder);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    files
}

fn name(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

/// The experiment of a file and the number of parameters of its model. Opening generated data solves nothing.
fn load(path: &Path) -> (Experiment, usize) {
    let experiment = Experiment::read(path, &[]).unwrap_or_else(|e| panic!("{e}"));
    let data = Data::open(&experiment.data, experiment.train.context.largest_fraction()).unwrap();
    let model = experiment.model.init(&data.problem(), 0, Device::cpu());
    let n_parameters = model.unwrap_or_else(|e| panic!("{}: {e}", path.display())).n_parameters();
    (experiment, n_parameters)
}

#[test]
fn published_configurations_have_the_published_numbers_of_parameters() {
    let files = files("paper");
    let names: Vec<&str> = files.iter().map(|path| name(path)).collect();
    assert_eq!(
        names,
        [
            "burgers",
            "darcy",
            "darcy_attention",
            "darcy_attention_large",
            "f_fno_burgers",
            "f_fno_navier_stokes",
            "fno_burgers",
            "fno_navier_stokes",
            "heat",
            "lno_darcy",
            "lno_darcy_large",
            "lno_navier_stokes",
            "navier_stokes",
        ]
    );
    for path in &files {
        let (_, n_parameters) = load(path);
        if let Some((_, published)) = PUBLISHED.iter().find(|(published, _)| *published == name(path)) {
            assert_eq!(n_parameters, *published, "{}", path.display());
        }
    }
}

#[test]
fn published_configurations_train_as_published() {
    for path in files("paper") {
        let (experiment, _) = load(&path);
        let train = &experiment.train;
        if name(&path).starts_with("f_fno") {
            assert_eq!((train.batch, train.learning_rate, train.weight_decay), (19, 2.5e-3, 1e-4));
            assert_eq!((train.betas, train.gradient_clip, train.context.noise), ([0.9, 0.999], 0.0, 0.01));
            let warmup = train.schedule.factor(0.0025);
            assert_eq!((train.steps, warmup), (Some(100_000), 0.5));
            continue;
        }
        assert_eq!(
            (train.batch, train.learning_rate, train.weight_decay),
            (4, 1e-3, 5e-5),
            "{}",
            path.display()
        );
        assert_eq!(train.betas, [0.9, 0.99]);
        assert_eq!(train.epochs, Some(if name(&path).ends_with("burgers") { 1800.0 } else { 500.0 }));
        let pushforward = if name(&path) == "navier_stokes" { 0.15 } else { 0.0 };
        assert_eq!(train.pushforward.probability, pushforward);
    }
}

/// Baselines see all consecutive pairs, whole grids and the loss that is reported.
#[test]
fn baselines_train_fairly() {
    for (name, history) in [
        ("fno_burgers", 10),
        ("fno_navier_stokes", 1),
        ("lno_navier_stokes", 1),
        ("f_fno_burgers", 1),
        ("f_fno_navier_stokes", 1),
    ] {
        let path = files("paper").into_iter().find(|path| self::name(path) == name).unwrap();
        let (Experiment { data, train, .. }, _) = load(&path);
        assert_eq!(train.pairs, Some(Pairs::Consecutive), "{name}");
        assert_eq!(train.context.largest_fraction(), 1.0, "{name}");
        assert_eq!(train.objective.evolution_loss, LossKind::RelativeL2, "{name}");
        assert_eq!(data.history, history, "{name}");
    }
}

/// What is ours: deeper evolutions, and length scales that follow the points; within the published numbers of parameters.
#[test]
fn our_configurations_use_what_is_ours() {
    let files = files("ours");
    assert_eq!(
        files.iter().map(|path| name(path)).collect::<Vec<_>>(),
        ["burgers", "burgers_29k", "darcy", "heat", "navier_stokes"]
    );
    for path in &files {
        let (experiment, n_parameters) = load(path);
        let ModelConfig::Twin(twin) = &experiment.model else { panic!("{} is no twin", path.display()) };
        let ours = !matches!(twin.evolution, EvolutionConfig::Steady { .. } | EvolutionConfig::Timed { .. });
        // One is the published network, trained our way.
        assert!(ours || (name(path), n_parameters) == ("burgers_29k", 29_395), "{}", path.display());
        let EncoderConfig::SetConv(encoder) = &twin.encoder else { panic!("{}", path.display()) };
        let own = [encoder.length_scale, twin.decoder.length_scale];
        let scales = if twin.decoder.interpolation == Interpolation::Cubic { &own[..1] } else { &own };
        for scale in scales {
            assert!(!matches!(scale, LengthScale::Value(_)), "{}", path.display());
        }
        let moves = matches!(name(path), "burgers" | "heat" | "navier_stokes");
        assert_eq!(twin.output.moves(), moves, "{}", path.display());
        let published =
            PUBLISHED.iter().find(|(paper, _)| *paper == name(path)).map_or(usize::MAX, |(_, n)| *n);
        assert!(n_parameters <= published, "{}: {n_parameters}", path.display());
    }
}

/// Those for data of others are understood once they are told where the file is.
#[test]
fn configurations_for_data_of_others_want_a_file() {
    let files = files("thirdparty");
    assert!(!files.is_empty());
    for path in &files {
        let message = Experiment::read(path, &[]).unwrap_err().to_string();
        assert!(message.contains("data.path"), "{message}");
        Experiment::read(path, &["data.path=file.npz".into()]).unwrap_or_else(|e| panic!("{e}"));
    }
}
