//! Measured rates of the discretization error: tables for the terminal, a picture, a page.

use crate::error::{Error, Result};
use crate::html::{Figure, Report, Section};
use crate::layout::estimate;
use crate::picture::chart::{Axis, COLORS, Chart, Series, Style};
use crate::picture::drawing::{Drawing, INK};
use crate::picture::ticks::short;
use crate::text::{Page, Rows};
use lto_numerics::PointDesign;
use lto_numerics::study::{Rate, Rates};
use lto_numerics::theory::{ScaleRule, SweepPoint};

/// The text for the terminal.
pub fn text(rates: &Rates, color: bool) -> String {
    let mut page = Page::new(color);
    for of_dim in by_dim(rates) {
        let heading = format!("Discretization error in {}-D, states: {}", of_dim[0].dim, rates.states.name());
        page.rows(&heading, table(of_dim));
    }
    page.line("slopes with 95 % intervals over all layouts; errors fall as fast as predicted, or faster");
    page.into_text()
}

/// One chart for each dimension and estimate.
///
/// # Errors
/// There are no rates.
pub fn picture(rates: &Rates) -> Result<Drawing> {
    let rows = by_dim(rates).filter_map(|of_dim| Drawing::row(by_estimate(of_dim).map(chart)));
    Drawing::stack(rows).ok_or_else(|| {
        Error::NoPicture("there are no rates to draw: give a dimension, a design and an estimator".into())
    })
}

/// The page; `command` is the command line that made it.
///
/// # Errors
/// None for sound rates.
pub fn page(rates: &Rates, command: &str) -> Result<Report> {
    let mut sections = Vec::new();
    for of_dim in by_dim(rates) {
        let mut section = Section::new(format!("In {}-D", of_dim[0].dim));
        for group in by_estimate(of_dim) {
            let caption =
                format!("{}. {} Slopes with 95 % intervals.", name(&group[0]), layouts(group, rates.layouts));
            let description = "Error against the number of points on logarithmic axes";
            section = section.figure(Figure::drawing(&chart(group), caption, description)?);
        }
        sections.push(section.table(table(of_dim).into()));
    }
    sections.push(Section::new("How it was made").code(command));
    Ok(Report {
        title: "Rates of the discretization error".into(),
        summary: "How the error of the set convolution's estimate falls with the number of points, in closed form and \
                  without any network: the supremum over space and states. Predicted slopes are bounds: −2/(3D) for \
                  Nadaraya–Watson at ℓ* of the theorem, −1/D at its best ℓ, −2/D for the local linear \
                  estimate; independent points add a logarithm."
            .into(),
        sections,
    })
}

/// The rates of each dimension.
fn by_dim(rates: &Rates) -> impl Iterator<Item = &[Rate]> {
    rates.rates.chunk_by(|a, b| a.dim == b.dim)
}

/// The rates of each estimate and rule.
fn by_estimate(of_dim: &[Rate]) -> impl Iterator<Item = &[Rate]> {
    of_dim.chunk_by(|a, b| (a.estimator, a.rule) == (b.estimator, b.rule))
}

/// An estimate with its rule for ℓ.
fn name(rate: &Rate) -> String {
    match rate.rule {
        ScaleRule::Optimum => format!("{} at ℓ*", estimate(rate.estimator)),
        ScaleRule::Best => format!("{}, best ℓ", estimate(rate.estimator)),
    }
}

/// How a slope compares with the predicted one, which is a bound: an error may fall faster.
fn verdict(rate: &Rate) -> &'static str {
    let fit = &rate.sweep.fit;
    match rate.sweep.predicted_slope {
        None => "",
        Some(predicted) if fit.agrees_with(predicted) => "agrees",
        Some(predicted) if fit.slope < predicted => "faster",
        Some(_) => "slower at these N",
    }
}

fn table(rates: &[Rate]) -> Rows {
    let row = |rate: &Rate| {
        let (points, fit) = (&rate.sweep.points, &rate.sweep.fit);
        let ends = |of: &dyn Fn(&SweepPoint) -> String| {
            let ends = points.first().zip(points.last());
            ends.map_or(String::new(), |(first, last)| format!("{} … {}", of(first), of(last)))
        };
        vec![
            name(rate),
            rate.design.name().into(),
            ends(&|at| at.n_points.to_string()),
            ends(&|at| short(at.error)),
            format!("{:.3} ± {:.3}", fit.slope, fit.half_width),
            rate.sweep.predicted_slope.map_or("–".into(), |slope| format!("{slope:.3}")),
            verdict(rate).into(),
        ]
    };
    Rows {
        columns: &["estimate", "design", "N", "error, first and last N", "slope", "predicted", ""],
        rows: rates.iter().map(row).collect(),
    }
}

/// The curves of all designs, and the predicted slope through the first point of the first.
fn chart(rates: &[Rate]) -> Drawing {
    let first = &rates[0];
    let mut series: Vec<Series> = rates.iter().zip(COLORS.iter().cycle()).map(curve).collect();
    if let (Some(slope), Some(start)) = (first.sweep.predicted_slope, first.sweep.points.first()) {
        let n0 = start.n_points as f64;
        let law = first.sweep.points.iter().map(|at| at.n_points as f64);
        series.push(Series {
            name: format!("predicted: {slope:.2}"),
            points: law.map(|n| (n, start.error * (n / n0).powf(slope))).collect(),
            intervals: Vec::new(),
            color: INK,
            style: Style::Dashed,
        });
    }
    Chart {
        title: format!("{}-D, {}", first.dim, name(first)),
        x: Axis::log("number of points N"),
        y: Axis::log("sup |û − u|"),
        series,
    }
    .draw()
}

/// The mean errors of one design, with bars from least to largest if there are several layouts.
fn curve((rate, &color): (&Rate, &crate::picture::colormap::Rgb)) -> Series {
    let (points, fit) = (&rate.sweep.points, &rate.sweep.fit);
    let range = |at: &SweepPoint| {
        at.errors.iter().fold((f64::INFINITY, 0.0), |(a, b), &e| (f64::min(a, e), f64::max(b, e)))
    };
    let several = points.iter().any(|at| at.errors.len() > 1);
    Series {
        name: format!("{}: {:.2} ± {:.2}", rate.design.name(), fit.slope, fit.half_width),
        points: points.iter().map(|at| (at.n_points as f64, at.error)).collect(),
        intervals: if several { points.iter().map(range).collect() } else { Vec::new() },
        color,
        style: Style::Marked,
    }
}

/// What a point of a curve means.
fn layouts(rates: &[Rate], drawn: usize) -> String {
    let grids = rates.iter().filter(|rate| rate.design == PointDesign::Grid).count();
    match drawn {
        _ if grids == rates.len() => "There is one grid for each N.".into(),
        1 => "One layout for each N.".into(),
        _ => format!(
            "Means over {drawn} layouts, bars from the least to the largest{}.",
            if grids > 0 { "; there is one grid for each N" } else { "" }
        ),
    }
}
