//! Twins of states that vanish on the boundary.

use lto::data::Data;
use lto::experiment::Experiment;
use lto::model::{Model, ModelCard};
use lto::problem::Problem;
use lto::train::{Silent, Trainer};
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Axis, Domain, Points};

/// [0, 2] × circle or [0, 2] × [0, 1], untrained, for targets about 5.
fn model(periodic: bool, times: Option<[f64; 2]>, keys: &str) -> lto::Result<Model> {
    let axes = vec![Axis::new("x", 0.0, 2.0, false), Axis::new("y", 0.0, 1.0, periodic)];
    let problem = Problem {
        domain: Domain::new(axes).unwrap(),
        source_channels: 1,
        target_channels: 1,
        native: vec![8; 2],
        times,
        changes: Vec::new(),
        measured: Default::default(),
    };
    let config = format!(
        "kind = 'twin'\nlatent_points = 8\nlatent_channels = 2\n{keys}\n\
         encoder = {{ kind = 'set_conv', hidden = 3 }}\n\
         evolution = {{ kind = 'multigrid', width = 3, levels = 2, cycles = 1 }}\ndecoder = {{ hidden = 4 }}"
    );
    let model: lto::model::ModelConfig = toml::from_str(&config).unwrap();
    let of_data: Normalizer = serde_json::from_str(r#"{"mean": [5.0], "scale": [2.0]}"#).unwrap();
    let (source_normalizer, target_normalizer) = model.normalizers(&problem, (of_data.clone(), of_data));
    let card = ModelCard {
        source_normalizer,
        target_normalizer,
        native_interval: times.map(|_| 0.5),
        ..ModelCard::untrained(problem, model)
    };
    Model::new(card, 3)
}

/// From few points, none of them on the boundary, in physical units.
#[test]
fn predictions_vanish_exactly_on_the_boundary_and_only_there() {
    for (periodic, times) in [(false, None), (true, None), (false, Some([0.0, 1.0]))] {
        let model = model(periodic, times, "boundary = 'zero'").unwrap();
        let domain = model.card().problem.domain.clone();
        let points = Points::scattered(domain.clone(), vec![0.3, 0.2, 1.7, 0.9, 1.1, 0.5]).unwrap();
        let context = Context { points, n_channels: 1, values: vec![4.0, 7.0, -3.0], deviations: None };
        let places = [[0.0, 0.3], [2.0, 0.8], [0.7, 0.0], [1.1, 0.4]];
        let query = Points::scattered(domain, places.concat()).unwrap();
        let found = model.encode(&context, 0.0).unwrap().at(0.5).unwrap().decode(&query).unwrap();
        let zero: Vec<bool> = found.values.iter().map(|value| *value == 0.0).collect();
        assert_eq!(zero, [true, true, !periodic, false], "{:?}", found.values);
    }
}

#[test]
fn what_has_no_boundary_or_starts_from_the_source_is_refused() {
    let message = |result: lto::Result<Model>| result.err().unwrap().to_string();
    let residual = model(false, Some([0.0, 1.0]), "boundary = 'zero'\noutput = 'residual'");
    assert!(message(residual).contains("model.boundary = zero"));
    let circle = Problem {
        domain: Domain::unit(1, true).unwrap(),
        native: vec![8],
        ..model(false, None, "").unwrap().card().problem.clone()
    };
    let card =
        ModelCard { problem: circle, ..model(false, None, "boundary = 'zero'").unwrap().card().clone() };
    assert!(message(Model::new(card, 0)).contains("model.boundary = zero"));
}

/// A run subtracts no mean of the targets: steady ones keep that of their sources, which are other states.
#[test]
fn training_keeps_zero_at_zero() {
    let text = "
        [data]
        generate = { pde = 'darcy', resolution = 9 }
        samples = 4
        split = { counts = { train = 3, validation = 0, test = 1 } }
        [model]
        kind = 'twin'
        boundary = 'zero'
        latent_points = 8
        latent_channels = 2
        encoder = { kind = 'set_conv', hidden = 2 }
        evolution = { kind = 'steady', width = 2 }
        decoder = { hidden = 2 }
        [train]
        steps = 1
        batch = 1
        [train.objective]
        evolution_loss = 'relative_h1'";
    let experiment = Experiment::parse(text, &[]).unwrap();
    let data = Data::open(&experiment.data, 1.0).unwrap();
    let (source, target, _) = data.fit_normalizers(&mut |_, _| true).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    Trainer::start(experiment, &run, false, &mut Silent).unwrap().run(&mut Silent).unwrap();
    let card = Model::load(&run).unwrap().card().clone();
    assert_eq!(card.source_normalizer, source);
    assert_eq!(card.target_normalizer, target.uncentered());
    assert_eq!(card.target_normalizer.mean(), [0.0]);
}
