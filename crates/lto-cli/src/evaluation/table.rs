//! Tables of results: all measures of one model, or several models side by side.

use super::rows::{Kind, Published, Row, names, rows};
use crate::picture::ticks::short;
use lto::evaluate::compare::best;
use lto::evaluate::{Evaluation, Measures, Outcome};

/// What stands in a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// Whether it is the best of its row.
    pub best: bool,
    /// Number of the note that explains it, from 1.
    pub note: Option<usize>,
}

/// A table with notes.
#[derive(Clone, Debug)]
pub struct ResultTable {
    /// What it is about.
    pub kind: Kind,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows of cells.
    pub rows: Vec<Vec<Cell>>,
    /// Notes.
    pub notes: Vec<String>,
}

/// The tables of one evaluation with all measures, or of several side by side with the best of each row marked, and what
/// others published beside them.
pub fn tables(evaluations: &[Evaluation], published: &[Published]) -> Vec<ResultTable> {
    let all: Vec<Vec<Row>> = evaluations.iter().map(rows).collect();
    let table = |kind: Kind| {
        let mut labels: Vec<&str> = Vec::new();
        for row in all.iter().flatten().filter(|row| row.kind == kind) {
            if !labels.contains(&row.label.as_str()) {
                labels.push(&row.label);
            }
        }
        let published: Vec<&Published> = published.iter().filter(|p| p.kind == kind).collect();
        let find = |rows: &'_ [Row<'_>], label: &str| -> Option<Outcome> {
            rows.iter().find(|row| row.kind == kind && row.label == label).map(|row| row.outcome.clone())
        };
        let mut table =
            ResultTable { kind, columns: vec![kind.case().into()], rows: Vec::new(), notes: Vec::new() };
        let single = all.len() == 1;
        if single {
            table.columns.extend(MEASURES.map(String::from));
        } else {
            table.columns.extend(names(evaluations));
        }
        table.columns.extend(published.iter().map(|p| p.name.clone()));
        for label in labels {
            let outcomes: Vec<Option<Outcome>> = all.iter().map(|rows| find(rows, label)).collect();
            let mut cells = vec![plain(label)];
            match (single, outcomes.first()) {
                (true, Some(outcome)) => cells.extend(table.measures(outcome.as_ref())),
                _ => cells.extend(table.side_by_side(&outcomes)),
            }
            let bare = label.split(" (").next().unwrap_or(label);
            cells.extend(
                published.iter().map(|p| plain(p.relative_l2.get(bare).map_or(String::new(), |v| short(*v)))),
            );
            table.rows.push(cells);
        }
        table
    };
    let table = |kind| match kind {
        Kind::OneStep if all.len() > 1 => one_step(evaluations, published),
        kind => table(kind),
    };
    Kind::ALL.into_iter().map(table).filter(|table| !table.rows.is_empty()).collect()
}

/// All measures of several models, one row each; what others published below.
fn one_step(evaluations: &[Evaluation], published: &[Published]) -> ResultTable {
    let columns = std::iter::once("model").chain(MEASURES).map(String::from).collect();
    let mut table = ResultTable { kind: Kind::OneStep, columns, rows: Vec::new(), notes: Vec::new() };
    let errors: Vec<_> = evaluations.iter().map(|e| e.one_step.measures().map(|m| &m.relative_l2)).collect();
    for ((evaluation, name), best) in evaluations.iter().zip(names(evaluations)).zip(best(&errors)) {
        let mut cells = table.measures(Some(&evaluation.one_step));
        cells[0].best = best;
        cells.insert(0, plain(name));
        table.rows.push(cells);
    }
    for other in published.iter().filter(|p| p.kind == Kind::OneStep) {
        let mut cells = vec![Cell::default(); MEASURES.len()];
        cells[0] = plain(other.relative_l2.values().next().map_or(String::new(), |v| short(*v)));
        cells.insert(0, plain(other.name.clone()));
        table.rows.push(cells);
    }
    table
}

/// Columns of a table of one evaluation.
const MEASURES: [&str; 8] =
    ["relative L2", "95 % interval", "RMSE", "max error", "low", "mid", "high", "ms each"];

fn plain(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), ..Cell::default() }
}

fn number(value: f64) -> String {
    if value.is_finite() { short(value) } else { "∞".into() }
}

impl ResultTable {
    fn measures(&mut self, outcome: Option<&Outcome>) -> Vec<Cell> {
        let missing = |cell: Cell| {
            let mut cells = vec![Cell::default(); MEASURES.len()];
            cells[0] = cell;
            cells
        };
        let m = match outcome {
            Some(Outcome::Measured(measures)) => measures,
            Some(Outcome::Unsupported(reason)) => return missing(self.dash(reason)),
            None => return missing(Cell::default()),
        };
        let [low, high] = m.relative_l2.interval;
        let band = |value: fn(&lto::evaluate::scores::BandErrors) -> f64| {
            m.bands.as_ref().map_or(String::new(), |bands| number(value(bands)))
        };
        [
            number(m.relative_l2.mean),
            format!("{} – {}", number(low), number(high)),
            number(m.rmse),
            number(m.max_error),
            band(|b| b.low),
            band(|b| b.mid),
            band(|b| b.high),
            short(1e3 * m.seconds_per_prediction),
        ]
        .map(plain)
        .to_vec()
    }

    fn side_by_side(&mut self, outcomes: &[Option<Outcome>]) -> Vec<Cell> {
        let errors: Vec<_> = outcomes
            .iter()
            .map(|outcome| outcome.as_ref().and_then(Outcome::measures).map(|m| &m.relative_l2))
            .collect();
        let best = best(&errors);
        let cell = |(outcome, best): (&Option<Outcome>, bool)| match outcome {
            None => Cell::default(),
            Some(Outcome::Unsupported(reason)) => self.dash(reason),
            Some(Outcome::Measured(Measures { relative_l2, .. })) => {
                let [low, high] = relative_l2.interval;
                let text = format!("{} ({} – {})", number(relative_l2.mean), number(low), number(high));
                Cell { text, best, note: None }
            }
        };
        outcomes.iter().zip(best).map(cell).collect()
    }

    /// "–" with its reason among the notes.
    pub(super) fn dash(&mut self, reason: &str) -> Cell {
        let known = self.notes.iter().position(|note| note == reason);
        let note = known.unwrap_or_else(|| {
            self.notes.push(reason.into());
            self.notes.len() - 1
        });
        Cell { text: "–".into(), best: false, note: Some(note + 1) }
    }

    /// The heading of the table.
    pub fn title(&self) -> &'static str {
        self.kind.title()
    }
}
