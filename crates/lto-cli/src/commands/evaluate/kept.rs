//! What an evaluation leaves: the result of each run in its folder, and one of all where it is asked for.

use crate::args::ShownArgs;
use crate::output;
use anyhow::{Context, Result, ensure};
use lto::evaluate::evaluation::{self, Evaluation};
use lto_report::evaluation::{Look, report};
use std::path::{Path, PathBuf};

/// The report in a folder of results.
const REPORT: &str = "report.html";

/// Refuses a folder that holds results, unless they are to be replaced.
///
/// # Errors
/// It does.
pub fn check_output(shown: &ShownArgs) -> Result<()> {
    let Some(folder) = &shown.output else { return Ok(()) };
    let held =
        [evaluation::FILE_NAME, REPORT].map(|name| folder.join(name)).into_iter().find(|path| path.exists());
    ensure!(
        shown.force || held.is_none(),
        "{}: holds an evaluation already; --force replaces it, -o names another folder",
        folder.display()
    );
    Ok(())
}

/// Writes all results and their report into the folder that was asked for, if one was.
///
/// # Errors
/// A folder that cannot be written, or a picture that is too large.
pub fn write(evaluations: &[Evaluation], look: &Look, shown: &ShownArgs, quiet: bool) -> Result<()> {
    let Some(folder) = &shown.output else { return Ok(()) };
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let (file, page) = (folder.join(evaluation::FILE_NAME), folder.join(REPORT));
    output::write_atomically(&file, format!("{}\n", evaluation::to_json(evaluations)?).as_bytes())?;
    output::write_atomically(&page, report(evaluations, look)?.html().as_bytes())?;
    if !quiet {
        output::say(format_args!("written: {} and {}", file.display(), page.display()));
    }
    Ok(())
}

/// Leaves the result of each run in its folder, where `lto compare` looks for it, in place of an earlier one. A folder that cannot
/// be written is only told: the results are not lost.
///
/// # Errors
/// None for sound evaluations.
pub fn keep(evaluations: &[Evaluation], shown: &ShownArgs, quiet: bool) -> Result<()> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    let output = shown.output.as_deref().map(real);
    for one in evaluations {
        let run = Path::new(&one.model.run);
        // In the folder of -o all results are written anyway.
        if !run.is_dir() || output.as_ref().is_some_and(|output| *output == real(run)) {
            continue;
        }
        let file = run.join(evaluation::FILE_NAME);
        let text = format!("{}\n", evaluation::to_json(std::slice::from_ref(one))?);
        match output::write_atomically(&file, text.as_bytes()) {
            Ok(()) if quiet => {}
            Ok(()) => output::say(format_args!("kept: {}", file.display())),
            Err(error) => {
                output::say(format_args!("warning: the result is not kept with the run: {error:#}"))
            }
        }
    }
    Ok(())
}
