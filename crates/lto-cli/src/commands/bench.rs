//! `lto bench`: times training steps and predictions of the published models on made-up data.

mod case;

use crate::args::{BenchArgs, BenchCase, BenchCommand, GlobalArgs};
use crate::output;
use anyhow::{Context as _, Result, bail};
use case::Case;
use lto::kernel::clock;
use lto::train::Stepper;
use lto_report::text::Page;
use serde::{Deserialize, Serialize};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// A measurement has at least so many runs.
const LEAST_RUNS: usize = 3;

/// What one process found. The keys are stable, and those of `bench/peers/twin.py`.
#[derive(Serialize, Deserialize)]
struct Measurement {
    /// Always `lto`.
    program: String,
    /// Which model.
    case: String,
    /// `train` or `predict`.
    what: String,
    /// Examples in a batch.
    batch: usize,
    /// Number of runs.
    n: usize,
    /// Median time of a run: of the whole batch.
    seconds: f64,
    /// Share of that time outside kernels: graph, allocation, copies, optimizer.
    outside_kernels: f64,
    /// Peak resident memory of the process, in MB; none where the system does not say.
    peak_mb: Option<f64>,
    /// What of it was there before the twin was made.
    idle_mb: Option<f64>,
}

/// Measures and prints.
///
/// # Errors
/// A process that cannot be started, or fails.
pub fn run(command: &BenchCommand, global: &GlobalArgs) -> Result<ExitCode> {
    let (what, args) = match command {
        BenchCommand::Train(args) => ("train", args),
        BenchCommand::Predict(args) => ("predict", args),
    };
    let measured = match args.case {
        BenchCase::All => BenchCase::EACH
            .iter()
            .map(|&case| in_own_process(what, case, args, global))
            .collect::<Result<Vec<_>>>()?,
        case => vec![measure(what, case, args)?],
    };
    let text = if args.json {
        measured.iter().map(|m| Ok(serde_json::to_string(m)? + "\n")).collect::<Result<String>>()?
    } else {
        table(what, &measured, output::use_color(global.color, &std::io::stdout()))
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn measure(what: &str, case: BenchCase, args: &BenchArgs) -> Result<Measurement> {
    let idle_mb = crate::memory::peak_mb();
    let default_batch = match (what, case) {
        ("predict", _) => 1,
        (_, BenchCase::Burgers | BenchCase::FnoBurgers) => 16,
        _ => 4,
    };
    let made = Case::new(case, args.batch.unwrap_or(default_batch))?;
    let (times, in_kernels) = if what == "train" {
        let (batch, mut step) = (made.batch(), 0);
        let mut model = made.model()?.with_gradients();
        let mut stepper = Stepper::new(&model, &made.experiment.train);
        time(args.seconds, || {
            step += 1;
            stepper.step(&mut model, batch.clone(), &[], step, 0.5)?;
            Ok(())
        })?
    } else {
        let (model, query) = (made.model()?, made.query());
        let examples: Vec<_> = made.contexts().into_iter().zip(made.times()).collect();
        time(args.seconds, || {
            for (context, (s, t)) in &examples {
                model.predict(context, *s, &[*t], &query)?;
            }
            Ok(())
        })?
    };
    let outside_kernels = 1.0 - in_kernels.as_secs_f64() / times.iter().sum::<f64>();
    Ok(Measurement {
        program: "lto".into(),
        case: case.name().into(),
        what: what.into(),
        batch: made.n_examples,
        n: times.len(),
        seconds: median(times),
        outside_kernels,
        peak_mb: crate::memory::peak_mb(),
        idle_mb,
    })
}

/// Times runs for so many seconds; the first one, which warms up, is not counted.
/// Also says how much time kernels took in all counted runs.
fn time(seconds: f64, mut run: impl FnMut() -> Result<()>) -> Result<(Vec<f64>, Duration)> {
    run()?;
    let (mut times, begin, spent_before) = (Vec::new(), Instant::now(), clock::spent());
    while times.len() < LEAST_RUNS || begin.elapsed().as_secs_f64() < seconds {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok((times, clock::spent() - spent_before))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    if times.len() % 2 == 1 { times[middle] } else { 0.5 * (times[middle - 1] + times[middle]) }
}

fn in_own_process(what: &str, case: BenchCase, args: &BenchArgs, global: &GlobalArgs) -> Result<Measurement> {
    let mut command = Command::new(std::env::current_exe().context("finding this program")?);
    command.args(["bench", what, "--json", "--case", case.name(), "--seconds", &args.seconds.to_string()]);
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

fn table(what: &str, measured: &[Measurement], color: bool) -> String {
    let mb = |value: Option<f64>| value.map_or("unknown".into(), |mb| format!("{mb:.0}"));
    let row = |m: &Measurement| {
        vec![
            m.case.clone(),
            m.batch.to_string(),
            format!("{:.2}", 1e3 * m.seconds),
            format!("{:.1}", m.batch as f64 / m.seconds),
            format!("{:.1}", 100.0 * m.outside_kernels),
            mb(m.peak_mb),
            m.n.to_string(),
        ]
    };
    let heading = if what == "train" { "Training step" } else { "Prediction" };
    let mut page = Page::new(color);
    let columns = ["model", "batch", "median ms", "examples/s", "% outside kernels", "peak MB", "runs"];
    page.table(heading, &columns, measured.iter().map(row).collect());
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_two_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 10.0]), 3.0);
    }
}
