//! What a file holds: how it was understood, the range of its values, how well its grid resolves them.

use super::format::csv::{PointCloud, Table};
use super::{Dataset, DatasetInfo, DatasetKind, DatasetSummary};
use crate::error::Result;
use crate::field::Field;
use crate::metric::spectrum::{Spectrum, power_spectrum};
use crate::sample::Sample;
use serde::Serialize;

/// Number of samples a spectrum is averaged over.
const SPECTRUM_SAMPLES: usize = 4;

/// A report about a file. The keys of its JSON are stable.
#[derive(Serialize)]
pub struct Inspection {
    /// What was recognized.
    pub dataset: DatasetInfo,
    /// Statistics of the samples read; `None` if the arrays are not understood.
    pub summary: Option<DatasetSummary>,
    /// Spectrum of each channel at its last frame; empty if the grid is unknown or not uniform.
    pub spectra: Vec<ChannelSpectrum>,
    /// The columns of a point cloud.
    pub cloud: Option<CloudColumns>,
}

impl Inspection {
    /// Looks at the first `n_samples` samples. `info` is the dataset's own, possibly with better advice.
    ///
    /// # Errors
    /// A damaged file.
    pub fn new(dataset: &mut Dataset, info: DatasetInfo, n_samples: usize) -> Result<Self> {
        let wanted = n_samples.min(info.n_samples);
        let summary = match info.kind {
            Some(_) if wanted > 0 => Some(DatasetSummary::of(dataset, Some(wanted))?),
            _ => None,
        };
        let spectra = spectra(dataset, wanted.min(SPECTRUM_SAMPLES))?;
        let cloud = |table: &Table| CloudColumns::new(&PointCloud::from(table));
        let cloud = dataset.table().map(cloud);
        Ok(Self { dataset: info, summary, spectra, cloud })
    }
}

/// The mean spectrum of each channel over the first samples, sources before targets.
fn spectra(dataset: &mut Dataset, n_samples: usize) -> Result<Vec<ChannelSpectrum>> {
    let names = match &dataset.info().kind {
        Some(DatasetKind::Evolution { channels }) => channels.clone(),
        Some(DatasetKind::Steady { source, target }) => [source.clone(), target.clone()].concat(),
        None => return Ok(Vec::new()),
    };
    let Some(grid) = dataset.grid().cloned() else { return Ok(Vec::new()) };
    if (0..grid.dim()).any(|d| grid.placement(d).is_none()) {
        return Ok(Vec::new());
    }
    let mut sums: Vec<Option<(Spectrum, usize)>> = vec![None; names.len()];
    let last = dataset.info().times.len().saturating_sub(1);
    for index in 0..n_samples {
        let fields = match &dataset.info().kind {
            Some(DatasetKind::Evolution { .. }) => vec![dataset.read_frames(index, last..last + 1)?.field(0)],
            _ => dataset
                .read(index..index + 1)?
                .into_iter()
                .flat_map(|sample| match sample {
                    Sample::Steady { source, target } => vec![source, target],
                    Sample::Evolution(_) => Vec::new(),
                })
                .collect(),
        };
        let channels = fields.iter().flat_map(|f| (0..f.n_channels()).map(move |c| f.channel(c)));
        for (sum, values) in sums.iter_mut().zip(channels) {
            // A field with holes has no spectrum; the table of values says where they are.
            if values.iter().any(|value| !value.is_finite()) {
                continue;
            }
            let spectrum = power_spectrum(&Field::new(grid.clone(), 1, values.to_vec())?)?;
            match sum {
                None => *sum = Some((spectrum, 1)),
                Some((sum, count)) => {
                    sum.power.iter_mut().zip(spectrum.power).for_each(|(a, b)| *a += b);
                    *count += 1;
                }
            }
        }
    }
    let nyquist = (0..grid.dim()).map(|d| 0.5 / grid.spacing(d)).fold(f64::INFINITY, f64::min);
    let summaries = names.into_iter().zip(sums).filter_map(|(name, sum)| {
        let (mut mean, count) = sum?;
        mean.power.iter_mut().for_each(|power| *power /= count as f64);
        ChannelSpectrum::new(name, nyquist, &mean)
    });
    Ok(summaries.collect())
}

/// What the spectrum of a channel says about how well the grid resolves it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChannelSpectrum {
    /// Name of the channel.
    pub channel: String,
    /// The largest wavenumber the grid resolves along every axis, in cycles per unit length.
    pub nyquist: f64,
    /// `Σ κ E(κ) / Σ E(κ)`: where the energy is.
    pub mean_wavenumber: f64,
    /// Exponent p of the decay `E(κ) ~ κ^p` beyond the mean wavenumber, by least squares; `None` if fewer
    /// than three bands carry energy there.
    pub slope: Option<f64>,
    /// Fraction of the energy above half the Nyquist wavenumber: well below a percent if the field is
    /// resolved.
    pub fraction_above_half_nyquist: f64,
    /// Wavenumbers of the bands up to Nyquist, without the field's mean.
    pub wavenumber: Vec<f64>,
    /// Energy in the bands.
    pub energy: Vec<f64>,
}

impl ChannelSpectrum {
    /// The summary of bands starting at wavenumber 0; `None` if only that one has energy.
    fn new(channel: String, nyquist: f64, spectrum: &Spectrum) -> Option<Self> {
        let bands = || spectrum.wavenumber.iter().copied().zip(spectrum.power.iter().copied()).skip(1);
        let total: f64 = bands().map(|(_, e)| e).sum();
        if !(total.is_finite() && total > 0.0) {
            return None;
        }
        let mean = bands().map(|(k, e)| k * e).sum::<f64>() / total;
        let above = bands().filter(|&(k, _)| k > 0.5 * nyquist).map(|(_, e)| e).sum::<f64>();
        // Corners beyond Nyquist are sampled in some directions only, and rounding noise has no slope.
        let (wavenumber, energy): (Vec<f64>, Vec<f64>) =
            bands().filter(|&(k, _)| k <= nyquist * (1.0 + 1e-9)).unzip();
        let floor = 1e-14 * energy.iter().fold(0.0f64, |a, &b| a.max(b));
        let tail: Vec<(f64, f64)> = wavenumber
            .iter()
            .zip(&energy)
            .filter(|&(&k, &e)| k >= mean && e > floor)
            .map(|(k, e)| (k.ln(), e.ln()))
            .collect();
        Some(Self {
            channel,
            nyquist,
            mean_wavenumber: mean,
            slope: slope(&tail),
            fraction_above_half_nyquist: above / total,
            wavenumber,
            energy,
        })
    }
}

/// The slope of the least-squares line.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < 3 {
        return None;
    }
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let (xx, xy) =
        points.iter().fold((0.0, 0.0), |(xx, xy), p| (xx + (p.0 - x).powi(2), xy + (p.0 - x) * (p.1 - y)));
    (xx > 0.0).then(|| xy / xx)
}

/// A point cloud in brief.
#[derive(Serialize)]
pub struct CloudColumns {
    /// Number of points.
    pub n_points: usize,
    /// Coordinates, then the time, then the values.
    pub columns: Vec<ColumnRange>,
    /// Text columns, which are not read.
    pub text_columns: Vec<String>,
}

/// The range of one column.
#[derive(Serialize)]
pub struct ColumnRange {
    /// Name in the file.
    pub name: String,
    /// `coordinate`, `time` or `value`.
    pub role: &'static str,
    /// Smallest entry; `None` if there is none.
    pub min: Option<f64>,
    /// Largest entry.
    pub max: Option<f64>,
    /// Mean of the entries.
    pub mean: Option<f64>,
    /// Number of missing entries.
    pub n_missing: usize,
}

impl CloudColumns {
    fn new(cloud: &PointCloud) -> Self {
        let dim = cloud.axis_names.len().max(1);
        let coordinates = cloud.axis_names.iter().enumerate().map(|(d, name)| {
            let entries = cloud.coordinates.iter().skip(d).step_by(dim);
            ColumnRange::new(name, "coordinate", entries)
        });
        let times = cloud.times.iter().map(|(name, times)| ColumnRange::new(name, "time", times));
        let values = cloud.value_names.iter().zip(&cloud.values);
        let values = values.map(|(name, values)| ColumnRange::new(name, "value", values));
        Self {
            n_points: cloud.len(),
            columns: coordinates.chain(times).chain(values).collect(),
            text_columns: cloud.text_names.clone(),
        }
    }
}

impl ColumnRange {
    fn new<'a>(name: &str, role: &'static str, entries: impl IntoIterator<Item = &'a f64>) -> Self {
        let (finite, missing): (Vec<f64>, Vec<f64>) =
            entries.into_iter().partition(|entry| entry.is_finite());
        let known = |value: f64| (!finite.is_empty()).then_some(value);
        Self {
            name: name.into(),
            role,
            min: known(finite.iter().fold(f64::INFINITY, |a, &b| a.min(b))),
            max: known(finite.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b))),
            mean: known(finite.iter().sum::<f64>() / finite.len() as f64),
            n_missing: missing.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(power: &[f64]) -> Option<ChannelSpectrum> {
        let wavenumber = (0..power.len()).map(|k| k as f64).collect();
        let nyquist = power.len() as f64 - 1.0;
        ChannelSpectrum::new("u".into(), nyquist, &Spectrum { wavenumber, power: power.to_vec() })
    }

    #[test]
    fn a_power_law_has_its_exponent_and_tail() {
        let energy: Vec<f64> = (0..65).map(|k| if k == 0 { 9.0 } else { f64::from(k).powi(-2) }).collect();
        let summary = summary(&energy).unwrap();
        assert!((summary.slope.unwrap() + 2.0).abs() < 1e-9);
        let total: f64 = energy[1..].iter().sum();
        let mean = (1..65).map(|k| 1.0 / f64::from(k)).sum::<f64>() / total;
        assert!((summary.mean_wavenumber - mean).abs() < 1e-12);
        let tail = energy[33..].iter().sum::<f64>() / total;
        assert!((summary.fraction_above_half_nyquist - tail).abs() < 1e-12);
    }

    #[test]
    fn a_single_wave_and_a_constant_are_no_power_laws() {
        let wave = summary(&[0.0, 0.0, 3.0, 0.0, 0.0]).unwrap();
        assert_eq!((wave.mean_wavenumber, wave.slope, wave.fraction_above_half_nyquist), (2.0, None, 0.0));
        assert_eq!(summary(&[5.0, 0.0, 0.0]), None);
        assert_eq!(summary(&[]), None);
    }
}
