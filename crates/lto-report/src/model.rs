//! The description of a model, for the terminal.

use crate::picture::ticks::short;
use crate::text::Page;
use crate::words::{self, count};
use lto::description::Description;
use lto::train::in_order;
use lto_numerics::Isometry;
use serde_json::Value;

/// The description for the terminal.
pub fn text(model: &Description, color: bool) -> String {
    let problem = &model.problem;
    let mut page = Page::new(color);
    page.heading(&model.path.display().to_string());
    let kind = if problem.times.is_some() { "evolution" } else { "steady" };
    let dim = problem.domain.dim();
    let trained = match model.steps {
        0 => "not trained".into(),
        steps => format!("trained for {}", count(usize::try_from(steps).unwrap_or(usize::MAX), "step")),
    };
    let minutes = model.cpu_minutes.filter(|_| model.steps > 0);
    let trained = minutes.map_or(trained.clone(), |m| format!("{trained} in {} CPU minutes", short(m)));
    page.line(&format!("{} for a {dim}-dimensional {kind} problem, {trained}", model.model.name()));
    if !model.data.is_empty() {
        page.line(&format!("data: {}", model.data));
    }
    if let Some(data) = &model.calibrated_on {
        page.line(&format!("bands: calibrated on {data}"));
    }
    if !model.symmetries.is_empty() {
        let names: Vec<&str> = model.symmetries.iter().map(|family| family.name()).collect();
        let number = Isometry::all(&model.symmetries, &model.problem.domain).len();
        page.line(&format!("predictions: means over {number} symmetries ({})", names.join(", ")));
    }
    domain(model, &mut page);
    let total = model.parameters.total;
    let share = |n: usize| format!("{:.1} %", 100.0 * n as f64 / total.max(1) as f64);
    let mut rows: Vec<Vec<String>> = model
        .parameters
        .parts
        .iter()
        .map(|part| {
            let own: Vec<f64> =
                model.length_scales.iter().filter(|s| s.part == part.name).map(|s| s.value).collect();
            let scale = own.first().map_or(String::new(), |&value| short(value));
            vec![part.name.clone(), part.parameters.to_string(), share(part.parameters), scale]
        })
        .collect();
    rows.push(vec!["all".into(), total.to_string(), share(total), String::new()]);
    page.table("Parameters", &["part", "parameters", "share", "length scale"], rows);
    page.table(
        "Architecture",
        &["key", "value"],
        architecture(&serde_json::to_value(&model.model).unwrap_or_default()),
    );
    normalization(model, &mut page);
    let errors = in_order(&model.errors).into_iter().map(|(name, &value)| vec![name.into(), short(value)]);
    page.table("Errors", &["error", "value"], errors.collect());
    let ways = model.ways.iter().map(|best| vec![short(best.lead), best.way.name().into()]);
    page.table("Best way to later times", &["native intervals ahead", "way"], ways.collect());
    page.into_text()
}

fn domain(model: &Description, page: &mut Page) {
    let problem = &model.problem;
    let axes = problem.domain.axes().iter().zip(&problem.native).map(|(axis, n)| {
        let periodic = if axis.periodic { "yes" } else { "no" };
        vec![axis.name.clone(), short(axis.lower), short(axis.upper), periodic.into(), n.to_string()]
    });
    page.table("Domain", &["axis", "from", "to", "periodic", "points of the data"], axes.collect());
    if let Some(times) = words::times(problem, model.native_interval) {
        page.heading("Times");
        page.line(&format!("  {times}"));
    }
}

fn normalization(model: &Description, page: &mut Page) {
    let mut rows = Vec::new();
    for (what, normalizer) in [("source", &model.source_normalizer), ("target", &model.target_normalizer)] {
        let Some(normalizer) = normalizer else { continue };
        for (channel, (mean, scale)) in normalizer.mean().iter().zip(normalizer.scale()).enumerate() {
            let own = what == "target" || model.channel_names.len() == normalizer.mean().len();
            let name = model.channel_names.get(channel).filter(|_| own).cloned();
            let name = name.unwrap_or_else(|| channel.to_string());
            rows.push(vec![what.into(), name, short(*mean), short(*scale)]);
        }
    }
    page.table("Normalization", &["state", "channel", "mean", "scale"], rows);
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
