//! State dicts of PyTorch (`fixtures/make_import.py`): read as data, matched by name, refused where anything is amiss.

#[path = "common/compare.rs"]
mod compare;
#[path = "common/fixture.rs"]
mod fixture;

use compare::{difference, numbers};
use fixture::Fixture;
use lto::Result;
use lto::experiment::Experiment;
use lto::import::{Imported, StateTensor, import, read_state_dict};
use lto::model::Model;
use lto::operator::Operator;
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Grid, Placement, Points};
use safetensors::tensor::{Dtype, TensorView, serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// A small operator on data that are quickly solved.
fn of_model(model: &str) -> Experiment {
    let data = "[data]\ngenerate = { pde = 'heat', resolution = 8 }\nsamples = 4";
    Experiment::parse(&format!("{data}\n[model]\n{model}\n[train]\nsteps = 1"), &[]).unwrap()
}

fn experiment(blocks: usize) -> Experiment {
    of_model(&format!("kind = 'lno'\nblocks = {blocks}\nmodes = 5\ndim = 6\nheads = 2"))
}

fn imported(path: &Path) -> Result<Model> {
    Ok(import(&experiment(2), path, &mut |_, _| true)?.model)
}

/// What an operator makes of contexts on a grid, in normalized units.
fn forward(
    operator: &dyn Operator,
    points: &Points,
    values: &[f64],
    times: (f64, f64),
    query: &Points,
) -> Vec<f32> {
    let context =
        |v: &[f64]| Context { points: points.clone(), n_channels: 1, values: v.to_vec(), deviations: None };
    let contexts: Vec<Context> = values.chunks_exact(points.len()).map(context).collect();
    let times = vec![times; contexts.len()];
    numbers(operator.forward(&contexts, &times, &[Arc::new(query.clone())]).unwrap())
}

/// Every weight of the fixture, bit for bit, whatever the form of the file: plain, transposed views, wrapped names, parameters
/// of double precision inside a checkpoint, `.safetensors`.
#[test]
fn published_weights_are_put_in_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let safe = folder.path().join("m.safetensors");
    let tensors = read_state_dict(&stored("lno_published.pt")).unwrap();
    let bytes: Vec<Vec<u8>> =
        tensors.iter().map(|t| t.values.iter().flat_map(|v| v.to_le_bytes()).collect()).collect();
    let views = tensors
        .iter()
        .zip(&bytes)
        .map(|(t, bytes)| (t.name.clone(), TensorView::new(Dtype::F32, t.shape.clone(), bytes).unwrap()));
    std::fs::write(&safe, serialize(views, None).unwrap()).unwrap();

    let mut expected = Fixture::open("lno_observations");
    for path in [stored("lno_published.pt"), stored("lno_checkpoint.pt"), safe] {
        let model = imported(&path).unwrap_or_else(|e| panic!("{e}"));
        for parameter in model.operator().parameters() {
            let name = format!("parameter/{}", parameter.name);
            assert_eq!(parameter.values, expected.single(&name), "{name}");
        }
        // It is a model like any other.
        let saved = folder.path().join("saved.safetensors");
        model.save(&saved).unwrap();
        let card = Model::load(&saved).unwrap().card().clone();
        assert_eq!(&card, model.card());
        assert!(card.data.contains(&path.display().to_string()) && card.source_normalizer.scale()[0] > 0.0);
    }
}

/// The published Fourier neural operator with its two complex blocks, bit for bit; and one of the package by its names.
#[test]
fn fourier_neural_operators_are_put_in_their_places() {
    let published = of_model("kind = 'fno'\nwidth = 3\nmodes = 4\nhidden = 5");
    let Imported { model, notes } =
        import(&published, &stored("fno_published.pt"), &mut |_, _| true).unwrap_or_else(|e| panic!("{e}"));
    assert!(notes.len() == 1 && notes[0].contains("linspace"), "{notes:?}");
    let mut expected = Fixture::open("fno_2d_overlap");
    for parameter in model.operator().parameters() {
        let name = format!("parameter/{}", parameter.name);
        assert_eq!(parameter.values, expected.single(&name), "{name}");
    }
}

/// An operator of the package neuraloperator predicts here what it predicts there, on the grid of its coordinates.
#[test]
fn an_operator_of_the_package_predicts_the_same() {
    let package = of_model("kind = 'fno'\nform = 'neural_operator'\nwidth = 4\nmodes = 4");
    let Imported { model, notes } =
        import(&package, &stored("fno_package.pt"), &mut |_, _| true).unwrap_or_else(|e| panic!("{e}"));
    assert!(notes.is_empty(), "{notes:?}");
    let mut expected = Fixture::open("fno_package_prediction");
    let domain = Domain::unit(2, true).unwrap();
    let points = Points::grid(Grid::cubic(domain, 8, Placement::Left).unwrap());
    let values = expected.get("values");
    let got = forward(model.operator(), &points, &values, (0.0, 0.001), &points);
    assert!(difference(&got, &expected.get("prediction")) < 1e-5);
    let odd = Experiment::parse(&package.to_toml().unwrap(), &["data.generate.resolution=9".into()]).unwrap();
    let notes = import(&odd, &stored("fno_package.pt"), &mut |_, _| true).unwrap().notes;
    assert!(notes.len() == 1 && notes[0].contains("odd number"), "{notes:?}");
}

/// A twin whose layers are those of torch.nn, with matrices [out, in], predicts what its maker says.
#[test]
fn a_twin_predicts_the_same() {
    let text = "[data]\ngenerate = { pde = 'heat', dim = 1, resolution = 16, max_diffusion = 1.0 }\nsamples = 4\n[model]\n\
                kind = 'twin'\nlatent_points = 16\nlatent_channels = 2\nencoder = { kind = 'set_conv', hidden = 3 }\n\
                evolution = { kind = 'timed', width = 4 }\ndecoder = { hidden = 5 }\n[train]\nsteps = 1";
    let model = import(&Experiment::parse(text, &[]).unwrap(), &stored("twin.pt"), &mut |_, _| true)
        .unwrap_or_else(|e| panic!("{e}"))
        .model;
    let mut expected = Fixture::open("timed_1d");
    let mut place = |name| Points::scattered(Domain::unit(1, true).unwrap(), expected.get(name)).unwrap();
    let (points, query) = (place("points"), place("query"));
    let got = forward(model.operator(), &points, &expected.get("values"), (0.25, 0.75), &query);
    assert!(difference(&got, &expected.get("prediction")) < 1e-5);
}

#[test]
fn numbers_of_all_kinds_are_read() {
    let tensors = read_state_dict(&stored("numbers.pt")).unwrap();
    let is = |name: &str, shape: &[usize], values: &[f32], complex| StateTensor {
        name: name.into(),
        shape: shape.into(),
        values: values.into(),
        complex,
    };
    let expected = [
        is("half", &[2], &[1.5, -2.0], false),
        is("brain", &[2, 1], &[0.5, 3.0], false),
        is("part", &[2, 2], &[1.0, 2.0, 4.0, 5.0], false),
        is("complex", &[1], &[1.0, 2.0], true),
    ];
    assert_eq!(tensors, expected);
}

/// Many tensors of one storage, which is read once.
#[test]
fn tensors_may_share_a_storage() {
    let tensors = read_state_dict(&stored("one_storage.pt")).unwrap();
    assert_eq!(tensors.len(), 250);
    for (i, tensor) in tensors.iter().enumerate() {
        let first = i as f32;
        assert_eq!(
            (tensor.name.clone(), &tensor.values[..]),
            (format!("part{i}"), &[first, first + 1.0, first + 2.0][..])
        );
    }
}

#[test]
fn what_does_not_fit_is_listed_by_name_and_shape() {
    let refused = |blocks| {
        let made = import(&experiment(blocks), &stored("lno_published.pt"), &mut |_, _| true);
        made.map(|_| ()).unwrap_err().to_string()
    };
    let more = refused(3);
    assert!(more.contains("missing: blocks.2.attention_norm.gamma [6]"), "{more}");
    let fewer = refused(1);
    assert!(fewer.contains("superfluous: ") && fewer.contains("attn_blocks.1.ln1.bias [6]"), "{fewer}");
    let mut other = experiment(2);
    let text = "kind = 'lno'\nblocks = 2\nmodes = 7\ndim = 6\nheads = 2";
    other.model = toml::from_str(text).unwrap();
    let other =
        import(&other, &stored("lno_published.pt"), &mut |_, _| true).map(|_| ()).unwrap_err().to_string();
    assert!(other.contains("attention_projector.output.weight [5, 6] instead of [7, 6]"), "{other}");
}

/// Nothing that a pickle names is called; what it names is told.
#[test]
fn pickles_that_call_anything_are_refused() {
    let refused = |name: &str| read_state_dict(&stored(name)).unwrap_err().to_string();
    let attack = refused("attack.pt");
    assert!(attack.contains("posix.system") && attack.contains("attack.pt"), "{attack}");
    assert!(!Path::new("attacked.txt").exists());
    let whole = refused("whole_module.pt");
    assert!(whole.contains("torch.nn.modules.linear.Linear") && whole.contains("state_dict()"), "{whole}");
    let numbers = refused("whole_numbers.pt");
    assert!(numbers.contains("steps") && numbers.contains("torch.LongStorage"), "{numbers}");
}

/// A file that is cut short or has a byte changed is read or refused, quickly and without a panic.
#[test]
fn damaged_files_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.pt");
    let bytes = std::fs::read(stored("numbers.pt")).unwrap();
    for keep in [0, 10, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..keep]).unwrap();
        assert!(read_state_dict(&path).unwrap_err().to_string().contains("damaged.pt"));
    }
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(3) {
        let mut changed = bytes.clone();
        changed[at] = changed[at].wrapping_add(1 + (at % 254) as u8);
        std::fs::write(&path, &changed).unwrap();
        refused += usize::from(read_state_dict(&path).is_err());
    }
    assert!(refused > 30, "{refused} of {}", bytes.len());
}
