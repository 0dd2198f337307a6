//! `lto calibrate`: how far a model is off, measured and stored with it.

use super::train::Watcher;
use crate::args::{CalibrateArgs, GlobalArgs};
use crate::{interrupt, output};
use anyhow::{Context, Result, ensure};
use lto::model::FILE_NAME;
use lto::reproduce::StageObserver;
use lto::train::Control;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Calibrates.
///
/// # Errors
/// A model or data that cannot be used, or a file that cannot be written.
pub fn run(args: &CalibrateArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let run = Path::new(&args.run);
    let place = args.output.clone().unwrap_or_else(|| match run.is_dir() {
        true => run.join(FILE_NAME),
        false => PathBuf::from(run),
    });
    let other = args.output.is_some();
    ensure!(
        !other || args.force || !place.exists(),
        "{}: already exists; --force replaces it",
        place.display()
    );
    output::folder_of(&place)?;
    interrupt::listen()?;
    let mut watcher = Watcher::new(global.quiet);
    let mut progress = |done, total| watcher.progress("samples", done, total) == Control::Continue;
    let calibrated = args.request().run(&mut progress);
    watcher.finish();
    let model = match calibrated.with_context(|| format!("calibrating {}", args.run)) {
        Ok(model) => model,
        Err(error) => return interrupt::or_fail(error, "nothing was written"),
    };
    model.save(&place)?;
    let calibration = model.card().calibration()?;
    if args.json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(calibration)?))?;
    } else if !global.quiet {
        let color = output::use_color(global.color, &std::io::stdout());
        output::print(&lto_report::calibration::text(model.card(), calibration, color))?;
        output::say(format_args!("kept with the model: {}", place.display()));
    }
    Ok(ExitCode::SUCCESS)
}
