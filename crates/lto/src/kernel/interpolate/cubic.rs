//! Weights of piecewise cubic interpolation between the points of a uniform axis.

use super::query::AxisWeights;
use crate::device::table;
use burn::tensor::Tensor;
use lto_numerics::Axis;

/// Four weights a row (Keys' cubic convolution): third order, exact on quadratics and at the points `y`, which
/// are uniform and at least three. Beyond the ends of an open axis a quadratic continues the values.
pub fn cubic(axis: &Axis, x: &[f64], y: &[f64]) -> AxisWeights {
    let (n, spacing) = (y.len() as i64, y[1] - y[0]);
    let mut weights = vec![0.0; x.len() * y.len()];
    for (row, &x) in weights.chunks_exact_mut(y.len()).zip(x) {
        let place = (x - y[0]) / spacing;
        // An offset far below the spacing is rounding: points of the axis keep their own weight.
        let place = if (place - place.round()).abs() < 1e-6 { place.round() } else { place };
        let (cell, f) = (place.floor() as i64, place - place.floor());
        let four = [
            f * (-0.5 + f * (1.0 - 0.5 * f)),
            1.0 + f * f * (-2.5 + 1.5 * f),
            f * (0.5 + f * (2.0 - 1.5 * f)),
            f * f * (-0.5 + 0.5 * f),
        ];
        for (offset, weight) in (cell - 1..).zip(four) {
            add(row, axis.periodic, n, offset, weight);
        }
    }
    AxisWeights { rows: x.len(), columns: y.len(), weights, derivative: Vec::new() }
}

/// Adds the weight of point `i`, which may lie past the ends.
fn add(row: &mut [f32], periodic: bool, n: i64, i: i64, weight: f64) {
    if weight == 0.0 {
        return;
    }
    if periodic {
        row[i.rem_euclid(n) as usize] += weight as f32;
    } else if (0..n).contains(&i) {
        row[i as usize] += weight as f32;
    } else {
        // Lagrange's quadratic through the three outermost points.
        let (t, at): (f64, fn(i64, i64) -> i64) =
            if i < 0 { (i as f64, |_, k| k) } else { ((n - 1 - i) as f64, |n, k| n - 1 - k) };
        let outermost = [0.5 * (t - 1.0) * (t - 2.0), t * (2.0 - t), 0.5 * t * (t - 1.0)];
        for (k, share) in (0..).zip(outermost) {
            row[at(n, k) as usize] += (weight * share) as f32;
        }
    }
}

/// The same by stock operations: other devices than the processor make the weights there, `w(|p − j|)` of a place p in spacings
/// and a point j, with `w(a) = 1 − 5/2 a² + 3/2 a³` up to 1, `2 − 4a + 5/2 a² − 1/2 a³` from there to 2, and zero beyond.
///
/// # Shapes
/// `places [m, 1]` [along](crate::kernel::places::along) the axis, n points `y` → `[m, n]`.
pub fn stock(axis: &Axis, places: Tensor<2>, y: &[f64]) -> Tensor<2> {
    let (n, spacing, device) = (y.len(), y[1] - y[0], places.device());
    let place = (places - (y[0] - axis.lower)) / spacing;
    let kernel = |way: Tensor<2>| {
        // Each polynomial is zero where the other one is not.
        let (near, far) = (way.clone().abs().clamp(0.0, 1.0), way.abs().clamp(1.0, 2.0));
        let inner = near.clone() * near.clone() * (near * 1.5 - 2.5) + 1.0;
        inner + ((far.clone() * -0.5 + 2.5) * far.clone() - 4.0) * far + 2.0
    };
    let to = |first: i64, count: usize| {
        let points = (first..).take(count).map(|j| j as f32).collect();
        place.clone() - table(points, [1, count], &device)
    };
    if axis.periodic {
        let (way, around) = (to(0, n), n as f64);
        let way = way.clone() - (way / around).round() * around;
        if n > 3 {
            return kernel(way);
        }
        // Four points around a circle of three: one of them counts twice.
        return kernel(way.clone() - around) + kernel(way.clone()) + kernel(way + around);
    }
    // Two points more at each end, continued from the others.
    let mut continued = vec![0.0; (n + 4) * n];
    for (row, j) in continued.chunks_exact_mut(n).zip(-2..) {
        add(row, false, n as i64, j, 1.0);
    }
    kernel(to(-2, n + 4)).matmul(table(continued, [n + 4, n], &device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::fetch;
    use crate::kernel::places::along;
    use crate::kernel::testing::difference;
    use burn::tensor::Device;

    /// Around circles and between ends, also beyond the last points, and at the points themselves.
    #[test]
    fn equals_stock_operations() {
        for (periodic, n) in [(true, 3), (true, 4), (true, 32), (false, 3), (false, 9)] {
            let axis = Axis::new("x", -1.0, 2.0, periodic);
            let spacing = 3.0 / f64::from(n);
            let y: Vec<f64> = (0..n).map(|j| -1.0 + (0.3 + f64::from(j)) * spacing).collect();
            let x = (0..100).map(|i| -1.0 + 0.03 * f64::from(i)).chain(y.clone()).collect::<Vec<f64>>();
            let (exact, places) = (cubic(&axis, &x, &y), along(&axis, &x, [x.len(), 1], &Device::flex()));
            let found = fetch(stock(&axis, places, &y));
            let off = difference(&found, &exact.weights);
            assert!(off < 1e-5, "{periodic} {n}: {off}");
        }
    }

    fn apply(weights: &AxisWeights, values: &[f64]) -> Vec<f64> {
        let rows = weights.weights.chunks_exact(weights.columns);
        rows.map(|row| row.iter().zip(values).map(|(w, v)| f64::from(*w) * v).sum()).collect()
    }

    #[test]
    fn quadratics_and_the_points_themselves_are_exact() {
        let axis = Axis::new("x", 0.0, 2.0, false);
        let y: Vec<f64> = (0..9).map(|i| 0.125 + 0.2 * f64::from(i)).collect();
        let x = [0.0, 0.03, 0.125, 0.3, 0.725, 1.111, 1.725, 1.8, 2.0];
        let f = |x: &f64| 1.0 - 2.0 * x + 3.0 * x * x;
        let found = apply(&cubic(&axis, &x, &y), &y.iter().map(f).collect::<Vec<_>>());
        assert!(found.iter().zip(&x).all(|(a, x)| (a - f(x)).abs() < 1e-5), "{found:?}");
        let itself = cubic(&axis, &y, &y);
        let identity = |i: usize| if i / 9 == i % 9 { 1.0 } else { 0.0 };
        assert!(itself.weights.iter().enumerate().all(|(i, w)| *w == identity(i)));
    }

    #[test]
    fn waves_converge_with_the_third_order_around_the_circle() {
        let axis = Axis::new("x", 0.0, 1.0, true);
        let x: Vec<f64> = (0..37).map(|i| (0.0271 * f64::from(i)).fract()).collect();
        let wave = |x: &f64| (std::f64::consts::TAU * x).sin();
        let error = |n: u32| {
            let y: Vec<f64> = (0..n).map(|i| (f64::from(i) + 0.5) / f64::from(n)).collect();
            let found = apply(&cubic(&axis, &x, &y), &y.iter().map(wave).collect::<Vec<_>>());
            found.iter().zip(&x).map(|(a, x)| (a - wave(x)).abs()).fold(0.0, f64::max)
        };
        let order = (error(16) / error(64)).log2() / 2.0;
        assert!(order > 2.8, "{order}");
    }
}
