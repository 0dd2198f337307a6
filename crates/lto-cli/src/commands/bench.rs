//! `lto bench`: times training steps and predictions of the published models on made-up data.

use crate::args::{BenchArgs, BenchCommand, GlobalArgs};
use crate::output;
use anyhow::{Context as _, Result, bail};
use lto::bench::{BenchCase, BenchTask, Measurement, measure};
use lto_report::bench::table;
use std::process::{Command, ExitCode, Stdio};

/// Measures and prints.
///
/// # Errors
/// A process that cannot be started, or fails.
pub fn run(command: &BenchCommand, global: &GlobalArgs) -> Result<ExitCode> {
    let (what, args) = match command {
        BenchCommand::Train(args) => (BenchTask::Train, args),
        BenchCommand::Predict(args) => (BenchTask::Predict, args),
    };
    let measured = match args.case.0 {
        Some(case) => vec![measure(what, case, args.batch, args.seconds)?],
        None => BenchCase::ALL
            .iter()
            .map(|&case| in_own_process(what, case, args, global))
            .collect::<Result<Vec<_>>>()?,
    };
    let text = if args.json {
        measured.iter().map(|m| Ok(serde_json::to_string(m)? + "\n")).collect::<Result<String>>()?
    } else {
        table(what, &measured, output::use_color(global.color, &std::io::stdout()))
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn in_own_process(
    what: BenchTask,
    case: BenchCase,
    args: &BenchArgs,
    global: &GlobalArgs,
) -> Result<Measurement> {
    let mut command = Command::new(std::env::current_exe().context("finding this program")?);
    let seconds = args.seconds.to_string();
    command.args(["bench", what.name(), "--json", "--case", case.name(), "--seconds", &seconds]);
    if let Some(batch) = args.batch {
        command.args(["--batch", &batch.to_string()]);
    }
    if let Some(threads) = global.threads {
        command.args(["--threads", &threads.to_string()]);
    }
    let done = command.stderr(Stdio::inherit()).output().context("starting this program again")?;
    if !done.status.success() {
        bail!("{}: the measurement failed ({})", case.name(), done.status);
    }
    serde_json::from_slice(&done.stdout).with_context(|| format!("{}: reading the measurement", case.name()))
}
