//! `lto demo`: data, training, forecasts from any number of sensors and a report, in one command.

use super::train::Watcher;
use crate::args::{DemoArgs, GlobalArgs};
use crate::{interrupt, output};
use anyhow::{Context, Result, ensure};
use lto::Error;
use lto::demo::{Demonstration, demonstrate, experiment};
use lto::evaluate::run::quoted;
use lto::train::history::History;
use lto_report::demo::{report, text};
use std::process::ExitCode;
use std::time::Instant;

/// Runs the demonstration.
///
/// # Errors
/// A folder that cannot be written or holds something else, or training that diverges.
pub fn run(args: &DemoArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let started = Instant::now();
    let folder = &args.output;
    let page = folder.join("report.html");
    let taken = || {
        format!(
            "{}: already holds a demonstration; --force replaces it, -o names another folder",
            folder.display()
        )
    };
    ensure!(args.force || !page.exists(), taken());
    let experiment = experiment(args.seed, args.minutes)?;
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    interrupt::listen()?;
    let mut watcher = Watcher::new(global.quiet);
    let done = demonstrate(&experiment, folder, args.force, &mut watcher);
    watcher.finish();
    let (mut results, shown, model) = match done {
        Ok(done) => done,
        Err(Error::RunExists { .. }) => anyhow::bail!(taken()),
        Err(error) => return interrupt::or_fail(error.into(), "repeat the command to continue"),
    };
    let (card, history) = (model.card(), History::read(&results.run)?);
    output::write_atomically(&results.sensors, shown.over_time.sensors_csv(card).as_bytes())?;
    let html = report(&results, &shown, card, &history, &commands(&results, Some(args)))?.html();
    output::write_atomically(&page, html.as_bytes())?;
    results.seconds = started.elapsed().as_secs_f64();
    output::write_json(&folder.join("results.json"), &results)?;
    let next = commands(&results, None);
    output::print_results(&results, args.json, global, |color| text(&results, &next, color))?;
    Ok(ExitCode::SUCCESS)
}

/// What to do next, after the command that did this if it is given.
fn commands(results: &Demonstration, args: Option<&DemoArgs>) -> String {
    let shell = |path: &std::path::Path| quoted(&path.to_string_lossy());
    let (run, sensors) = (shell(&results.run), shell(&results.sensors));
    let again = args.map(|args| {
        let minutes = args.minutes.map_or(String::new(), |minutes| format!(" --minutes {minutes}"));
        format!("lto demo -o {} --seed {}{minutes}\n", shell(&args.output), args.seed)
    });
    format!(
        "{}lto info {run}\nlto predict --model {run} --context {sensors} --from 0 --to 0.008 --query grid:128x128 -o field.png\nlto serve {run} --open",
        again.unwrap_or_default()
    )
}
