//! Report sections on the models themselves: what they are, how they were trained, how everything was made.

use super::rows::names;
use super::sections::with_figure;
use crate::error::Result;
use crate::html::Section;
use crate::training::charts;
use crate::words::{count, duration};
use lto::evaluate::{Evaluation, Part};
use lto::train::folder::CONFIG_FILE;
use lto::train::history::History;
use lto::train::metrics;
use std::path::Path;

/// What each model is, and what it costs.
pub fn models(evaluations: &[Evaluation]) -> Section {
    Section::new("Models").table(super::models::models(evaluations).html()).text(
        "Prediction times are averages over batches of up to 16. Peak memory is the whole process's while \
         the model was evaluated.",
    )
}

/// The curves of runs that have metrics.
pub fn training(evaluations: &[Evaluation]) -> Result<Option<Section>> {
    let mut section = None;
    for (evaluation, name) in evaluations.iter().zip(names(evaluations)) {
        let run = Path::new(&evaluation.model.run);
        if !run.join(metrics::FILE_NAME).is_file() {
            continue;
        }
        if let Some(drawing) = charts(&History::read(run)?) {
            let begun = section.unwrap_or_else(|| Section::new("Training"));
            section = Some(with_figure(begun, Some(drawing), &format!("{name}: loss and held-out errors."))?);
        }
    }
    Ok(section)
}

/// Every command and every seed.
pub fn made(evaluations: &[Evaluation]) -> Section {
    let mut commands: Vec<&str> = Vec::new();
    let trained = evaluations.iter().filter_map(|e| e.model.train_command.as_deref());
    let evaluated = evaluations.iter().map(|e| e.command.as_str()).filter(|c| !c.is_empty());
    for command in trained.chain(evaluated) {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    let mut section = Section::new("How this was made");
    if !commands.is_empty() {
        section = section.code(commands.join("\n"));
    }
    for (evaluation, name) in evaluations.iter().zip(names(evaluations)) {
        let model = &evaluation.model;
        let trained = match model.seed {
            Some(seed) => {
                let (steps, parameters) =
                    (count(model.steps as usize, "step"), count(model.parameters, "parameter"));
                format!("trained with seed {seed} for {steps}, {parameters}; ")
            }
            None => String::new(),
        };
        section = section.text(format!(
            "{name}: `{}`, {trained}evaluated on {}, seed {} of contexts and noise, in {}.",
            model.run,
            samples(evaluation),
            evaluation.config.seed,
            duration(evaluation.seconds),
        ));
    }
    section
}

/// The settings of runs whose folder exists.
pub fn configurations(evaluations: &[Evaluation]) -> Option<Section> {
    let mut section = None;
    for (evaluation, name) in evaluations.iter().zip(names(evaluations)) {
        if let Ok(text) = std::fs::read_to_string(Path::new(&evaluation.model.run).join(CONFIG_FILE)) {
            let begun = section.unwrap_or_else(|| Section::new("Configurations, with every default"));
            section = Some(begun.text(name).code(text));
        }
    }
    section
}

/// `7 test samples (23 samples of era5.npz)`.
pub fn samples(evaluation: &Evaluation) -> String {
    let n = evaluation.data.samples.len();
    let counted = match evaluation.config.split {
        Part::Test => count(n, "test sample"),
        Part::Validation => count(n, "validation sample"),
        Part::All => format!("{}, held out or not", count(n, "sample")),
    };
    format!("{counted} ({})", evaluation.data.description)
}
