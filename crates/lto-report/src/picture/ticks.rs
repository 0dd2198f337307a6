//! Round numbers along an axis, and how they are written.

pub use crate::words::{apart, short};

/// Round tick values inside `[lower, upper]`: multiples of 1, 2, 2.5 or 5 times a power of ten, about `wanted`.
pub fn ticks(lower: f64, upper: f64, wanted: usize) -> Vec<f64> {
    let span = upper - lower;
    if !(span.is_finite() && span > 0.0) {
        return vec![lower];
    }
    let raw = span / wanted.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|&step| step >= raw * (1.0 - 1e-9))
        .unwrap_or(10.0 * power);
    let first = (lower / step - 1e-6).ceil();
    let last = (upper / step + 1e-6).floor();
    let count = (last - first).clamp(0.0, 100.0) as usize;
    // Adding zero turns −0 into 0.
    (0..=count).map(|i| (first + i as f64) * step + 0.0).collect()
}

/// Tick values as text.
pub struct Labels {
    /// One for each value.
    pub texts: Vec<String>,
    /// The offset to add to all of them, `+1e5`, where they would otherwise be long and alike.
    pub offset: Option<String>,
}

/// Tick values as text, all with the same number of decimals (or exponents, where they would be long).
pub fn labels(values: &[f64]) -> Labels {
    match common_part(values) {
        Some(common) => {
            let rest: Vec<f64> = values.iter().map(|v| v - common).collect();
            Labels { texts: texts(&rest), offset: Some(format!("{common:+e}")) }
        }
        None => Labels { texts: texts(values), offset: None },
    }
}

/// A round number near all values, where they differ by less than a part in ten thousand.
fn common_part(values: &[f64]) -> Option<f64> {
    let (first, last) = (*values.first()?, *values.last()?);
    let span = (last - first).abs();
    if span == 0.0 || first.abs().min(last.abs()) < 1e4 * span {
        return None;
    }
    // A decade more than the span: rounder numbers, for a digit more in the rest.
    let exponent = span.log10().ceil() as i32 + 1;
    let middle = 0.5 * (first + last);
    // Dividing by a whole power of ten keeps the decimals of the result few.
    Some(match exponent {
        0.. => (middle / 10f64.powi(exponent)).round() * 10f64.powi(exponent),
        _ => (middle * 10f64.powi(-exponent)).round() / 10f64.powi(-exponent),
    })
}

fn texts(values: &[f64]) -> Vec<String> {
    let largest = values.iter().fold(0.0f64, |a, &v| a.max(v.abs()));
    if largest > 0.0 && !(1e-3..1e5).contains(&largest) {
        let exponent = largest.log10().floor() as i32;
        let scaled: Vec<f64> = values.iter().map(|v| v / 10f64.powi(exponent)).collect();
        let decimals = decimals(&scaled);
        let text = |v: &f64| match fixed(*v, decimals) {
            zero if zero.parse() == Ok(0.0) => "0".into(),
            text => format!("{text}e{exponent}"),
        };
        return scaled.iter().map(text).collect();
    }
    let decimals = decimals(values);
    values.iter().map(|&v| fixed(v, decimals)).collect()
}

/// A number with the given decimals; zero has no sign.
fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.parse() == Ok(0.0) { text.trim_start_matches('-').into() } else { text }
}

/// The fewest decimals that tell the values apart.
fn decimals(values: &[f64]) -> usize {
    let step = values.windows(2).map(|w| (w[1] - w[0]).abs()).fold(f64::INFINITY, f64::min);
    let tolerance = if step.is_finite() { 1e-3 * step } else { 1e-6 };
    (0..9)
        .find(|&d| {
            let unit = 10f64.powi(d);
            values.iter().all(|v| ((v * unit).round() / unit - v).abs() <= tolerance)
        })
        .map_or(9, |d| d as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lower: f64, upper: f64, wanted: usize) -> Vec<String> {
        labels(&ticks(lower, upper, wanted)).texts
    }

    #[test]
    fn what_all_ticks_share_is_told_once() {
        let told = labels(&ticks(1e5 - 0.1, 1e5 + 0.1, 4));
        assert_eq!(told.texts, ["-0.10", "-0.05", "0.00", "0.05", "0.10"]);
        assert_eq!(told.offset.as_deref(), Some("+1e5"));
        assert_eq!(labels(&ticks(1e6, 1e6 + 1e-3, 5)).offset.as_deref(), Some("+1e6"));
        let told = labels(&ticks(-273.1503, -273.1499, 4));
        assert_eq!(told.texts, ["-3e-4", "-2e-4", "-1e-4", "0", "1e-4"]);
        assert_eq!(told.offset.as_deref(), Some("-2.7315e2"));
        assert!(labels(&ticks(270.1, 289.3, 5)).offset.is_none());
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(texts(0.0, 1.0, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(-1.0, 1.0, 4), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(texts(0.0, 0.016, 4), ["0.000", "0.005", "0.010", "0.015"]);
        assert_eq!(texts(3.0, 12.0, 4), ["2.5", "5.0", "7.5", "10.0"][1..]);
        assert_eq!(texts(0.0, 3e-7, 3), ["0", "1e-7", "2e-7", "3e-7"]);
        for (lower, upper) in [(0.3, 0.31), (-7e8, 2e9), (270.1, 289.3), (1.0, 1.0 + 1e-12)] {
            let margin = 1e-5 * (upper - lower);
            let ticks = ticks(lower, upper, 5);
            assert!((2..=9).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.iter().all(|t| (lower - margin..=upper + margin).contains(t)), "{ticks:?}");
        }
    }
}
