//! The standard normal distribution.

/// z with Φ(z) = `p`, for 0 < p < 1: rational functions in the middle and the tails, 1e-9 of z at most off (P. Acklam).
pub fn quantile(p: f64) -> f64 {
    const TAIL: f64 = 0.02425;
    let ratio = |x: f64, above: &[f64], below: &[f64]| {
        let polynomial = |c: &[f64]| c.iter().fold(0.0, |sum, c| sum * x + c);
        polynomial(above) / (polynomial(below) * x + 1.0)
    };
    let tail = |p: f64| {
        ratio(
            (-2.0 * p.ln()).sqrt(),
            &[
                -7.784894002430293e-3,
                -3.223964580411365e-1,
                -2.400758277161838,
                -2.549732539343734,
                4.374664141464968,
                2.938163982698783,
            ],
            &[7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416],
        )
    };
    if p < TAIL {
        return tail(p);
    }
    if p > 1.0 - TAIL {
        return -tail(1.0 - p);
    }
    let from_middle = p - 0.5;
    from_middle
        * ratio(
            from_middle * from_middle,
            &[
                -3.969683028665376e1,
                2.209460984245205e2,
                -2.759285104469687e2,
                1.38357751867269e2,
                -3.066479806614716e1,
                2.506628277459239,
            ],
            &[
                -5.447609879822406e1,
                1.615858368580409e2,
                -1.556989798598866e2,
                6.680131188771972e1,
                -1.328068155288572e1,
            ],
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tabulated values in the middle and in both tails, and antisymmetry.
    #[test]
    fn quantiles_are_the_tabulated_ones() {
        for (p, z) in [
            (0.5, 0.0),
            (0.841_344_746_068_542_9, 1.0),
            (0.95, 1.644_853_626_951_472_2),
            (0.975, 1.959_963_984_540_054),
            (0.995, 2.575_829_303_548_901),
            (1e-6, -4.753_424_308_822_899),
        ] {
            assert!((quantile(p) - z).abs() < 1e-8 * (1.0 + z.abs()), "{p}: {}", quantile(p));
            assert!((quantile(1.0 - p) + z).abs() < 1e-6, "{p}");
        }
    }
}
