//! From the rows of a file to a model's context: the right time and channels, values like the training
//! data's, distinct points.

use crate::error::Result;
use crate::model::ModelCard;
use lto_numerics::dataset::{Context, Readings};

/// Values more than this many standard deviations from the training data's mean are refused: probably a wrong
/// unit or a marker for missing values.
pub const FAR: f64 = 8.0;

/// Which rows and columns are the observations, and what is tolerated.
#[derive(Clone, Debug, Default)]
pub struct ObservationOptions {
    /// Time of the observations; if the file has times, the rows at this time are used.
    pub time: Option<f64>,
    /// Names of the columns that hold the model's channels, in its order; empty for the channels' own names.
    pub columns: Vec<String>,
    /// Leave out rows with a missing value.
    pub skip_missing: bool,
    /// Average rows at the same place.
    pub merge_duplicates: bool,
    /// Accept values far from the training data.
    pub allow_far: bool,
}

/// Observations ready for a model, and how they were obtained.
#[derive(Clone, Debug)]
pub struct Observations {
    /// The observations.
    pub context: Context,
    /// Their time; `None` for a steady model.
    pub time: Option<f64>,
    /// Rows left out because a value is missing.
    pub n_skipped: usize,
    /// Rows averaged into others at the same place.
    pub n_merged: usize,
    /// What is wrong with values that were accepted anyway.
    pub doubt: Option<String>,
}

impl Observations {
    /// The observations among the rows of a file.
    ///
    /// # Errors
    /// Columns or times that are not the model's and, unless tolerated, a missing value, two rows at one
    /// place, or a value more than [`FAR`] deviations from the training data.
    pub fn new(readings: &Readings, card: &ModelCard, options: &ObservationOptions) -> Result<Self> {
        let columns = columns(readings, card, &options.columns)?;
        let (time, mut rows) = rows_at(readings, options.time, card)?;
        let n_rows = rows.len();
        let missing = |row: usize| columns.iter().find(|&&column| readings.values[column][row].is_nan());
        let incomplete = || rows.iter().filter(|&&row| missing(row).is_some());
        if let (false, Some(&row)) = (options.skip_missing, incomplete().next()) {
            let name = missing(row).map_or("", |&column| &readings.names[column]);
            let n = incomplete().count();
            return refuse(
                readings,
                Some(row),
                format!(
                    "has no value of {name}, as {n} of {n_rows} observations; --skip-missing leaves them out"
                ),
            );
        }
        rows.retain(|&row| missing(row).is_none());
        let n_skipped = n_rows - rows.len();
        if rows.is_empty() {
            return refuse(readings, None, "no observation is left".into());
        }
        let doubt = match far(readings, card, &columns, &rows) {
            Some((row, problem)) if !options.allow_far => {
                let remedy = "check the unit and the marker for missing values, or accept them with --force";
                return refuse(readings, Some(row), format!("{problem}; {remedy}"));
            }
            far => far.map(|(row, problem)| format!("{}: {problem}", readings.place(row))),
        };
        let places = readings.places(rows.iter().copied());
        let n_merged = rows.len() - places.len();
        if let (false, Some([first, second, ..])) =
            (options.merge_duplicates, places.iter().map(Vec::as_slice).find(|group| group.len() > 1))
        {
            let problem = format!(
                "is at the same place {:?} as {}; --merge-duplicates averages the values",
                readings.point(*second),
                readings.place(*first)
            );
            return refuse(readings, Some(*second), problem);
        }
        let mean = |values: &[f64], group: &Vec<usize>| {
            group.iter().map(|&row| values[row]).sum::<f64>() / group.len() as f64
        };
        let values = columns.iter().flat_map(|&column| {
            let values = &readings.values[column];
            places.iter().map(move |group| mean(values, group))
        });
        let context = Context {
            n_channels: columns.len(),
            values: values.collect(),
            points: readings.points(places.iter().map(|group| group[0]).collect())?,
            deviations: None,
        };
        Ok(Self { context, time, n_skipped, n_merged, doubt })
    }
}

impl Observations {
    /// The context that a model has of records, see [`Context`]; `doubt` says which of its values are far from the training data.
    ///
    /// # Errors
    /// Unless tolerated, a value more than [`FAR`] deviations from the training data.
    pub fn of_context(context: Context, time: f64, card: &ModelCard, allow_far: bool) -> Result<Self> {
        let normalizer = &card.source_normalizer;
        let n = context.points.len();
        let channels = context.values.chunks_exact(n).zip(normalizer.mean().iter().zip(normalizer.scale()));
        let mut far = channels.enumerate().flat_map(|(c, (values, (mean, scale)))| {
            let is_far = move |value: &&f64| (**value - mean).abs() > FAR * scale;
            values.iter().filter(is_far).map(move |value| (c, *value, *mean, *scale))
        });
        let doubt = far.next().map(|(c, value, mean, scale)| {
            let name = &card.channel_names[c % card.channel_names.len()];
            format!("{name} = {value} is far from the training data, {} ± {}", rounded(mean), rounded(scale))
        });
        match doubt {
            Some(problem) if !allow_far => {
                let remedy = "check the unit and the marker for missing values, or accept it with --force";
                Err(crate::Error::Config {
                    key: "context".into(),
                    value: problem,
                    requirement: remedy.into(),
                })
            }
            doubt => Ok(Self { context, time: Some(time), n_skipped: 0, n_merged: 0, doubt }),
        }
    }
}

fn refuse<T>(readings: &Readings, row: Option<usize>, problem: String) -> Result<T> {
    Err(readings.refuse(row, problem).into())
}

/// Which values are the model's channels: those named, else those with its names. The array `values`
/// of a NumPy file has them in the model's order.
fn columns(readings: &Readings, card: &ModelCard, wanted: &[String]) -> Result<Vec<usize>> {
    let n = card.problem.source_channels;
    let named = |name: &String| readings.names.iter().position(|have| have.eq_ignore_ascii_case(name));
    let have = match &readings.names[..] {
        [] => "no values".into(),
        names => format!("the values {}", names.join(", ")),
    };
    if let Some(unknown) = wanted.iter().find(|name| named(name).is_none()) {
        return refuse(readings, None, format!("there is no column {unknown}; the file has {have}"));
    }
    if !wanted.is_empty() && wanted.len() != n {
        let problem = format!("the model takes {n} channels, --column names {}", wanted.len());
        return refuse(readings, None, problem);
    }
    let names = if wanted.is_empty() { &card.channel_names } else { wanted };
    let found: Option<Vec<usize>> = names.iter().map(named).collect();
    if let Some(found) = found.filter(|found| found.len() == n) {
        return Ok(found);
    }
    let in_order = |name: &String| name == "values" || name.starts_with("values[");
    if readings.names.len() == n && readings.names.iter().all(in_order) {
        return Ok((0..n).collect());
    }
    let example = match &readings.names[..] {
        [] => String::new(),
        names if names.len() < n => format!("; it needs {n} columns"),
        names => format!("; say which column is which with --column {}", names[..n].join(",")),
    };
    let problem = format!(
        "the model's channels are {}; the file has {have}{example}",
        if card.channel_names.len() == n {
            card.channel_names.join(", ")
        } else {
            format!("{n}, without names")
        }
    );
    refuse(readings, None, problem)
}

/// The time of the observations, and the rows at that time.
fn rows_at(readings: &Readings, time: Option<f64>, card: &ModelCard) -> Result<(Option<f64>, Vec<usize>)> {
    let all = 0..readings.len();
    let Some([first, last]) = card.problem.times else { return Ok((None, all.collect())) };
    let Some(times) = &readings.times else {
        return match time {
            Some(_) => Ok((time, all.collect())),
            None => refuse(readings, None, "give the time of the observations with --from".into()),
        };
    };
    let (least, most) =
        times.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &t| (a.min(t), b.max(t)));
    let time = match time {
        Some(time) => time,
        None if least == most => least,
        None => {
            let problem =
                format!("the observations have times from {least} to {most}; choose one with --from");
            return refuse(readings, None, problem);
        }
    };
    let near = 1e-9 * (last - first);
    let rows: Vec<usize> = all.filter(|&row| (times[row] - time).abs() <= near).collect();
    if rows.is_empty() {
        let problem =
            format!("there is no observation at time {time}; the file has times from {least} to {most}");
        return refuse(readings, None, problem);
    }
    Ok((Some(time), rows))
}

/// The first row with a value too far from the training data, and what is wrong with it.
fn far(readings: &Readings, card: &ModelCard, columns: &[usize], rows: &[usize]) -> Option<(usize, String)> {
    let normalizer = &card.source_normalizer;
    let channels = || columns.iter().zip(normalizer.mean().iter().zip(normalizer.scale()));
    let is_far = |value: f64, mean: f64, scale: f64| (value - mean).abs() > FAR * scale;
    let of_row = |row: usize| {
        channels().find(|&(&column, (&mean, &scale))| is_far(readings.values[column][row], mean, scale))
    };
    let mut found = rows.iter().filter_map(|&row| of_row(row).map(|at| (row, at)));
    let (row, (&column, (mean, scale))) = found.next()?;
    let others = match found.count() {
        0 => String::new(),
        n => format!(", and {} of {} rows are as far", n + 1, rows.len()),
    };
    let problem = format!(
        "{} = {:?} is far from the training data, {} ± {} ({} to {} is accepted){others}",
        readings.names[column],
        readings.values[column][row],
        rounded(*mean),
        rounded(*scale),
        rounded(mean - FAR * scale),
        rounded(mean + FAR * scale)
    );
    Some((row, problem))
}

/// A number to five digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.4e}").parse().unwrap_or(x)
}
