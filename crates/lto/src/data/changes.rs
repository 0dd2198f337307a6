//! How much states change over a lead, measured on training samples.

use super::{Data, State, Wanted};
use crate::error::Result;
use lto_numerics::dataset::Normalizer;

/// Samples measured, spread over the training samples.
const SAMPLES: usize = 24;
/// Starts measured for each lead.
const STARTS: usize = 4;

impl Data {
    /// Leads of 1, 2, 4, … frames with the root mean square of u_t − u_s in units of the normalization; empty for a
    /// steady problem, and without leads over which nothing changes.
    ///
    /// # Errors
    /// Data that cannot be read or solved.
    pub fn changes(&self, normalizer: &Normalizer) -> Result<Vec<[f64; 2]>> {
        let (times, train) = (&self.layout().times, &self.split().train);
        let n = SAMPLES.min(train.len());
        let samples: Vec<usize> = (0..n).map(|i| train[i * train.len() / n]).collect();
        let mut changes = Vec::new();
        for lead in (0..).map(|k| 1 << k).take_while(|&lead: &usize| lead < times.len()) {
            let last = times.len() - 1 - lead;
            let starts: Vec<usize> = (0..STARTS).map(|i| i * last / (STARTS - 1)).collect();
            let mut wanted = Vec::new();
            for (&sample, &s) in samples.iter().flat_map(|sample| starts.iter().map(move |s| (sample, s))) {
                let state = |frame| Wanted { sample, state: State::Frame(frame), finer: false };
                wanted.extend([state(s), state(s + lead)]);
            }
            let mut sum = 0.0;
            for pair in self.fields(&wanted)?.chunks_exact(2) {
                let points = pair[0].grid().len();
                let both = pair[0].values().chunks_exact(points).zip(pair[1].values().chunks_exact(points));
                let squares = both.zip(normalizer.scale()).map(|((s, t), scale)| {
                    s.iter().zip(t).map(|(s, t)| ((t - s) / scale).powi(2)).sum::<f64>() / points as f64
                });
                sum += squares.sum::<f64>() / normalizer.scale().len() as f64;
            }
            let change = (2.0 * sum / wanted.len().max(1) as f64).sqrt();
            let time = starts.iter().map(|&s| times[s + lead] - times[s]).sum::<f64>() / STARTS as f64;
            if change > 0.0 && change.is_finite() {
                changes.push([time, change]);
            }
        }
        Ok(changes)
    }
}
