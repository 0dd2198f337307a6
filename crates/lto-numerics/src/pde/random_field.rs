//! Gaussian random fields on the periodic unit square.

use super::spectral::RealTransform;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use rustfft::num_complex::Complex64;
use std::f64::consts::FRAC_1_SQRT_2;

/// Draws a zero-mean real Gaussian field on the n × n grid x_i = i/n, n ≥ 1, row-major `[x, y]`:
/// Σ_{k ≠ 0} σ(|k|²) (ξ_k cos 2πk·x + η_k sin 2πk·x), |k_x|, |k_y| < n/2, with independent standard normal ξ and η
/// and σ = `deviation`. Its variance at every point is Σ σ².
///
/// Modes are drawn from the longest waves to the shortest, so that one random stream gives the same field on
/// every grid, up to the modes that the coarser grid cannot hold.
pub fn periodic_gaussian_field(n: usize, deviation: impl Fn(f64) -> f64, rng: &mut impl Rng) -> Vec<f64> {
    let half = n / 2 + 1;
    let mut modes = vec![Complex64::default(); n * half];
    let place = |k: i64| k.rem_euclid(n as i64) as usize;
    // The inverse transform divides by n².
    let scale = FRAC_1_SQRT_2 * (n * n) as f64;
    for (kx, ky) in half_plane(n.saturating_sub(1) / 2) {
        let (xi, eta): (f64, f64) = (StandardNormal.sample(rng), StandardNormal.sample(rng));
        // √2 σ (ξ cos + η sin) for the pair k, −k, as two conjugate exponentials.
        let mode = Complex64::new(xi, -eta) * (deviation((kx * kx + ky * ky) as f64) * scale);
        if ky >= 0 {
            modes[place(kx) * half + place(ky)] = mode;
        }
        if ky <= 0 {
            modes[place(-kx) * half + place(-ky)] = mode.conj();
        }
    }
    RealTransform::new(&[n], n).inverse(modes)
}

/// One of each pair k, −k of non-zero wavenumbers up to `largest`, by increasing max(|k_x|, |k_y|).
fn half_plane(largest: usize) -> impl Iterator<Item = (i64, i64)> {
    (1..=largest as i64).flat_map(|r| {
        let sides = (1 - r..r).flat_map(move |k| [(r, k), (k, r)]);
        sides.chain([(r, r), (r, -r)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::sample_rng;
    use std::collections::HashSet;

    fn deviation(k2: f64) -> f64 {
        (1.0 + k2).powf(-1.25)
    }

    #[test]
    fn every_pair_of_wavenumbers_is_drawn_once() {
        let half: Vec<_> = half_plane(5).collect();
        let full: HashSet<_> = half.iter().flat_map(|&(a, b)| [(a, b), (-a, -b)]).collect();
        assert_eq!((half.len(), full.len()), (60, 11 * 11 - 1));
        assert!(!full.contains(&(0, 0)));
    }

    #[test]
    fn a_seed_gives_the_same_field_on_every_grid() {
        let band_limited = |k2: f64| if k2 < 49.0 { deviation(k2) } else { 0.0 };
        let fine = periodic_gaussian_field(48, band_limited, &mut sample_rng(3, 1));
        let coarse = periodic_gaussian_field(16, band_limited, &mut sample_rng(3, 1));
        for (index, value) in coarse.iter().enumerate() {
            let same_place = fine[(index / 16) * 3 * 48 + (index % 16) * 3];
            assert!((value - same_place).abs() < 1e-13, "{index}: {value} {same_place}");
        }
        assert!(coarse.iter().sum::<f64>().abs() < 1e-11);
    }

    #[test]
    fn the_covariance_is_that_of_the_formula() {
        let (n, draws) = (16, 4000);
        let covariance = |dx: usize, dy: usize| -> f64 {
            let phase = |kx: i64, ky: i64| (kx * dx as i64 + ky * dy as i64) as f64 / n as f64;
            let term = |(kx, ky): (i64, i64)| {
                2.0 * deviation((kx * kx + ky * ky) as f64).powi(2)
                    * (std::f64::consts::TAU * phase(kx, ky)).cos()
            };
            half_plane(n / 2 - 1).map(term).sum()
        };
        let lags = [(0, 0), (2, 0), (0, 2), (1, 3), (3, 13)];
        let mut sums = [0.0; 5];
        for draw in 0..draws {
            let field = periodic_gaussian_field(n, deviation, &mut sample_rng(8, draw));
            for (sum, &(dx, dy)) in sums.iter_mut().zip(&lags) {
                *sum += field[5 * n + 1] * field[(5 + dx) % n * n + (1 + dy) % n];
            }
        }
        // Five standard deviations of the estimate.
        let tolerance = 5.0 * covariance(0, 0) * (2.0 / draws as f64).sqrt();
        for (sum, &(dx, dy)) in sums.iter().zip(&lags) {
            let (got, expected) = (sum / draws as f64, covariance(dx, dy));
            assert!((got - expected).abs() < tolerance, "lag {dx},{dy}: {got} {expected}");
        }
    }
}
