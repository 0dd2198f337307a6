//! `lto compare`: evaluations side by side.

use crate::args::{CompareArgs, GlobalArgs, ShownArgs};
use crate::output;
use anyhow::{Context, Result, ensure};
use lto::evaluate::compare::differences;
use lto::evaluate::evaluation::{self, Evaluation};
use lto::evaluate::{Published, run::write};
use lto_report::evaluation::{Look, formatted, report};
use std::process::ExitCode;

/// The report in a folder of results.
const REPORT: &str = "report.html";

/// Compares.
///
/// # Errors
/// An evaluation that is missing or cannot be read, or a folder that cannot be written.
pub fn run(args: &CompareArgs, global: &GlobalArgs) -> Result<ExitCode> {
    check_output(&args.shown)?;
    let mut evaluations = Vec::new();
    for path in &args.evaluations {
        ensure!(
            !path.is_dir() || path.join(evaluation::FILE_NAME).is_file(),
            "{0}: holds no {1}; make one with: lto evaluate {0}",
            path.display(),
            evaluation::FILE_NAME
        );
        evaluations.extend(evaluation::read(path)?);
    }
    present(&evaluations, &args.shown, global)?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses a folder that holds results, unless they may be replaced.
///
/// # Errors
/// It does.
pub fn check_output(shown: &ShownArgs) -> Result<()> {
    let Some(folder) = &shown.output else { return Ok(()) };
    let held = [evaluation::FILE_NAME, REPORT].iter().any(|name| folder.join(name).exists());
    ensure!(
        shown.force || !held,
        "{}: already holds an evaluation; --force replaces it, -o names another folder",
        folder.display()
    );
    Ok(())
}

/// Writes the folder, if one is wanted, and prints tables or JSON.
///
/// # Errors
/// A folder that cannot be written, or published numbers that cannot be read.
pub fn present(evaluations: &[Evaluation], shown: &ShownArgs, global: &GlobalArgs) -> Result<()> {
    let published = shown.published.as_deref().map(Published::read).transpose()?.unwrap_or_default();
    let look = Look::new(shown.metric, &published).only(&shown.tables);
    if let Some(folder) = &shown.output {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let (file, page) = (write(folder, evaluations)?, folder.join(REPORT));
        output::write_atomically(&page, report(evaluations, &look)?.html().as_bytes())?;
        if !global.quiet {
            output::say(format_args!("written: {} and {}", file.display(), page.display()));
        }
    }
    for difference in differences(evaluations) {
        output::say(format_args!("warning: {}", difference.text));
    }
    if shown.json {
        return output::print(&format!("{}\n", evaluation::to_json(evaluations)?));
    }
    let color = output::use_color(global.color, &std::io::stdout());
    output::print(&formatted(evaluations, &look, shown.format, color))
}
