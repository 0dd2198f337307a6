//! How errors spread over the samples.

use super::look::Look;
use super::rows::names;
use crate::picture::chart::{Axis, COLORS, Chart, Series, Style};
use crate::picture::drawing::Drawing;
use lto::evaluate::Evaluation;
use lto::evaluate::compare::FEWEST;

/// Number of bins.
const BINS: usize = 12;

/// The number of samples by their one-step error, in bins of equal ratio, one outline for each model with at least
/// [`FEWEST`] samples. `None` if there is none, or all errors are equal.
pub fn histogram(evaluations: &[Evaluation], look: &Look) -> Option<Drawing> {
    let errors = |e: &Evaluation| -> Vec<f64> {
        let all = e.one_step.measures().map_or(Vec::new(), |m| m.errors[look.metric].errors.clone());
        all.into_iter().filter(|error| *error > 0.0 && error.is_finite()).collect()
    };
    let each: Vec<Vec<f64>> = evaluations.iter().map(errors).collect();
    let all = || each.iter().filter(|errors| errors.len() >= FEWEST).flatten().copied();
    let (least, most) = (all().reduce(f64::min)?, all().reduce(f64::max)?);
    if least == most {
        return None;
    }
    let numbered = names(evaluations).into_iter().zip(&each).enumerate();
    let series =
        numbered.filter(|(_, (_, errors))| errors.len() >= FEWEST).map(|(i, (name, errors))| Series {
            name,
            points: outline(&counts(errors, least, most), least, most),
            intervals: Vec::new(),
            color: COLORS[i % COLORS.len()],
            style: Style::Line,
        });
    let (x, y) = (Axis::log(look.metric.label()), Axis::linear("samples"));
    Some(Chart { title: String::new(), x, y, series: series.collect() }.draw())
}

/// How many errors fall into each bin; the largest falls into the last.
fn counts(errors: &[f64], least: f64, most: f64) -> [usize; BINS] {
    let mut counts = [0; BINS];
    for error in errors {
        let share = (error / least).ln() / (most / least).ln();
        counts[((share * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    counts
}

/// The bars of a histogram as one line, from the ground back to the ground.
fn outline(counts: &[usize; BINS], least: f64, most: f64) -> Vec<(f64, f64)> {
    let edge = |i: usize| least * (most / least).powf(i as f64 / BINS as f64);
    let bars = counts.iter().enumerate().flat_map(|(i, &n)| [(edge(i), n as f64), (edge(i + 1), n as f64)]);
    [(least, 0.0)].into_iter().chain(bars).chain([(most, 0.0)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One error in the middle of each bin, a second in the fourth, and the two ends.
    #[test]
    fn every_error_is_in_its_bin() {
        let at = |place: f64| 1e-3 * 1e3f64.powf(place / BINS as f64);
        let mut errors: Vec<f64> = (0..BINS).map(|i| at(i as f64 + 0.5)).collect();
        errors.extend([at(3.4), 1e-3, 1.0]);
        let found = counts(&errors, 1e-3, 1.0);
        assert_eq!(found, [2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 2]);
        let line = outline(&found, 1e-3, 1.0);
        assert_eq!((line.len(), line[0], line[1], line[25]), (26, (1e-3, 0.0), (1e-3, 2.0), (1.0, 0.0)));
        assert!((line[8].0 - at(4.0)).abs() < 1e-12 && line[8].1 == 2.0, "{line:?}");
    }
}
