//! Elliptic problems with known solutions, for tests and benchmarks.

use std::f64::consts::PI;

/// A coefficient and a right-hand side of `−∇·(a∇u) = f` on the unit square with the solution they determine.
#[derive(Clone, Copy, Debug)]
pub struct EllipticProblem {
    /// `a(x, y) > 0`.
    pub coefficient: fn(f64, f64) -> f64,
    /// `f(x, y)`.
    pub right_hand_side: fn(f64, f64) -> f64,
    /// `u(x, y)`, zero on the boundary.
    pub solution: fn(f64, f64) -> f64,
}

impl EllipticProblem {
    /// A smooth problem without symmetry: `u = sin(πx) sin(2πy) eˣ`, `a = 2 + sin(3x) cos(2y) + xy`, and
    /// `f = −a Δu − ∇a·∇u`.
    pub fn smooth() -> Self {
        Self {
            coefficient: |x, y| 2.0 + (3.0 * x).sin() * (2.0 * y).cos() + x * y,
            right_hand_side: |x, y| {
                let a = 2.0 + (3.0 * x).sin() * (2.0 * y).cos() + x * y;
                let a_x = 3.0 * (3.0 * x).cos() * (2.0 * y).cos() + y;
                let a_y = -2.0 * (3.0 * x).sin() * (2.0 * y).sin() + x;
                let (sin_x, cos_x) = (PI * x).sin_cos();
                let (sin_y, cos_y) = (2.0 * PI * y).sin_cos();
                let u_x = x.exp() * (sin_x + PI * cos_x) * sin_y;
                let u_y = x.exp() * sin_x * 2.0 * PI * cos_y;
                let u_xx = x.exp() * ((1.0 - PI * PI) * sin_x + 2.0 * PI * cos_x) * sin_y;
                let u_yy = -4.0 * PI * PI * x.exp() * sin_x * sin_y;
                -a * (u_xx + u_yy) - a_x * u_x - a_y * u_y
            },
            solution: |x, y| (PI * x).sin() * (2.0 * PI * y).sin() * x.exp(),
        }
    }

    /// Coefficient, right-hand side and solution at the `n × n` vertices `x_i = i/(n−1)`, row-major.
    pub fn on_vertices(&self, n: usize) -> [Vec<f64>; 3] {
        let h = 1.0 / n.saturating_sub(1).max(1) as f64;
        [self.coefficient, self.right_hand_side, self.solution]
            .map(|f| (0..n * n).map(|p| f((p / n) as f64 * h, (p % n) as f64 * h)).collect())
    }
}

/// The solution of `−Δu = 1` on the unit square, zero on its boundary (for a constant coefficient `a` it is
/// `u/a`):
///
/// `u = x(1−x)/2 − (4/π³) Σ_{odd m} m⁻³ sin(mπx) cosh(mπ(y−½))/cosh(mπ/2)`,
///
/// summed to rounding. Zero outside the open square.
pub fn unit_source_solution(x: f64, y: f64) -> f64 {
    let to_boundary = |t: f64| t.min(1.0 - t);
    if !(to_boundary(x) > 0.0 && to_boundary(y) > 0.0) {
        return 0.0;
    }
    // u(x, y) = u(y, x), and the terms decay as exp(−mπ·(distance in y)).
    let (x, y) = if to_boundary(x) > to_boundary(y) { (y, x) } else { (x, y) };
    // A tail m⁻³ exp(−mπ·distance) below 1e-18, or m⁻³ below it alone.
    let last = (40.0 / (PI * to_boundary(y))).min(1e6) as usize;
    let series: f64 = (0..=last / 2)
        .rev()
        .map(|k| {
            let m = (2 * k + 1) as f64;
            let ratio = ((-m * PI * y).exp() + (-m * PI * (1.0 - y)).exp()) / (1.0 + (-m * PI).exp());
            (m * PI * x).sin() * ratio / m.powi(3)
        })
        .sum();
    0.5 * x * (1.0 - x) - 4.0 / PI.powi(3) * series
}
