//! Training and validation over the steps of a run.

use crate::error::Result;
use crate::picture::chart::{Axis, COLORS, Chart, Series, Style};
use crate::picture::drawing::Drawing;
use crate::picture::ticks::short;
use crate::picture::{PictureFormat, still};
use crate::text::Page;
use crate::words::duration;
use lto::train::history::{Curves, History};
use lto::train::in_order;
use lto::train::report::RunReport;
use lto_numerics::dataset::write::write_whole;
use std::path::Path;

/// The result of training, for the terminal.
pub fn text(report: &RunReport, color: bool) -> String {
    let mut page = Page::new(color);
    page.heading(&report.model.display().to_string());
    page.line(&format!(
        "{} parameters, {} steps in {}, seed {}",
        report.parameters,
        report.steps,
        duration(report.seconds),
        report.seed
    ));
    let loss = report.loss.map(|loss| vec!["training loss".into(), short(loss)]);
    let errors = report.errors.iter().map(|(name, &value)| vec![name.clone(), short(value)]);
    page.table("At the end", &["measure", "value"], loss.into_iter().chain(errors).collect());
    page.into_text()
}

/// Writes the [`charts`] into the folder of a run, as `loss.png`; nothing if there is nothing to show.
///
/// # Errors
/// A folder that cannot be written.
pub fn write_charts(run: &Path, history: &History) -> Result<()> {
    let Some(drawing) = charts(history) else { return Ok(()) };
    Ok(write_whole(&run.join("loss.png"), &still(&drawing, PictureFormat::Png)?)?)
}

/// The curves as charts, one above the other, over the same steps; `None` if there is nothing to show.
pub fn charts(history: &History) -> Option<Drawing> {
    let all = history.training.values().chain(history.validation.values()).flatten();
    let last = all.fold(0.0, |last: f64, point| last.max(point.0));
    // Invisible points that widen the axis to the whole run, so that a single validation is in its place.
    let ends = [0.0, last].map(|step| (step, f64::NAN));
    let chart = |title: &str, label: &str, curves: &Curves, style: Style| {
        let mut series: Vec<Series> = Vec::new();
        // The total before its terms.
        let (whole, parts): (Vec<_>, Vec<_>) =
            in_order(curves).into_iter().partition(|(name, _)| *name == "loss");
        for (name, points) in whole.iter().chain(&parts) {
            series.push(Series {
                name: name.replace('_', " "),
                points: [&ends[..1], points, &ends[1..]].concat(),
                intervals: Vec::new(),
                color: COLORS[series.len() % COLORS.len()],
                style,
            });
        }
        let chart = Chart { title: title.into(), x: Axis::linear("step"), y: Axis::log(label), series };
        (!curves.is_empty()).then(|| chart.draw())
    };
    let training = chart("training", "loss", &history.training, Style::Line);
    let validation = chart("held-out samples", "relative L2", &history.validation, Style::Marked);
    Drawing::stack(training.into_iter().chain(validation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::drawing::Shape;

    fn history(validation: &[(f64, f64)]) -> History {
        let curve = |name: &str, points: &[(f64, f64)]| (name.to_string(), points.to_vec());
        let loss = [(100.0, 0.5), (200.0, 0.25)];
        History {
            training: Curves::from([curve("loss", &loss), curve("evolution_loss", &loss)]),
            validation: Curves::from([curve("relative_l2", validation)]),
            seconds: None,
        }
    }

    /// A chart of a single validation has the same axis marks as the training above it.
    #[test]
    fn a_single_validation_stands_where_it_was_in_the_run() {
        let drawing = charts(&history(&[(200.0, 0.3)])).unwrap();
        let labels = |text: &str| {
            drawing
                .shapes
                .iter()
                .filter(|s| matches!(s, Shape::Text { content, .. } if content == text))
                .count()
        };
        assert_eq!((labels("0"), labels("100"), labels("200")), (2, 2, 2));
        assert!(charts(&History::default()).is_none());
    }

    /// Where the loss is its only term, the dashes of the two take turns.
    #[test]
    fn a_loss_of_one_term_hides_neither() {
        let drawing = charts(&History { validation: Curves::new(), ..history(&[]) }).unwrap();
        let mut colors = Vec::new();
        for shape in &drawing.shapes {
            if let Shape::Line { points, color, .. } = shape
                && COLORS.contains(color)
            {
                colors.push((*color, points.len()));
            }
        }
        let of = |color| colors.iter().filter(|(c, _)| *c == color).count();
        assert!(of(COLORS[0]) > 6 && of(COLORS[1]) > 6, "{colors:?}");
    }
}
