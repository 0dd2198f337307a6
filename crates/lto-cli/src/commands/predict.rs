//! `lto predict`: from observations anywhere to the field anywhere, at any time.

mod output;
mod query;
mod sensors;

use crate::args::{GlobalArgs, PredictArgs};
use crate::output as out;
use crate::usage::UsageError;
use anyhow::{Result, ensure};
use lto::model::{Model, ModelCard};
use lto_numerics::{PointStructure, Points};
use lto_report::picture::ticks::{apart, short};
use lto_report::text::Page;
use lto_report::words;
use lto_report::words::duration;
use output::{Output, Predicted};
use sensors::Sensors;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// What was done, for people and programs.
#[derive(Serialize)]
struct Summary<'a> {
    model: &'a PathBuf,
    files: Vec<PathBuf>,
    context: ContextSummary<'a>,
    query: QuerySummary,
    /// Times of the predictions; empty for a steady model.
    times: &'a [f64],
    /// Times, that of the observations included, outside those of the training data.
    outside_range: &'a [f64],
    values: Vec<ValueSummary>,
    seconds: f64,
}

#[derive(Serialize)]
struct ContextSummary<'a> {
    file: &'a PathBuf,
    points: usize,
    skipped: usize,
    merged: usize,
    time: Option<f64>,
}

#[derive(Serialize)]
struct QuerySummary {
    points: usize,
    /// Points along each axis, where it is a grid.
    shape: Option<Vec<usize>>,
}

#[derive(Serialize)]
struct ValueSummary {
    time: Option<f64>,
    channel: String,
    min: f64,
    max: f64,
    mean: f64,
}

/// Predicts.
///
/// # Errors
/// A model, observations or a query that cannot be read or do not fit each other, or an output that cannot be written.
pub fn run(args: &PredictArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let started = Instant::now();
    let output = Output::prepare(args)?;
    let mut model = Model::load(&args.model)?;
    if args.allow_extrapolation || args.force {
        model = model.extrapolating();
    }
    let card = model.card();
    check_times(args, card)?;
    let observed = sensors::read(args, card)?;
    let query = Arc::new(query::points(args.query.as_ref(), &card.problem)?);
    output.check(&query, args.to.len(), args)?;
    let prediction = model.predict(&observed.context, observed.from.unwrap_or(0.0), &args.to, &query)?;
    if let (false, Some([first, last])) =
        (prediction.outside_range.is_empty() || args.allow_extrapolation, card.problem.times)
    {
        let outside: Vec<String> = prediction.outside_range.iter().map(|&t| short(t)).collect();
        out::say(format_args!(
            "warning: the model was trained on times from {} to {}; {} is outside (--allow-extrapolation says that this is meant)",
            short(first),
            short(last),
            outside.join(", ")
        ));
    }
    let predicted =
        Predicted { card, sensors: &observed, query: &query, times: &args.to, values: &prediction.values };
    let files = output.write(&predicted, args)?;
    let summary = Summary {
        model: &args.model,
        files,
        context: context_summary(args, &observed),
        query: query_summary(&query),
        times: &args.to,
        outside_range: &prediction.outside_range,
        values: value_summaries(&predicted),
        seconds: started.elapsed().as_secs_f64(),
    };
    if args.json {
        out::print(&format!("{}\n", serde_json::to_string_pretty(&summary)?))?;
    } else if !global.quiet {
        out::print(&summary.text(out::use_color(global.color, &std::io::stdout())))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A model with times needs some, a steady one none.
fn check_times(args: &PredictArgs, card: &ModelCard) -> Result<()> {
    match card.problem.times {
        Some([first, last]) => ensure!(
            !args.to.is_empty(),
            UsageError::missing("to", format!("the times to predict; the model knows {first} to {last}"))
        ),
        None => {
            if let Some(time) = args.from.iter().chain(&args.to).next() {
                let flag = if args.from.is_some() { "from" } else { "to" };
                return Err(
                    UsageError::new(flag, time, "the model is of a steady problem, without times").into()
                );
            }
        }
    }
    Ok(())
}

fn context_summary<'a>(args: &'a PredictArgs, sensors: &Sensors) -> ContextSummary<'a> {
    ContextSummary {
        file: &args.context,
        points: sensors.context.points.len(),
        skipped: sensors.n_skipped,
        merged: sensors.n_merged,
        time: sensors.from,
    }
}

fn query_summary(query: &Points) -> QuerySummary {
    let shape = match query.structure() {
        PointStructure::Grid(grid) => Some(grid.shape()),
        _ => None,
    };
    QuerySummary { points: query.len(), shape }
}

fn value_summaries(predicted: &Predicted) -> Vec<ValueSummary> {
    let summary = |frame: usize, channel: usize| {
        let values = predicted.channel(frame, channel);
        let range = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
        ValueSummary {
            time: predicted.times.get(frame).copied(),
            channel: predicted.channel_name(channel),
            min: range.0,
            max: range.1,
            mean: values.iter().sum::<f64>() / values.len() as f64,
        }
    };
    let n_channels = predicted.card.problem.target_channels;
    (0..predicted.n_frames())
        .flat_map(|frame| (0..n_channels).map(move |c| (frame, c)))
        .map(|(f, c)| summary(f, c))
        .collect()
}

impl Summary<'_> {
    fn text(&self, color: bool) -> String {
        let mut page = Page::new(color);
        let context = &self.context;
        let mut from = words::count(context.points, "observation");
        if let Some(time) = context.time {
            from.push_str(&format!(" at t = {}", short(time)));
        }
        for (n, what) in
            [(context.skipped, "skipped for missing values"), (context.merged, "merged with others")]
        {
            if n > 0 {
                from.push_str(&format!(", {n} {what}"));
            }
        }
        let to = match &self.query.shape {
            Some(shape) => shape.iter().map(usize::to_string).collect::<Vec<_>>().join("×") + " points",
            None => words::count(self.query.points, "point"),
        };
        page.line(&format!("{from} → {to}, in {}", duration(self.seconds)));
        for file in &self.files {
            page.line(&format!(
                "{}: {}",
                file.display(),
                words::bytes(std::fs::metadata(file).map_or(0, |m| m.len()))
            ));
        }
        let rows = self.values.iter().map(|v| {
            let [min, max, mean] = apart([Some(v.min), Some(v.max), Some(v.mean)]);
            let time = v.time.map_or("–".into(), short);
            vec![time, v.channel.clone(), min, max, mean]
        });
        page.table("Predicted", &["t", "channel", "least", "largest", "mean"], rows.collect());
        page.into_text()
    }
}
