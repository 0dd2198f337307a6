//! Closed-form solutions against which solvers are measured, in tests and benchmarks.

use std::f64::consts::PI;

/// A periodic Gaussian bump on the unit box and its heat flow:
/// `u(x, τ) = A (w²/(w²+2τ))^{D/2} Σ_{m ∈ Z^D} exp(−|x−c+m|² / (2(w²+2τ)))` solves `∂u/∂τ = Δu`.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatBump {
    /// c, one coordinate per dimension.
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

/// A smooth periodic solution of Burgers `∂u/∂t + u ∂u/∂x = κ ∂²u/∂x²` by the Cole–Hopf substitution:
/// `u = −2κ ∂(ln φ)/∂x` with the heat flow `φ(x, t) = 1 + a exp(−κk²t) cos kx`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BurgersWave {
    /// κ.
    pub diffusivity: f64,
    /// k; the period is 2π/k.
    pub wavenumber: f64,
    /// a in (−1, 1); the closer to ±1, the steeper.
    pub strength: f64,
}

impl BurgersWave {
    /// `u(x, t)`.
    pub fn value(&self, x: f64, t: f64) -> f64 {
        let &Self { diffusivity, wavenumber, .. } = self;
        2.0 * diffusivity * wavenumber * self.decayed(t) * (wavenumber * x).sin() / self.heat(x, t)
    }

    /// The average of `u(·, t)` over `[lower, upper]`, exactly.
    pub fn average(&self, lower: f64, upper: f64, t: f64) -> f64 {
        -2.0 * self.diffusivity * (self.heat(upper, t) / self.heat(lower, t)).ln() / (upper - lower)
    }

    fn decayed(&self, t: f64) -> f64 {
        self.strength * (-self.diffusivity * self.wavenumber.powi(2) * t).exp()
    }

    fn heat(&self, x: f64, t: f64) -> f64 {
        1.0 + self.decayed(t) * (self.wavenumber * x).cos()
    }
}

/// The solution of Burgers `∂u/∂t + u ∂u/∂x = κ ∂²u/∂x²` from `u(x, 0) = −sin πx` on `[−1, 1]`, which steepens
/// into a standing shock of width ~κ at x = 0. By Cole–Hopf and with `η = √(4κt) z`,
/// `u = −∫ sin π(x−η) w dz / ∫ w dz`, `w = exp(−cos π(x−η)/(2πκ) − z²)`.
///
/// The trapezoidal rule over the whole line converges faster than any power of its step for such integrands;
/// the step used is exact to rounding for `t ≤ 2`.
pub fn burgers_sine(x: f64, t: f64, diffusivity: f64) -> f64 {
    const STEP: f64 = 0.05;
    let contrast = 1.0 / (2.0 * PI * diffusivity);
    // Beyond this |z| the weight is at most e^−40 of its largest value.
    let n_terms = ((2.0 * contrast + 40.0).sqrt() / STEP).ceil() as i64;
    let angle = |z: f64| PI * (x - (4.0 * diffusivity * t).sqrt() * z);
    let exponent = |z: f64| -contrast * angle(z).cos() - z * z;
    let nodes = || (-n_terms..=n_terms).map(|term| STEP * term as f64);
    // Relative to the largest, since the weights would otherwise overflow for small κ.
    let largest = nodes().map(exponent).fold(f64::NEG_INFINITY, f64::max);
    let (mut numerator, mut denominator) = (0.0, 0.0);
    for z in nodes() {
        let weight = (exponent(z) - largest).exp();
        numerator -= angle(z).sin() * weight;
        denominator += weight;
    }
    numerator / denominator
}
