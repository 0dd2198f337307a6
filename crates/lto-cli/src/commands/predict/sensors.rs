//! From the rows of a file to the context a model takes: the right time, the right channels, distinct points.

use crate::args::PredictArgs;
use anyhow::{Context as _, Result, bail, ensure};
use lto::model::ModelCard;
use lto_numerics::Points;
use lto_numerics::dataset::{Context, Readings};
use lto_report::picture::distinct;
use lto_report::picture::ticks::short;
use std::collections::BTreeMap;

/// Observations ready for a model, and what was done to get there.
pub struct Sensors {
    /// The observations.
    pub context: Context,
    /// Their time; `None` for a steady model.
    pub from: Option<f64>,
    /// Rows left out because a value is missing.
    pub n_skipped: usize,
    /// Rows averaged into others at the same place.
    pub n_merged: usize,
}

/// Reads the observations.
///
/// # Errors
/// A file that does not fit the model, has missing values or duplicates that were not allowed for, or nothing at the time.
pub fn read(args: &PredictArgs, card: &ModelCard) -> Result<Sensors> {
    let path = args.context.display();
    let domain = &card.problem.domain;
    let dim = domain.dim();
    let readings = Readings::read(&args.context, domain)?;
    let channels =
        channels(&readings.names, args, card).with_context(|| format!("{path}: does not fit the model"))?;
    let (from, mut rows) =
        rows_at(&readings, args.from, card, readings.len()).with_context(|| path.to_string())?;
    let n_rows = rows.len();
    let missing = |row: usize| channels.iter().find(|&&c| readings.values[c][row].is_nan());
    let incomplete = || rows.iter().filter(|&&row| missing(row).is_some());
    if let (false, Some(&row)) = (args.skip_missing, incomplete().next()) {
        let channel = missing(row).map_or("", |&channel| &readings.names[channel]);
        bail!(
            "{path}: {} has no value of {channel}, {} of {n_rows} observations lack one; --skip-missing leaves them out",
            readings.place(row),
            incomplete().count(),
        );
    }
    rows.retain(|&row| missing(row).is_none());
    let n_skipped = n_rows - rows.len();
    ensure!(!rows.is_empty(), "{path}: no observation is left");
    let places = places(&readings, &rows, domain);
    let n_merged = rows.len() - places.len();
    if n_merged > 0 && !args.merge_duplicates {
        let several = places.iter().find(|group| group.len() > 1).map_or(&[][..], Vec::as_slice);
        let point = several.first().map_or(&[][..], |&row| &readings.coordinates[row * dim..(row + 1) * dim]);
        bail!(
            "{path}: points {several:?} (from 0) are the same place {point:?}; --merge-duplicates averages their values"
        );
    }
    let coordinates =
        places.iter().flat_map(|group| &readings.coordinates[group[0] * dim..(group[0] + 1) * dim]);
    let points = Points::scattered(domain.clone(), coordinates.copied().collect())?;
    let mean = |channel: &[f64], group: &Vec<usize>| {
        group.iter().map(|&row| channel[row]).sum::<f64>() / group.len() as f64
    };
    let values = channels
        .iter()
        .flat_map(|&c| places.iter().map(|group| mean(&readings.values[c], group)).collect::<Vec<_>>());
    let context = Context { n_channels: channels.len(), values: values.collect(), points };
    Ok(Sensors { context, from, n_skipped, n_merged })
}

/// Which of the values are the channels of the model: those asked for, else those of the model's names, else all if
/// they are as many.
fn channels(names: &[String], args: &PredictArgs, card: &ModelCard) -> Result<Vec<usize>> {
    let wanted = card.problem.source_channels;
    let all =
        || if names.is_empty() { "no values".into() } else { format!("the values {}", names.join(", ")) };
    let find = |name: &String| names.iter().position(|n| n == name);
    if !args.channels.is_empty() {
        let found = args.channels.iter().map(|name| {
            find(name).with_context(|| format!("there is no value {name}; the file has {}", all()))
        });
        let found: Vec<usize> = found.collect::<Result<_>>()?;
        ensure!(found.len() == wanted, "the model takes {wanted} channels, --channels names {}", found.len());
        return Ok(found);
    }
    let own: Option<Vec<usize>> = card.channel_names.iter().map(find).collect();
    match own {
        Some(own) if own.len() == wanted => Ok(own),
        _ if names.len() == wanted => Ok((0..wanted).collect()),
        _ => bail!("the model takes {wanted} channels, the file has {}; choose with --channels", all()),
    }
}

/// The time of the observations, and which rows are of it.
fn rows_at(
    readings: &Readings,
    from: Option<f64>,
    card: &ModelCard,
    n: usize,
) -> Result<(Option<f64>, Vec<usize>)> {
    let Some([first, last]) = card.problem.times else { return Ok((None, (0..n).collect())) };
    let Some(times) = &readings.times else {
        let from = from.context("say with --from at which time the observations were made")?;
        return Ok((Some(from), (0..n).collect()));
    };
    let present = distinct(times);
    let from = match (from, present.as_slice()) {
        (Some(from), _) => from,
        (None, [only]) => *only,
        _ => bail!("the observations are of {} times; choose one with --from", present.len()),
    };
    let near = 1e-9 * (last - first);
    let rows: Vec<usize> = (0..n).filter(|&row| (times[row] - from).abs() <= near).collect();
    ensure!(
        !rows.is_empty(),
        "there is no observation at the time {from}; the file has {} to {}",
        short(present[0]),
        short(present[present.len() - 1])
    );
    Ok((Some(from), rows))
}

/// The rows by place, in the order of the file: those at the same place together.
fn places(readings: &Readings, rows: &[usize], domain: &lto_numerics::Domain) -> Vec<Vec<usize>> {
    let dim = domain.dim();
    let mut known: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    let mut places: Vec<Vec<usize>> = Vec::new();
    for &row in rows {
        let point = readings.coordinates[row * dim..(row + 1) * dim].iter();
        // The two ends of a periodic axis are one place; adding zero joins −0 and 0.
        let key = domain.axes().iter().zip(point).map(|(axis, &x)| (axis.wrap(x) + 0.0).to_bits()).collect();
        let number = *known.entry(key).or_insert(places.len());
        if number == places.len() {
            places.push(Vec::new());
        }
        places[number].push(row);
    }
    places
}
