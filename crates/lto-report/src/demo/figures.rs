//! The pictures of the demonstration.

use crate::error::Result;
use crate::picture::chart::{Axis, COLORS, Chart, Series, Style};
use crate::picture::colormap::{Colormap, Scale};
use crate::picture::drawing::Drawing;
use crate::picture::prediction::{self, Frame, Observed, Subject};
use crate::picture::ticks::short;
use crate::picture::tiles::{self, Content, Tile};
use lto::demo::{SensorErrors, Showcase, StateForecast};
use lto_numerics::Trajectory;

const WIDTH: usize = 186;

/// One row for each number of sensors: sensors, prediction, truth, error.
pub fn comparison(shown: &Showcase) -> Drawing {
    let Showcase { truth, by_sensors: forecasts, frame, .. } = shown;
    let (grid, truth_values) = (truth.grid().as_ref(), truth.frame(*frame));
    let time = truth.times().get(*frame).copied().unwrap_or_default();
    let differences: Vec<Vec<f64>> =
        forecasts.iter().map(|forecast| difference(forecast.fields.first(), truth_values)).collect();
    let predicted = forecasts.iter().flat_map(|forecast| forecast.fields.iter().flatten());
    let observed = forecasts.iter().flat_map(|forecast| &forecast.observed.values);
    let scale = Scale::of(predicted.chain(observed).chain(truth_values), None);
    let error_scale = Scale::of(differences.iter().flatten(), Some(Colormap::PurpleOrange));
    let field = |title: String, values, scale, bar: Option<&str>| {
        let content = Content::Field { grid, values, marks: None };
        Some(Tile { title, content, scale, bar: bar.map(Into::into) })
    };
    let rows: Vec<Vec<Option<Tile>>> = forecasts
        .iter()
        .zip(&differences)
        .map(|(forecast, difference)| {
            let observed = &forecast.observed;
            let n = observed.points.len();
            let content = Content::Dots { points: &observed.points, values: &observed.values };
            let values = forecast.fields.first().map_or(&[][..], Vec::as_slice);
            vec![
                Some(Tile { title: format!("{n} sensors, t = 0"), content, scale, bar: None }),
                field(format!("prediction, t = {}", short(time)), values, scale, None),
                field("truth".into(), truth_values, scale, Some("u")),
                field("prediction − truth".into(), difference, error_scale, Some("error")),
            ]
        })
        .collect();
    tiles::draw("", WIDTH, grid.domain(), &rows)
}

/// Truth, prediction and error over the times of some frames.
pub fn strip(shown: &Showcase) -> Drawing {
    let Showcase { truth, over_time: forecast, frames, .. } = shown;
    let grid = truth.grid().as_ref();
    let differences: Vec<Vec<f64>> = frames
        .iter()
        .zip(&forecast.fields)
        .map(|(&frame, predicted)| difference(Some(predicted), truth.frame(frame)))
        .collect();
    let truths = || frames.iter().map(|&frame| truth.frame(frame));
    let scale = Scale::of(truths().flatten().chain(forecast.fields.iter().flatten()), None);
    let error_scale = Scale::of(differences.iter().flatten(), Some(Colormap::PurpleOrange));
    let predicted = forecast.fields.iter().map(Vec::as_slice);
    let errors = differences.iter().map(Vec::as_slice);
    let rows = [
        row_over_time(truth, frames, "truth", truths(), scale, "u"),
        row_over_time(truth, frames, "prediction", predicted, scale, "u"),
        row_over_time(truth, frames, "error", errors, error_scale, "error"),
    ];
    tiles::draw("", 150, grid.domain(), &rows)
}

/// One field for each of the frames, the last with a color bar.
fn row_over_time<'a>(
    truth: &'a Trajectory,
    frames: &[usize],
    name: &str,
    fields: impl Iterator<Item = &'a [f64]>,
    scale: Scale,
    quantity: &str,
) -> Vec<Option<Tile<'a>>> {
    let last = frames.len().saturating_sub(1);
    let tile = |(index, (&frame, values)): (usize, (&usize, &'a [f64]))| {
        let time = truth.times().get(frame).copied().unwrap_or_default();
        let content = Content::Field { grid: truth.grid(), values, marks: None };
        let bar = (index == last).then(|| quantity.to_string());
        Some(Tile { title: format!("{name}, t = {}", short(time)), content, scale, bar })
    };
    frames.iter().zip(fields).enumerate().map(tile).collect()
}

/// The forecast over many times, animated.
///
/// # Errors
/// A picture that is too large.
pub fn animation(forecast: &StateForecast) -> Result<Vec<u8>> {
    let observed = &forecast.observed;
    let frames = forecast.times.iter().zip(&forecast.fields);
    prediction::gif(&Subject {
        query: &forecast.query,
        observed: Observed {
            points: &observed.points,
            values: &observed.values,
            title: String::new(),
            same_quantity: true,
        },
        frames: frames
            .map(|(t, values)| Frame { title: format!("t = {t:.4}"), values, ends: None })
            .collect(),
        quantity: "u".into(),
        level: None,
        title: format!("forecast from {} sensors", observed.points.len()),
        colormap: None,
    })
}

/// Error against the number of sensors, with the predicted slope.
pub fn rates(evaluation: &SensorErrors) -> Drawing {
    let mut series: Vec<Series> = evaluation
        .designs()
        .zip(COLORS)
        .map(|((name, sweep), color)| Series {
            name: format!("{name} sensors"),
            points: sweep.errors.iter().map(|at| (at.n_points as f64, at.relative_l2.mean)).collect(),
            intervals: sweep.errors.iter().map(|at| at.relative_l2.bar().into()).collect(),
            color,
            style: Style::Marked,
        })
        .collect();
    let all = series.iter().flat_map(|s| s.points.iter().map(|p| p.0));
    let (least, most) = all.fold((f64::INFINITY, 0.0f64), |(a, b), n| (a.min(n), b.max(n)));
    let first = series.first().and_then(|s| s.points.first()).copied();
    let line = |name: String, from: (f64, f64), slope: f64, to: f64, color| Series {
        name,
        points: vec![from, (to, from.1 * (to / from.0).powf(slope))],
        intervals: Vec::new(),
        color,
        style: Style::Dashed,
    };
    if let Some(first) = first {
        let slope = evaluation.predicted_slope;
        series.push(line(format!("predicted slope {slope:.2}"), first, slope, most, COLORS[4]));
    }
    for ((name, sweep), color) in evaluation.designs().zip([COLORS[2], COLORS[3]]) {
        if let (Some(fit), Some(&last)) = (sweep.fit, sweep.fitted_sizes.last()) {
            let name = format!("{name}: slope {:.2} ± {:.2}", fit.slope, fit.standard_error);
            series.push(line(name, (least, fit.at(least)), fit.slope, last as f64, color));
        }
    }
    let (x, y) = (Axis::log("number of sensors N"), Axis::log("relative L2 error"));
    Chart { title: String::new(), x, y, series }.draw()
}

fn difference(predicted: Option<&Vec<f64>>, truth: &[f64]) -> Vec<f64> {
    predicted.into_iter().flatten().zip(truth).map(|(p, t)| p - t).collect()
}
