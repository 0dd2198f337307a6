//! The size of differences, in fixed memory: a robust deviation from their histogram.

/// Bins of a factor of two.
const PER_OCTAVE: i32 = 16;
/// Factors of two on both sides of 1.
const OCTAVES: i32 = 64;
/// Median of |x| of a normal variable of deviation 1.
const MEDIAN_OF_NORMAL: f64 = 0.674_489_75;
/// A second difference of so many deviations, with neighbors that agree, is a spike.
const SPIKE: f64 = 12.0;

/// A histogram of absolute values over powers of two.
#[derive(Clone, Debug)]
pub struct Scale {
    counts: Vec<u64>,
    zeros: u64,
    total: u64,
}

impl Default for Scale {
    fn default() -> Self {
        Self { counts: vec![0; (2 * OCTAVES * PER_OCTAVE) as usize], zeros: 0, total: 0 }
    }
}

impl Scale {
    /// Adds a difference.
    pub fn add(&mut self, difference: f64) {
        self.total += 1;
        let size = difference.abs();
        if size == 0.0 {
            self.zeros += 1;
            return;
        }
        let bin = (size.log2() * f64::from(PER_OCTAVE)).floor() as i32 + OCTAVES * PER_OCTAVE;
        let last = self.counts.len() as i32 - 1;
        self.counts[bin.clamp(0, last) as usize] += 1;
    }

    /// Median of the absolute values ÷ 0.6745: the deviation of normal ones, to 2 %, whatever a few others are. `None`
    /// for fewer than 20.
    pub fn deviation(&self) -> Option<f64> {
        if self.total < 20 {
            return None;
        }
        let mut below = self.zeros;
        if below > self.total / 2 {
            return Some(0.0);
        }
        for (bin, count) in self.counts.iter().enumerate() {
            below += count;
            if below > self.total / 2 {
                let middle = (bin as f64 + 0.5) / f64::from(PER_OCTAVE) - f64::from(OCTAVES);
                return Some(middle.exp2() / MEDIAN_OF_NORMAL);
            }
        }
        None
    }
}

/// Whether the middle of three values leaves its neighbors, which agree; `scale` is the deviation of second differences.
pub fn is_spike([before, middle, after]: [f64; 3], scale: f64) -> bool {
    let second = (before - 2.0 * middle + after).abs();
    scale > 0.0 && second > SPIKE * scale && (after - before).abs() < 0.25 * second
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::sample_rng;
    use rand_distr::{Distribution, StandardNormal};

    #[test]
    fn the_deviation_of_noise_is_found_among_outliers() {
        let mut scale = Scale::default();
        let mut rng = sample_rng(7, 0);
        for i in 0..20_000 {
            let normal: f64 = StandardNormal.sample(&mut rng);
            scale.add(if i % 20 == 0 { 1e6 } else { 0.3 * normal });
        }
        // Five percent of outliers shift the median to the quantile 0.526 of the noise, 6 % up.
        let deviation = scale.deviation().unwrap();
        assert!((deviation / 0.3 - 1.06).abs() < 0.04, "{deviation}");
        assert_eq!(Scale::default().deviation(), None);
    }

    #[test]
    fn spikes_leave_both_neighbors() {
        assert!(is_spike([1.0, 9.0, 1.1], 0.5));
        assert!(!is_spike([1.0, 9.0, 9.2], 0.5), "a front");
        assert!(!is_spike([1.0, 1.5, 1.0], 0.5));
    }
}
