//! Random fields with a length scale, at any points.

use lto_numerics::{Domain, Points};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::TAU;

/// Waves in a field: enough for values that are close to normal.
const WAVES: usize = 256;

/// g(x) = √(2/W) Σ cos(ω_w · x + φ_w) with normal wave vectors ω of deviation 1/λ and phases φ in [0, 2π): nearly normal with
/// mean 0, deviation 1 and the covariance exp(−d²/2λ²). Along a periodic axis waves fit into the period.
pub struct CorrelatedField {
    waves: Vec<(Vec<f64>, f64)>,
}

impl CorrelatedField {
    /// A field over a domain with length scale λ.
    pub fn draw(domain: &Domain, length: f64, rng: &mut impl Rng) -> Self {
        let wave = |_| {
            let along = domain.axes().iter().map(|axis| {
                let omega: f64 = <StandardNormal as Distribution<f64>>::sample(&StandardNormal, rng) / length;
                let unit = TAU / axis.length();
                if axis.periodic { (omega / unit).round() * unit } else { omega }
            });
            let omega = along.collect();
            (omega, TAU * rng.random::<f64>())
        };
        Self { waves: (0..WAVES).map(wave).collect() }
    }

    /// The values at points.
    pub fn at(&self, points: &Points) -> Vec<f64> {
        let (size, mut x) = ((2.0 / WAVES as f64).sqrt(), vec![0.0; points.dim()]);
        let value = |i: usize| {
            points.write_point(i, &mut x);
            let phase = |(omega, phase): &(Vec<f64>, f64)| {
                omega.iter().zip(&x).map(|(omega, x)| omega * x).sum::<f64>() + phase
            };
            size * self.waves.iter().map(|wave| phase(wave).cos()).sum::<f64>()
        };
        (0..points.len()).map(value).collect()
    }
}

/// Fits λ of exp(−d²/2λ²) to products of errors of pairs of points.
#[derive(Clone, Debug, Default)]
pub struct LengthFit {
    /// Sums of products and of squares over pairs, by octave of their distance.
    octaves: std::collections::BTreeMap<i32, [f64; 2]>,
}

impl LengthFit {
    /// Adds a pair of errors at a distance.
    pub fn add(&mut self, distance: f64, a: f64, b: f64) {
        if distance > 0.0 && (a * b).is_finite() {
            let octave = self.octaves.entry((2.0 * distance.log2()).round() as i32).or_default();
            octave[0] += a * b;
            octave[1] += 0.5 * (a * a + b * b);
        }
    }

    /// Where the correlation falls to e^(−1/2): between the distances around it, in proportion to the correlations; half the
    /// shortest distance if it is lower from the start, the longest if it never is.
    pub fn length(&self) -> Option<f64> {
        let known = self.octaves.iter().filter(|(_, [_, squares])| *squares > 0.0);
        let curve: Vec<(f64, f64)> = known
            .map(|(octave, [products, squares])| (f64::from(*octave) / 2.0, products / squares))
            .collect();
        let low = (-0.5f64).exp();
        let after = curve.iter().position(|(_, correlation)| *correlation < low);
        Some(match after {
            Some(0) => (curve[0].0 - 1.0).exp2(),
            Some(i) => {
                let ((x, high), (y, below)) = (curve[i - 1], curve[i]);
                (x + (y - x) * (high - low) / (high - below)).exp2()
            }
            None => curve.last()?.0.exp2(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::pde::sample_rng;

    /// Over many fields: mean 0, variance 1, the covariance at two distances, periodic round the end; and the length comes
    /// back from pairs.
    #[test]
    fn fields_have_the_covariance_asked_for() {
        let domain = Domain::unit(1, true).unwrap();
        let places = [0.0, 0.1, 0.2, 0.95];
        let points = Points::scattered(domain.clone(), places.to_vec()).unwrap();
        let (length, n) = (0.1, 4000);
        let mut rng = sample_rng(5, 0);
        let mut fit = LengthFit::default();
        let fields: Vec<Vec<f64>> =
            (0..n).map(|_| CorrelatedField::draw(&domain, length, &mut rng).at(&points)).collect();
        let mean = |of: &dyn Fn(&[f64]) -> f64| fields.iter().map(|field| of(field)).sum::<f64>() / n as f64;
        assert!(mean(&|g| g[0]).abs() < 0.07 && (mean(&|g| g[1] * g[1]) - 1.0).abs() < 0.1);
        for (i, d) in [(1, 0.1f64), (2, 0.2), (3, 0.05)] {
            let expected = (-0.5 * (d / length).powi(2)).exp();
            assert!((mean(&|g| g[0] * g[i]) - expected).abs() < 0.07, "{d}");
        }
        let inside = mean(&|g| f64::from(u8::from(g[2].abs() < 1.0)));
        assert!((inside - 0.6827).abs() < 0.03, "{inside}");
        let line = Points::scattered(domain.clone(), (0..64).map(|i| i as f64 / 128.0).collect()).unwrap();
        for field in (0..200).map(|_| CorrelatedField::draw(&domain, length, &mut rng).at(&line)) {
            for (i, j) in (0..64).flat_map(|i| (0..i).map(move |j| (i, j))) {
                fit.add((i - j) as f64 / 128.0, field[i], field[j]);
            }
        }
        assert!((fit.length().unwrap() / length - 1.0).abs() < 0.15, "{:?}", fit.length());
    }
}
