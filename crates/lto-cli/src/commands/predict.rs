//! `lto predict`: from observations anywhere to the field anywhere, at any time.

use crate::args::{GlobalArgs, PredictArgs, QueryArg, TimeArg};
use crate::usage::UsageError;
use crate::{device, output};
use anyhow::{Result, bail, ensure};
use lto::data::stations::context_at;
use lto::model::{Forecast, Model, ModelCard};
use lto::observations::{ObservationOptions, Observations};
use lto::problem::Problem;
use lto_numerics::Points;
use lto_numerics::calendar::show_iso;
use lto_numerics::dataset::{Context, DomainOption, Mask, Readings};
use lto_numerics::records::{RecordOptions, Records};
use lto_report::picture::channel_number;
use lto_report::picture::ticks::short;
use lto_report::prediction::{self, Predicted, PredictionSummary};
use std::path::Path;
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
    let device = device::find(args.device, global)?;
    let mut model = args.model.as_ref().map_or_else(lto_server::twin, Model::load)?.on(device)?;
    if args.allow_extrapolation || args.force {
        model = model.extrapolating();
    }
    let card = model.card();
    check_flags(args, &card.problem)?;
    let shown_channel = channel_number(&args.channel, &prediction::channel_names(card))?;
    let observations = match card.problem.measured.is_of_records() {
        false => of_readings(args, card)?,
        true => of_records(args, card)?,
    };
    if let Some(doubt) = &observations.doubt {
        output::say(format_args!("warning: {}: {doubt}", args.context.display()));
    }
    let times = times(args, &card.problem, observations.time)?;
    check_times(args, &card.problem, &times, observations.time)?;
    let query = Arc::new(query(args.query.as_ref(), &card.problem)?);
    if let Some(reason) = format.refusal(&query, args.to.len()) {
        bail!("{}: {reason}", args.output.display());
    }
    let (context, s) = (&observations.context, observations.time.unwrap_or(0.0));
    let mask = args.mask.as_deref().map(|written| Mask::over(written, &card.problem.domain)).transpose()?;
    // What is drawn is the newest frame.
    let newest = Observations {
        context: shown(&observations.context, card.problem.target_channels, shown_channel)?,
        ..observations.clone()
    };
    let forecast = Forecast { context, s, times: &times };
    let (mut prediction, spread) = match (args.band.is_some() || args.samples.is_some(), args.way) {
        (true, way) => {
            model.predict_spread(&forecast, way, &query).map(|(field, spread)| (field, Some(spread)))?
        }
        (false, Some(way)) => (model.predict_by(way, &forecast, &query)?, None),
        (false, None) => (model.predict(context, s, &times, &query)?, None),
    };
    let mut band = spread.as_ref().zip(args.band).map(|(spread, level)| spread.band(level)).transpose()?;
    let samples =
        spread.as_ref().zip(args.samples).map(|(spread, n)| spread.samples(n, args.seed)).transpose()?;
    let mut samples = samples.unwrap_or_default();
    if let Some(mask) = &mask {
        let ends = band.iter_mut().flat_map(|band| [&mut band.lower, &mut band.upper]);
        let all = [&mut prediction.values].into_iter().chain(ends).chain(&mut samples);
        all.for_each(|values| mask.apply(&query, values));
    }
    let predicted = Predicted {
        card,
        observations: &newest,
        query: &query,
        times: &times,
        values: &prediction.values,
        band: band.as_ref(),
        samples: &samples,
        shown_channel,
        colormap: args.colormap,
    };
    format.write(&args.output, &predicted)?;
    let seconds = started.elapsed().as_secs_f64();
    let own = Path::new("the twin of the heat equation in this program");
    let inputs = (args.model.as_deref().unwrap_or(own), args.context.as_path());
    let outside = spread.map_or(0.0, |spread| spread.outside());
    let summary =
        PredictionSummary::new(&predicted, inputs, &prediction, files, seconds).with_outside(outside);
    if args.json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&summary)?))?;
    } else if !global.quiet {
        output::print(&summary.text(output::use_color(global.color, &std::io::stdout())))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The rows of a file of points at a time.
fn of_readings(args: &PredictArgs, card: &ModelCard) -> Result<Observations> {
    let readings = Readings::read(&args.context, &card.problem.domain)?;
    let options = ObservationOptions {
        time: args.from.map(|time| number(time, &card.problem, "from", None)).transpose()?,
        columns: args.columns.clone(),
        skip_missing: args.skip_missing,
        merge_duplicates: args.merge_duplicates,
        allow_far: args.force,
    };
    Ok(Observations::new(&readings, card, &options)?)
}

/// What stations report at a time, and before it if the model sees a history.
fn of_records(args: &PredictArgs, card: &ModelCard) -> Result<Observations> {
    let variables = if args.columns.is_empty() { card.channel_names.clone() } else { args.columns.clone() };
    let axes = card.problem.domain.axes();
    let domain = DomainOption(axes.iter().map(|axis| (axis.lower, axis.upper)).collect());
    let options = RecordOptions { variables, domain: Some(domain), ..RecordOptions::default() };
    let records = Records::open(&args.context, &options)?;
    let time = args.from.map(|time| number(time, &card.problem, "from", None)).transpose()?;
    let Some((context, time)) = context_at(&records, card, time)? else {
        let (clock, times) = (records.clock(), records.times());
        bail!(
            "{}: no station reports at {}; the records are from {} to {}",
            args.context.display(),
            clock.show(time.unwrap_or(f64::NAN)),
            clock.show(times[0]),
            clock.show(times[times.len() - 1])
        );
    };
    Ok(Observations::of_context(context, time, card, args.force)?)
}

/// The newest frame of a context where a channel of it is observed.
pub(super) fn shown(context: &Context, n_channels: usize, channel: usize) -> Result<Context> {
    let newest = if context.n_channels > n_channels { context.newest(n_channels) } else { context.clone() };
    if !newest.has_missing() {
        return Ok(newest);
    }
    let n = newest.points.len();
    let seen: Vec<usize> = (0..n).filter(|i| !newest.values[channel * n + i].is_nan()).collect();
    let of =
        |all: &[f64]| all.chunks_exact(n).flat_map(|all| seen.iter().map(|&i| all[i])).collect::<Vec<f64>>();
    Ok(Context {
        points: newest.points.select(&seen)?,
        values: of(&newest.values),
        deviations: newest.deviations.as_deref().map(of),
        ..newest
    })
}

/// A model with times needs times; a steady one takes none.
fn check_flags(args: &PredictArgs, problem: &Problem) -> Result<()> {
    let given = args.from.map(|_| "from").or(args.to.first().map(|_| "to"));
    match (problem.times, given) {
        (Some([first, last]), _) if args.to.is_empty() => {
            let knows = match problem.measured.calendar {
                Some(ref calendar) => format!("leads up to {}", calendar.longest_lead),
                None => format!("{first} to {last}"),
            };
            Err(UsageError::missing("to", format!("the times to predict; the model knows {knows}")).into())
        }
        (None, Some(flag)) => {
            Err(UsageError::new(flag, "given", "the model is steady and takes no times").into())
        }
        _ => Ok(()),
    }
}

/// A time in the model's unit.
fn number(time: TimeArg, problem: &Problem, flag: &'static str, from: Option<f64>) -> Result<f64> {
    match (time, from) {
        (TimeArg::Number(number), _) => Ok(number),
        (TimeArg::Date(hours), _) if problem.measured.dated => Ok(hours),
        (TimeArg::Date(hours), _) => {
            let requirement = "is a date, but the times of the model are numbers";
            Err(UsageError::new(flag, show_iso(hours), requirement).into())
        }
        (TimeArg::Later(lead), Some(from)) => Ok(from + lead),
        (TimeArg::Later(lead), None) => {
            Err(UsageError::new(flag, format!("+{lead}"), "is later than observations of no time").into())
        }
    }
}

/// The times to predict.
fn times(args: &PredictArgs, problem: &Problem, from: Option<f64>) -> Result<Vec<f64>> {
    args.to.iter().map(|&time| number(time, problem, "to", from)).collect()
}

/// Predictions go forward in time, and stay within what the model was trained on unless forced.
fn check_times(args: &PredictArgs, problem: &Problem, times: &[f64], from: Option<f64>) -> Result<()> {
    let (Some([first, last]), Some(from)) = (problem.times, from) else { return Ok(()) };
    let show = |time: f64| if problem.measured.dated { show_iso(time) } else { short(time) };
    if let Some(&to) = times.iter().find(|&&to| to < from) {
        let requirement =
            format!("is before the observations at {}; models predict only forward in time", show(from));
        return Err(UsageError::new("to", show(to), requirement).into());
    }
    let (outside, trained) = match (problem.furthest(from), &problem.measured.calendar) {
        (Some(furthest), Some(calendar)) => (
            times.iter().copied().filter(|t| *t > furthest).collect(),
            format!("the model was trained on leads up to {}", short(calendar.longest_lead)),
        ),
        _ => (
            problem.outside_range([from].into_iter().chain(times.iter().copied())),
            format!("the model was trained on times from {} to {}", short(first), short(last)),
        ),
    };
    if outside.is_empty() || args.allow_extrapolation {
        return Ok(());
    }
    let outside: Vec<String> = outside.into_iter().map(show).collect();
    let problem = format!("{trained}; {} is outside", outside.join(", "));
    ensure!(args.force, "{problem}, where it knows nothing; --force predicts anyway");
    output::say(format_args!("warning: {problem}"));
    Ok(())
}

/// The points asked for; without any, a grid of as many points as the training data.
pub(super) fn query(query: Option<&QueryArg>, problem: &Problem) -> Result<Points> {
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
