//! Evaluations as rows: one case each, the same over several models.

use super::look::span;
use crate::picture::ticks::short;
use crate::words::capital;
use lto::evaluate::statistics::ErrorStatistics;
use lto::evaluate::{Evaluation, Outcome};
use lto_numerics::metric::MetricKind;
use serde::Deserialize;
use std::borrow::Cow;
use std::path::Path;

/// What a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One native step at native resolution.
    OneStep,
    /// The same, each channel by itself.
    Channel,
    /// Other resolutions.
    Resolution,
    /// Fewer or more observations.
    Context,
    /// Noise on the observations.
    Noise,
    /// Many steps, each prediction fed back.
    Rollout,
    /// Many steps, each predicted straight.
    Direct,
}

impl Kind {
    /// All, in the order of reports.
    pub const ALL: [Kind; 7] = [
        Kind::OneStep,
        Kind::Channel,
        Kind::Resolution,
        Kind::Context,
        Kind::Noise,
        Kind::Rollout,
        Kind::Direct,
    ];

    /// Name as in files of published numbers and in CSV.
    pub fn name(self) -> &'static str {
        match self {
            Kind::OneStep => "one_step",
            Kind::Channel => "channel",
            Kind::Resolution => "resolution",
            Kind::Context => "context",
            Kind::Noise => "noise",
            Kind::Rollout => "rollout",
            Kind::Direct => "direct",
        }
    }

    /// Heading of its table.
    pub fn title(self, evaluations: &[Evaluation]) -> String {
        let native = match evaluations.first().and_then(span) {
            None => "At native resolution".to_string(),
            Some(span) => format!("{} at native resolution", capital(&span)),
        };
        match self {
            Kind::OneStep => native,
            Kind::Channel => format!("{native}, by channel"),
            Kind::Resolution => "Resolution".into(),
            Kind::Context => "Number and placement of observations".into(),
            Kind::Noise => "Noise on the observations".into(),
            Kind::Rollout => "Horizon, rollout".into(),
            Kind::Direct => "Horizon, direct".into(),
        }
    }

    /// What its rows are.
    pub fn case(self) -> &'static str {
        match self {
            Kind::OneStep => "case",
            Kind::Channel => "channel",
            Kind::Resolution => "points (values)",
            Kind::Context => "observations",
            Kind::Noise => "noise ÷ deviation of the field",
            Kind::Rollout | Kind::Direct => "steps",
        }
    }
}

/// One case.
pub struct Row<'a> {
    /// Its table.
    pub kind: Kind,
    /// Its label, the same for the same case of other models.
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
    /// What was measured of each model; `None` where it was not asked for.
    pub outcomes: Vec<Option<Cow<'a, Outcome>>>,
}

impl Case<'_> {
    /// The errors of each model by a metric.
    pub fn errors(&self, metric: MetricKind) -> Vec<Option<&ErrorStatistics>> {
        let measures = self.outcomes.iter().map(|outcome| outcome.as_deref().and_then(Outcome::measures));
        measures.map(|measures| measures.map(|m| m.errors(metric))).collect()
    }
}

/// The cases of a kind, in the order in which they are first met.
pub fn cases(evaluations: &[Evaluation], kind: Kind) -> Vec<Case<'_>> {
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
    let mut rows = vec![row(Kind::OneStep, label, None, &evaluation.one_step)];
    let channels = &evaluation.data.channels;
    for (c, name) in channels.iter().enumerate().filter(|_| channels.len() > 1) {
        let outcome = match &evaluation.one_step {
            Outcome::Unsupported(_) => Some(Cow::Borrowed(&evaluation.one_step)),
            Outcome::Measured(all) => {
                all.channels.get(c).map(|m| Cow::Owned(Outcome::Measured(Box::new(m.clone()))))
            }
        };
        rows.extend(outcome.map(|outcome| Row {
            kind: Kind::Channel,
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
        rows.push(row(Kind::Resolution, label, place, &result.outcome));
    }
    for result in &evaluation.contexts {
        let (design, share) = (result.design.name(), short(100.0 * result.fraction));
        let place = Some((design.to_string(), result.fraction));
        rows.push(row(Kind::Context, format!("{design} {share} %"), place, &result.outcome));
    }
    for result in &evaluation.noise {
        let place = Some(("noise".to_string(), result.level));
        rows.push(row(Kind::Noise, short(result.level), place, &result.outcome));
    }
    for (kind, name) in [(Kind::Rollout, "rollout"), (Kind::Direct, "direct")] {
        let Some(horizon) = &evaluation.horizon else { continue };
        for step in &horizon.steps {
            let outcome = if kind == Kind::Rollout { &step.rollout } else { &step.direct };
            let place = Some((name.to_string(), step.k as f64));
            rows.push(row(kind, format!("k={}", step.k), place, outcome));
        }
        let average = if kind == Kind::Rollout { &horizon.rollout_average } else { &horizon.direct_average };
        rows.push(row(kind, "average".into(), None, average));
    }
    rows
}

/// `64`, `64x32`.
fn points(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}

/// A short name for each evaluation, no two the same: the folder of the run, with more of its path where needed.
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
