//! What each model is, and what it costs, as a table.

use super::rows::names;
use super::table::{ResultTable, plain};
use crate::picture::ticks::short;
use crate::words::duration;
use lto::evaluate::Evaluation;

/// The name of this table on the command line.
pub const NAME: &str = "models";

/// One row for each model.
pub fn models(evaluations: &[Evaluation]) -> ResultTable {
    let mut table = ResultTable::new(NAME, "Models".into());
    table.columns =
        ["model", "kind", "parameters", "training steps", "training time", "ms a prediction", "peak MB"]
            .map(String::from)
            .to_vec();
    for (evaluation, name) in evaluations.iter().zip(names(evaluations)) {
        let model = &evaluation.model;
        let each =
            evaluation.one_step.measures().map_or("–".into(), |m| short(1e3 * m.seconds_per_prediction));
        let cells = [
            name,
            model.kind.clone(),
            model.parameters.to_string(),
            model.steps.to_string(),
            model.train_seconds.map_or("–".into(), duration),
            each,
            evaluation.peak_mb.map_or("–".into(), |mb| format!("{mb:.0}")),
        ];
        table.rows.push(cells.map(plain).to_vec());
    }
    table
}
