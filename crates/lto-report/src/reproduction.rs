//! The page of a reproduction: the experiment, our tables beside the published ones, pictures, how to repeat
//! it.

use crate::error::Result;
use crate::evaluation::{Look, sections};
use crate::html::{Figure, Report, Section, Table};
use crate::picture::chart::{Axis, COLORS, Chart, Series, Style};
use crate::picture::drawing::Drawing;
use crate::words::duration;
use lto::reproduce::{HeatFigure, Reproduction, Suite};
use lto_numerics::metric::MetricKind;

/// The whole page. `threads` is the number of threads used.
///
/// # Errors
/// A picture that is too large, or metrics that cannot be read.
pub fn report(results: &Reproduction, suite: &Suite, threads: usize) -> Result<Report> {
    let mut all = Vec::new();
    if let Some(heat) = &results.heat {
        let caption = "The error of the set convolution alone (absolute; supremum over states and places, ℓ* of the theory, mean \
                       and range of five layouts for every N) and the mean relative L2 of the trained twin's \
                       forecasts, one curve per seed. Only slopes are comparable. The twin's is fitted where \
                       too few sensors limit the error, with an interval by Student's t over seeds; below \
                       that the network limits it. Dashed: (log N/N)^(1/3), the bound's rate for random \
                       sensors.";
        let description = "Error against the number of sensors on logarithmic axes";
        let figure = Figure::drawing(&heat_chart(heat), caption, description)?;
        all.push(Section::new("Error against the number of sensors").figure(figure));
    }
    let look = Look::new(MetricKind::RelativeL2, &suite.published);
    all.extend(sections(&results.shown(), &look)?);
    all.push(wall_time(results, threads));
    let mut configurations = Section::new("Configurations, with every default");
    for run in &suite.runs {
        configurations = configurations.text(run.folder.clone()).code(run.experiment.to_toml()?);
    }
    all.push(configurations);
    Ok(Report {
        title: format!("Reproduction: {}", suite.title),
        summary: format!(
            "{} Scale {}: {}. Published numbers are for the published data and training. On {threads} threads.",
            suite.about,
            suite.scale.name(),
            suite.about_scale
        ),
        sections: all,
    })
}

/// How long each stage took, whenever it ran.
fn wall_time(results: &Reproduction, threads: usize) -> Section {
    let times = &results.times;
    let shown = |seconds: Option<f64>| seconds.map_or("–".into(), duration);
    let mut table = Table::new(&["stage", "training", "evaluation"]);
    for model in &times.models {
        table = table.row([model.run.clone(), shown(model.training), duration(model.evaluation)]);
    }
    let data = times.data.map_or("read, not made".into(), duration);
    let text = format!(
        "{} in all, on {threads} threads; the data: {data}. Stages done earlier count with the time they \
         took then.",
        duration(times.total)
    );
    Section::new("Wall time").text(text).table(table)
}

/// The published figure: both curves with their fits, and the predicted rate.
fn heat_chart(figure: &HeatFigure) -> Drawing {
    let points = &figure.closed_form.points;
    let closed: Vec<(f64, f64)> = points.iter().map(|at| (at.n_points as f64, at.error)).collect();
    let spread = |errors: &[f64]| {
        errors.iter().fold((f64::INFINITY, 0.0), |(a, b), &e| (f64::min(a, e), f64::max(b, e)))
    };
    let series =
        |name: String, points, color, style| Series { name, points, intervals: Vec::new(), color, style };
    let fit = &figure.closed_form.fit;
    let name = format!("SetConv alone: {:.2} ± {:.2}", fit.slope, fit.half_width);
    let mut curves = vec![Series {
        intervals: points.iter().map(|at| spread(&at.errors)).collect(),
        ..series(name, closed.clone(), COLORS[1], Style::Marked)
    }];
    let slope = figure.twin_slope.as_ref().map_or(String::new(), |slope| match slope.half_width {
        Some(half_width) => format!(": {:.2} ± {half_width:.2}", slope.mean),
        None => format!(": {:.2}", slope.mean),
    });
    for (number, twin) in figure.twin.iter().enumerate() {
        let name = match number {
            0 => format!("twin, relative L2{slope}"),
            _ => format!("  seed {}", twin.seed.unwrap_or_default()),
        };
        let points = twin.n_points.iter().copied().zip(twin.errors.iter().copied()).collect();
        curves.push(series(name, points, COLORS[0], Style::Marked));
    }
    let ends = closed.first().zip(closed.last());
    if let (Some(predicted), Some((&(first, error), &(last, _)))) = (figure.closed_form.predicted_slope, ends)
    {
        let at = |n: f64| (n, 1.3 * error * (n / first).powf(predicted));
        let name = format!("bound, random sensors: {predicted:.2}");
        curves.push(series(name, vec![at(first), at(last)], COLORS[4], Style::Dashed));
    }
    let axis = |label: &str| Axis { label: label.into(), log: true };
    let title = "Error against the number of random sensors".into();
    let y = axis("absolute (SetConv), relative (twin)");
    Chart { title, x: axis("sensors N"), y, series: curves }.draw()
}
