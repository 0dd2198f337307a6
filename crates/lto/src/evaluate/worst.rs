//! The worst case: of the sample with the largest mean error, the prediction with the largest.

use super::evaluation::ExampleField;
use serde::{Deserialize, Serialize};

/// Finds the worst case while predictions come in, sample by sample.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Worst {
    current: Option<Candidate>,
    worst: Option<Candidate>,
    n_samples: usize,
}

/// One sample, so far.
#[derive(Serialize, Deserialize)]
struct Candidate {
    sample: usize,
    sum: f64,
    count: usize,
    largest: f64,
    fields: Vec<ExampleField>,
}

impl Candidate {
    fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }
}

impl Worst {
    /// Adds a prediction of a sample; `fields` makes what is kept of it if it is the worst of the sample.
    pub fn add(&mut self, sample: usize, error: f64, fields: impl FnOnce() -> Vec<ExampleField>) {
        if self.current.as_ref().is_none_or(|current| current.sample != sample) {
            self.settle();
        }
        let empty =
            || Candidate { sample, sum: 0.0, count: 0, largest: f64::NEG_INFINITY, fields: Vec::new() };
        let current = self.current.get_or_insert_with(empty);
        current.sum += error;
        current.count += 1;
        if error > current.largest {
            (current.largest, current.fields) = (error, fields());
        }
    }

    /// The sample that is over takes the place of the worst if it is worse.
    fn settle(&mut self) {
        if let Some(over) = self.current.take() {
            self.n_samples += 1;
            self.compare(over);
        }
    }

    fn compare(&mut self, other: Candidate) {
        if self.worst.as_ref().is_none_or(|worst| other.mean() > worst.mean()) {
            self.worst = Some(other);
        }
    }

    /// Goes on with the samples of another.
    pub fn merge(&mut self, mut other: Worst) {
        self.settle();
        other.settle();
        self.n_samples += other.n_samples;
        if let Some(worst) = other.worst {
            self.compare(worst);
        }
    }

    /// What was kept of the worst; nothing unless there were several samples.
    pub fn fields(mut self) -> Vec<ExampleField> {
        self.settle();
        self.worst.filter(|_| self.n_samples > 1).map_or(Vec::new(), |worst| worst.fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::Domain;

    fn field(sample: usize, start: f64) -> Vec<ExampleField> {
        vec![ExampleField {
            sample,
            channel: "u".into(),
            steps: 1,
            rollout: false,
            worst: true,
            times: [start, start + 1.0],
            domain: Domain::unit(1, true).unwrap(),
            coordinates: vec![vec![0.0]],
            truth: vec![0.0],
            prediction: vec![0.0],
        }]
    }

    /// Sample 8 has the largest single error, sample 5 the largest mean.
    #[test]
    fn the_worst_sample_has_the_largest_mean_and_shows_its_largest() {
        let mut worst = Worst::default();
        for (sample, errors) in [(3, [0.1, 0.2]), (5, [0.6, 0.7]), (8, [0.9, 0.0]), (9, [0.6, 0.6])] {
            for (start, error) in errors.into_iter().enumerate() {
                worst.add(sample, error, || field(sample, start as f64));
            }
        }
        let kept = worst.fields();
        assert_eq!((kept.len(), kept[0].sample, kept[0].times), (1, 5, [1.0, 2.0]));
        let mut single = Worst::default();
        single.add(3, 0.5, || field(3, 0.0));
        assert!(single.fields().is_empty(), "the only one is no worst");
        let mut last = Worst::default();
        [(1, 0.1), (2, f64::INFINITY)].into_iter().for_each(|(i, e)| last.add(i, e, || field(i, 0.0)));
        assert_eq!(last.fields()[0].sample, 2);
    }
}
