//! How far one prediction is from its truth.

use crate::error::Result;
use lto_numerics::Field;
use lto_numerics::metric::spectrum::power_spectrum;
use lto_numerics::metric::{ByMetric, MetricKind};
use serde::{Deserialize, Serialize};

/// Fewest waves of the middle band and of the high one.
const EDGES: [f64; 2] = [4.0, 12.0];

/// The relative L2 error by wavenumber: what each band contributes. The squares of the three add up to the square of
/// the relative L2 error. Waves are counted along the longest axis of the domain, to the nearest half: a wave that has
/// another direction counts by its length. A band of which the grid resolves no wave is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BandErrors {
    /// Fewer than 4 waves over the domain.
    #[serde(with = "super::number::optional", default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// 4 waves or more, fewer than 12.
    #[serde(with = "super::number::optional", default, skip_serializing_if = "Option::is_none")]
    pub mid: Option<f64>,
    /// 12 waves or more.
    #[serde(with = "super::number::optional", default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// Errors of one prediction; infinite where it is not finite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Errors by metric, over all channels together.
    pub errors: ByMetric<f64>,
    /// The relative L2 error by wavenumber; `None` where points are not equally spaced, or some truth is not known.
    pub bands: Option<BandErrors>,
    /// The same of each channel alone; empty where there is one only.
    pub channels: Vec<Scores>,
}

impl Scores {
    /// The errors of a prediction `[channel, point]` of a field.
    ///
    /// # Errors
    /// Another number of values than the field has.
    pub fn of(prediction: &[f64], truth: &Field) -> Result<Self> {
        let mut scores = Self::together(prediction, truth)?;
        if truth.n_channels() > 1 {
            let (grid, n) = (truth.grid(), truth.grid().len());
            let each = prediction.chunks_exact(n).zip(truth.values().chunks_exact(n));
            let channels = each.map(|(prediction, truth)| {
                Self::together(prediction, &Field::new(grid.clone(), 1, truth.to_vec())?)
            });
            scores.channels = channels.collect::<Result<_>>()?;
        }
        Ok(scores)
    }

    fn together(prediction: &[f64], truth: &Field) -> Result<Self> {
        let score = |metric: MetricKind| -> Result<f64> {
            let value = metric.evaluate(prediction, truth.values(), &truth.grid().shape())?;
            Ok(if value.is_finite() { value } else { f64::INFINITY })
        };
        Ok(Self {
            errors: ByMetric::try_of(score)?,
            bands: band_errors(prediction, truth)?,
            channels: Vec::new(),
        })
    }
}

fn band_errors(prediction: &[f64], truth: &Field) -> Result<Option<BandErrors>> {
    let grid = truth.grid();
    let gaps = truth.values().iter().any(|u| u.is_nan());
    if gaps || (0..grid.dim()).any(|d| grid.placement(d).is_none()) {
        return Ok(None);
    }
    let difference: Vec<f64> = prediction.iter().zip(truth.values()).map(|(p, t)| p - t).collect();
    let finite = difference.iter().all(|d| d.is_finite());
    // The spectrum of the truth has the same wavenumbers.
    let of = if finite { difference } else { truth.values().to_vec() };
    let spectrum = power_spectrum(&Field::new(grid.clone(), truth.n_channels(), of)?)?;
    let longest = grid.domain().axes().iter().map(|axis| axis.length()).fold(0.0, f64::max);
    // Wavenumbers of an axis that is not periodic are half waves, and on vertices a little less than those.
    let waves = |wavenumber: f64| (2.0 * wavenumber * longest).round() / 2.0;
    let total = truth.values().iter().map(|u| u * u).sum::<f64>() / grid.len() as f64;
    let share = |from: f64, to: f64| {
        let bins = spectrum.wavenumber.iter().zip(&spectrum.power);
        let mut bins =
            bins.filter(|(k, _)| (from..to).contains(&waves(**k))).map(|(_, power)| power).peekable();
        bins.peek()?;
        let power: f64 = bins.sum();
        Some(match power {
            _ if !finite => f64::INFINITY,
            0.0 => 0.0,
            power => (power / total).sqrt(),
        })
    };
    let [mid, high] = EDGES;
    Ok(Some(BandErrors { low: share(0.0, mid), mid: share(mid, high), high: share(high, f64::INFINITY) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::{Axis, Domain, Grid, Placement};
    use std::f64::consts::TAU;
    use std::sync::Arc;

    fn near(value: Option<f64>, exact: f64) -> bool {
        (value.unwrap() - exact).abs() < 1e-12
    }

    /// Errors of one wave each in two bands: everything by hand.
    #[test]
    fn bands_hold_the_waves_that_are_wrong() {
        let grid = Arc::new(Grid::cubic(Domain::unit(1, true).unwrap(), 64, Placement::Center).unwrap());
        let wave = |k: f64, a: f64| move |x: &[f64]| a * (TAU * k * x[0]).sin();
        let truth = Field::from_fn(grid.clone(), wave(2.0, 2.0));
        let wrong = Field::from_fn(grid, |x| wave(2.0, 2.6)(x) + wave(20.0, 0.8)(x));
        let scores = Scores::of(wrong.values(), &truth).unwrap();
        let bands = scores.bands.unwrap();
        assert!(near(bands.low, 0.3) && near(bands.mid, 0.0) && near(bands.high, 0.4), "{bands:?}");
        assert!((scores.errors.relative_l2 - 0.5).abs() < 1e-12 && scores.channels.is_empty());
        assert!((scores.errors.rmse - (0.5f64 * (0.36 + 0.64)).sqrt()).abs() < 1e-12);
        let mut diverged = wrong.into_values();
        diverged[3] = f64::NAN;
        let scores = Scores::of(&diverged, &truth).unwrap();
        assert!(MetricKind::ALL.iter().all(|&metric| scores.errors[metric] == f64::INFINITY));
        assert_eq!(scores.bands.unwrap().mid, Some(f64::INFINITY));
    }

    /// Whole waves count as such where the axis is not periodic and its spectrum knows half waves; so do those along
    /// the longer of two axes, and those that a grid cannot show count as nothing at all.
    #[test]
    fn waves_are_whole_ones_on_axes_that_are_not_periodic() {
        let axes = vec![Axis::new("x", 0.0, 2.0, false), Axis::new("y", 0.0, 1.0, true)];
        let shape = [(40, Placement::Center), (16, Placement::Left)];
        let grid = Arc::new(Grid::uniform(Domain::new(axes).unwrap(), &shape).unwrap());
        let truth = Field::from_fn(grid.clone(), |_| 1.0);
        // A cosine along the axis of length 2, and the band that holds it.
        for (waves, expected) in [(3.0, 0), (3.5, 0), (4.0, 1), (11.5, 1), (12.0, 2), (18.0, 2)] {
            let wrong =
                Field::from_fn(grid.clone(), |x| 1.0 + 2f64.sqrt() * (TAU * waves * x[0] / 2.0).cos());
            let bands = Scores::of(wrong.values(), &truth).unwrap().bands.unwrap();
            for (i, band) in [bands.low, bands.mid, bands.high].into_iter().enumerate() {
                assert!(near(band, if i == expected { 1.0 } else { 0.0 }), "{waves}: {bands:?}");
            }
        }
        // Two waves over the short axis are as long as four over the long one.
        let wrong = Field::from_fn(grid, |x| 1.0 + 2f64.sqrt() * (TAU * 2.0 * x[1]).cos());
        assert!(near(Scores::of(wrong.values(), &truth).unwrap().bands.unwrap().mid, 1.0));
        let few = Arc::new(Grid::cubic(Domain::unit(1, true).unwrap(), 16, Placement::Left).unwrap());
        let field = Field::from_fn(few, |x| (TAU * x[0]).cos());
        let bands = Scores::of(field.values(), &field).unwrap().bands.unwrap();
        assert_eq!((bands.low, bands.mid, bands.high), (Some(0.0), Some(0.0), None), "8 waves at most");
        let json = serde_json::to_string(&bands).unwrap();
        assert_eq!(serde_json::from_str::<BandErrors>(&json).unwrap(), bands);
        assert!(!json.contains("high"), "{json}");
    }

    /// On vertices too, where the mirrored field is no pure wave: nearly all of it is where it belongs.
    #[test]
    fn waves_on_vertices_are_in_their_band() {
        let grid = Arc::new(Grid::cubic(Domain::unit(1, false).unwrap(), 65, Placement::Vertex).unwrap());
        let truth = Field::from_fn(grid.clone(), |_| 1.0);
        for (waves, in_mid) in [(2.5, false), (6.0, true)] {
            let wrong = Field::from_fn(grid.clone(), |x| 1.0 + (TAU * waves * x[0]).cos());
            let bands = Scores::of(wrong.values(), &truth).unwrap().bands.unwrap();
            let (of, other) = if in_mid { (bands.mid, bands.low) } else { (bands.low, bands.mid) };
            assert!(of.unwrap() > 4.0 * other.unwrap(), "{waves}: {bands:?}");
        }
    }

    /// Each channel by itself: one is right, one off by a tenth; together the larger one decides.
    #[test]
    fn channels_are_also_scored_alone() {
        let grid = Arc::new(Grid::cubic(Domain::unit(1, true).unwrap(), 8, Placement::Left).unwrap());
        let truth = Field::new(grid, 2, [vec![10.0; 8], vec![1.0; 8]].concat()).unwrap();
        let scores = Scores::of(&[vec![10.0; 8], vec![1.1; 8]].concat(), &truth).unwrap();
        let alone: Vec<f64> = scores.channels.iter().map(|c| c.errors.relative_l2).collect();
        assert!(alone[0] == 0.0 && (alone[1] - 0.1).abs() < 1e-12, "{alone:?}");
        assert!((scores.errors.relative_l2 - (0.01f64 / 101.0).sqrt()).abs() < 1e-12);
    }
}
