//! A power spectrum in a few numbers, and as a line of text.

use lto_numerics::metric::spectrum::Spectrum;
use serde::Serialize;

/// What the spectrum of a channel says about how well the grid resolves it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpectrumSummary {
    /// Name of the channel.
    pub channel: String,
    /// The largest wavenumber the grid resolves along every axis, in cycles per unit length.
    pub nyquist: f64,
    /// `Σ κ E(κ) / Σ E(κ)`: where the energy is.
    pub mean_wavenumber: f64,
    /// Exponent p of the decay `E(κ) ~ κ^p` beyond the mean wavenumber, by least squares; `None` where fewer than
    /// three bands carry energy there.
    pub slope: Option<f64>,
    /// Part of the energy above half the Nyquist wavenumber: well below a percent where the field is resolved.
    pub fraction_above_half_nyquist: f64,
    /// Wavenumbers of the bands, without the mean of the field and up to Nyquist.
    pub wavenumber: Vec<f64>,
    /// Energy in the bands.
    pub energy: Vec<f64>,
}

impl SpectrumSummary {
    /// The summary of bands from wavenumber 0 on; `None` where only that one has energy.
    pub fn new(channel: String, nyquist: f64, spectrum: &Spectrum) -> Option<Self> {
        let bands = || spectrum.wavenumber.iter().copied().zip(spectrum.power.iter().copied()).skip(1);
        let total: f64 = bands().map(|(_, e)| e).sum();
        if !(total.is_finite() && total > 0.0) {
            return None;
        }
        let mean = bands().map(|(k, e)| k * e).sum::<f64>() / total;
        let above = bands().filter(|&(k, _)| k > 0.5 * nyquist).map(|(_, e)| e).sum::<f64>();
        // The corners beyond Nyquist are sampled in some directions only; rounding noise has no slope.
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

    /// The logarithm of the spectrum as a line of bars, twelve decades high at most.
    pub fn sparkline(&self) -> String {
        const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        const WIDTH: usize = 32;
        let peak = self.energy.iter().fold(0.0f64, |a, &b| a.max(b));
        let per_bar = self.energy.len().div_ceil(WIDTH).max(1);
        self.energy
            .chunks(per_bar)
            .map(|chunk| {
                let largest = chunk.iter().fold(0.0f64, |a, &b| a.max(b));
                let decades = (largest / peak).max(1e-12).log10();
                BARS[((1.0 + decades / 12.0) * 7.0).round() as usize]
            })
            .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(power: &[f64]) -> Option<SpectrumSummary> {
        let wavenumber = (0..power.len()).map(|k| k as f64).collect();
        let nyquist = power.len() as f64 - 1.0;
        SpectrumSummary::new("u".into(), nyquist, &Spectrum { wavenumber, power: power.to_vec() })
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
        let line = summary.sparkline();
        assert_eq!(line.chars().count(), 32);
        assert!(line.starts_with('█'));
    }

    #[test]
    fn a_single_wave_and_a_constant_are_no_power_laws() {
        let wave = summary(&[0.0, 0.0, 3.0, 0.0, 0.0]).unwrap();
        assert_eq!((wave.mean_wavenumber, wave.slope, wave.fraction_above_half_nyquist), (2.0, None, 0.0));
        assert_eq!(wave.sparkline(), "▁█▁▁");
        assert_eq!(summary(&[5.0, 0.0, 0.0]), None);
        assert_eq!(summary(&[]), None);
    }
}
