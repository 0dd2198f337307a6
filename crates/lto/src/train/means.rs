//! Means of the losses between two lines of the metrics.

use super::observer::StepReport;
use serde::{Deserialize, Serialize};

/// Sums over the steps since the last line. Stored as bits, since JSON may round the last digit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Means {
    steps: u64,
    names: Vec<String>,
    sum_bits: Vec<u64>,
}

impl Means {
    /// Adds a step.
    pub fn add(&mut self, report: &StepReport) {
        let terms = report.terms.iter().map(|&(name, value)| (name, value));
        for (name, value) in
            [("loss", report.loss), ("gradient_norm", report.gradient_norm)].into_iter().chain(terms)
        {
            match self.names.iter().position(|known| known == name) {
                Some(i) => self.sum_bits[i] = (f64::from_bits(self.sum_bits[i]) + value).to_bits(),
                None => {
                    self.names.push(name.into());
                    self.sum_bits.push(value.to_bits());
                }
            }
        }
        self.steps += 1;
    }

    /// Returns the means and starts over.
    pub fn take(&mut self) -> Vec<(String, f64)> {
        let Means { steps, names, sum_bits } = std::mem::take(self);
        names
            .into_iter()
            .zip(sum_bits)
            .map(|(name, bits)| (name, f64::from_bits(bits) / steps as f64))
            .collect()
    }

    /// Whether a checkpoint's sums belong to its names.
    pub fn is_whole(&self) -> bool {
        self.names.len() == self.sum_bits.len()
    }
}
