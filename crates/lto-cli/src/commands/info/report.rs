//! What is said of a model, for people and programs.

use lto::model::{Model, ModelConfig};
use lto::operator::Operator;
use lto::parameters::Named;
use lto::problem::Problem;
use lto::train::in_order;
use lto_numerics::dataset::Normalizer;
use lto_report::picture::ticks::{apart, short};
use lto_report::text::Page;
use lto_report::words::count;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The report.
#[derive(Serialize)]
pub struct Report {
    path: PathBuf,
    /// Number of parameters, in all and by part.
    parameters: Parameters,
    /// Length scales, in the units of the domain.
    length_scales: Vec<LengthScale>,
    problem: Problem,
    model: ModelConfig,
    /// Known once it is trained.
    source_normalizer: Option<Normalizer>,
    target_normalizer: Option<Normalizer>,
    channel_names: Vec<String>,
    native_interval: Option<f64>,
    data: String,
    steps: u64,
    errors: BTreeMap<String, f64>,
}

#[derive(Serialize)]
struct Parameters {
    total: usize,
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    name: String,
    parameters: usize,
}

#[derive(Serialize)]
struct LengthScale {
    part: String,
    value: f64,
}

impl Parameters {
    fn of(operator: &dyn Operator, all: &[Named]) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        for parameter in all {
            let (name, n) = (part(parameter), operator.count(parameter));
            match parts.iter_mut().find(|part| part.name == name) {
                Some(part) => part.parameters += n,
                None => parts.push(Part { name: name.into(), parameters: n }),
            }
        }
        Self { total: parts.iter().map(|part| part.parameters).sum(), parts }
    }
}

/// The parameters that are length scales, as such.
fn length_scales(all: &[Named]) -> Vec<LengthScale> {
    let scale = |p: &Named| {
        let log = p.name.ends_with("log_length_scale").then(|| p.values.first()).flatten()?;
        Some(LengthScale { part: part(p).into(), value: f64::from(*log).exp() })
    };
    all.iter().filter_map(scale).collect()
}

/// The part of a network a parameter belongs to: the first name of its path.
fn part(parameter: &Named) -> &str {
    parameter.name.split('.').next().unwrap_or_default()
}

impl Report {
    /// The report on a model that was read from `path`.
    pub fn of_model(path: &Path, model: &Model) -> Self {
        let card = model.card().clone();
        let all = model.operator().parameters();
        Self {
            path: path.into(),
            parameters: Parameters::of(model.operator(), &all),
            length_scales: length_scales(&all),
            problem: card.problem,
            model: card.model,
            source_normalizer: Some(card.source_normalizer),
            target_normalizer: Some(card.target_normalizer),
            channel_names: card.channel_names,
            native_interval: card.native_interval,
            data: card.data,
            steps: card.steps,
            errors: card.errors,
        }
    }

    /// The report on a model that was built from the configuration at `path`: no normalization is known yet.
    pub fn of_untrained(path: &Path, model: &Model) -> Self {
        Self { source_normalizer: None, target_normalizer: None, ..Self::of_model(path, model) }
    }

    /// The report for people.
    pub fn text(&self, color: bool) -> String {
        let problem = &self.problem;
        let mut page = Page::new(color);
        page.heading(&self.path.display().to_string());
        let kind = if problem.times.is_some() { "evolution" } else { "steady" };
        let dim = problem.domain.dim();
        let trained = match self.steps {
            0 => "not trained".into(),
            steps => format!("trained for {}", count(usize::try_from(steps).unwrap_or(usize::MAX), "step")),
        };
        page.line(&format!("{} for a {dim}-dimensional {kind} problem, {trained}", self.model.name()));
        if !self.data.is_empty() {
            page.line(&format!("data: {}", self.data));
        }
        self.problem(&mut page);
        let total = self.parameters.total;
        let share = |n: usize| format!("{:.1} %", 100.0 * n as f64 / total.max(1) as f64);
        let mut rows: Vec<Vec<String>> = self
            .parameters
            .parts
            .iter()
            .map(|part| {
                let own: Vec<f64> =
                    self.length_scales.iter().filter(|s| s.part == part.name).map(|s| s.value).collect();
                let scale = own.first().map_or(String::new(), |&value| short(value));
                vec![part.name.clone(), part.parameters.to_string(), share(part.parameters), scale]
            })
            .collect();
        rows.push(vec!["all".into(), total.to_string(), share(total), String::new()]);
        page.table("Parameters", &["part", "parameters", "share", "length scale"], rows);
        page.table(
            "Architecture",
            &["key", "value"],
            architecture(&serde_json::to_value(&self.model).unwrap_or_default()),
        );
        self.normalization(&mut page);
        let errors = in_order(&self.errors).into_iter().map(|(name, &value)| vec![name.into(), short(value)]);
        page.table("Errors", &["error", "value"], errors.collect());
        page.into_text()
    }

    fn problem(&self, page: &mut Page) {
        let problem = &self.problem;
        let axes = problem.domain.axes().iter().zip(&problem.native).map(|(axis, n)| {
            let periodic = if axis.periodic { "yes" } else { "no" };
            vec![axis.name.clone(), short(axis.lower), short(axis.upper), periodic.into(), n.to_string()]
        });
        page.table("Domain", &["axis", "from", "to", "periodic", "points of the data"], axes.collect());
        if let Some([first, last]) = problem.times {
            let [first, last] = apart([Some(first), Some(last)]);
            let step = self.native_interval.map_or(String::new(), |step| format!(", step {}", short(step)));
            page.heading("Times");
            page.line(&format!("  {first} to {last}{step}"));
        }
    }

    fn normalization(&self, page: &mut Page) {
        let mut rows = Vec::new();
        for (what, normalizer) in [("source", &self.source_normalizer), ("target", &self.target_normalizer)] {
            let Some(normalizer) = normalizer else { continue };
            for (channel, (mean, scale)) in normalizer.mean().iter().zip(normalizer.scale()).enumerate() {
                let own = what == "target" || self.channel_names.len() == normalizer.mean().len();
                let name = self.channel_names.get(channel).filter(|_| own).cloned();
                let name = name.unwrap_or_else(|| channel.to_string());
                rows.push(vec![what.into(), name, short(*mean), short(*scale)]);
            }
        }
        page.table("Normalization", &["state", "channel", "mean", "scale"], rows);
    }
}

/// The values of a configuration, each with its path: `encoder.hidden`, `16`.
fn architecture(value: &Value) -> Vec<Vec<String>> {
    fn add(rows: &mut Vec<Vec<String>>, path: &str, value: &Value) {
        match value {
            Value::Object(entries) => {
                for (key, value) in entries {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    add(rows, &path, value);
                }
            }
            Value::Number(number) => {
                rows.push(vec![path.into(), number.as_f64().map_or(String::new(), short)])
            }
            Value::String(text) => rows.push(vec![path.into(), text.clone()]),
            other => rows.push(vec![path.into(), other.to_string()]),
        }
    }
    let mut rows = Vec::new();
    add(&mut rows, "", value);
    rows
}
