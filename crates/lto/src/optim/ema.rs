//! The running mean of the weights.

/// `average ← d · average + (1 − d) · weights` after step `step` (from 1), with
/// `d = min(decay, (1 + step)/(10 + step))`: early weights are soon forgotten.
pub fn update(average: &mut [f32], weights: &[f32], decay: f64, step: u64) {
    let new = share(decay, step);
    average.iter_mut().zip(weights).for_each(|(average, weight)| *average += new * (weight - *average));
}

/// The share `1 − d` of the new weights.
pub fn share(decay: f64, step: u64) -> f32 {
    let early = (1.0 + step as f64) / (10.0 + step as f64);
    (1.0 - decay.min(early)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_follows_its_formula() {
        let mut average = [1.0f32, -2.0];
        update(&mut average, &[3.0, 0.0], 0.999, 1);
        // d = 2/11.
        assert!(
            (average[0] - (2.0 / 11.0 + 27.0 / 11.0)).abs() < 1e-6 && (average[1] + 4.0 / 11.0).abs() < 1e-6
        );
        let mut average = [1.0f32];
        update(&mut average, &[2.0], 0.9, 1_000_000);
        assert!((average[0] - 1.1).abs() < 1e-6);
    }
}
