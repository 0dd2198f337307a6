//! The empirical rate of a power law. It describes measurements and certifies nothing.

use crate::error::{Error, Result};
use crate::grid::expect;
use serde::Serialize;

/// `error ≈ factor · n^slope`, by least squares in the logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RateFit {
    /// The exponent.
    pub slope: f64,
    /// The fitted error at n = 1.
    pub factor: f64,
    /// Standard error of the slope; 0 if two points leave nothing to judge by.
    pub standard_error: f64,
    /// Half the width of the 95 % confidence interval of the slope, by Student's t, as if the deviations were
    /// independent and normal. It does not cover a curve that is not a power law. 0 if the standard error is.
    pub half_width: f64,
}

impl RateFit {
    /// Fits errors at sizes n.
    ///
    /// # Errors
    /// Fewer than two different sizes, or a size or error that is not positive and finite.
    pub fn fit(sizes: &[f64], errors: &[f64]) -> Result<Self> {
        expect("number of errors to fit", sizes.len(), errors.len())?;
        for &value in sizes.iter().chain(errors) {
            if !(value > 0.0 && value.is_finite()) {
                let requirement = "sizes and errors must be positive and finite";
                return Err(Error::Parameter { name: "rate fit", value: value.to_string(), requirement });
            }
        }
        let n = sizes.len() as f64;
        let (x, y): (Vec<f64>, Vec<f64>) =
            (sizes.iter().map(|v| v.ln()).collect(), errors.iter().map(|v| v.ln()).collect());
        let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
        let spread: f64 = x.iter().map(|x| (x - mean_x).powi(2)).sum();
        if spread == 0.0 {
            let requirement = "at least two different sizes are needed";
            return Err(Error::Parameter { name: "rate fit", value: format!("{sizes:?}"), requirement });
        }
        let slope = x.iter().zip(&y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
        let residual: f64 = x.iter().zip(&y).map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum();
        let freedom = sizes.len() - 2;
        let standard_error = if freedom > 0 { (residual / freedom as f64 / spread).sqrt() } else { 0.0 };
        let half_width = student(freedom) * standard_error;
        Ok(Self { slope, factor: (mean_y - slope * mean_x).exp(), standard_error, half_width })
    }

    /// Whether the confidence interval contains a slope.
    pub fn agrees_with(&self, slope: f64) -> bool {
        (self.slope - slope).abs() <= self.half_width
    }

    /// The fitted error at size n.
    pub fn at(&self, n: f64) -> f64 {
        self.factor * n.powf(self.slope)
    }
}

/// The 97.5 % quantile of Student's distribution, for 95 % intervals: a table, then the Cornish–Fisher
/// expansion. 0 for zero degrees of freedom.
pub fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 11] = [0.0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    let nu = freedom as f64;
    TABLE.get(freedom).copied().unwrap_or(1.95996 + 2.3723 / nu + 2.8225 / (nu * nu))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// About 95 % of the intervals of many noisy fits contain the truth.
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for n in [4, 20] {
            let sizes: Vec<f64> = (0..n).map(|i| f64::from(i).exp()).collect();
            let fits = 4000;
            let mut hold = 0u32;
            for _ in 0..fits {
                // The sum of twelve uniform numbers is nearly normal.
                let mut noise = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
                let errors: Vec<f64> = sizes.iter().map(|n| (0.3 * noise()).exp() / n.sqrt()).collect();
                hold += u32::from(RateFit::fit(&sizes, &errors).unwrap().agrees_with(-0.5));
            }
            let share = f64::from(hold) / f64::from(fits);
            assert!((share - 0.95).abs() < 0.015, "{n}: {share}");
        }
        assert!((student(11) - 2.201).abs() < 3e-3 && (student(1000) - 1.9623).abs() < 1e-3);
    }

    #[test]
    fn a_power_law_is_found_exactly() {
        let sizes = [16.0, 64.0, 256.0, 1024.0];
        let fit = RateFit::fit(&sizes, &sizes.map(|n| 0.7 * n.powf(-1.0 / 3.0))).unwrap();
        assert!((fit.slope + 1.0 / 3.0).abs() < 1e-13 && (fit.factor - 0.7).abs() < 1e-12, "{fit:?}");
        assert!(fit.standard_error < 1e-12 && (fit.at(100.0) - 0.7 * 100f64.powf(-1.0 / 3.0)).abs() < 1e-12);
    }

    /// By hand: logarithms (0, 0), (1, 1), (2, 0) have slope 0, residuals −1/3, 2/3, −1/3.
    #[test]
    fn the_standard_error_is_that_of_least_squares() {
        let e = std::f64::consts::E;
        let fit = RateFit::fit(&[1.0, e, e * e], &[1.0, e, 1.0]).unwrap();
        assert!(fit.slope.abs() < 1e-14 && (fit.factor.ln() - 1.0 / 3.0).abs() < 1e-14, "{fit:?}");
        assert!((fit.standard_error - (6.0f64 / 9.0 / 2.0).sqrt()).abs() < 1e-12, "{fit:?}");
    }

    #[test]
    fn what_has_no_rate_is_refused() {
        assert!(RateFit::fit(&[4.0], &[0.1]).is_err());
        assert!(RateFit::fit(&[4.0, 4.0], &[0.1, 0.2]).is_err());
        assert!(RateFit::fit(&[4.0, 8.0], &[0.1, 0.0]).is_err());
        assert!(RateFit::fit(&[4.0, 8.0], &[0.1]).is_err());
    }
}
