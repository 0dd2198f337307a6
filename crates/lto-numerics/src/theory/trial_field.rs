//! States with known bounds: sums of waves.

use super::regularity::Regularity;
use crate::domain::Domain;
use crate::error::Result;
use rand::{Rng, RngExt};
use std::f64::consts::TAU;

/// u(x) = Σ a cos(q·(x − lower) + φ), with |u| ≤ Σ|a|, |∇u| ≤ Σ|a||q| and curvature at most Σ|a||q|². On periodic axes
/// the waves are periodic too.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialField {
    lower: Vec<f64>,
    waves: Vec<Wave>,
}

#[derive(Clone, Debug, PartialEq)]
struct Wave {
    amplitude: f64,
    wavevector: [f64; 3],
    phase: f64,
}

impl TrialField {
    /// One wave: `frequency` oscillations along each axis.
    pub fn wave(domain: &Domain, amplitude: f64, frequency: i32) -> Self {
        let wavevector = wavevector(domain, |_| f64::from(frequency));
        Self { lower: lower(domain), waves: vec![Wave { amplitude, wavevector, phase: 0.3 }] }
    }

    /// `n_waves` waves of at most `max_frequency` oscillations along each axis, with amplitudes in (−1, 1).
    pub fn random(domain: &Domain, n_waves: usize, max_frequency: u16, rng: &mut impl Rng) -> Self {
        let max = f64::from(max_frequency.max(1));
        let mut wave = || {
            let mut frequency: [f64; 3] = std::array::from_fn(|_| rng.random_range(-max..=max));
            for (f, axis) in frequency.iter_mut().zip(domain.axes()) {
                if axis.periodic {
                    *f = f.round();
                }
            }
            if frequency[..domain.dim()].iter().all(|&f| f == 0.0) {
                frequency[0] = 1.0;
            }
            Wave {
                amplitude: rng.random_range(-1.0..1.0),
                wavevector: wavevector(domain, |d| frequency[d]),
                phase: rng.random_range(0.0..TAU),
            }
        };
        let waves = (0..n_waves.max(1)).map(|_| wave()).collect();
        Self { lower: lower(domain), waves }
    }

    /// u(x).
    pub fn value(&self, point: &[f64]) -> f64 {
        let phase = |wave: &Wave| {
            let along =
                point.iter().zip(&self.lower).zip(&wave.wavevector).map(|((x, low), q)| q * (x - low));
            along.sum::<f64>() + wave.phase
        };
        self.waves.iter().map(|wave| wave.amplitude * phase(wave).cos()).sum()
    }

    /// Bounds on the sum, marked as given.
    ///
    /// # Errors
    /// All amplitudes are zero.
    pub fn regularity(&self, domain: &Domain) -> Result<Regularity> {
        let bound = |power: i32| -> f64 {
            let size = |q: &[f64; 3]| q.iter().map(|q| q * q).sum::<f64>().sqrt().powi(power);
            self.waves.iter().map(|wave| wave.amplitude.abs() * size(&wave.wavevector)).sum()
        };
        Regularity::new(domain, bound(2), Some(bound(0)), Some(bound(1)))
    }
}

fn lower(domain: &Domain) -> Vec<f64> {
    domain.axes().iter().map(|axis| axis.lower).collect()
}

fn wavevector(domain: &Domain, frequency: impl Fn(usize) -> f64) -> [f64; 3] {
    let mut q = [0.0; 3];
    for (d, axis) in domain.axes().iter().enumerate() {
        q[d] = TAU * frequency(d) / axis.length();
    }
    q
}
