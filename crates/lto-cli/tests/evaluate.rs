//! `lto evaluate` and `lto compare` of the real binary, and the report in a real browser where there is one.

mod common;

use common::Workspace;
use serde_json::Value;
use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

const CONFIG: &str = "
[data]
generate = { pde = 'heat', dim = 1, resolution = 16, n_frames = 5 }
samples = 12
split = { counts = { train = 8, validation = 0, test = 4 } }
[model]
kind = 'twin'
latent_points = 8
latent_channels = 2
encoder = { kind = 'set_conv', hidden = 2 }
evolution = { kind = 'timed', width = 4 }
decoder = { hidden = 4 }
[train]
batch = 2
steps = 4
log_every = 2
validation = { every = 2, leads = [1] }
";

/// A folder with a run of a few steps.
fn space() -> Workspace {
    let space = Workspace::new();
    std::fs::write(space.path("tiny.toml"), CONFIG).unwrap();
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
    assert_eq!((&twin["schema"], &twin["model"]["kind"]), (&1.into(), &"twin".into()));
    assert_eq!((&twin["model"]["steps"], &twin["data"]["samples"]), (&4.into(), &json("[8, 9, 10, 11]")));
    assert!(twin["model"]["train_seconds"].as_f64().unwrap() > 0.0);
    let origins: Vec<&str> =
        twin["resolutions"].as_array().unwrap().iter().map(|r| r["query_origin"].as_str().unwrap()).collect();
    assert_eq!(origins, ["subsampled", "native", "generated"]);
    let steps = printed[1]["horizon"]["steps"].as_array().unwrap();
    let error = |step: &Value| step["direct"]["measured"]["relative_l2"]["mean"].as_f64().unwrap();
    assert!(steps.len() == 3 && error(&steps[0]) < error(&steps[2]), "heat fades: holding gets worse");
    let page = html(&space, "out/report.html");
    assert!(page.contains("--seed 5"), "the command that made it");
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("http"), "nothing is fetched");
    // The same tables from the file, in every form.
    for (form, part) in [
        ("text", "Horizon, rollout"),
        ("markdown", "### Resolution"),
        ("latex", "\\toprule"),
        ("csv", "Resolution,"),
    ] {
        let tables = space.succeed(&["compare", "out", "--format", form]);
        assert!(tables.contains(part) && tables.contains("persistence"), "{tables}");
    }
    let numbers = "[[published]]\nname = 'paper'\ntable = 'resolution'\nrelative_l2 = { '8' = 0.125 }\n";
    std::fs::write(space.path("numbers.toml"), numbers).unwrap();
    let tables = space.succeed(&["compare", "out/evaluation.json", "--published", "numbers.toml"]);
    assert!(tables.contains("paper") && tables.contains("0.125"), "{tables}");
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
    let Some(browser) = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    }) else {
        eprintln!("skipped: there is no chromium to look at the report with");
        return;
    };
    let space = space();
    let flags = ["--resolutions", "8,16,32", "--designs", "random,grid", "--quiet", "-o", "out"];
    space.succeed(&[&["evaluate", "runs/tiny", "persistence"][..], &flags].concat());
    let page = format!("file://{}", space.path("out/report.html").display());
    let profile = format!("--user-data-dir={}", space.path("profile").display());
    let run = |what: &[&str]| {
        let quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
        let alone = [
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
        ];
        let output = Command::new(browser)
            .args(quiet)
            .args(alone)
            .arg(&profile)
            .args(what)
            .arg(&page)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", common::stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let dom = run(&["--dump-dom"]);
    let headings = [
        "Models",
        "One step at native resolution",
        "Error against resolution",
        "Error against the number of observations",
        "Error against noise",
        "Error against horizon",
        "Example fields",
        "Spectra",
        "Training",
        "How this was made",
    ];
    for heading in headings {
        assert!(dom.contains(&format!("<h2>{heading}</h2>")), "{heading}");
    }
    let count = |part: &str| dom.matches(part).count();
    assert!(count("<figure>") >= 8, "{} figures", count("<figure>"));
    assert_eq!(count("<figure>"), count("<svg ") + count("<img "), "a picture for every figure");
    assert!(count("<table>") >= 6 && dom.contains("<strong>"), "tables, and a best model in them");
    let picture = space.path("page.png");
    run(&[&format!("--screenshot={}", picture.display()), "--window-size=1000,4000"]);
    assert!(colors(&picture) > 100, "curves, texts and fields are to be seen");
}

/// Number of different colors in a picture.
fn colors(picture: &Path) -> usize {
    let mut decoder = png::Decoder::new(BufReader::new(File::open(picture).unwrap()));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let each = info.buffer_size() / (info.width * info.height) as usize;
    bytes[..info.buffer_size()].chunks_exact(each).collect::<HashSet<_>>().len()
}
