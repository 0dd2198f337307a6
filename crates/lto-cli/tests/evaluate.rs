//! `lto evaluate` and `lto compare` of the real binary, and the report in a real browser where there is one.

mod common;

use common::{Workspace, browser, model};
use lto_numerics::dataset::write::{Header, create};
use lto_numerics::metric::MetricKind;
use lto_numerics::{Domain, Field, Grid, Placement, Sample, Trajectory};
use serde_json::Value;
use std::sync::Arc;

const DATA: &str = "
[data]
generate = { pde = 'heat', dim = 1, resolution = 16, n_frames = 5 }
samples = 20
split = { counts = { train = 8, validation = 0, test = 12 } }
";
const TRAIN: &str = "
batch = 2
steps = 4
log_every = 2
validation = { every = 2, leads = [1] }
";

/// A folder with a run of a few steps.
fn space() -> Workspace {
    let space = Workspace::new();
    std::fs::write(space.path("tiny.toml"), [DATA, model::TWIN, "[train]", TRAIN].concat()).unwrap();
    space.succeed(&["train", "tiny.toml", "-o", "runs/tiny", "--quiet"]);
    space
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn html(space: &Workspace, name: &str) -> String {
    std::fs::read_to_string(space.path(name)).unwrap()
}

#[test]
fn an_evaluation_is_json_first_and_everything_follows_from_it() {
    let space = space();
    let flags = ["--resolutions", "8,16,32", "--horizon", "3", "--start", "1", "--seed", "5", "--quiet"];
    let command = [&["evaluate", "runs/tiny", "persistence", "-o", "out", "--json"][..], &flags].concat();
    let printed = json(&space.succeed(&command));
    assert_eq!(printed, json(&html(&space, "out/evaluation.json")));
    let twin = &printed[0];
    assert_eq!((&twin["schema"], &twin["model"]["kind"]), (&2.into(), &"twin".into()));
    let held_out: Vec<usize> = (8..20).collect();
    assert_eq!((&twin["model"]["steps"], &twin["data"]["samples"]), (&4.into(), &held_out.into()));
    assert!(twin["model"]["train_seconds"].as_f64().unwrap() > 0.0);
    let origins: Vec<&str> =
        twin["resolutions"].as_array().unwrap().iter().map(|r| r["query_origin"].as_str().unwrap()).collect();
    assert_eq!(origins, ["subsampled", "native", "generated"]);
    let steps = printed[1]["horizon"]["steps"].as_array().unwrap();
    let error = |step: &Value| step["direct"]["measured"]["relative_l2"]["mean"].as_f64().unwrap();
    assert!(steps.len() == 3 && error(&steps[0]) < error(&steps[2]), "heat fades: holding gets worse");
    let page = html(&space, "out/report.html");
    assert!(page.contains("--seed 5"), "the command that made it");
    assert!(page.contains("lto train runs/tiny/config.toml -o runs/tiny"), "and that which trained it");
    assert!(page.contains("trained with seed 0 for 4 steps"), "with its seed");
    assert!(page.contains("on 12 test samples") && page.contains("latent_channels = 2"), "and all settings");
    // The run keeps its own; a folder of results is not overwritten unawares.
    assert_eq!(json(&html(&space, "runs/tiny/evaluation.json")), Value::from(vec![twin.clone()]));
    assert!(space.fail(1, &command).contains("--force"));
    space.succeed(&["compare", "out", "-o", "out", "--force", "--quiet"]);
    assert_eq!(json(&html(&space, "out/evaluation.json")).as_array().unwrap().len(), 2);
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("http"), "nothing is fetched");
    // The same tables from the file, in every form.
    for (form, part) in [
        ("text", "Horizon, rollout"),
        ("markdown", "### Resolution"),
        ("latex", "\\toprule"),
        ("csv", "resolution,8 (subsampled),persistence,12,"),
    ] {
        let tables = space.succeed(&["compare", "out", "--format", form]);
        assert!(tables.contains(part) && tables.contains("persistence"), "{tables}");
    }
    let rmse = space.succeed(&["compare", "out", "--metric", "rmse"]);
    let first = rmse.lines().find(|line| line.contains("95 % interval")).unwrap();
    assert!(first.find("RMSE").unwrap() < first.find("relative L2").unwrap(), "{first}");
    let numbers = "[[published]]\nname = 'paper'\ntable = 'resolution'\nrelative_l2 = { '8' = 0.125 }\n";
    std::fs::write(space.path("numbers.toml"), numbers).unwrap();
    let tables = space.succeed(&["compare", "out/evaluation.json", "--published", "numbers.toml"]);
    assert!(tables.contains("paper") && tables.contains("0.125"), "{tables}");
}

/// Every line of the CSV has all its fields, whole numbers that JSON has too, and reasons.
#[test]
fn csv_is_for_programs() {
    let space = Workspace::new();
    space.generate("darcy", 3, "darcy.npz", &[]);
    space.generate("heat", 11, "heat.npz", &["--dim", "1"]);
    let evaluate = |data: &str, further: &[&str]| {
        let command =
            ["evaluate", "persistence", "interpolation", "--data", data, "--resolutions", "5", "--quiet"];
        space.succeed(&[&command[..], further].concat())
    };
    let refused = evaluate("darcy.npz", &["--format", "csv"]);
    assert!(refused.starts_with("table,case,model,samples,relative_l2,relative_l2_low,"), "{refused}");
    assert!(
        refused
            .contains(&format!("\none_step,steady,persistence{}persistence cannot do this", ",".repeat(19))),
        "{refused}"
    );
    let numbers = "[[published]]\nname = 'others'\ntable = 'noise'\nrelative_l2 = { '0.05' = 0.25 }\n";
    std::fs::write(space.path("numbers.toml"), numbers).unwrap();
    let lines = evaluate("heat.npz", &["--format", "csv", "--published", "numbers.toml"]);
    assert!(lines.contains(&format!("\nnoise,0.05,others,,0.25{}\n", ",".repeat(17))), "{lines}");
    let printed = json(&evaluate("heat.npz", &["--json"]));
    let line = lines.lines().find(|line| line.starts_with("one_step,one step,persistence,")).unwrap();
    let cells: Vec<&str> = line.split(',').collect();
    assert_eq!((cells.len(), cells[3], cells[20], cells[21]), (22, "11", "false", ""), "{line}");
    let measured = &printed[0]["one_step"]["measured"];
    let all = MetricKind::ALL.map(|metric| &measured[metric.name()]);
    let expected = all.iter().flat_map(|of| [&of["mean"], &of["interval"][0], &of["interval"][1]]);
    for (cell, expected) in cells[4..19].iter().zip(expected) {
        let (cell, expected) = (cell.parse::<f64>().unwrap(), expected.as_f64().unwrap());
        assert!((cell - expected).abs() <= 1e-15 * expected.abs(), "{line}");
    }
}

/// What is estimated, not trained, is estimated from the training part of the same data; skill is shown beside a baseline.
#[test]
fn climatology_is_that_of_the_training_part() {
    let space = Workspace::new();
    std::fs::write(space.path("heat.toml"), [DATA, model::TWIN, "[train]", TRAIN].concat()).unwrap();
    let words = ["evaluate", "persistence", "climatology", "anomaly_persistence", "--config", "heat.toml"];
    let few =
        ["--noise", "0.1", "--designs", "random", "--fractions", "0.5", "--resolutions", "16", "--quiet"];
    let printed = json(&space.succeed(&[&words[..], &few, &["--json"]].concat()));
    let errors = |i: usize, k: usize| {
        let step = &printed[i]["horizon"]["steps"][k]["direct"]["measured"];
        step["rmse"]["mean"].as_f64().unwrap()
    };
    // Heat fades away, in the mean too.
    assert!(errors(1, 3) < errors(1, 0), "climatology gets better");
    assert_eq!(
        (&printed[1]["model"]["kind"], &printed[1]["model"]["parameters"]),
        (&"climatology".into(), &0.into())
    );
    let only = [&words[..], &few, &["--tables", "models,skill", "--format", "markdown"]].concat();
    let tables = space.succeed(&only);
    let headings: Vec<&str> = tables.lines().filter(|line| line.starts_with("### ")).collect();
    assert_eq!(
        headings,
        [
            "### Models",
            "### Skill against persistence: 1 − RMSE ÷ its RMSE",
            "### Skill against climatology: 1 − RMSE ÷ its RMSE"
        ]
    );
    let row = tables.lines().find(|line| line.starts_with("| direct k=4 |")).unwrap();
    let skill: f64 = row.split('|').nth(2).unwrap().trim().split(' ').next().unwrap().parse().unwrap();
    assert!((skill - (1.0 - errors(1, 3) / errors(0, 3))).abs() < 1e-3, "{row}");
    // Another file has no training part.
    space.generate("heat", 3, "heat.npz", &["--dim", "1"]);
    let message = space.fail(1, &["evaluate", "climatology", "--data", "heat.npz"]);
    assert!(message.contains("climatology") && message.contains("--set data.split"), "{message}");
}

/// A model that sees two frames, one that sees one, and a baseline: all from the same frames, whichever is named first. What each
/// run keeps can be compared later; what was measured otherwise is not ranked.
#[test]
fn models_are_compared_on_the_same_frames_and_samples() {
    let space = space();
    let fno = "kind = 'fno'\nwidth = 2\nmodes = 2\nhidden = 4\n[train]\npairs = 'consecutive'\n\
                 context = { fraction = [1.0, 1.0], designs = { full = 1.0 } }\n\
                 objective = { reconstruction_weight = 0.0 }\n";
    let data = DATA.replace("samples = 20", "samples = 20\nhistory = 2");
    std::fs::write(space.path("fno.toml"), format!("{data}[model]\n{fno}{TRAIN}")).unwrap();
    space.succeed(&["train", "fno.toml", "-o", "runs/fno", "--quiet"]);
    let message = space.fail(1, &["compare", "runs/tiny", "runs/fno"]);
    assert!(message.contains("lto evaluate runs/tiny"), "{message}");
    let few =
        ["--designs", "random", "--fractions", "0.5", "--noise", "0.1", "--resolutions", "16", "--quiet"];
    let together = [&["evaluate", "runs/fno", "runs/tiny", "persistence", "--json"][..], &few].concat();
    let all = json(&space.succeed(&together));
    for one in all.as_array().unwrap() {
        assert_eq!((&one["data"]["starts"], &one["horizon"]["start"]), (&json("[1, 2, 3]"), &1.into()));
        assert!(one["one_step"]["measured"].is_object(), "{one}");
    }
    let compared = space.run(&["compare", "runs/fno", "runs/tiny"]);
    assert!(compared.status.success() && !common::stderr(&compared).contains("warning"));
    assert!(!String::from_utf8_lossy(&compared.stdout).contains("No best is marked"));
    // Alone, the one of a single frame starts at the first, and is not compared with the other.
    space.succeed(&[&["evaluate", "runs/tiny"][..], &few].concat());
    let compared = space.run(&["compare", "runs/fno", "runs/tiny"]);
    assert!(common::stderr(&compared).contains("source frames differ: [1, 2, 3] for runs/fno"));
    let said = String::from_utf8_lossy(&compared.stdout).into_owned();
    for reason in ["the source frames differ", "the source frames of the horizon differ"] {
        assert_eq!(said.matches(reason).count(), 1, "each reason once, not below every table: {said}");
    }
    // A new training makes what was kept untrue.
    space.succeed(&["train", "tiny.toml", "-o", "runs/tiny", "--force", "--quiet"]);
    assert!(!space.path("runs/tiny/evaluation.json").exists());
}

/// All samples of a file that is not the one trained on, and few of them rank nothing.
#[test]
fn another_file_is_evaluated_as_a_whole() {
    let space = space();
    let heat = ["data", "generate", "heat", "--dim", "1", "--resolution", "16", "--frames", "5", "-n", "3"];
    space.succeed(&[&heat[..], &["-o", "heat.npz", "--quiet"]].concat());
    let command = ["evaluate", "runs/tiny", "persistence", "--data", "heat.npz", "--noise", "0.1"];
    let evaluated = space.run(&command);
    let said = common::stderr(&evaluated);
    assert!(evaluated.status.success() && said.contains("all 3 samples"), "{said}");
    assert!(String::from_utf8_lossy(&evaluated.stdout).contains("fewer than 10 samples"));
}

/// The training file elsewhere is still the training file, and of another one the split that was asked for is scored.
#[test]
fn samples_trained_on_are_not_scored_because_a_file_has_moved() {
    let space = Workspace::new();
    let heat = ["data", "generate", "heat", "--dim", "1", "--resolution", "16", "--frames", "5", "-n", "12"];
    space.succeed(&[&heat[..], &["-o", "heat.npz", "--quiet"]].concat());
    let split = "{ counts = { train = 8, validation = 1, test = 3 } }";
    let data = format!("[data]\npath = 'heat.npz'\nperiodic = 'all'\nsplit = {split}\n");
    let train = "[train]\nsteps = 2\nbatch = 2\n";
    std::fs::write(space.path("tiny.toml"), format!("{data}{}{train}", model::TWIN)).unwrap();
    space.succeed(&["train", "tiny.toml", "-o", "run", "--quiet"]);
    let samples = |options: &[&str]| {
        let command = [&["evaluate", "run", "--noise", "0.1", "--json", "--quiet"][..], options].concat();
        json(&space.succeed(&command))[0]["data"]["samples"].clone()
    };
    let (held_out, all) = (Value::from(vec![9, 10, 11]), Value::from((0..12).collect::<Vec<_>>()));
    assert_eq!(samples(&[]), held_out);
    std::fs::create_dir(space.path("data")).unwrap();
    std::fs::copy(space.path("heat.npz"), space.path("data/heat.npz")).unwrap();
    assert_eq!(
        samples(&["--data", "data/heat.npz"]),
        all,
        "another file, while that of the training is there"
    );
    let asked = format!("data.split={split}");
    assert_eq!(samples(&["--data", "data/heat.npz", "--set", &asked]), held_out);
    std::fs::remove_file(space.path("heat.npz")).unwrap();
    assert_eq!(samples(&["--data", "data/heat.npz"]), held_out);
}

/// A model of windows is evaluated on a later week of its kind as it is: no split to invent, no hours to shift.
#[test]
fn a_later_record_is_evaluated_like_the_first() {
    let space = Workspace::new();
    let record = |file: &str, first: f64, hours: u32| {
        let grid = Grid::cubic(Domain::unit(1, true).unwrap(), 8, Placement::Left).unwrap();
        let times: Vec<f64> = (0..hours).map(|hour| first + f64::from(hour)).collect();
        let header = Header { grids: vec![Arc::new(grid)], times, n_samples: 1, attributes: Vec::new() };
        let at = |t: &f64| {
            let wave = |x: &[f64]| (std::f64::consts::TAU * (x[0] - (t - first) / 24.0)).sin();
            Field::from_fn(header.grids[0].clone(), wave).into_values()
        };
        let values = header.times.iter().flat_map(at).collect();
        let record = Trajectory::new(header.grids[0].clone(), header.times.clone(), 1, values).unwrap();
        let mut writer = create(&space.path(file), &header).unwrap();
        writer.append(&[Sample::Evolution(record)]).unwrap();
        writer.finish().unwrap();
    };
    record("train.hdf5", 0.0, 40);
    record("early.hdf5", 0.0, 16);
    record("later.hdf5", 576.0, 16);
    let options = "path = 'train.hdf5'\nperiodic = 'all'\nwindow = { frames = 8, stride = 4 }\n\
                   split = { counts = { train = 5, validation = 1, test = 2 } }\n";
    let (model, train) = (model::TWIN, "[train]\nsteps = 2\nbatch = 2\n");
    std::fs::write(space.path("tiny.toml"), format!("[data]\n{options}{model}{train}")).unwrap();
    space.succeed(&["train", "tiny.toml", "-o", "run", "--quiet"]);
    let evaluated = |file: &str| {
        let printed = json(&space.succeed(&["evaluate", "run", "--data", file, "--json", "--quiet"]));
        let (samples, one_step) = (&printed[0]["data"]["samples"], &printed[0]["one_step"]["measured"]);
        (samples.clone(), one_step["relative_l2"]["mean"].as_f64().unwrap())
    };
    let (early, later) = (evaluated("early.hdf5"), evaluated("later.hdf5"));
    assert_eq!(early, later);
    assert_eq!(early.0, Value::from(vec![0, 1, 2]));
    // Whole, its hours are not those of the windows.
    let whole =
        ["evaluate", "run", "--data", "later.hdf5", "--set", "data.window={ frames = 12, stride = 4 }"];
    let error = space.fail(1, &whole);
    assert!(error.contains("0 to 7") && error.contains("--allow-extrapolation"), "{error}");
    space.succeed(&[&whole[..], &["--force", "--quiet"]].concat());
}

#[test]
fn what_cannot_be_done_is_a_dash_and_what_makes_no_sense_an_error() {
    let space = Workspace::new();
    space.generate("darcy", 3, "darcy.npz", &[]);
    let data = ["--data", "darcy.npz", "--split", "all"];
    let tables =
        space.succeed(&[&["evaluate", "persistence", "--resolutions", "5", "--quiet"][..], &data].concat());
    assert!(tables.contains("– [1]") && tables.contains("[1] persistence cannot do this"), "{tables}");
    for (args, part) in [
        (vec!["evaluate", "persistence"], "--data"),
        (vec!["evaluate", "nowhere", "--data", "darcy.npz"], "nowhere"),
        (vec!["evaluate", "persistence", "--data", "darcy.npz", "--set", "train.steps=1"], "data"),
        (vec!["compare", "darcy.npz"], "darcy.npz"),
    ] {
        let message = space.fail(1, &args);
        assert!(message.contains(part), "{message}");
    }
    assert!(space.fail(2, &["evaluate", "persistence", "--designs", "round"]).contains("clustered"));
}

/// The report as a browser builds and draws it: headings, a picture for every figure, tables, and something to see.
#[test]
fn the_report_is_whole_in_a_browser() {
    let space = space();
    let flags = ["--resolutions", "8,16,32", "--designs", "random,grid", "--quiet", "-o", "out"];
    space.succeed(&[&["evaluate", "runs/tiny", "persistence"][..], &flags].concat());
    let Some(page) = browser::show(&space, "out/report.html") else { return };
    let headings = [
        "Models",
        "One step at native resolution",
        "Error against resolution",
        "Error against the number of observations",
        "Error against noise",
        "Error against horizon",
        "Skill",
        "Example fields",
        "Worst cases",
        "Spectra",
        "Training",
        "How this was made",
    ];
    for heading in headings {
        assert!(page.count(&format!("<h2>{heading}</h2>")) > 0, "{heading}");
    }
    assert!(page.count("<figure>") >= 8, "{} figures", page.count("<figure>"));
    let pictures = page.count("<svg ") + page.count("<img ");
    assert_eq!(page.count("<figure>"), pictures, "a picture for every figure");
    assert!(page.count("<table>") >= 6 && page.count("<strong>") > 0, "tables, and a best model in them");
    assert!(page.colors > 100, "curves, texts and fields are to be seen");
}
