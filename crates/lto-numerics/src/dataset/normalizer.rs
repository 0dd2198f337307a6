//! Per-channel normalization to mean 0 and standard deviation 1.

use crate::dataset::moments::Moments;
use crate::error::{Error, Result};
use crate::grid::expect;
use serde::{Deserialize, Serialize};

/// If the standard deviation is below this fraction of the mean's size, it is rounding noise and the channel
/// counts as constant.
const CONSTANT: f64 = 1e-12;

/// `v ↦ (v − mean)/scale` per channel. A constant channel has scale 1, so it maps to 0 and back exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Normalizer {
    mean: Vec<f64>,
    scale: Vec<f64>,
}

/// A [`Normalizer`] as written in a file, not yet checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    mean: Vec<f64>,
    scale: Vec<f64>,
}

impl TryFrom<Stored> for Normalizer {
    type Error = Error;

    fn try_from(Stored { mean, scale }: Stored) -> Result<Self> {
        expect("number of scales of a normalizer", mean.len(), scale.len())?;
        let requirement = "must be positive and finite";
        match scale.iter().find(|s| !(**s > 0.0 && s.is_finite())) {
            Some(bad) => Err(Error::Parameter { name: "scale", value: bad.to_string(), requirement }),
            None => Ok(Self { mean, scale }),
        }
    }
}

/// Refuses states without points.
fn check_points(n_points: usize) -> Result<()> {
    if n_points > 0 { Ok(()) } else { Err(Error::NoPoints) }
}

/// Collects what a [`Normalizer`] needs, frame by frame, in constant memory.
#[derive(Clone, Debug)]
pub struct NormalizerFit {
    channels: Vec<Moments>,
}

impl NormalizerFit {
    /// For states of `n_channels` channels.
    pub fn new(n_channels: usize) -> Self {
        Self { channels: vec![Moments::new(); n_channels] }
    }

    /// Adds one frame `[channel, point]`, or several in a row.
    ///
    /// # Errors
    /// No points, values that are not whole frames of `n_points`, or not finite.
    pub fn add(&mut self, values: &[f64], n_points: usize) -> Result<()> {
        check_points(n_points)?;
        let frame = self.channels.len() * n_points;
        expect("values left over after whole frames", 0, values.len() % frame.max(1))?;
        if let Some(index) = values.iter().position(|v| !v.is_finite()) {
            let (what, value) = ("values to normalize".into(), values[index]);
            return Err(Error::NonFiniteValue { what, index: vec![index], value });
        }
        for frame in values.chunks_exact(frame.max(1)) {
            for (moments, channel) in self.channels.iter_mut().zip(frame.chunks_exact(n_points)) {
                moments.add(channel);
            }
        }
        Ok(())
    }

    /// The normalizer of all values added.
    ///
    /// # Errors
    /// No value was added.
    pub fn finish(&self) -> Result<Normalizer> {
        if self.channels.iter().any(|m| m.count == 0) {
            let what = "number of values to normalize by (at least)".into();
            return Err(Error::Mismatch { what, expected: 1, got: 0 });
        }
        let scale = |m: &Moments| if m.std() > CONSTANT * m.mean.abs() { m.std() } else { 1.0 };
        Ok(Normalizer {
            mean: self.channels.iter().map(|m| m.mean).collect(),
            scale: self.channels.iter().map(scale).collect(),
        })
    }
}

impl Normalizer {
    /// The identity normalizer for `n_channels` channels.
    pub fn identity(n_channels: usize) -> Self {
        Self { mean: vec![0.0; n_channels], scale: vec![1.0; n_channels] }
    }

    /// Mean of each channel.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The divisor of each channel: its standard deviation, or 1 if it is constant.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The normalizer that subtracts nothing and divides by the root mean square, `√(mean² + scale²)`: zero stays zero.
    pub fn uncentered(&self) -> Self {
        let scale = self.mean.iter().zip(&self.scale).map(|(mean, scale)| mean.hypot(*scale)).collect();
        Self { mean: vec![0.0; self.mean.len()], scale }
    }

    /// The normalizer of all channels of several, one after the other.
    pub fn joined(each: &[Self]) -> Self {
        let all = |part: fn(&Self) -> &[f64]| each.iter().flat_map(|one| part(one).to_vec()).collect();
        Self { mean: all(Self::mean), scale: all(Self::scale) }
    }

    /// The normalizer of `n` concatenated frames, each normalized like this.
    pub fn repeated(&self, n: usize) -> Self {
        Self { mean: self.mean.repeat(n), scale: self.scale.repeat(n) }
    }

    /// The normalizer of the last `n` channels, or of all if there are no more.
    pub fn last(&self, n: usize) -> Self {
        let first = self.mean.len().saturating_sub(n);
        Self { mean: self.mean[first..].to_vec(), scale: self.scale[first..].to_vec() }
    }

    /// Normalizes values `[…, channel, point]` in place.
    ///
    /// # Errors
    /// A number of values that is not a multiple of channels × `n_points`.
    pub fn normalize(&self, values: &mut [f64], n_points: usize) -> Result<()> {
        self.each_channel(values, n_points, |v, mean, scale| (v - mean) / scale)
    }

    /// The inverse of [`Normalizer::normalize`].
    ///
    /// # Errors
    /// A number of values that is not a multiple of channels × `n_points`.
    pub fn denormalize(&self, values: &mut [f64], n_points: usize) -> Result<()> {
        self.each_channel(values, n_points, |v, mean, scale| v * scale + mean)
    }

    fn each_channel(
        &self,
        values: &mut [f64],
        n_points: usize,
        f: impl Fn(f64, f64, f64) -> f64,
    ) -> Result<()> {
        check_points(n_points)?;
        let frame = self.mean.len() * n_points;
        expect("values left over after whole frames", 0, values.len() % frame.max(1))?;
        let channels = self.mean.iter().zip(&self.scale).cycle();
        for (channel, (&mean, &scale)) in values.chunks_exact_mut(n_points).zip(channels) {
            channel.iter_mut().for_each(|v| *v = f(*v, mean, scale));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_normalized_each_by_its_own_and_back() {
        let frame = |t: f64| vec![t, t + 2.0, 5.0, 5.0];
        let mut fit = NormalizerFit::new(2);
        fit.add(&[frame(0.0), frame(4.0)].concat(), 2).unwrap();
        fit.add(&frame(8.0), 2).unwrap();
        let normalizer = fit.finish().unwrap();
        // Values 0 2 4 6 8 10: mean 5, variance 35/3.
        assert!((normalizer.mean()[0] - 5.0).abs() < 1e-14);
        assert!((normalizer.scale()[0] - (35.0f64 / 3.0).sqrt()).abs() < 1e-14);
        assert_eq!((normalizer.mean()[1], normalizer.scale()[1]), (5.0, 1.0));
        let mut values = [frame(0.0), frame(8.0)].concat();
        let before = values.clone();
        normalizer.normalize(&mut values, 2).unwrap();
        assert!((values[0] + 5.0 / (35.0f64 / 3.0).sqrt()).abs() < 1e-14);
        assert_eq!(values[2], 0.0);
        normalizer.denormalize(&mut values, 2).unwrap();
        assert!(values.iter().zip(before).all(|(a, b)| (a - b).abs() < 1e-14));
        let json = serde_json::to_string(&normalizer).unwrap();
        assert_eq!(serde_json::from_str::<Normalizer>(&json).unwrap(), normalizer);
    }

    /// Values −1 and 7: mean 3, deviation 4, root mean square 5.
    #[test]
    fn uncentered_divides_by_the_root_mean_square() {
        let mut fit = NormalizerFit::new(1);
        fit.add(&[-1.0, 7.0], 2).unwrap();
        let uncentered = fit.finish().unwrap().uncentered();
        assert_eq!((uncentered.mean(), uncentered.scale()), (&[0.0][..], &[5.0][..]));
    }

    #[test]
    fn a_constant_that_rounds_differently_is_still_constant() {
        let mut fit = NormalizerFit::new(1);
        for _ in 0..10 {
            fit.add(&[0.1, 0.1 + 1e-17, 0.1], 3).unwrap();
        }
        assert_eq!(fit.finish().unwrap().scale(), [1.0]);
    }

    #[test]
    fn bad_values_are_refused() {
        let mut fit = NormalizerFit::new(2);
        assert!(matches!(fit.add(&[1.0; 5], 2), Err(Error::Mismatch { got: 1, .. })));
        assert!(matches!(fit.add(&[1.0, 2.0, f64::NAN, 0.0], 2), Err(Error::NonFiniteValue { .. })));
        assert!(matches!(fit.finish(), Err(Error::Mismatch { got: 0, .. })), "no values");
        assert!(matches!(fit.add(&[], 0), Err(Error::NoPoints)));
        fit.add(&[1.0, 2.0, 3.0, 4.0], 2).unwrap();
        let normalizer = fit.finish().unwrap();
        assert!(normalizer.normalize(&mut [0.0; 3], 2).is_err());
        assert!(matches!(normalizer.denormalize(&mut [0.0; 4], 0), Err(Error::NoPoints)));
        for json in [r#"{"mean": [0.0], "scale": []}"#, r#"{"mean": [0.0], "scale": [0.0]}"#] {
            assert!(serde_json::from_str::<Normalizer>(json).is_err(), "{json}");
        }
    }
}
