//! Shows the progress of a run, and stops it on Ctrl-C.

use crate::interrupt;
use crate::output;
use crate::progress::Progress;
use lto::reproduce::StageObserver;
use lto::train::{Control, Observer, Started, StepReport, ValidationReport, in_order};
use lto_report::words::duration;

/// An observer for terminals and logs.
pub struct Watcher {
    quiet: bool,
    progress: Option<Progress>,
    /// The validation error shown beside the loss.
    validation: Option<f64>,
}

impl Watcher {
    /// Shows nothing if `quiet`, but still heeds Ctrl-C.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, progress: None, validation: None }
    }

    /// Removes the bar.
    pub fn finish(&mut self) {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
    }

    fn control() -> Control {
        if interrupt::requested() { Control::Stop } else { Control::Continue }
    }
}

impl Observer for Watcher {
    fn log(&mut self, message: &str) {
        if self.quiet {
            return;
        }
        match &self.progress {
            Some(progress) => progress.say(message),
            None => output::say(message),
        }
    }

    fn preparing(&mut self, done: usize, total: usize) -> Control {
        self.progress("samples prepared", done, total)
    }

    fn started(&mut self, event: &Started) {
        self.finish();
        let beginning =
            if event.step == 0 { String::new() } else { format!("continuing after {} steps: ", event.step) };
        self.log(&format!("{beginning}{} parameters, run in {}", event.n_parameters, event.run.display()));
        let total = event.steps.unwrap_or(event.step + 1);
        self.progress = Some(Progress::new("steps", count(total), count(event.step), self.quiet));
    }

    fn step(&mut self, report: &StepReport) -> Control {
        if let Some(progress) = &mut self.progress {
            progress.show(count(report.step), report.steps.map(count), || message(report, self.validation));
        }
        Self::control()
    }

    fn validation(&mut self, report: &ValidationReport) {
        let errors = in_order(report.errors);
        self.validation = errors.first().map(|(_, error)| **error);
        let errors: Vec<String> = errors.iter().map(|(name, error)| format!("{name} {error:.4}")).collect();
        self.log(&format!("step {}: {}", report.step, errors.join(", ")));
    }
}

impl StageObserver for Watcher {
    fn stage(&mut self, name: &str, what: &str) {
        self.finish();
        self.log(&format!("{name}: {what}"));
    }

    fn progress(&mut self, what: &'static str, done: usize, total: usize) -> Control {
        let quiet = self.quiet;
        self.progress.get_or_insert_with(|| Progress::new(what, total, 0, quiet)).set(done);
        Self::control()
    }
}

fn count(steps: u64) -> usize {
    usize::try_from(steps).unwrap_or(usize::MAX)
}

/// `, loss 1.2e-3 (evolution 1.0e-3, reconstruction 2.0e-4), validation 0.0321, 410 examples/s, 2 min left`.
fn message(report: &StepReport, validation: Option<f64>) -> String {
    let mut text = format!(", loss {:.2e}", report.loss);
    if report.terms.len() > 1 {
        let short = |name: &str| name.trim_end_matches("_loss").to_string();
        let terms: Vec<String> =
            report.terms.iter().map(|(name, value)| format!("{} {value:.1e}", short(name))).collect();
        text.push_str(&format!(" ({})", terms.join(", ")));
    }
    if let Some(error) = validation {
        text.push_str(&format!(", validation {error:.4}"));
    }
    text.push_str(&format!(
        ", {:.0} examples/s, {} left",
        report.examples_per_second,
        duration(report.seconds_left)
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_told_in_a_line() {
        let report = StepReport {
            step: 7,
            steps: Some(100),
            loss: 0.0012,
            terms: vec![("evolution_loss", 0.001), ("reconstruction_loss", 0.0002)],
            learning_rate: 1e-3,
            gradient_norm: 1.0,
            examples_per_second: 410.4,
            progress: 0.07,
            seconds_left: 42.0,
        };
        let one = StepReport { terms: vec![("evolution_loss", 0.001)], ..report.clone() };
        assert_eq!(
            message(&report, Some(0.03214)),
            ", loss 1.20e-3 (evolution 1.0e-3, reconstruction 2.0e-4), validation 0.0321, 410 examples/s, 42 s left"
        );
        assert_eq!(message(&one, None), ", loss 1.20e-3, 410 examples/s, 42 s left");
    }
}
