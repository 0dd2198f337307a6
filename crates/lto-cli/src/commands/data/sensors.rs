//! `lto data sensors`: a table of sensors with values from a dataset.

use super::open;
use crate::args::{GlobalArgs, SensorsArgs};
use crate::output;
use crate::usage;
use anyhow::{Result, bail, ensure};
use lto_numerics::dataset::{DrawnSensors, SensorDraw, SensorPlacement};
use lto_report::picture::ticks::short;
use lto_report::words;
use std::process::ExitCode;

/// Writes the table, and says what is in it.
///
/// # Errors
/// A data set that is not understood, a sample or frame it does not have, or a file that cannot be written.
pub fn run(args: &SensorsArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let path = &args.output;
    let is_csv = path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("csv"));
    ensure!(is_csv, "{}: must be a .csv file", path.display());
    output::folder_of(path)?;
    ensure!(args.force || !path.exists(), "{}: already exists; --force replaces it", path.display());
    let (mut dataset, info) = open::open(&args.file, &args.dataset)?;
    if let Some(problem) = &info.problem {
        bail!("{}: {problem}", args.file.display());
    }
    let draw = SensorDraw {
        sample: args.sample,
        frame: args.frame,
        n: args.n,
        placement: args.design,
        noise: args.noise,
        seed: args.seed,
    };
    let sensors = DrawnSensors::draw(&mut dataset, &draw).map_err(usage::with_flag)?;
    output::write_atomically(path, sensors.csv().as_bytes())?;
    let interpolated = args.design != SensorPlacement::Random;
    if args.json {
        let summary = serde_json::json!({
            "file": path, "points": args.n, "sample": args.sample, "frame": args.frame, "time": sensors.time,
            "channels": sensors.channels, "design": args.design.name(), "interpolated": interpolated,
            "noise": sensors.noise, "seed": args.seed,
        });
        output::print(&format!("{}\n", serde_json::to_string_pretty(&summary)?))?;
    } else if !global.quiet {
        let time = sensors.time.map_or(String::new(), |time| format!(" at t = {}", short(time)));
        let places = if interpolated { "between grid points, values interpolated" } else { "at grid points" };
        let noise = if args.noise > 0.0 {
            let deviations: Vec<String> = sensors.noise.iter().map(|&noise| short(noise)).collect();
            format!("; noise of standard deviation {}", deviations.join(", "))
        } else {
            String::new()
        };
        output::print(&format!(
            "{}: {} of {}{time}, {places}{noise}\n",
            path.display(),
            words::count(args.n, "sensor"),
            sensors.channels.join(", ")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
