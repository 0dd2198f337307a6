//! How far one prediction is from its truth.

use crate::error::Result;
use lto_numerics::Field;
use lto_numerics::metric::MetricKind;
use lto_numerics::metric::spectrum::power_spectrum;
use serde::{Deserialize, Serialize};

/// First band of the middle wavenumbers and of the high ones, in smallest wavenumbers of the domain.
const EDGES: [usize; 2] = [4, 12];

/// The relative L2 error by wavenumber: what each band contributes. The squares of the three add up to the square of
/// the relative L2 error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BandErrors {
    /// Fewer than 4 waves over the domain.
    #[serde(with = "super::number")]
    pub low: f64,
    /// 4 to 11 waves.
    #[serde(with = "super::number")]
    pub mid: f64,
    /// 12 waves or more.
    #[serde(with = "super::number")]
    pub high: f64,
}

/// Errors of one prediction; infinite where it is not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// Relative L2 error over all channels together.
    pub relative_l2: f64,
    /// Root mean square error.
    pub rmse: f64,
    /// Largest error.
    pub max_error: f64,
    /// The relative L2 error by wavenumber; `None` where points are not equally spaced.
    pub bands: Option<BandErrors>,
}

impl Scores {
    /// The errors of a prediction `[channel, point]` of a field.
    ///
    /// # Errors
    /// Another number of values than the field has.
    pub fn of(prediction: &[f64], truth: &Field) -> Result<Self> {
        let score = |metric: MetricKind| -> Result<f64> {
            let value = metric.evaluate(prediction, truth.values())?;
            Ok(if value.is_finite() { value } else { f64::INFINITY })
        };
        Ok(Self {
            relative_l2: score(MetricKind::RelativeL2)?,
            rmse: score(MetricKind::Rmse)?,
            max_error: score(MetricKind::MaxError)?,
            bands: band_errors(prediction, truth)?,
        })
    }
}

fn band_errors(prediction: &[f64], truth: &Field) -> Result<Option<BandErrors>> {
    let grid = truth.grid();
    if (0..grid.dim()).any(|d| grid.placement(d).is_none()) {
        return Ok(None);
    }
    let difference: Vec<f64> = prediction.iter().zip(truth.values()).map(|(p, t)| p - t).collect();
    if difference.iter().any(|d| !d.is_finite()) {
        return Ok(Some(BandErrors { low: f64::INFINITY, mid: f64::INFINITY, high: f64::INFINITY }));
    }
    let power = power_spectrum(&Field::new(grid.clone(), truth.n_channels(), difference)?)?.power;
    let total = truth.values().iter().map(|u| u * u).sum::<f64>() / grid.len() as f64;
    let share = |from: usize, to: usize| {
        let power: f64 = power.iter().take(to).skip(from).sum();
        if power == 0.0 { 0.0 } else { (power / total).sqrt() }
    };
    let [mid, high] = EDGES;
    Ok(Some(BandErrors { low: share(0, mid), mid: share(mid, high), high: share(high, usize::MAX) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::{Domain, Grid, Placement};
    use std::f64::consts::TAU;
    use std::sync::Arc;

    /// Errors of one wave each in two bands: everything by hand.
    #[test]
    fn bands_hold_the_waves_that_are_wrong() {
        let grid = Arc::new(Grid::cubic(Domain::unit(1, true).unwrap(), 64, Placement::Center).unwrap());
        let wave = |k: f64, a: f64| move |x: &[f64]| a * (TAU * k * x[0]).sin();
        let truth = Field::from_fn(grid.clone(), wave(2.0, 2.0));
        let wrong = Field::from_fn(grid, |x| wave(2.0, 2.6)(x) + wave(20.0, 0.8)(x));
        let scores = Scores::of(wrong.values(), &truth).unwrap();
        let bands = scores.bands.unwrap();
        assert!((bands.low - 0.3).abs() < 1e-12 && bands.mid < 1e-12 && (bands.high - 0.4).abs() < 1e-12);
        assert!((scores.relative_l2 - 0.5).abs() < 1e-12);
        assert!((scores.rmse - (0.5f64 * (0.36 + 0.64)).sqrt()).abs() < 1e-12);
        let mut diverged = wrong.into_values();
        diverged[3] = f64::NAN;
        let scores = Scores::of(&diverged, &truth).unwrap();
        assert!([scores.relative_l2, scores.rmse, scores.max_error].iter().all(|e| *e == f64::INFINITY));
    }
}
