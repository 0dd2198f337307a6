//! Rates for people: tables, a picture, a page.

use super::rates::{Rate, Rates};
use crate::args::RatesArgs;
use anyhow::{Context, Result};
use lto_numerics::PointDesign;
use lto_numerics::theory::{Estimator, ScaleRule};
use lto_report::html::{Figure, Report, Section, Table};
use lto_report::picture::chart::{Axis, COLORS, Chart, Series, Style};
use lto_report::picture::drawing::{Drawing, INK};
use lto_report::picture::ticks::short;
use lto_report::text::Page;

const COLUMNS: [&str; 7] = ["estimate", "design", "N", "error, first and last N", "slope", "predicted", ""];

/// What an estimate with its rule is called.
fn name(estimator: Estimator, rule: ScaleRule) -> &'static str {
    match (estimator, rule) {
        (Estimator::NadarayaWatson, ScaleRule::Optimum) => "Nadaraya–Watson at ℓ*",
        (Estimator::NadarayaWatson, ScaleRule::Best) => "Nadaraya–Watson, best ℓ",
        (Estimator::LocalLinear, ScaleRule::Optimum) => "local linear at ℓ*",
        (Estimator::LocalLinear, ScaleRule::Best) => "local linear, best ℓ",
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

fn row(rate: &Rate) -> Vec<String> {
    let (points, fit) = (&rate.sweep.points, &rate.sweep.fit);
    let of = |of: &dyn Fn(&lto_numerics::theory::SweepPoint) -> String| {
        let ends = points.first().zip(points.last());
        ends.map_or(String::new(), |(first, last)| format!("{} … {}", of(first), of(last)))
    };
    vec![
        name(rate.estimator, rate.rule).into(),
        rate.design.name().into(),
        of(&|at| at.n_points.to_string()),
        of(&|at| short(at.error)),
        format!("{:.3} ± {:.3}", fit.slope, fit.half_width),
        rate.sweep.predicted_slope.map_or("–".into(), |slope| format!("{slope:.3}")),
        verdict(rate).into(),
    ]
}

/// The dimensions, in order.
fn dims(rates: &Rates) -> Vec<usize> {
    let mut dims: Vec<usize> = rates.rates.iter().map(|rate| rate.dim).collect();
    dims.dedup();
    dims
}

/// The text for the terminal.
pub fn text(rates: &Rates, color: bool) -> String {
    let mut page = Page::new(color);
    for dim in dims(rates) {
        let rows = rates.rates.iter().filter(|rate| rate.dim == dim).map(row).collect();
        page.table(&format!("Discretization error in {dim}-D, states: {}", rates.states), &COLUMNS, rows);
    }
    page.line(
        "slopes with 95 % intervals over all layouts; predicted slopes bound the error: it may fall faster",
    );
    page.into_text()
}

/// One chart for each dimension and estimate.
///
/// # Errors
/// There are no rates.
pub fn picture(rates: &Rates) -> Result<Drawing> {
    let rows = dims(rates).into_iter().filter_map(|dim| {
        let of_dim: Vec<&Rate> = rates.rates.iter().filter(|rate| rate.dim == dim).collect();
        let charts = of_dim.chunk_by(|a, b| (a.estimator, a.rule) == (b.estimator, b.rule)).map(chart);
        Drawing::row(charts)
    });
    Drawing::stack(rows).context("there are no rates to draw: no dimension, design or estimator is left")
}

/// The curves of all designs, and the predicted slope through the first point of the first.
fn chart(rates: &[&Rate]) -> Drawing {
    let first = rates[0];
    let mut series: Vec<Series> = rates
        .iter()
        .enumerate()
        .map(|(number, rate)| {
            let spread = |errors: &[f64]| {
                errors.iter().fold((f64::INFINITY, 0.0), |(a, b), &e| (f64::min(a, e), f64::max(b, e)))
            };
            let points = &rate.sweep.points;
            Series {
                name: format!(
                    "{}: {:.2} ± {:.2}",
                    rate.design.name(),
                    rate.sweep.fit.slope,
                    rate.sweep.fit.half_width
                ),
                points: points.iter().map(|at| (at.n_points as f64, at.error)).collect(),
                intervals: if rate.sweep.points.iter().any(|at| at.errors.len() > 1) {
                    points.iter().map(|at| spread(&at.errors)).collect()
                } else {
                    Vec::new()
                },
                color: COLORS[number % COLORS.len()],
                style: Style::Marked,
            }
        })
        .collect();
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
        title: format!("{}-D, {}", first.dim, name(first.estimator, first.rule)),
        x: Axis::log("number of points N"),
        y: Axis::log("sup |û − u|"),
        series,
    }
    .draw()
}

/// What a point of the curves is.
fn layouts(rates: &[&Rate], drawn: usize) -> String {
    let grid = rates.iter().any(|rate| rate.design == PointDesign::Grid);
    let random = rates.iter().any(|rate| rate.design != PointDesign::Grid);
    let means = match drawn {
        1 => "One layout for each N.".into(),
        _ => format!(
            "Means over {drawn} layouts, bars from the least to the largest{}.",
            if grid { "; of a grid there is one" } else { "" }
        ),
    };
    if random { means } else { "Of a grid there is one layout.".into() }
}

/// The page.
///
/// # Errors
/// There are no rates.
pub fn page(rates: &Rates, args: &RatesArgs) -> Result<Report> {
    let mut sections = Vec::new();
    for dim in dims(rates) {
        let of_dim: Vec<&Rate> = rates.rates.iter().filter(|rate| rate.dim == dim).collect();
        let mut section = Section::new(format!("In {dim}-D"));
        for group in of_dim.chunk_by(|a, b| (a.estimator, a.rule) == (b.estimator, b.rule)) {
            let caption = format!(
                "{}. {} Slopes with 95 % intervals.",
                name(group[0].estimator, group[0].rule),
                layouts(group, args.layouts)
            );
            section = section.figure(Figure::drawing(
                &chart(group),
                caption,
                "Error against the number of points on logarithmic axes",
            )?);
        }
        let table = of_dim.iter().fold(Table::new(&COLUMNS), |table, rate| table.row(row(rate)));
        sections.push(section.table(table));
    }
    let dims: Vec<String> = args.dim.iter().map(u8::to_string).collect();
    let designs: Vec<&str> = args.designs.iter().map(|design| design.name()).collect();
    let estimators: Vec<&str> = args.estimators.iter().map(|estimator| estimator.name()).collect();
    sections.push(Section::new("How it was made").code(format!(
        "lto theory rates --dim {} --designs {} --estimators {} --states {} --layouts {} --seed {}",
        dims.join(","),
        designs.join(","),
        estimators.join(","),
        rates.states,
        args.layouts,
        args.seed
    )));
    Ok(Report {
        title: "Rates of the discretization error".into(),
        summary: "How the error of the set convolution's estimate falls with the number of points, in closed form and without any \
                  network: the supremum over space and states. Predicted slopes are bounds: −2/(3D) for Nadaraya–Watson at ℓ* of the \
                  theorem, −1/D at its best ℓ, −2/D for the local linear estimate; for independent points with a logarithm."
            .into(),
        sections,
    })
}
