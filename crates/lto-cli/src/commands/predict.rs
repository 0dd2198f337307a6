//! `lto predict`: from observations anywhere to the field anywhere, at any time.

use crate::args::{GlobalArgs, PredictArgs, QueryArg};
use crate::output;
use crate::usage::UsageError;
use anyhow::{Result, bail, ensure};
use lto::model::{Forecast, Model};
use lto::observations::{ObservationOptions, Observations};
use lto::problem::Problem;
use lto_numerics::Points;
use lto_numerics::dataset::Readings;
use lto_report::picture::channel_number;
use lto_report::picture::ticks::short;
use lto_report::prediction::{self, Predicted, PredictionSummary};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Predicts.
///
/// # Errors
/// A model, observations or a query that cannot be read or do not fit each other, or an output that cannot be written.
pub fn run(args: &PredictArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let started = Instant::now();
    let format = prediction::format_of(&args.output)?;
    output::folder_of(&args.output)?;
    let files = format.files(&args.output, args.to.len());
    if let (false, Some(file)) = (args.force, files.iter().find(|file| file.exists())) {
        bail!("{}: already exists; --force replaces it", file.display());
    }
    let own = args.model.as_os_str().is_empty();
    let mut model = if own { lto_server::twin()? } else { Model::load(&args.model)? };
    if args.allow_extrapolation || args.force {
        model = model.extrapolating();
    }
    let card = model.card();
    check_flags(args, &card.problem)?;
    let shown_channel = channel_number(&args.channel, &prediction::channel_names(card))?;
    let readings = Readings::read(&args.context, &card.problem.domain)?;
    let options = ObservationOptions {
        time: args.from,
        columns: args.columns.clone(),
        skip_missing: args.skip_missing,
        merge_duplicates: args.merge_duplicates,
        allow_far: args.force,
    };
    let observations = Observations::new(&readings, card, &options)?;
    if let Some(doubt) = &observations.doubt {
        output::say(format_args!("warning: {}: {doubt}", args.context.display()));
    }
    check_times(args, &card.problem, observations.time)?;
    let query = Arc::new(query(args.query.as_ref(), &card.problem)?);
    if let Some(reason) = format.refusal(&query, args.to.len()) {
        bail!("{}: {reason}", args.output.display());
    }
    let (context, s) = (&observations.context, observations.time.unwrap_or(0.0));
    let prediction = match args.way {
        Some(way) => model.predict_by(way, &Forecast { context, s, times: &args.to }, &query)?,
        None => model.predict(context, s, &args.to, &query)?,
    };
    let predicted = Predicted {
        card,
        observations: &observations,
        query: &query,
        times: &args.to,
        values: &prediction.values,
        shown_channel,
        colormap: args.colormap,
    };
    format.write(&args.output, &predicted)?;
    let seconds = started.elapsed().as_secs_f64();
    let inputs = (args.model.as_path(), args.context.as_path());
    let summary = PredictionSummary::new(&predicted, inputs, &prediction, files, seconds);
    if args.json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&summary)?))?;
    } else if !global.quiet {
        output::print(&summary.text(output::use_color(global.color, &std::io::stdout())))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A model with times needs times; a steady one takes none.
fn check_flags(args: &PredictArgs, problem: &Problem) -> Result<()> {
    let given = args.from.map(|time| ("from", time)).or(args.to.first().map(|&time| ("to", time)));
    match (problem.times, given) {
        (Some([first, last]), _) if args.to.is_empty() => {
            let what = format!("the times to predict; the model knows {first} to {last}");
            Err(UsageError::missing("to", what).into())
        }
        (None, Some((flag, time))) => {
            Err(UsageError::new(flag, time, "the model is steady and takes no times").into())
        }
        _ => Ok(()),
    }
}

/// Predictions go forward in time, and stay within the training data's range unless forced.
fn check_times(args: &PredictArgs, problem: &Problem, from: Option<f64>) -> Result<()> {
    let (Some([first, last]), Some(from)) = (problem.times, from) else { return Ok(()) };
    if let Some(&to) = args.to.iter().find(|&&to| to < from) {
        let requirement =
            format!("is before the observations at {from}; models predict only forward in time");
        return Err(UsageError::new("to", to, requirement).into());
    }
    let outside = problem.outside_range([from].into_iter().chain(args.to.iter().copied()));
    if outside.is_empty() || args.allow_extrapolation {
        return Ok(());
    }
    let outside: Vec<String> = outside.into_iter().map(short).collect();
    let (first, last, outside) = (short(first), short(last), outside.join(", "));
    let problem = format!("the model was trained on times from {first} to {last}; {outside} is outside");
    ensure!(args.force, "{problem}, where it knows nothing; --force predicts anyway");
    output::say(format_args!("warning: {problem}"));
    Ok(())
}

/// The points asked for; without any, a grid of as many points as the training data.
fn query(query: Option<&QueryArg>, problem: &Problem) -> Result<Points> {
    let shape = match query {
        None => &problem.native,
        Some(QueryArg::Grid(shape)) => shape,
        Some(QueryArg::File(path)) => {
            let readings = Readings::read(path, &problem.domain)?;
            return Ok(Points::scattered(problem.domain.clone(), readings.coordinates)?);
        }
    };
    let grid = problem.query_grid(shape).map_err(|error| match error {
        lto::Error::Config { requirement, .. } => {
            let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
            UsageError::new("query", format!("grid:{}", sizes.join("x")), requirement).into()
        }
        other => anyhow::Error::from(other),
    })?;
    Ok(Points::grid(grid))
}
