//! The length scale at which a bound is smallest.

use crate::error::Result;

/// Scales tried before the search narrows.
const TRIED: usize = 24;
/// Golden-section steps; each narrows the bracket to 0.62 of its width.
const STEPS: usize = 12;
/// Bisections: enough to resolve a factor of e to a hundredth.
const BISECTIONS: usize = 7;

/// The scale in `[lower, upper]` with the least value, and that value: a scan over equal ratios, then golden
/// sections around the best. Ties go to the largest scale, since a wider kernel depends less on single
/// points. `None` if no scale has a value.
pub(super) fn best_scale(
    lower: f64,
    upper: f64,
    mut value: impl FnMut(f64) -> Result<Option<f64>>,
) -> Result<Option<(f64, f64)>> {
    let ratio = (upper / lower).ln() / (TRIED - 1) as f64;
    let mut evaluate = |log: f64| Ok(value(log.exp())?.unwrap_or(f64::INFINITY));
    let logs: Vec<f64> = (0..TRIED).map(|i| lower.ln() + i as f64 * ratio).collect();
    let mut best = (lower.ln(), f64::INFINITY);
    for &log in &logs {
        let found = evaluate(log)?;
        if found <= best.1 {
            best = (log, found);
        }
    }
    if best.1 == f64::INFINITY {
        return Ok(None);
    }
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut a, mut b) = ((best.0 - ratio).max(lower.ln()), (best.0 + ratio).min(upper.ln()));
    let (mut c, mut d) = (b - golden * (b - a), a + golden * (b - a));
    let (mut at_c, mut at_d) = (evaluate(c)?, evaluate(d)?);
    for _ in 0..STEPS {
        if at_c < at_d {
            (b, d, at_d) = (d, c, at_c);
            c = b - golden * (b - a);
            at_c = evaluate(c)?;
        } else {
            (a, c, at_c) = (c, d, at_d);
            d = a + golden * (b - a);
            at_d = evaluate(d)?;
        }
    }
    for found in [(c, at_c), (d, at_d)] {
        if found.1 < best.1 || (found.1 == best.1 && found.0 > best.0) {
            best = found;
        }
    }
    Ok(Some((best.0.exp(), best.1)))
}

/// The widest scale from `best` to `upper` that still meets the limit, by bisection. `best` must meet it, and
/// the value must grow from there on.
pub(super) fn widest_scale(
    best: f64,
    upper: f64,
    mut within: impl FnMut(f64) -> Result<bool>,
) -> Result<f64> {
    if within(upper)? {
        return Ok(upper);
    }
    let (mut inside, mut outside) = (best.ln(), upper.ln());
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (inside + outside);
        if within(middle.exp())? {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    Ok(inside.exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_a_trade_off_is_found_also_next_to_where_there_is_none() {
        let value = |x: f64| Ok((x > 0.02).then(|| 3.0 * x * x + 0.01 / x));
        let (at, least) = best_scale(1e-3, 10.0, value).unwrap().unwrap();
        let expected = (0.01f64 / 6.0).cbrt();
        assert!((at / expected - 1.0).abs() < 2e-3, "{at} {expected}");
        assert!((least - (3.0 * expected * expected + 0.01 / expected)).abs() < 1e-6);
        assert_eq!(best_scale(1.0, 2.0, |_| Ok(None)).unwrap(), None);
        // Ties go to the largest scale.
        let (at, _) = best_scale(1e-3, 10.0, |x| Ok(Some(x.max(0.5)))).unwrap().unwrap();
        assert!((at / 0.5 - 1.0).abs() < 1e-2, "{at}");
        let (at, least) = best_scale(1e-3, 10.0, |_| Ok(Some(5.0))).unwrap().unwrap();
        assert!((at / 10.0 - 1.0).abs() < 1e-12 && least == 5.0, "{at}");
    }
    #[test]
    fn the_widest_scale_within_a_limit_is_found() {
        let widest = |limit: f64| widest_scale(0.1, 3.0, |x| Ok(x * x <= limit)).unwrap();
        let found = widest(0.5);
        assert!(found <= 0.5f64.sqrt() && found > 0.96 * 0.5f64.sqrt(), "{found}");
        assert_eq!(widest(10.0), 3.0);
        assert!((widest(0.0) / 0.1 - 1.0).abs() < 1e-12);
    }
}
