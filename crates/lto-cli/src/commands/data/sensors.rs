//! `lto data sensors`: a table of sensors with values from a dataset.

use super::open;
use crate::args::{GlobalArgs, SensorsArgs};
use crate::output;
use crate::usage;
use anyhow::{Result, bail, ensure};
use lto_numerics::dataset::write::AtomicFile;
use lto_numerics::dataset::{Dataset, DrawnSensors, SensorDraw, SensorPlacement};
use lto_numerics::records::StationDraw;
use lto_report::picture::ticks::short;
use lto_report::words;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
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
    if args.stations {
        return stations(args, global, &mut dataset);
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

/// Writes the table of stations that record every frame, and that of those held out.
fn stations(args: &SensorsArgs, global: &GlobalArgs, dataset: &mut Dataset) -> Result<ExitCode> {
    let apart = held_out_file(args);
    ensure!(
        args.force || args.held_out == 0 || !apart.exists(),
        "{}: already exists; --force replaces it",
        apart.display()
    );
    let draw = StationDraw {
        sample: args.sample,
        n: args.n,
        placement: args.design,
        held_out: args.held_out,
        noise: args.noise_sd.clone(),
        gaps: args.gaps,
        time_unit: args.time_unit.clone(),
        seed: args.seed,
    };
    let mut file = AtomicFile::create(&args.output)?;
    let mut other = (args.held_out > 0).then(|| AtomicFile::create(&apart)).transpose()?;
    let drawn = {
        let mut out = BufWriter::new(file.file());
        let mut nowhere = std::io::sink();
        let mut other = other.as_mut().map(|file| BufWriter::new(file.file()));
        let failed = |source| lto_numerics::Error::Io { path: args.output.clone(), source };
        let held: &mut dyn Write = match &mut other {
            Some(other) => other,
            None => &mut nowhere,
        };
        let drawn = draw.write(dataset, &mut out, held, &failed).map_err(usage::with_flag)?;
        out.flush()?;
        other.as_mut().map_or(Ok(()), Write::flush)?;
        drawn
    };
    file.finish()?;
    if let Some(other) = other {
        other.finish()?;
    }
    output::print_results(&drawn, args.json, global, |_| {
        let (n, held) = (words::count(args.n - args.held_out, "station"), args.held_out);
        let mut text = format!(
            "{}: {n}, {} from {} to {}, {} of {}\n",
            args.output.display(),
            words::count(drawn.frames, "time"),
            drawn.times[0],
            drawn.times[1],
            words::count(drawn.rows[0] as usize, "row"),
            drawn.channels.join(", ")
        );
        if held > 0 {
            let rows = words::count(drawn.rows[1] as usize, "row");
            text += &format!("{}: {}, {rows}\n", apart.display(), words::count(held, "station"));
        }
        text
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The table of the stations held out: `stations_held_out.csv` beside `stations.csv`.
fn held_out_file(args: &SensorsArgs) -> PathBuf {
    let stem = args.output.file_stem().unwrap_or_default().to_string_lossy();
    args.output.with_file_name(format!("{stem}_held_out.csv"))
}
