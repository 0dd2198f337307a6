//! Training on tables of stations: from a CSV file to a forecast.

use lto::data::batches::{BatchOptions, BatchSource};
use lto::data::config::DataConfig;
use lto::data::pairs::Pairs;
use lto::data::stations::score::Scoring;
use lto::data::stations::{Group, Span, StationBatches, StationData, context_at};
use lto::evaluate::stations::{StationEvaluation, StationRequest, StationRow};
use lto::experiment::Experiment;
use lto::model::{Model, ModelConfig};
use lto::train::{RunEnd, Silent, Trainer};
use lto::{Device, Error};
use lto_numerics::dataset::Context;
use lto_numerics::dataset::write::NpzArchive;
use lto_numerics::{Grid, Placement, Points};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const STATIONS: usize = 20;
const HOURS: usize = 120;

/// Where station `j` stands.
fn place(j: usize) -> [f64; 2] {
    [(0.07 + 0.61803 * j as f64) % 1.0, (0.11 + 0.75488 * j as f64) % 1.0]
}

/// A daily course that differs from place to place, and a wave that travels through it.
fn state(x: [f64; 2], t: f64) -> [f64; 2] {
    let day = (std::f64::consts::TAU * t / 24.0).sin();
    let wave = (std::f64::consts::TAU * (x[0] - t / 17.0)).sin();
    [280.0 + 3.0 * x[1] + (1.0 + x[0]) * day + wave, 50.0 + 10.0 * x[0] + 5.0 * wave]
}

/// A table in which the second variable is often missing, and whole rows now and then.
fn table(folder: &Path) -> PathBuf {
    let mut text = String::from("time,station,x,y,t2m,rh\n");
    for hour in 0..HOURS {
        for j in (0..STATIONS).filter(|j| (hour * 7 + j * 3) % 11 != 0) {
            let (x, [u, v]) = (place(j), state(place(j), hour as f64));
            let rh = if (hour + j) % 3 == 0 { String::new() } else { format!("{v:.4}") };
            let (day, of_day) = (1 + hour / 24, hour % 24);
            writeln!(text, "2020-05-{day:02}T{of_day:02}:00Z,s{j},{},{},{u:.4},{rh}", x[0], x[1]).unwrap();
        }
    }
    let file = folder.join("stations.csv");
    std::fs::write(&file, text).unwrap();
    file
}

fn text(file: &Path) -> String {
    format!(
        "seed = 2
        [data]
        path = '{}'
        records = {{ noise = [0.1, 0.5], points = [9, 8] }}
        domain = '0:1,0:1'
        time_period = 24.0
        calendar = [24.0]
        anomalies = true
        history = 2
        split = {{ records = {{ validation = 0.1, test = 0.2, stations = 0.2 }} }}
        [model]
        kind = 'twin'
        latent_points = 8
        latent_channels = 4
        output = 'gated'
        source = 'best_linear'
        encoder = {{ kind = 'set_conv', hidden = 4, length_scale = {{ layout = 0.5 }}, estimate = true }}
        evolution = {{ kind = 'residual', width = 6 }}
        decoder = {{ hidden = 8, interpolation = 'cubic' }}
        [train]
        batch = 4
        steps = 12
        pairs = {{ max_steps = 6 }}
        [train.context]
        fraction = [0.4, 1.0]
        designs = {{ random = 2, failed = 1, full = 1 }}
        [train.objective]
        reconstruction_weight = 0.0
        per_lead = true
        [train.validation]
        every = 6
        leads = [1, 6]",
        file.display()
    )
}

fn experiment(file: &Path, overrides: &[&str]) -> Experiment {
    let overrides: Vec<_> = overrides.iter().map(|&text| text.into()).collect();
    Experiment::parse(&text(file), &overrides).unwrap()
}

fn opened(overrides: &[&str]) -> (tempfile::TempDir, DataConfig, Arc<StationData>) {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(&table(folder.path()), overrides).data;
    let data = Arc::new(StationData::open(&config, 6).unwrap());
    (folder, config, data)
}

/// Trains, saves, loads, forecasts from a file, and evaluates beside the baselines.
#[test]
fn from_a_table_to_a_forecast() {
    let folder = tempfile::tempdir().unwrap();
    let file = table(folder.path());
    let run = folder.path().join("run");
    let mut trainer = Trainer::start(experiment(&file, &[]), &run, false, &mut Silent).unwrap();
    let RunEnd::Finished(summary) = trainer.run(&mut Silent).unwrap() else { panic!("interrupted") };
    for name in ["rmse_lead_1", "rmse_lead_6", "rmse_lead_1_new_stations", "rmse_lead_6_new_stations"] {
        assert!(summary.errors[name].is_finite(), "{:?}", summary.errors);
    }
    let model = Model::load(&run).unwrap();
    let measured = &model.card().problem.measured;
    assert!(measured.dated && measured.is_of_records() && measured.covariances.len() == 2);
    assert!(measured.memory.iter().all(|[_, share]| (0.0..=1.0).contains(share)), "{measured:?}");

    let records = lto_numerics::records::Records::open(&file, &Default::default()).unwrap();
    let domain = model.card().problem.domain.clone();
    let last = records.times()[HOURS - 1];
    let (context, s) = context_at(&records, model.card(), None).unwrap().unwrap();
    assert_eq!((s, context.n_channels), (last, 4));
    assert!(context.has_missing() && context.deviations.is_some());
    assert!(context_at(&records, model.card(), Some(last + 1.0)).unwrap().is_none());
    let context = Context {
        points: Points::scattered(domain.clone(), context.points.coordinates()).unwrap(),
        ..context
    };
    let query = Arc::new(Points::grid(Grid::cubic(domain, 6, Placement::Vertex).unwrap()));
    let predicted = model.predict(&context, s, &[s + 1.0, s + 6.0], &query).unwrap();
    let within = |values: &[f64], low, high| values.iter().all(|v| (low..high).contains(v));
    assert!(within(&predicted.values[..36], 270.0, 290.0) && within(&predicted.values[36..72], 20.0, 90.0));
    // Any date is known, but no lead beyond those of the training.
    assert!(model.predict(&context, s + 1e5, &[s + 1e5 + 6.0], &query).is_ok());
    let far = model.predict(&context, s, &[s + 7.0], &query).unwrap_err();
    assert!(matches!(far, Error::TimeOutsideRange { .. }), "{far}");

    let runs =
        [run.display().to_string(), "persistence".into(), "climatology".into(), "anomaly_persistence".into()];
    let request = StationRequest {
        runs: &runs,
        data: None,
        config: None,
        set: &[],
        leads: &[1, 6],
        every: 3,
        truth: Some(&file),
        fractions: &[],
        mask: None,
        validation: false,
        device: Device::cpu(),
    };
    let found = StationEvaluation::new(&request, false, &mut |_, _| true).unwrap();
    assert_eq!(found.held_out.len(), 4);
    assert_eq!(found.sections.len(), 4);
    for section in &found.sections {
        assert_eq!(section.rows.len(), 4, "two variables at two leads");
        assert!(section.rows.iter().all(|row| row.forecasts > 0 && row.rmse.iter().all(Option::is_some)));
    }
    // Inside a mask of the western half are some of the stations, and their errors alone.
    let mask = folder.path().join("west.npz");
    let mut archive = NpzArchive::create(&mask).unwrap();
    archive.numbers("x", &[2], &[0.25, 0.75]).unwrap();
    archive.numbers("y", &[3], &[0.2, 0.5, 0.8]).unwrap();
    archive.numbers("west", &[2, 3], &[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]).unwrap();
    archive.finish().unwrap();
    let west = |written: &str| {
        let request = StationRequest { mask: Some(written), ..request.clone() };
        StationEvaluation::new(&request, false, &mut |_, _| true).unwrap()
    };
    let (inside, outside) = (west(mask.to_str().unwrap()), west(&format!("!{}", mask.display())));
    let n_west = (0..STATIONS).filter(|&j| place(j)[0] < 0.5).count();
    let truth = |found: &StationEvaluation| found.sections[3].clone();
    assert!(truth(&inside).name.contains(&format!("{n_west} places")), "{}", truth(&inside).name);
    for ((row, a), b) in truth(&found).rows.iter().zip(&truth(&inside).rows).zip(&truth(&outside).rows) {
        let mean = |row: &StationRow| row.rmse[1].as_ref().unwrap().mean;
        let (all, least, most) = (mean(row), mean(a).min(mean(b)), mean(a).max(mean(b)));
        assert!(least < all && all < most, "{least} {all} {most}");
    }
    // From fewer stations forecasts are worse at places that are not among them, and equal draws give equal errors.
    let some = StationRequest { fractions: &[1.0, 0.2], ..request.clone() };
    let some = StationEvaluation::new(&some, false, &mut |_, _| true).unwrap();
    assert_eq!(
        some.sections[..4].iter().map(|s| &s.name).collect::<Vec<_>>(),
        found.sections.iter().map(|s| &s.name).collect::<Vec<_>>()
    );
    assert!(some.sections.len() == 7 && some.sections[5].name.ends_with("from 20 % of the stations"));
    let error = |section: usize| some.sections[section].rows[0].rmse[1].as_ref().unwrap().mean;
    assert!(error(5) > 1.1 * error(1), "{} {}", error(5), error(1));
    let refused = StationRequest { fractions: &[1.5], ..request.clone() };
    assert!(
        StationEvaluation::new(&refused, false, &mut |_, _| true).unwrap_err().to_string().contains("1.5")
    );
    // A travelling wave is not persistent: over six hours the mean course is the better guess.
    let row = &found.sections[0].rows[2];
    let mean = |k: usize| row.rmse[k].as_ref().unwrap().mean;
    assert!(row.lead == 6.0 && mean(2) < mean(1), "{:?}", row);
}

/// Contexts hold some of the seen stations, queries what all of them report; nothing of a station held out, nothing of a later
/// time; truth that is not known is marked.
#[test]
fn batches_keep_to_their_stations_and_times() {
    let (_folder, _, data) = opened(&[]);
    let options = BatchOptions {
        size: 5,
        pairs: Pairs::MaxSteps(6),
        context: experiment(Path::new("x.csv"), &[]).train.context,
        deviations: [vec![1.0; 4], vec![1.0; 2]],
        symmetries: false,
        query_points: None,
        pushforward: Default::default(),
        observe_targets: false,
    };
    let batches = StationBatches::new(data.clone(), options, 3);
    let records = data.records();
    let key = |x: &[f64]| [x[0].to_bits(), x[1].to_bits()];
    let held: HashSet<_> = (0..STATIONS as u32)
        .filter(|&j| data.is_in(j, Group::New))
        .map(|j| key(&records.stations()[j as usize].coordinates))
        .collect();
    let known: HashSet<_> = records.stations().iter().map(|s| key(&s.coordinates)).collect();
    assert_eq!(held.len(), 4);
    let train = &records.times()[data.span(Span::Train)];
    let (mut hidden, mut padded) = (0, 0);
    for step in 0..20 {
        let batch = batches.make(step, 0..5).unwrap().batch;
        let again = batches.make(step, 0..5).unwrap().batch;
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&batch.target), bits(&again.target));
        let m = batch.n_queries();
        assert_eq!((batch.queries.len(), batch.target.len()), (5, 5 * 2 * m));
        for (i, (context, &(s, t))) in batch.contexts.iter().zip(&batch.times).enumerate() {
            assert!(s < t && t <= s + 6.0 && train.contains(&s) && train.contains(&t));
            let observed: HashSet<_> = context.points.coordinates().chunks_exact(2).map(key).collect();
            assert!(observed.iter().all(|x| known.contains(x) && !held.contains(x)));
            let truth = &batch.target[i * 2 * m..(i + 1) * 2 * m];
            for (j, x) in batch.queries[i].coordinates().chunks_exact(2).enumerate() {
                assert!(!held.contains(&key(x)));
                match known.contains(&key(x)) {
                    true => {
                        let expected = state([x[0], x[1]], t - records.times()[0]);
                        let off = |c: usize| (truth[c * m + j] - expected[c]).abs();
                        assert!(off(0) < 1e-3 || truth[j].is_nan(), "{} {}", truth[j], expected[0]);
                        assert!(off(1) < 1e-3 || truth[m + j].is_nan());
                        hidden += usize::from(!observed.contains(&key(x)));
                    }
                    false => {
                        assert!(truth[j].is_nan() && truth[m + j].is_nan());
                        padded += 1;
                    }
                }
            }
        }
    }
    assert!(hidden > 50 && padded > 0, "{hidden} {padded}");
}

/// Where stations report all the time, climatology is the mean course to the error of its estimate between them; persistence over
/// a day leaves what the wave has changed.
#[test]
fn baselines_are_estimated_from_the_stations() {
    let (_folder, _, data) = opened(&["data.history=1"]);
    let of = |kind: &str| {
        data.untrained(toml::from_str::<ModelConfig>(&format!("kind = '{kind}'")).unwrap()).unwrap()
    };
    let climatology = of("climatology");
    let s = data.records().times()[data.span(Span::Test).start];
    let context = data.context(data.span(Span::Test).start, 1, |_| true).unwrap().unwrap();
    let mut errors = [0.0; 2];
    for j in 0..STATIONS {
        let domain = climatology.card().problem.domain.clone();
        let query = Arc::new(Points::scattered(domain, place(j).to_vec()).unwrap());
        let found = climatology.predict(&context, s, &[s + 3.0], &query).unwrap().values;
        let hour = s + 3.0 - data.records().times()[0];
        let day = (std::f64::consts::TAU * hour / 24.0).sin();
        let mean = 280.0 + 3.0 * place(j)[1] + (1.0 + place(j)[0]) * day;
        errors[usize::from(data.is_in(j as u32, Group::New))] += (found[0] - mean).abs();
    }
    // 84 hours do not hold whole waves, so their mean keeps a little of them.
    assert!(errors[0] / 16.0 < 0.5 && errors[1] / 4.0 < 0.8, "{errors:?}");
    let scoring = Scoring {
        data: &data,
        from: Group::Seen,
        fraction: 1.0,
        span: Span::Test,
        truth: &data,
        at: Group::Seen,
        every: 1,
        mask: None,
    };
    let day = scoring.scores(&of("persistence").extrapolating(), 17).unwrap();
    assert!(!day.is_empty());
    // The wave is back after 17 hours, the day is not: u differs by (1 + x) (sin − sin).
    let first = &day[0];
    let hour = first.s - data.records().times()[0];
    let change = |t: f64| (std::f64::consts::TAU * t / 24.0).sin();
    let expected = (change(hour + 17.0) - change(hour)).abs();
    assert!(first.rmse[0] > 0.9 * expected && first.rmse[0] < 2.1 * expected, "{first:?} {expected}");
}

/// What makes no sense for records is refused by name, before anything is trained.
#[test]
fn settings_that_do_not_fit_records_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = table(folder.path());
    for (setting, part) in [
        ("train.objective.reconstruction_weight=1.0", "reconstruction_weight"),
        ("train.pushforward.probability=0.5", "pushforward"),
        ("train.context.designs={ clustered = 1 }", "clustered"),
        ("train.context.fraction=[0.5, 2.0]", "fraction"),
        ("data.split='pdebench'", "split"),
        ("data.split={ records = { test = 1.5 } }", "split.records"),
        ("data.split={ records = { test = 0.2, stations = 1.0 } }", "stations"),
        ("data.records.noise=[1.0, 2.0, 3.0]", "noise"),
        ("data.records.points=[9]", "points"),
        ("data.window={ frames = 4, stride = 2 }", "window"),
        ("model={ kind = 'fno', modes = 3, width = 4, blocks = 2 }", "records"),
    ] {
        let overrides = [setting.into()];
        let started = Experiment::parse(&text(&file), &overrides).and_then(|experiment| {
            Trainer::start(experiment, &folder.path().join("run"), false, &mut Silent)
        });
        let message = started.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.contains(part), "{setting}: {message}");
    }
}
