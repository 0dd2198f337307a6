//! The rate at which errors fall with the number of sensors.

use lto_numerics::theory::RateFit;

/// An error within this factor of the smallest is the model's own, not due to too few sensors.
const FLOOR: f64 = 1.5;

/// A power law through the errors due to too few sensors; with more sensors only the model's own error is
/// left.
#[derive(Clone, Copy, Debug)]
pub struct SensorRate {
    /// The fit; `None` if fewer than two sizes are left.
    pub fit: Option<RateFit>,
    /// How many sizes, from the smallest, are fitted.
    pub fitted: usize,
}

impl SensorRate {
    /// Fits the errors at sizes in ascending order.
    pub fn of(sizes: &[f64], errors: &[f64]) -> Self {
        let floor = errors.iter().copied().fold(f64::INFINITY, f64::min);
        let fitted = errors.iter().take_while(|error| **error > FLOOR * floor).count();
        Self { fit: RateFit::fit(&sizes[..fitted], &errors[..fitted]).ok(), fitted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_fitted_where_sensors_are_what_is_missing() {
        let rate = SensorRate::of(&[16.0, 64.0, 256.0, 1024.0, 4096.0], &[0.4, 0.2, 0.1, 0.06, 0.05]);
        assert_eq!(rate.fitted, 3);
        assert!((rate.fit.unwrap().slope + 0.5).abs() < 1e-12);
        assert!(SensorRate::of(&[16.0, 64.0], &[0.4, 0.39]).fit.is_none());
        assert!(SensorRate::of(&[], &[]).fit.is_none());
    }
}
