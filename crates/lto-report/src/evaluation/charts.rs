//! Curves of evaluations: error against resolution, number of observations, noise and horizon; spectra.

use super::look::Look;
use super::rows::{names, rows};
use crate::picture::chart::{Axis, COLORS, Chart, Series, Style};
use crate::picture::drawing::Drawing;
use lto::evaluate::{Evaluation, ResultKind};

/// The smallest power, relative to the largest, that single precision resolves.
const PRECISION: f64 = 1e-13;

/// Errors of one kind of case, one curve per model and variant, without cases a model cannot do. `None` if no
/// curve has two points.
pub fn errors(
    evaluations: &[Evaluation],
    look: &Look,
    kinds: &[ResultKind],
    curve: Option<&str>,
    x: Axis,
) -> Option<Drawing> {
    let mut series = Vec::new();
    for (number, (evaluation, name)) in evaluations.iter().zip(names(evaluations)).enumerate() {
        for &kind in kinds {
            let mut points = Vec::new();
            for row in rows(evaluation).into_iter().filter(|row| row.kind == kind) {
                let wanted = row.place.as_ref().filter(|(of, _)| curve.is_none_or(|curve| curve == of));
                let errors = row.outcome.measures().and_then(|m| m.errors[look.metric].measured());
                if let (Some((_, x)), Some(e)) = (wanted, errors.filter(|e| e.mean.is_finite())) {
                    points.push((*x, e.mean, e.bar().into()));
                }
            }
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let way = match kind {
                ResultKind::Rollout if kinds.len() > 1 => ", rollout",
                ResultKind::Direct if kinds.len() > 1 => ", direct",
                ResultKind::Chain if kinds.len() > 1 => ", chain",
                _ => "",
            };
            if !points.is_empty() {
                series.push(Series {
                    name: format!("{name}{way}"),
                    points: points.iter().map(|p| (p.0, p.1)).collect(),
                    intervals: points.iter().map(|p| p.2).collect(),
                    color: COLORS[number % COLORS.len()],
                    style: if kind != ResultKind::Rollout && kinds.len() > 1 {
                        Style::Dashed
                    } else {
                        Style::Marked
                    },
                });
            }
        }
    }
    let chart = Chart { title: String::new(), x, y: Axis::log(look.metric.label()), series };
    chart.series.iter().any(|s| s.points.len() > 1).then(|| chart.draw())
}

/// Power by wavenumber: the truth, and what each model predicts in one step.
pub fn spectra(evaluations: &[Evaluation]) -> Option<Drawing> {
    let mut series = Vec::new();
    for (number, (evaluation, name)) in evaluations.iter().zip(names(evaluations)).enumerate() {
        let Some(spectra) = &evaluation.spectra else { continue };
        let largest = spectra.truth.iter().skip(1).fold(0.0, |m: f64, &p| m.max(p));
        let curve = |name: String, power: &[f64], color, style| Series {
            name,
            // Wavenumber 0 does not fit a logarithmic axis, and power below single precision means nothing.
            points: spectra
                .wavenumber
                .iter()
                .copied()
                .zip(power.iter().copied())
                .skip(1)
                .filter(|(_, power)| *power > PRECISION * largest)
                .collect(),
            intervals: Vec::new(),
            color,
            style,
        };
        if series.is_empty() {
            series.push(curve("truth".into(), &spectra.truth, [0, 0, 0], Style::Dashed));
        }
        series.push(curve(name, &spectra.prediction, COLORS[number % COLORS.len()], Style::Line));
    }
    let (x, y) = (Axis::log("wavenumber in cycles per unit length"), Axis::log("power"));
    (!series.is_empty()).then(|| Chart { title: String::new(), x, y, series }.draw())
}
