//! The deviation that a decoder gives: how large errors are expected to be where the latent state is so.

use lto_numerics::matrix::{factorize, substitute};
use serde::{Deserialize, Serialize};

/// The largest factor by which a place may differ from the scale that its lead and the sensors give it, up or down.
const MOST: f64 = 5.0;
/// Steps of the fit.
const STEPS: usize = 12;
/// Ridge, as a share of the variance of each feature.
const RIDGE: f64 = 1e-3;

/// The second head of a decoder: log d = w₀ + Σ_j (w_j f_j + v_j |f_j|) with the latent state f at the query point, within a
/// factor of 5. Fitted to held-out errors by maximum likelihood; the mean that the decoder gives stays what it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LocalScale {
    /// w₀, then the k numbers w, then the k numbers v.
    weights: Vec<f64>,
}

impl LocalScale {
    /// Whether it is for k features, and finite.
    pub fn fits(&self, k: usize) -> bool {
        self.weights.len() == 2 * k + 1 && self.weights.iter().all(|w| w.is_finite())
    }

    /// Number of features k.
    pub fn n_features(&self) -> usize {
        self.weights.len() / 2
    }

    /// d at each of M points, from features `[k, M]`.
    pub fn at(&self, features: &[f32], n: usize) -> Vec<f64> {
        let k = self.n_features();
        let mut sums = vec![self.weights[0]; n];
        for (j, row) in features.chunks_exact(n.max(1)).take(k).enumerate() {
            let (w, v) = (self.weights[1 + j], self.weights[1 + k + j]);
            sums.iter_mut().zip(row).for_each(|(sum, &f)| *sum += w * f64::from(f) + v * f64::from(f.abs()));
        }
        let most = MOST.ln();
        sums.into_iter().map(|sum| sum.clamp(-most, most).exp()).collect()
    }
}

/// Features of points with the sizes of the errors there.
#[derive(Clone, Debug, Default)]
pub struct LocalFit {
    rows: Vec<Vec<f64>>,
    sizes: Vec<f64>,
}

impl LocalFit {
    /// Adds the latent state at a point and the size of the error there, in units of its scale.
    pub fn add(&mut self, features: impl Iterator<Item = f32>, size: f64) {
        let f: Vec<f64> = features.map(f64::from).collect();
        if size.is_finite() && f.iter().all(|f| f.is_finite()) {
            let row = std::iter::once(1.0).chain(f.iter().copied()).chain(f.iter().map(|f| f.abs()));
            self.rows.push(row.collect());
            self.sizes.push(size);
        }
    }

    /// The weights under which the errors are most likely if they are exponentially distributed with mean d: minimizes
    /// Σ (log d + size / d) by Fisher scoring, Δw = (XᵀX)⁻¹ Xᵀ(size/d − 1). `None` with too few points.
    pub fn finish(&self) -> Option<LocalScale> {
        let m = self.rows.first()?.len();
        if self.rows.len() < 20 * m {
            return None;
        }
        let n = self.rows.len() as f64;
        let mut gram = vec![0.0; m * m];
        for row in &self.rows {
            for (i, a) in row.iter().enumerate() {
                row[..=i].iter().zip(&mut gram[i * m..]).for_each(|(b, sum)| *sum += a * b / n);
            }
        }
        for i in 0..m {
            let (mean, square) = (gram[i * m], gram[i * m + i]);
            gram[i * m + i] += RIDGE * (square - mean * mean) + 1e-9 * square;
        }
        factorize(&mut gram, m);
        let mut weights = vec![0.0; m];
        for _ in 0..STEPS {
            let mut slope = vec![0.0; m];
            for (row, size) in self.rows.iter().zip(&self.sizes) {
                let log: f64 = row.iter().zip(&weights).map(|(x, w)| x * w).sum();
                // A step is bounded where the start is far off.
                let off = (size / log.clamp(-MOST, MOST).exp() - 1.0).clamp(-1.0, 4.0);
                slope.iter_mut().zip(row).for_each(|(sum, x)| *sum += off * x / n);
            }
            let step = substitute(&gram, m, &slope);
            weights.iter_mut().zip(step).for_each(|(w, step)| *w += 0.7 * step);
        }
        weights.iter().all(|w| w.is_finite()).then_some(LocalScale { weights })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::pde::sample_rng;
    use rand::RngExt;

    /// Exponential errors whose mean depends on two features, on one by its size: the weights come back.
    #[test]
    fn the_weights_of_a_known_scale_come_back() {
        let mut rng = sample_rng(7, 0);
        let mut fit = LocalFit::default();
        for _ in 0..20_000 {
            let f: [f32; 2] = [rng.random::<f32>() - 0.5, rng.random::<f32>() - 0.5];
            let mean = (-0.4 + 0.8 * f64::from(f[0]) + 1.2 * f64::from(f[1].abs())).exp();
            fit.add(f.into_iter(), -mean * (1.0 - rng.random::<f64>()).ln());
        }
        let local = fit.finish().unwrap();
        assert!(local.fits(2) && !local.fits(3));
        for (w, exact) in local.weights.iter().zip([-0.4, 0.8, 0.0, 0.0, 1.2]) {
            assert!((w - exact).abs() < 0.1, "{:?}", local.weights);
        }
        let d = local.at(&[0.5, 0.0, 0.0, -0.5], 2);
        for (d, log) in d.iter().zip([-0.4 + 0.4, -0.4 + 0.6f64]) {
            assert!((d.ln() - log).abs() < 0.1, "{d:?}");
        }
        assert_eq!(local.at(&[1e6, 0.0], 1), [MOST.ln().exp()], "within a factor");
        assert!(LocalFit::default().finish().is_none());
    }
}
