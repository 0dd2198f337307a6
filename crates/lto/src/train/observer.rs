//! What a run reports to its caller.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Whether to continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Continue.
    Continue,
    /// Save a checkpoint and stop.
    Stop,
}

/// Before the first step.
#[derive(Clone, Debug)]
pub struct Started<'a> {
    /// The folder of the run.
    pub run: &'a Path,
    /// Number of parameters of the model.
    pub n_parameters: usize,
    /// Steps already done, by the resumed run.
    pub step: u64,
    /// Total steps; `None` if time ends the run.
    pub steps: Option<u64>,
    /// Total minutes, if time may end the run.
    pub minutes: Option<f64>,
    /// Total minutes of processor time, if they may end the run.
    pub cpu_minutes: Option<f64>,
}

/// After a step.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// Steps done.
    pub step: u64,
    /// Total steps; an estimate if time ends the run.
    pub steps: Option<u64>,
    /// The weighted sum of the terms of the objective.
    pub loss: f64,
    /// The terms by name, before weighting.
    pub terms: Vec<(&'static str, f64)>,
    /// The learning rate of the step.
    pub learning_rate: f64,
    /// Norm of all gradients, before clipping.
    pub gradient_norm: f64,
    /// Examples per second, over this run.
    pub examples_per_second: f64,
    /// Share of the run that is done.
    pub progress: f64,
    /// Seconds until the end, at this pace.
    pub seconds_left: f64,
}

/// Errors on held-out samples.
#[derive(Clone, Debug)]
pub struct ValidationReport<'a> {
    /// Steps done.
    pub step: u64,
    /// Relative L2 errors by name.
    pub errors: &'a BTreeMap<String, f64>,
}

/// Errors by name in natural order: by lead, 4 before 16, the full context before the sparse one.
pub fn in_order<V>(errors: &BTreeMap<String, V>) -> Vec<(&str, &V)> {
    let lead = |name: &str| {
        let after = name.split_once("lead_").map_or("", |(_, after)| after);
        after.split('_').next().and_then(|number| number.parse::<usize>().ok())
    };
    let mut ordered: Vec<(&str, &V)> = errors.iter().map(|(name, value)| (name.as_str(), value)).collect();
    // A stable sort: equal leads stay in the order of their names.
    ordered.sort_by_key(|(name, _)| lead(name));
    ordered
}

/// Receives the events of a run. Every method has a default, which continues.
pub trait Observer {
    /// A line for the user.
    fn log(&mut self, _message: &str) {}

    /// `done` of `total` samples are prepared before training begins.
    fn preparing(&mut self, _done: usize, _total: usize) -> Control {
        Control::Continue
    }

    /// Training begins or continues.
    fn started(&mut self, _event: &Started) {}

    /// A step was done.
    fn step(&mut self, _report: &StepReport) -> Control {
        Control::Continue
    }

    /// Held-out samples were predicted.
    fn validation(&mut self, _report: &ValidationReport) {}
}

/// An observer that ignores everything.
pub struct Silent;

impl Observer for Silent {}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEnd {
    /// All steps were done, or the time was up.
    Finished(RunSummary),
    /// The observer stopped it; a checkpoint was written.
    Interrupted(RunSummary),
}

/// What a run leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// Steps done.
    pub steps: u64,
    /// Seconds of training, over all runs.
    pub seconds: f64,
    /// The same of processor time, over all threads.
    pub cpu_seconds: f64,
    /// Errors of the last validation by name.
    pub errors: BTreeMap<String, f64>,
    /// The file of the model.
    pub model: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_in_the_order_of_their_numbers() {
        let names =
            ["relative_l2", "relative_l2_sparse", "x_lead_1", "x_lead_1_sparse", "x_lead_4", "x_lead_16"];
        let errors: BTreeMap<String, usize> = names.iter().rev().map(|name| (name.to_string(), 0)).collect();
        assert_eq!(in_order(&errors).into_iter().map(|(name, _)| name).collect::<Vec<_>>(), names);
    }
}
