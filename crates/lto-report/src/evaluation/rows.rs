//! Evaluations as rows: one case each, the same over several models.

use crate::picture::ticks::short;
use crate::words::capital;
use lto::evaluate::statistics::ErrorStatistics;
use lto::evaluate::{Evaluation, Outcome, ResultKind};
use lto_numerics::metric::MetricKind;
use std::borrow::Cow;
use std::path::Path;

/// Heading of the table of a kind.
pub fn title(kind: ResultKind, evaluations: &[Evaluation]) -> String {
    let native = match evaluations.first().and_then(span) {
        None => "At native resolution".to_string(),
        Some(span) => format!("{} at native resolution", capital(&span)),
    };
    match kind {
        ResultKind::OneStep => native,
        ResultKind::Channel => format!("{native}, by channel"),
        ResultKind::Resolution => "Resolution".into(),
        ResultKind::Context => "Number and placement of observations".into(),
        ResultKind::Noise => "Noise on the observations".into(),
        ResultKind::Rollout => "Horizon, rollout".into(),
        ResultKind::Direct => "Horizon, direct".into(),
        ResultKind::Chain => "Horizon, chain".into(),
    }
}

/// The heading of the row labels of a kind.
pub fn row_heading(kind: ResultKind) -> &'static str {
    match kind {
        ResultKind::OneStep => "case",
        ResultKind::Channel => "channel",
        ResultKind::Resolution => "points (values)",
        ResultKind::Context => "observations",
        ResultKind::Noise => "noise ÷ deviation of the field",
        ResultKind::Rollout | ResultKind::Direct | ResultKind::Chain => "steps",
    }
}
/// One case.
pub struct Row<'a> {
    /// Its table.
    pub kind: ResultKind,
    /// Its label, the same for all models.
    pub label: String,
    /// Its place along the axis of a chart, and the curve it belongs to.
    pub place: Option<(String, f64)>,
    /// What was measured.
    pub outcome: Cow<'a, Outcome>,
}

/// One case of several models.
pub struct Case<'a> {
    /// Its label.
    pub label: String,
    /// What was measured for each model; `None` if it was not asked for.
    pub outcomes: Vec<Option<Cow<'a, Outcome>>>,
}

impl Case<'_> {
    /// The errors of each model by a metric, where they were measured.
    pub fn errors(&self, metric: MetricKind) -> Vec<Option<&ErrorStatistics>> {
        let measures = self.outcomes.iter().map(|outcome| outcome.as_deref().and_then(Outcome::measures));
        measures.map(|measures| measures.and_then(|m| m.errors[metric].measured())).collect()
    }
}

/// The cases of a kind, in order of first appearance.
pub fn cases(evaluations: &[Evaluation], kind: ResultKind) -> Vec<Case<'_>> {
    let mut cases: Vec<Case> = Vec::new();
    for (i, evaluation) in evaluations.iter().enumerate() {
        for row in rows(evaluation).into_iter().filter(|row| row.kind == kind) {
            let known = cases.iter().position(|case| case.label == row.label);
            let place = known.unwrap_or_else(|| {
                cases.push(Case { label: row.label, outcomes: vec![None; evaluations.len()] });
                cases.len() - 1
            });
            cases[place].outcomes[i].get_or_insert(row.outcome);
        }
    }
    cases
}

/// All cases of an evaluation.
pub fn rows(evaluation: &Evaluation) -> Vec<Row<'_>> {
    let row = |kind, label, place, outcome| Row { kind, label, place, outcome: Cow::Borrowed(outcome) };
    let label = span(evaluation).unwrap_or_else(|| "steady".into());
    let mut rows = vec![row(ResultKind::OneStep, label, None, &evaluation.one_step)];
    let channels = &evaluation.data.channels;
    for (c, name) in channels.iter().enumerate().filter(|_| channels.len() > 1) {
        let outcome = match &evaluation.one_step {
            Outcome::Unsupported(_) => Some(Cow::Borrowed(&evaluation.one_step)),
            Outcome::Measured(all) => {
                all.channels.get(c).map(|m| Cow::Owned(Outcome::Measured(Box::new(m.clone()))))
            }
        };
        rows.extend(outcome.map(|outcome| Row {
            kind: ResultKind::Channel,
            label: name.clone(),
            place: None,
            outcome,
        }));
    }
    for result in &evaluation.resolutions {
        let (context, query) = (points(&result.context), points(&result.query));
        let (from, to) = (result.context_origin.name(), result.query_origin.name());
        let (label, curve) = if context == query {
            (format!("{context} ({from})"), "context and query".to_string())
        } else {
            (format!("{context} → {query} ({from} → {to})"), "one of them native".into())
        };
        let larger = result.context.first().max(result.query.first()).copied().unwrap_or(0);
        let place = (context == query).then_some((curve, larger as f64));
        rows.push(row(ResultKind::Resolution, label, place, &result.outcome));
    }
    for result in &evaluation.contexts {
        let (design, share) = (result.design.name(), short(100.0 * result.fraction));
        let place = Some((design.to_string(), result.fraction));
        rows.push(row(ResultKind::Context, format!("{design} {share} %"), place, &result.outcome));
    }
    for result in &evaluation.noise {
        let place = Some(("noise".to_string(), result.level));
        rows.push(row(ResultKind::Noise, short(result.level), place, &result.outcome));
    }
    for kind in [ResultKind::Rollout, ResultKind::Direct, ResultKind::Chain] {
        let Some(horizon) = &evaluation.horizon else { continue };
        for step in &horizon.steps {
            let outcome = match kind {
                ResultKind::Rollout => Some(&step.rollout),
                ResultKind::Direct => Some(&step.direct),
                _ => step.chain.as_ref(),
            };
            let place = Some((kind.name().to_string(), step.k as f64));
            rows.extend(outcome.map(|outcome| row(kind, format!("k={}", step.k), place, outcome)));
        }
        let average = match kind {
            ResultKind::Rollout => Some(&horizon.rollout_average),
            ResultKind::Direct => Some(&horizon.direct_average),
            _ => horizon.chain_average.as_ref(),
        };
        rows.extend(average.map(|average| row(kind, "average".into(), None, average)));
    }
    rows
}

/// `64`, `64x32`.
fn points(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}

/// A short, unique name for each evaluation: the run's folder, with more of its path if needed.
pub fn names(evaluations: &[Evaluation]) -> Vec<String> {
    let runs: Vec<&str> = evaluations.iter().map(|e| e.model.run.as_str()).collect();
    let last = |run: &str| {
        Path::new(run).file_name().map_or_else(|| run.to_string(), |name| name.to_string_lossy().into_owned())
    };
    let unique = |names: &[String]| {
        let mut sorted = names.to_vec();
        sorted.sort();
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    };
    let short: Vec<String> = runs.iter().map(|run| last(run)).collect();
    let whole: Vec<String> = runs.iter().map(|run| run.to_string()).collect();
    if unique(&short) {
        short
    } else if unique(&whole) {
        whole
    } else {
        whole.iter().enumerate().map(|(i, run)| format!("{run} #{}", i + 1)).collect()
    }
}

/// What one prediction spans, in all tables but the horizon's: `one step`, `16 steps at once`; `None` for a
/// steady problem.
pub fn span(evaluation: &Evaluation) -> Option<String> {
    evaluation.data.interval?;
    Some(match evaluation.config.lead {
        1 => "one step".into(),
        lead => format!("{lead} steps at once"),
    })
}
