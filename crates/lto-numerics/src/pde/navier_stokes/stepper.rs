//! Time steps of the vorticity equation.

use super::equation::VorticityEquation;
use super::transform::Buffers;
use rustfft::num_complex::Complex64;
use serde::{Deserialize, Serialize};

/// How the vorticity equation is stepped in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stepper {
    /// The classical fourth-order Runge–Kutta scheme under an integrating factor: viscosity is exact.
    RungeKutta4,
    /// Explicit Euler for advection and forcing, Crank–Nicolson for viscosity; the scheme of the public data.
    EulerCrankNicolson,
}

impl Stepper {
    /// All steppers, for tests and benchmarks.
    pub const ALL: [Stepper; 2] = [Stepper::RungeKutta4, Stepper::EulerCrankNicolson];

    /// The order p of the global error O(Δtᵖ).
    pub fn order(self) -> u32 {
        match self {
            Stepper::RungeKutta4 => 4,
            Stepper::EulerCrankNicolson => 1,
        }
    }
}

/// A stepper and the length of its steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stepping {
    /// The scheme.
    pub stepper: Stepper,
    /// Longest step.
    pub time_step: f64,
    /// No step carries anything further than this many grid spacings (1/n). Runge–Kutta is stable up to 0.95.
    pub courant: f64,
}

/// A state being integrated in time, with the memory its steps need.
pub(super) struct Integration<'a> {
    equation: &'a VorticityEquation,
    stepper: Stepper,
    state: Vec<Complex64>,
    stage: Vec<Complex64>,
    sum: Vec<Complex64>,
    /// exp(−ν(2π|k|)²Δt/2) for `factor_step` = Δt.
    factor: Vec<f64>,
    factor_step: f64,
    buffers: Buffers,
}

impl<'a> Integration<'a> {
    /// An integration from the vorticity `initial` on the grid, row-major `[x, y]`.
    pub fn new(equation: &'a VorticityEquation, stepper: Stepper, initial: &[f64]) -> Self {
        let mut buffers = equation.transform().buffers();
        let state = equation.analyze(initial, &mut buffers);
        let (stage, sum) = (state.clone(), state.clone());
        let factor = vec![1.0; state.len()];
        Self { equation, stepper, state, stage, sum, factor, factor_step: 0.0, buffers }
    }

    /// The vorticity on the grid, row-major `[x, y]`.
    pub fn write_grid(&mut self, values: &mut [f64]) {
        self.equation.synthesize(&self.state, &mut self.buffers, values);
    }

    /// Takes one step of length `choose_step(largest |u| on the grid)` and returns that length.
    pub fn step(&mut self, choose_step: impl FnOnce(f64) -> f64) -> f64 {
        let dt = choose_step(self.equation.advect_measuring(&self.state, &mut self.buffers));
        match self.stepper {
            Stepper::RungeKutta4 => self.finish_runge_kutta(dt),
            Stepper::EulerCrankNicolson => self.finish_euler(dt),
        }
        dt
    }

    /// The step of length `dt` whose first stage has been advected.
    fn finish_runge_kutta(&mut self, dt: f64) {
        let Self { equation, state, stage, sum, factor, buffers, .. } = self;
        if self.factor_step != dt {
            let damping = equation.damping();
            factor.iter_mut().zip(damping).for_each(|(e, rate)| *e = (-0.5 * dt * rate).exp());
            self.factor_step = dt;
        }
        equation.for_each_tendency(buffers, |i, k| {
            let e = factor[i];
            sum[i] = (state[i] + k * (dt / 6.0)) * (e * e);
            stage[i] = (state[i] + k * (dt / 2.0)) * e;
        });
        equation.advect(stage, buffers);
        equation.for_each_tendency(buffers, |i, k| {
            sum[i] += k * (dt / 3.0 * factor[i]);
            stage[i] = state[i] * factor[i] + k * (dt / 2.0);
        });
        equation.advect(stage, buffers);
        equation.for_each_tendency(buffers, |i, k| {
            let e = factor[i];
            sum[i] += k * (dt / 3.0 * e);
            stage[i] = (state[i] * e + k * dt) * e;
        });
        equation.advect(stage, buffers);
        equation.for_each_tendency(buffers, |i, k| state[i] = sum[i] + k * (dt / 6.0));
    }

    /// The step of length `dt` whose state has been advected.
    fn finish_euler(&mut self, dt: f64) {
        let damping = self.equation.damping();
        let state = &mut self.state;
        self.equation.for_each_tendency(&self.buffers, |i, k| {
            let half = 0.5 * dt * damping[i];
            state[i] = (state[i] * (1.0 - half) + k * dt) / (1.0 + half);
        });
    }
}
