//! `lto bench`: times training steps and predictions of the published models and of runs on made-up data, and requests to the twin
//! of the service.

use crate::args::{BenchArgs, BenchCommand, GlobalArgs};
use crate::{device, output};
use anyhow::{Context as _, Result, bail};
use lto::bench::{BenchCase, BenchTask, Benchmark, Measurement, RequestCost, measure, measure_requests};
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
        BenchCommand::Request { seconds } => return requests(*seconds),
    };
    let device = device::find(args.device, global)?;
    let alone = match (&args.run, args.case.0) {
        (Some(run), _) => Some(Benchmark::of_run(run, &args.set, what, args.batch)?),
        (None, Some(case)) => Some(Benchmark::published(case, what, args.batch)?),
        (None, None) => None,
    };
    let measured = match alone {
        Some(case) => vec![measure(what, &case, device, args.seconds)?],
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

/// The twin of the service, on one thread and on all, one request at a time and several.
fn requests(seconds: f64) -> Result<ExitCode> {
    let (twin, cores) = (lto_server::twin()?, std::thread::available_parallelism()?.get());
    for (threads, together) in [(1, 1), (cores, 1), (cores, 2), (cores, 4), (cores, 8)] {
        let RequestCost { rate, microseconds, .. } = measure_requests(&twin, threads, together, seconds)?;
        output::print(&format!(
            "the model alone, threads: {threads}, together: {together}: {rate:.0} requests/s, \
             {microseconds:.0} µs of a processor each\n"
        ))?;
    }
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
    command.args(["bench", what.name(), "--quiet", "--json", "--case", case.name(), "--seconds", &seconds]);
    command.args(["--device", args.device.device.name()]);
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
