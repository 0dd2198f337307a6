//! Evaluations as rows: one case each, the same over several models.

use crate::picture::ticks::short;
use anyhow::{Context, Result};
use lto::evaluate::{Evaluation, Outcome};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One native step at native resolution.
    OneStep,
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
    pub const ALL: [Kind; 6] =
        [Kind::OneStep, Kind::Resolution, Kind::Context, Kind::Noise, Kind::Rollout, Kind::Direct];

    /// Heading of its table.
    pub fn title(self) -> &'static str {
        match self {
            Kind::OneStep => "One step at native resolution",
            Kind::Resolution => "Resolution",
            Kind::Context => "Number and placement of observations",
            Kind::Noise => "Noise on the observations",
            Kind::Rollout => "Horizon, rollout",
            Kind::Direct => "Horizon, direct",
        }
    }

    /// What its rows are.
    pub fn case(self) -> &'static str {
        match self {
            Kind::OneStep => "case",
            Kind::Resolution => "points (values)",
            Kind::Context => "observations",
            Kind::Noise => "noise ÷ deviation of the field",
            Kind::Rollout | Kind::Direct => "steps",
        }
    }
}

/// Numbers that others published for cases of a table: a column beside ours.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Heading of the column.
    pub name: String,
    /// Which table.
    #[serde(rename = "table")]
    pub kind: Kind,
    /// Relative L2 by the label of the row: `64`, `64x64`, `k=5`, `average`. What stands in brackets after a label is not part of
    /// it.
    pub relative_l2: BTreeMap<String, f64>,
}

/// Reads published numbers from a TOML file of `[[published]]`.
///
/// # Errors
/// A file that cannot be read or is not of this form.
pub fn read_published(path: &Path) -> Result<Vec<Published>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        published: Vec<Published>,
    }
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let file: File =
        toml::from_str(&text).with_context(|| format!("{}: no published numbers", path.display()))?;
    Ok(file.published)
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
    pub outcome: &'a Outcome,
}

/// All cases of an evaluation.
pub fn rows(evaluation: &Evaluation) -> Vec<Row<'_>> {
    let row = |kind, label, place, outcome| Row { kind, label, place, outcome };
    let lead = evaluation.config.lead;
    let label = match (evaluation.data.interval, lead) {
        (None, _) => "steady".to_string(),
        (Some(_), 1) => "one step".into(),
        (Some(_), lead) => format!("{lead} steps at once"),
    };
    let mut rows = vec![row(Kind::OneStep, label, None, &evaluation.one_step)];
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
