//! Tables of results: all measures of one model, or several models side by side.

use super::look::{Look, Marks, marks};
use super::rows::{Case, cases, names, row_heading, title};
use crate::picture::ticks::short;
use lto::evaluate::compare::{Difference, differences};
use lto::evaluate::scores::BandErrors;
use lto::evaluate::statistics::ErrorStatistics;
use lto::evaluate::{Evaluation, Outcome, ResultKind};
use lto_numerics::metric::MetricKind;

/// A cell of a table.
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
    /// Its name on the command line.
    pub name: &'static str,
    /// Its heading.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows of cells.
    pub rows: Vec<Vec<Cell>>,
    /// Notes that cells refer to.
    pub notes: Vec<String>,
    /// Remarks on the whole table.
    pub remarks: Vec<String>,
}

/// The tables of one evaluation with all measures, or of several side by side with the best of each row
/// marked and published numbers beside them.
pub fn tables(evaluations: &[Evaluation], look: &Look) -> Vec<ResultTable> {
    let differences = differences(evaluations);
    let table = |kind: ResultKind| {
        let mut table = ResultTable::new(kind.name(), title(kind, evaluations));
        match (kind, evaluations.len()) {
            (ResultKind::OneStep, 2..) => table.one_step(evaluations, look, &differences),
            (_, n) => {
                let published: Vec<_> = look.published().iter().filter(|p| p.kind == kind).collect();
                let columns = if n == 1 { columns(look) } else { names(evaluations) };
                table.columns = [vec![row_heading(kind).into()], columns].concat();
                table.columns.extend(published.iter().map(|p| p.name.clone()));
                for case in cases(evaluations, kind) {
                    let mut cells = vec![plain(case.label.clone())];
                    match &case.outcomes[..] {
                        [only] => {
                            cells.extend(table.measures(only.as_deref(), &samples(&evaluations[0]), look))
                        }
                        _ => cells.extend(table.side_by_side(kind, &case, look, &differences)),
                    }
                    let of = |number: Option<f64>| plain(number.map_or(String::new(), short));
                    cells.extend(published.iter().map(|p| of(p.of(&case.label))));
                    table.rows.push(cells);
                }
            }
        }
        table
    };
    ResultKind::ALL.into_iter().map(table).filter(|table| !table.rows.is_empty()).collect()
}

/// Columns of a table of one evaluation: the metric first, with its interval, median and worst.
fn columns(look: &Look) -> Vec<String> {
    let others = MetricKind::ALL.into_iter().filter(|metric| *metric != look.metric).map(MetricKind::label);
    let all = [look.metric.label(), "95 % interval", "median", "worst (sample)"].into_iter().chain(others);
    all.chain(["low", "mid", "high", "ms each"]).map(String::from).collect()
}

pub(super) fn plain(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), ..Cell::default() }
}

pub(super) fn number(value: f64) -> String {
    if value.is_finite() { short(value) } else { "∞".into() }
}

/// The mean; a dash if it was not measured.
fn mean(errors: &ErrorStatistics) -> String {
    errors.measured().map_or("–".into(), |errors| number(errors.mean))
}

pub(super) fn interval(ends: Option<[f64; 2]>) -> String {
    ends.map_or("–".into(), |[low, high]| format!("{} – {}", number(low), number(high)))
}

/// The largest error, with the sample it belongs to: `0.31 (17)`.
fn worst(errors: &ErrorStatistics, samples: &[usize]) -> String {
    let shown = |(i, error): (usize, f64)| match samples.get(i) {
        Some(sample) => format!("{} ({sample})", number(error)),
        None => number(error),
    };
    errors.worst().map_or("–".into(), shown)
}

/// The samples of an evaluation in the order of its errors.
fn samples(evaluation: &Evaluation) -> Vec<usize> {
    let mut samples = evaluation.data.samples.clone();
    samples.sort_unstable();
    samples
}

impl ResultTable {
    /// A table without columns or rows.
    pub fn new(name: &'static str, title: String) -> Self {
        Self { name, title, columns: Vec::new(), rows: Vec::new(), notes: Vec::new(), remarks: Vec::new() }
    }

    /// All measures of several models, one row each; published numbers below.
    fn one_step(&mut self, evaluations: &[Evaluation], look: &Look, differences: &[Difference]) {
        self.columns = [vec!["model".into()], columns(look)].concat();
        let errors: Vec<_> = evaluations
            .iter()
            .map(|e| e.one_step.measures().and_then(|m| m.errors[look.metric].measured()))
            .collect();
        let best = self.marked(marks(ResultKind::OneStep, differences, &errors));
        for ((evaluation, name), best) in evaluations.iter().zip(names(evaluations)).zip(best) {
            let mut cells = self.measures(Some(&evaluation.one_step), &samples(evaluation), look);
            cells[0].best = best;
            cells.insert(0, plain(name));
            self.rows.push(cells);
        }
        for other in look.published().iter().filter(|p| p.kind == ResultKind::OneStep) {
            let mut cells = vec![Cell::default(); self.columns.len()];
            cells[0] = plain(other.name.clone());
            cells[1] = plain(other.relative_l2.values().next().map_or(String::new(), |v| short(*v)));
            self.rows.push(cells);
        }
    }

    /// Which are the best; adds a remark if none is.
    fn marked(&mut self, marks: Marks) -> Vec<bool> {
        if let Some(reason) = marks.reason.filter(|reason| !self.remarks.contains(reason)) {
            self.remarks.push(reason);
        }
        marks.best
    }

    fn measures(&mut self, outcome: Option<&Outcome>, samples: &[usize], look: &Look) -> Vec<Cell> {
        let width = columns(look).len();
        let missing = |cell: Cell| [vec![cell], vec![Cell::default(); width - 1]].concat();
        let m = match outcome {
            Some(Outcome::Measured(measures)) => measures,
            Some(Outcome::Unsupported(reason)) => return missing(self.dash(reason)),
            None => return missing(Cell::default()),
        };
        let errors = &m.errors[look.metric];
        let mut cells = vec![plain(mean(errors)), plain(interval(errors.interval))];
        cells.push(plain(errors.median().map_or("–".into(), number)));
        cells.push(plain(worst(errors, samples)));
        let others = MetricKind::ALL.into_iter().filter(|metric| *metric != look.metric);
        cells.extend(others.map(|metric| plain(mean(&m.errors[metric]))));
        let bands: [fn(&BandErrors) -> Option<f64>; 3] = [|b| b.low, |b| b.mid, |b| b.high];
        // A band that the grid does not resolve.
        let band =
            |of: fn(&BandErrors) -> Option<f64>| m.bands.as_ref().and_then(of).map_or("–".into(), number);
        cells.extend(bands.map(|of| plain(band(of))));
        cells.push(plain(short(1e3 * m.seconds_per_prediction)));
        cells
    }

    fn side_by_side(
        &mut self,
        kind: ResultKind,
        case: &Case,
        look: &Look,
        differences: &[Difference],
    ) -> Vec<Cell> {
        let best = self.marked(marks(kind, differences, &case.errors(look.metric)));
        let cell = |(outcome, best): (Option<&Outcome>, bool)| match outcome {
            None => Cell::default(),
            Some(Outcome::Unsupported(reason)) => self.dash(reason),
            Some(Outcome::Measured(measures)) => {
                let errors = &measures.errors[look.metric];
                let text = format!("{} ({})", mean(errors), interval(errors.interval));
                Cell { text, best, note: None }
            }
        };
        case.outcomes.iter().map(|outcome| outcome.as_deref()).zip(best).map(cell).collect()
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
}
