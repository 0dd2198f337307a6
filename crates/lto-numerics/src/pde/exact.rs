//! Closed-form solutions: what solvers are measured against, in tests and benchmarks.

/// A periodic Gaussian bump on the unit box and its heat flow:
/// `u(x, τ) = A (w²/(w²+2τ))^{D/2} Σ_{m ∈ Z^D} exp(−|x−c+m|² / (2(w²+2τ)))` solves `∂u/∂τ = Δu`.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatBump {
    /// c, one coordinate for each dimension.
    pub center: Vec<f64>,
    /// w, the standard deviation at τ = 0.
    pub width: f64,
    /// A, of either sign.
    pub amplitude: f64,
}

impl HeatBump {
    /// The factor of axis `d` at coordinate `x`; the solution is `amplitude` times the product over the axes.
    pub fn factor(&self, d: usize, x: f64, amount: f64) -> f64 {
        let variance = self.width * self.width + 2.0 * amount;
        let displacement = (x - self.center[d]) - (x - self.center[d]).round();
        // Beyond nine standard deviations a Gaussian is below rounding.
        let reach = (9.0 * variance.sqrt() + 0.5).ceil() as i64;
        let images = -reach..=reach;
        let sum: f64 = images.map(|m| (-(displacement + m as f64).powi(2) / (2.0 * variance)).exp()).sum();
        sum * self.width / variance.sqrt()
    }

    /// `u(x, τ)` at one point.
    pub fn value(&self, point: &[f64], amount: f64) -> f64 {
        let factors = point.iter().enumerate().map(|(d, &x)| self.factor(d, x, amount));
        self.amplitude * factors.product::<f64>()
    }
}
