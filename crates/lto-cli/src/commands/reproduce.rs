//! `lto reproduce`: an experiment of the paper in one command, from data to report.

use crate::args::{GlobalArgs, ReproduceArgs};
use crate::commands::train::Watcher;
use crate::{interrupt, output};
use anyhow::{Context, Result};
use lto::evaluate::run::quoted;
use lto::reproduce::{DataFile, Reproduction, Suite, data, reproduce};
use lto_numerics::metric::MetricKind;
use lto_report::evaluation::{Format, Look, formatted};
use lto_report::reproduction::report;
use lto_report::words::duration;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Reproduces an experiment.
///
/// # Errors
/// Data that cannot be read or solved, settings that do not fit, training that diverges, files that cannot be written.
pub fn run(args: &ReproduceArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let started = Instant::now();
    let default = || PathBuf::from(format!("reproduce/{}-{}", args.experiment.name(), args.scale.name()));
    let folder = args.output.clone().unwrap_or_else(default);
    let mut suite = Suite::new(args.experiment, args.scale, &args.set)?;
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    interrupt::listen()?;
    let mut watcher = Watcher::new(global.quiet);
    let done = stages(args, &mut suite, &folder, &mut watcher);
    watcher.finish();
    let mut results = match done {
        Ok(results) => results,
        Err(error) => return interrupt::or_fail(error, "repeat the command to continue"),
    };
    results.seconds = started.elapsed().as_secs_f64();
    let page = report(&results, &suite, rayon::current_num_threads())?;
    output::write_atomically(&results.report, page.html().as_bytes())?;
    output::write_json(&folder.join("results.json"), &results)?;
    let look = Look::new(MetricKind::RelativeL2, &suite.published);
    let tables = |color| formatted(&results.shown(), &look, Format::Text, color);
    output::print_results(&results, args.json, global, tables)?;
    if !args.json && !global.quiet {
        let (time, page) = (duration(results.seconds), results.report.display());
        output::say(format_args!("done in {time}; open {page} in a browser"));
    }
    Ok(ExitCode::SUCCESS)
}

fn stages(
    args: &ReproduceArgs,
    suite: &mut Suite,
    folder: &Path,
    watcher: &mut Watcher,
) -> Result<Reproduction> {
    let file = match &args.data {
        Some(path) => DataFile { path: path.clone(), seconds: None },
        None => data(folder, &suite.runs[0].experiment, watcher)?,
    };
    Ok(reproduce(suite, &file, folder, &command(args, folder), watcher)?)
}

/// The command that repeats all of it.
fn command(args: &ReproduceArgs, folder: &Path) -> String {
    let mut command = format!("lto reproduce {} --scale {}", args.experiment.name(), args.scale.name());
    command += &format!(" -o {}", quoted(&folder.to_string_lossy()));
    args.set.iter().for_each(|set| command += &format!(" --set {}", quoted(&set.to_string())));
    if let Some(data) = &args.data {
        command += &format!(" --data {}", quoted(&data.to_string_lossy()));
    }
    command
}
