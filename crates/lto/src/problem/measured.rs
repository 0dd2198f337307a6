//! What is measured of the data before a model is made, beside how much states change.

use super::calendar::Calendar;
use super::statics::StaticFields;
use lto_numerics::kriging::Covariance;
use serde::{Deserialize, Serialize};

/// Facts about the data that a model is made with, all optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Measured {
    /// How absolute times are seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calendar: Option<Calendar>,
    /// Whether times are dates, as hours since 1970.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dated: bool,
    /// The covariance of each target channel, in normalized units (of departures from the mean course, if a model learns
    /// those), for best linear estimates between stations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covariances: Vec<Covariance>,
    /// `[lead, ρ]`: the share of a state that persists over increasing leads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<[f64; 2]>,
    /// Standard deviation of the sensors' noise, in the unit of each variable, where records do not say (0 if nothing does); empty for
    /// fields on a grid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<f64>,
    /// Fields that do not change: elevation, land and sea.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statics: Option<StaticFields>,
}

impl Measured {
    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it was measured of station records.
    pub fn is_of_records(&self) -> bool {
        !self.noise.is_empty()
    }

    /// ρ over a lead: linear between the measured ones, 1 at none, constant after the last.
    pub fn persisting(&self, lead: f64) -> f64 {
        let mut before = [0.0, 1.0];
        for &[known, share] in &self.memory {
            if lead <= known {
                let part = (lead - before[0]) / (known - before[0]);
                return before[1] + part.max(0.0) * (share - before[1]);
            }
            before = [known, share];
        }
        before[1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_fades_between_the_measured_leads() {
        let measured = Measured { memory: vec![[1.0, 0.9], [5.0, 0.5]], ..Measured::default() };
        for (lead, share) in
            [(-1.0, 1.0), (0.0, 1.0), (0.5, 0.95), (1.0, 0.9), (3.0, 0.7), (5.0, 0.5), (9.0, 0.5)]
        {
            assert!((measured.persisting(lead) - share).abs() < 1e-12, "{lead}");
        }
        assert_eq!(Measured::default().persisting(7.0), 1.0);
    }
}
