//! Mean, variance and range of a stream of numbers in one pass.

/// Running moments, merged pairwise (Chan et al.), so that large means do not swamp the variance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    pub count: u64,
    pub mean: f64,
    sum_of_squares: f64,
    pub min: f64,
    pub max: f64,
}

impl Moments {
    pub fn new() -> Self {
        Self { count: 0, mean: 0.0, sum_of_squares: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }

    /// The moments of finite `values`, in two passes.
    fn of(values: &[f64]) -> Self {
        let mut moments = Self::new();
        if values.is_empty() {
            return moments;
        }
        moments.count = values.len() as u64;
        moments.mean = values.iter().sum::<f64>() / values.len() as f64;
        for &v in values {
            moments.sum_of_squares += (v - moments.mean).powi(2);
            moments.min = moments.min.min(v);
            moments.max = moments.max.max(v);
        }
        moments
    }

    /// Adds finite values.
    pub fn add(&mut self, values: &[f64]) {
        let other = Self::of(values);
        if other.count == 0 {
            return;
        }
        let count = self.count + other.count;
        let share = other.count as f64 / count as f64;
        let delta = other.mean - self.mean;
        self.sum_of_squares += other.sum_of_squares + delta * delta * self.count as f64 * share;
        self.mean += delta * share;
        self.count = count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Standard deviation (divided by the count).
    pub fn std(&self) -> f64 {
        if self.count == 0 { 0.0 } else { (self.sum_of_squares / self.count as f64).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_add_up_to_the_whole_despite_a_large_mean() {
        let values: Vec<f64> = (0..1000).map(|i| 1e9 + f64::from(i % 7)).collect();
        let mut moments = Moments::new();
        for chunk in values.chunks(37) {
            moments.add(chunk);
        }
        let shifted: Vec<f64> = values.iter().map(|v| v - 1e9).collect();
        let mean = shifted.iter().sum::<f64>() / 1000.0;
        let std = (shifted.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 1000.0).sqrt();
        assert!((moments.mean - 1e9 - mean).abs() < 1e-6, "{}", moments.mean);
        assert!((moments.std() - std).abs() < 1e-7, "{} {std}", moments.std());
        assert_eq!((moments.count, moments.min, moments.max), (1000, 1e9, 1e9 + 6.0));
    }
}
