//! Cubic splines with continuous second derivative through points at any coordinates.

use super::AxisMap;
use crate::domain::Axis;

/// Fewest points with which the end conditions determine a cubic.
pub(super) const MIN_POINTS: usize = 4;

/// The spline's second derivatives solve a tridiagonal system, factored once; its values are weighted sums of
/// two neighbors' values and second derivatives.
pub(super) struct Spline {
    /// Lengths of the intervals between points; on a periodic axis also the one that closes the circle.
    intervals: Vec<f64>,
    system: System,
    evaluations: Vec<Evaluation>,
    /// Second derivatives at the points.
    curvatures: Vec<f64>,
}

/// Where a target lies: the interval's index and the weights of the values and second derivatives at its
/// ends.
struct Evaluation {
    interval: usize,
    value_weights: [f64; 2],
    curvature_weights: [f64; 2],
}

impl Spline {
    pub(super) fn new(axis: &Axis, from: &[f64], to: &[f64]) -> Result<Self, String> {
        let n = from.len();
        if n < MIN_POINTS {
            return Err(format!("the source has {n} points, a spline needs at least {MIN_POINTS}"));
        }
        let mut intervals: Vec<f64> = from.windows(2).map(|pair| pair[1] - pair[0]).collect();
        if axis.periodic {
            intervals.push(axis.length() - (from[n - 1] - from[0]));
        }
        let system = System::new(axis, &intervals);
        let evaluations =
            to.iter().map(|&x| evaluation(axis, from, &intervals, x)).collect::<Result<_, _>>()?;
        Ok(Self { intervals, system, evaluations, curvatures: vec![0.0; n] })
    }
}

fn evaluation(axis: &Axis, from: &[f64], intervals: &[f64], x: f64) -> Result<Evaluation, String> {
    let (first, last) = (from[0], from[from.len() - 1]);
    let x = if axis.periodic && x < first { x + axis.length() } else { x };
    let (below, above) = (first - x, x - last);
    if !axis.periodic && (below > intervals[0] || above > intervals[intervals.len() - 1]) {
        let name = &axis.name;
        return Err(format!(
            "{name} = {x} is more than one interval outside the source's points in [{first}, {last}]"
        ));
    }
    let interval = from.partition_point(|&y| y <= x).saturating_sub(1).min(intervals.len() - 1);
    let h = intervals[interval];
    let right = (x - from[interval]) / h;
    let left = 1.0 - right;
    let curvature_weight = |w: f64| (w * w * w - w) * h * h / 6.0;
    Ok(Evaluation {
        interval,
        value_weights: [left, right],
        curvature_weights: [curvature_weight(left), curvature_weight(right)],
    })
}

impl AxisMap for Spline {
    fn apply(&mut self, line: &[f64], result: &mut [f64]) {
        let n = line.len();
        curvatures(&self.system, &self.intervals, line, &mut self.curvatures);
        for (value, at) in result.iter_mut().zip(&self.evaluations) {
            let ends = [at.interval, (at.interval + 1) % n];
            *value = (0..2)
                .map(|e| {
                    at.value_weights[e] * line[ends[e]] + at.curvature_weights[e] * self.curvatures[ends[e]]
                })
                .sum();
        }
    }
}

/// The second derivatives, at its points, of the spline through the values of a line.
pub(super) fn curvatures(system: &System, intervals: &[f64], line: &[f64], result: &mut [f64]) {
    let n = line.len();
    let slope = |i: usize| (line[(i + 1) % n] - line[i]) / intervals[i];
    system.solve(result, |i| 6.0 * (slope(i) - slope((i + n - 1) % n)));
}

/// `h_{i−1} M_{i−1} + 2(h_{i−1}+h_i) M_i + h_i M_{i+1} = r_i` at the points between two intervals, and the
/// end conditions.
pub(super) struct System {
    tridiagonal: Tridiagonal,
    ends: Ends,
}

enum Ends {
    /// The third derivative is continuous across the second and the second-to-last point, so
    /// `M_0 = M_1 + q (M_1 − M_2)` with the ratio q of the outer to the next interval; likewise at the other
    /// end.
    NotAKnot([f64; 2]),
    /// The corners of the cyclic matrix as a rank-one update `u vᵀ` with `v = (1, 0, …, 0, last)`:
    /// `M = y − z (v·y)/(1 + v·z)` where `T y = r`, `T z = u`.
    Periodic { last: f64, correction: Vec<f64> },
}

impl System {
    pub(super) fn new(axis: &Axis, intervals: &[f64]) -> Self {
        if axis.periodic { Self::periodic(intervals) } else { Self::not_a_knot(intervals) }
    }

    fn not_a_knot(h: &[f64]) -> Self {
        let n = h.len() - 1;
        let mut diagonal: Vec<f64> = (0..n).map(|i| 2.0 * (h[i] + h[i + 1])).collect();
        let mut lower = h[..n].to_vec();
        let mut upper = h[1..].to_vec();
        let ratios = [h[0] / h[1], h[n] / h[n - 1]];
        diagonal[0] += h[0] * (1.0 + ratios[0]);
        upper[0] -= h[0] * ratios[0];
        diagonal[n - 1] += h[n] * (1.0 + ratios[1]);
        lower[n - 1] -= h[n] * ratios[1];
        Self { tridiagonal: Tridiagonal::factor(&lower, diagonal, &upper), ends: Ends::NotAKnot(ratios) }
    }

    fn periodic(h: &[f64]) -> Self {
        let n = h.len();
        let mut diagonal: Vec<f64> = (0..n).map(|i| 2.0 * (h[(i + n - 1) % n] + h[i])).collect();
        let lower: Vec<f64> = (0..n).map(|i| h[(i + n - 1) % n]).collect();
        // Sherman–Morrison; −diagonal[0] as the free entry of u keeps the rest dominant.
        let (corner, free) = (h[n - 1], -diagonal[0]);
        let last = corner / free;
        diagonal[0] -= free;
        diagonal[n - 1] -= corner * last;
        let tridiagonal = Tridiagonal::factor(&lower, diagonal, h);
        let mut correction = vec![0.0; n];
        correction[0] = free;
        correction[n - 1] = corner;
        tridiagonal.solve(&mut correction);
        let denominator = 1.0 + correction[0] + last * correction[n - 1];
        correction.iter_mut().for_each(|z| *z /= denominator);
        Self { tridiagonal, ends: Ends::Periodic { last, correction } }
    }

    /// Solves for the second derivatives at all points; `right(i)` is r_i.
    fn solve(&self, solution: &mut [f64], right: impl Fn(usize) -> f64) {
        let n = solution.len();
        match &self.ends {
            Ends::NotAKnot([first, last]) => {
                (1..n - 1).for_each(|i| solution[i] = right(i));
                self.tridiagonal.solve(&mut solution[1..n - 1]);
                solution[0] = solution[1] + first * (solution[1] - solution[2]);
                solution[n - 1] = solution[n - 2] + last * (solution[n - 2] - solution[n - 3]);
            }
            Ends::Periodic { last, correction } => {
                (0..n).for_each(|i| solution[i] = right(i));
                self.tridiagonal.solve(solution);
                let dot = solution[0] + last * solution[n - 1];
                solution.iter_mut().zip(correction).for_each(|(m, z)| *m -= dot * z);
            }
        }
    }
}

/// A diagonally dominant tridiagonal matrix, eliminated.
struct Tridiagonal {
    /// The multiplier of each row's predecessor.
    multipliers: Vec<f64>,
    inverse_pivots: Vec<f64>,
    upper: Vec<f64>,
}

impl Tridiagonal {
    /// Row i is `lower[i], diagonal[i], upper[i]`; `lower[0]` and the last `upper` are not used.
    fn factor(lower: &[f64], mut diagonal: Vec<f64>, upper: &[f64]) -> Self {
        let mut multipliers = vec![0.0; diagonal.len()];
        for i in 1..diagonal.len() {
            multipliers[i] = lower[i] / diagonal[i - 1];
            diagonal[i] -= multipliers[i] * upper[i - 1];
        }
        let inverse_pivots = diagonal.iter().map(|pivot| 1.0 / pivot).collect();
        Self { multipliers, inverse_pivots, upper: upper.to_vec() }
    }

    fn solve(&self, right: &mut [f64]) {
        let n = right.len();
        for i in 1..n {
            right[i] -= self.multipliers[i] * right[i - 1];
        }
        right[n - 1] *= self.inverse_pivots[n - 1];
        for i in (0..n - 1).rev() {
            right[i] = (right[i] - self.upper[i] * right[i + 1]) * self.inverse_pivots[i];
        }
    }
}
