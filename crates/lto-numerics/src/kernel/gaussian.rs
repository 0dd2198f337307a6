//! The Gaussian kernel.

use super::exp::{UNDERFLOW, exp_nonpositive};
use crate::error::{Error, Result};
use pulp::Simd;

/// κ_ℓ(x, y) = exp(−d_Ω(x, y)² / (2ℓ²)). Since d_Ω² is a sum over axes (periodic or not), κ is a product of one
/// factor per axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaussian {
    length_scale: f64,
    /// 1/(2ℓ²).
    rate: f64,
}

impl Gaussian {
    /// The kernel with length scale ℓ.
    ///
    /// # Errors
    /// ℓ is not in [1e-150, 1e150]; outside, ℓ² is not a normal number.
    pub fn new(length_scale: f64) -> Result<Self> {
        if !(1e-150..=1e150).contains(&length_scale) {
            return Err(Error::Parameter {
                name: "length_scale",
                value: length_scale.to_string(),
                requirement: "must be positive and finite (between 1e-150 and 1e150)",
            });
        }
        Ok(Self { length_scale, rate: 0.5 / (length_scale * length_scale) })
    }

    /// ℓ.
    pub fn length_scale(&self) -> f64 {
        self.length_scale
    }

    /// κ at a squared distance.
    pub fn value(&self, squared_distance: f64) -> f64 {
        (-self.rate * squared_distance).exp()
    }

    /// κ at a squared distance, for loops under vector instructions.
    #[inline(always)]
    pub(crate) fn weight<S: Simd>(&self, squared_distance: f64) -> f64 {
        exp_nonpositive::<S>(-self.rate * squared_distance)
    }

    /// The squared distance at which κ has fallen to `ratio`; never beyond the point where κ underflows to
    /// zero.
    ///
    /// Leaving out those of N points that are further away than `squared_cut_off(ε ρ / N)` changes the
    /// density ρ by at most the fraction ε, since each weighs at most ε ρ / N.
    pub fn squared_cut_off(&self, ratio: f64) -> f64 {
        (-ratio.ln()).clamp(0.0, -UNDERFLOW) / self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_shape_of_a_gaussian() {
        let kernel = Gaussian::new(0.5).unwrap();
        assert_eq!(kernel.value(0.0), 1.0);
        assert!((kernel.value(0.25) - (-0.5f64).exp()).abs() < 1e-16);
        assert!((kernel.weight::<pulp::Scalar>(0.25) - kernel.value(0.25)).abs() < 1e-15);
    }

    #[test]
    fn the_cut_off_is_where_the_kernel_has_that_value() {
        let kernel = Gaussian::new(0.03).unwrap();
        for ratio in [0.5, 1e-10, 1e-300] {
            assert!((kernel.value(kernel.squared_cut_off(ratio)) / ratio - 1.0).abs() < 1e-12);
        }
        assert_eq!(kernel.squared_cut_off(2.0), 0.0);
        assert_eq!(kernel.value(kernel.squared_cut_off(0.0)), 0.0);
    }

    #[test]
    fn bad_length_scales_are_refused() {
        for length_scale in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-200] {
            let err = Gaussian::new(length_scale).unwrap_err();
            assert!(matches!(err, Error::Parameter { name: "length_scale", .. }), "{err}");
        }
    }
}
