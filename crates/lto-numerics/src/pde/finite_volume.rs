//! Finite volumes for scalar conservation laws `∂u/∂t + ∂f(u)/∂x = κ ∂²u/∂x²` on a periodic interval: limited
//! linear reconstruction, upwind flux, midpoint steps. Second order where the solution is smooth, no
//! oscillation where it is not, and `Σ u` constant to rounding.
//!
//! The unknowns are cell averages; values at cell centers agree with them to second order in the cell width.

use super::require;
use crate::error::{Error, Result};
use crate::field::check_times;

/// A scalar conservation law.
pub trait ConservationLaw {
    /// Name for messages.
    const NAME: &'static str;

    /// The upwind flux through a face between the states `left` and `right`; it is `f(u)` if both are `u`.
    fn flux(&self, left: f64, right: f64) -> f64;

    /// The largest `|f′(u)|` for `u` in `[low, high]`.
    fn max_speed(&self, low: f64, high: f64) -> f64;

    /// κ ≥ 0.
    fn diffusivity(&self) -> f64;
}

/// Advective Courant number of a step.
const COURANT: f64 = 0.25;
/// Largest `κ Δt/Δx²` of a step: half the stability limit of explicit diffusion.
const DIFFUSION_NUMBER: f64 = 0.25;

/// Steps per unit of time that keep a solution with values in `[low, high]` stable on cells of width
/// `spacing`.
pub fn step_rate(law: &impl ConservationLaw, low: f64, high: f64, spacing: f64) -> f64 {
    let advective = law.max_speed(low, high) / (COURANT * spacing);
    let diffusive = law.diffusivity() / (DIFFUSION_NUMBER * spacing * spacing);
    advective.max(diffusive)
}

/// Solves a law from the cell averages `initial` at `times[0]`, on a periodic interval of
/// `initial.len() × spacing`. After every saved time the step is chosen afresh from the range of values
/// there, which the exact solution never leaves.
///
/// # Shapes
/// The result is `[time, cell]`; its first frame is `initial` itself.
///
/// # Errors
/// No cells, a width that is not positive, times that do not increase, or initial or computed values that are
/// not finite.
pub fn solve(law: &impl ConservationLaw, initial: &[f64], spacing: f64, times: &[f64]) -> Result<Vec<f64>> {
    check_times(times)?;
    let positive = spacing > 0.0 && spacing.is_finite();
    require(positive, "spacing", spacing, "must be positive and finite")?;
    require(!initial.is_empty(), "number of cells", 0, "must be at least 1")?;
    let n_cells = initial.len();
    let mut values = Vec::with_capacity(n_cells * times.len());
    values.extend_from_slice(initial);
    let mut workspace = Workspace::new(n_cells);
    let mut state = initial.to_vec();
    for interval in times.windows(2) {
        let (low, high) =
            range(&state).ok_or(Error::Diverged { solver: law_name(law), time: interval[0] })?;
        let duration = interval[1] - interval[0];
        let n_steps = (duration * step_rate(law, low, high, spacing)).ceil().max(1.0);
        let step = duration / n_steps;
        for _ in 0..n_steps as u64 {
            workspace.step(law, &mut state, step, spacing);
        }
        values.extend_from_slice(&state);
    }
    let time = times[times.len() - 1];
    range(&state).ok_or(Error::Diverged { solver: law_name(law), time })?;
    Ok(values)
}

fn law_name<L: ConservationLaw>(_: &L) -> &'static str {
    L::NAME
}

/// Smallest and largest value; `None` if one is not finite.
fn range(values: &[f64]) -> Option<(f64, f64)> {
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    for &u in values {
        if !u.is_finite() {
            return None;
        }
        range = (range.0.min(u), range.1.max(u));
    }
    Some(range)
}

/// Cells on either side of the interval that repeat the other end.
const GHOSTS: usize = 2;

/// Buffers of one solve.
struct Workspace {
    /// Cell averages between ghosts.
    padded: Vec<f64>,
    /// Reconstructed values at the left and right face of each cell, with one ghost on either side.
    faces: [Vec<f64>; 2],
    /// Fluxes through the left face of each cell, and through the last cell's right one.
    fluxes: Vec<f64>,
    middle: Vec<f64>,
}

impl Workspace {
    fn new(n_cells: usize) -> Self {
        let cells = |extra: usize| vec![0.0; n_cells + extra];
        Self { padded: cells(2 * GHOSTS), faces: [cells(2), cells(2)], fluxes: cells(1), middle: cells(0) }
    }

    /// `u* = u + ½Δt L(u)`, then `u ← u + Δt L(u*)`.
    fn step(&mut self, law: &impl ConservationLaw, state: &mut [f64], step: f64, spacing: f64) {
        self.compute_fluxes(law, state, spacing);
        let half = 0.5 * step / spacing;
        let faces = self.fluxes.iter().zip(&self.fluxes[1..]);
        for ((middle, &u), (inflow, outflow)) in self.middle.iter_mut().zip(&*state).zip(faces) {
            *middle = u + half * (inflow - outflow);
        }
        let middle = std::mem::take(&mut self.middle);
        self.compute_fluxes(law, &middle, spacing);
        self.middle = middle;
        let full = step / spacing;
        let faces = self.fluxes.iter().zip(&self.fluxes[1..]);
        for (u, (inflow, outflow)) in state.iter_mut().zip(faces) {
            *u += full * (inflow - outflow);
        }
    }

    /// Fluxes of the reconstructed state, less κ ∂u/∂x.
    fn compute_fluxes(&mut self, law: &impl ConservationLaw, state: &[f64], spacing: f64) {
        let n = state.len();
        self.pad(state);
        let [left, right] = &mut self.faces;
        let cells = self.padded.iter().zip(&self.padded[1..]).zip(&self.padded[2..]);
        for ((left, right), ((&before, &u), &after)) in left.iter_mut().zip(right).zip(cells) {
            let half_slope = 0.5 * limited_slope(u - before, after - u);
            *left = u - half_slope;
            *right = u + half_slope;
        }
        let gradient_factor = law.diffusivity() / spacing;
        let [left, right] = &self.faces;
        let states = right.iter().zip(&left[1..]);
        let averages = self.padded[1..].iter().zip(&self.padded[2..]);
        for ((flux, (&left, &right)), (before, after)) in self.fluxes.iter_mut().zip(states).zip(averages) {
            *flux = law.flux(left, right) - gradient_factor * (after - before);
        }
        self.fluxes[n] = self.fluxes[0];
    }

    fn pad(&mut self, state: &[f64]) {
        let n = state.len();
        self.padded[GHOSTS..GHOSTS + n].copy_from_slice(state);
        for ghost in 0..GHOSTS {
            // Modulo because the interval may have fewer cells than ghosts.
            self.padded[GHOSTS - 1 - ghost] = state[n - 1 - ghost % n];
            self.padded[GHOSTS + n + ghost] = state[ghost % n];
        }
    }
}

/// The monotonized central slope: the smallest of twice either one-sided difference and their mean, zero where
/// the differences differ in sign.
#[inline(always)]
fn limited_slope(before: f64, after: f64) -> f64 {
    let (a, b, c) = (2.0 * before, 2.0 * after, 0.5 * (before + after));
    let rising = min(min(a, b), c);
    let falling = max(max(a, b), c);
    max(rising, 0.0) + min(falling, 0.0)
}

/// One instruction, unlike `f64::min`, which must check for NaN.
#[inline(always)]
pub(crate) fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// One instruction, unlike `f64::max`, which must check for NaN.
#[inline(always)]
pub(crate) fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::advection::AdvectionLaw;
    use crate::pde::burgers::BurgersLaw;
    use crate::pde::initial_states::InitialState;
    use crate::pde::sample_rng;

    fn random_cells(n: usize, index: u64) -> Vec<f64> {
        let state = InitialState::draw(&mut sample_rng(9, index), 1.0);
        (0..n).map(|i| state.value((i as f64 + 0.5) / n as f64)).collect()
    }

    fn total_variation(frame: &[f64]) -> f64 {
        let next = frame.iter().cycle().skip(1);
        frame.iter().zip(next).map(|(u, v)| (u - v).abs()).sum()
    }

    #[test]
    fn the_sum_is_conserved_to_rounding() {
        let n = 200;
        let initial = random_cells(n, 0);
        let times = [0.0, 0.3, 1.0];
        let burgers = solve(&BurgersLaw { diffusivity: 1e-3 }, &initial, 0.005, &times).unwrap();
        let advection = solve(&AdvectionLaw { speed: 0.7 }, &initial, 0.005, &times).unwrap();
        for values in [burgers, advection] {
            let sums: Vec<f64> = values.chunks(n).map(|frame| frame.iter().sum()).collect();
            assert!(values[n..2 * n] != values[..n]);
            assert!(sums.iter().all(|s| (s - sums[0]).abs() < 1e-11), "{sums:?}");
        }
    }

    #[test]
    fn no_new_extrema_and_no_new_variation() {
        let n = 128;
        let square: Vec<f64> = (0..n).map(|i| if (30..70).contains(&i) { 1.0 } else { -0.5 }).collect();
        let times: Vec<f64> = (0..20).map(|i| 0.05 * f64::from(i)).collect();
        let mut initials = vec![square];
        initials.extend((0..6).map(|i| random_cells(n, i)));
        for initial in initials {
            let burgers = solve(&BurgersLaw { diffusivity: 0.0 }, &initial, 1.0 / n as f64, &times).unwrap();
            let advection = solve(&AdvectionLaw { speed: 1.0 }, &initial, 1.0 / n as f64, &times).unwrap();
            for values in [burgers, advection] {
                for pair in values.chunks(n).collect::<Vec<_>>().windows(2) {
                    let ((low, high), (new_low, new_high)) =
                        (range(pair[0]).unwrap(), range(pair[1]).unwrap());
                    assert!(new_low > low - 1e-12 && new_high < high + 1e-12);
                    assert!(total_variation(pair[1]) < total_variation(pair[0]) + 1e-12);
                }
            }
        }
    }

    #[test]
    fn tiny_intervals_and_bad_input() {
        let law = AdvectionLaw { speed: 1.0 };
        assert_eq!(solve(&law, &[3.0], 1.0, &[0.0, 5.0]).unwrap(), [3.0, 3.0]);
        assert!(matches!(solve(&law, &[], 1.0, &[0.0]), Err(Error::Parameter { .. })));
        assert!(matches!(solve(&law, &[1.0], 0.0, &[0.0]), Err(Error::Parameter { name: "spacing", .. })));
        assert!(matches!(solve(&law, &[1.0], 1.0, &[1.0, 1.0]), Err(Error::UnsortedTimes { .. })));
        let err = solve(&law, &[1.0, f64::NAN], 1.0, &[0.5, 1.0]).unwrap_err();
        assert!(matches!(err, Error::Diverged { solver: "advection", time: 0.5 }), "{err}");
    }
}
