//! The problem a model solves: the domain of its states, their channels and times.

mod calendar;
mod measured;
pub(crate) mod statics;

use crate::error::{Error, Result};
use lto_numerics::{Domain, Grid, Placement};
use serde::{Deserialize, Serialize};

pub use calendar::Calendar;
pub use measured::Measured;
pub use statics::StaticFields;

/// Tolerance of times, as a share of the trained range: files round times, and steps add up.
const ROUNDING: f64 = 1e-3;

/// The problem a model solves. Stored with its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// The domain of the states (one or two axes).
    pub domain: Domain,
    /// Channels of the source state.
    pub source_channels: usize,
    /// Channels of the target state.
    pub target_channels: usize,
    /// Points of the training grid along each axis.
    pub native: Vec<usize>,
    /// First and last time of the training data; `None` for a steady problem.
    pub times: Option<[f64; 2]>,
    /// How much states change over increasing leads: `[lead, c]` with the root mean square c of u_t − u_s in
    /// units of the deviation of u; empty if it was not measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<[f64; 2]>,
    /// What else is known of the data.
    #[serde(default, skip_serializing_if = "Measured::is_empty")]
    pub measured: Measured,
}

impl Problem {
    /// Checks what the types cannot express.
    ///
    /// # Errors
    /// A domain with more than two axes, no channels, or times that do not increase.
    pub fn validate(&self) -> Result<()> {
        let refuse = |key: &str, value: String, requirement: &str| {
            Err(Error::Config { key: key.into(), value, requirement: requirement.into() })
        };
        if self.domain.dim() > 2 {
            return refuse("domain", format!("{} axes", self.domain.dim()), "a twin has one or two axes");
        }
        if self.source_channels == 0 || self.target_channels == 0 {
            return refuse("channels", "0".into(), "must be at least 1");
        }
        if self.native.len() != self.domain.dim() || self.native.contains(&0) {
            return refuse("native", format!("{:?}", self.native), "one number of points for each axis");
        }
        match self.times {
            Some([first, last]) if !(first < last && (last - first).is_finite()) => {
                return refuse("times", format!("[{first}, {last}]"), "must be finite and increase");
            }
            _ => {}
        }
        let positive = self.changes.iter().flatten().all(|x| *x > 0.0 && x.is_finite());
        if !(positive && self.changes.windows(2).all(|pair| pair[0][0] < pair[1][0])) {
            return refuse("changes", format!("{:?}", self.changes), "must be positive, leads increasing");
        }
        let Measured { calendar, covariances, memory, .. } = &self.measured;
        if let Some(Calendar { periods, longest_lead }) = calendar
            && !periods.iter().chain([longest_lead]).all(|x| *x > 0.0 && x.is_finite())
        {
            return refuse("calendar", format!("{calendar:?}"), "periods and leads must be positive");
        }
        covariances.iter().try_for_each(|covariance| covariance.validate())?;
        if memory.iter().any(|[lead, share]| !(*lead > 0.0 && share.is_finite()))
            || memory.windows(2).any(|pair| pair[0][0] >= pair[1][0])
        {
            return refuse("memory", format!("{memory:?}"), "leads must be positive and increase");
        }
        Ok(())
    }

    /// The typical change of a state over a lead: between the measured ones as a power of the lead, before the
    /// first in proportion to it, after the last as there. Unmeasured, the lead's share of the trained range.
    pub fn change(&self, lead: f64) -> f64 {
        let (Some(&[first, least]), Some(&[last, most])) = (self.changes.first(), self.changes.last()) else {
            return self.times.map_or(0.0, |[first, last]| lead / (last - first));
        };
        if lead <= first {
            return least * lead / first;
        }
        let between = self.changes.windows(2).find(|pair| lead < pair[1][0]);
        between.filter(|_| lead < last).map_or(most, |pair| {
            let ([a, low], [b, high]) = (pair[0], pair[1]);
            low * (high / low).powf((lead / a).ln() / (b / a).ln())
        })
    }

    /// The typical change over the lead of each pair `(s, t)`.
    pub fn changes_over(&self, times: &[(f64, f64)]) -> Vec<f64> {
        times.iter().map(|&(s, t)| self.change(t - s)).collect()
    }

    /// Number of inputs by which a model sees the times s and t; 0 for a steady problem.
    pub fn time_inputs(&self) -> usize {
        match (&self.measured.calendar, self.times) {
            (_, None) => 0,
            (Some(calendar), _) => calendar.n_inputs(),
            (None, _) => 2,
        }
    }

    /// Those inputs of each pair `(s, t)`: s and t as fractions of the trained range, or as a [`Calendar`] has them.
    ///
    /// # Shapes
    /// b pairs → `[b, n]`; `None` for a steady problem.
    pub fn times_as_inputs(&self, times: &[(f64, f64)]) -> Option<Vec<f64>> {
        let [first, last] = self.times?;
        let fraction = |t: f64| (t - first) / (last - first);
        Some(match &self.measured.calendar {
            Some(calendar) => times.iter().flat_map(|&pair| calendar.inputs(pair)).collect(),
            None => times.iter().flat_map(|&(s, t)| [fraction(s), fraction(t)]).collect(),
        })
    }

    /// Spacing of the training grid along axis `d`, as a distance.
    pub fn native_spacing(&self, d: usize) -> f64 {
        self.domain.axes()[d].extent() / self.native[d] as f64
    }

    /// Number of frames in a source state of a timed problem, the last one at time s.
    pub fn history(&self) -> usize {
        if self.times.is_some() { (self.source_channels / self.target_channels.max(1)).max(1) } else { 1 }
    }

    /// Refuses points on another domain.
    ///
    /// # Errors
    /// [`Error::WrongDomain`], naming both.
    pub fn check_domain(&self, what: &'static str, domain: &Domain) -> Result<()> {
        if domain.same_place(&self.domain) {
            return Ok(());
        }
        Err(Error::WrongDomain { what, expected: self.domain.to_string(), got: domain.to_string() })
    }

    /// A uniform grid over the domain, with `shape` points along the axes or one number for all. It includes
    /// both bounds of an axis, or only the lower one if periodic.
    ///
    /// # Errors
    /// Another number of axes, no points, or more than memory holds.
    pub fn query_grid(&self, shape: &[usize]) -> Result<Grid> {
        let dim = self.domain.dim();
        let shape = match shape {
            [n] => vec![*n; dim],
            shape => shape.to_vec(),
        };
        if shape.len() != dim {
            let requirement = format!("the model has {dim} axes: {}", self.domain);
            return Err(Error::Config { key: "query".into(), value: format!("{shape:?}"), requirement });
        }
        let n = shape.iter().map(|&n| n as u128).fold(1, u128::saturating_mul);
        let numbers = n.saturating_mul((dim + self.target_channels) as u128);
        lto_numerics::memory::require(&format!("{n} query points"), 8 * numbers.min(1 << 64))?;
        let placement = |periodic| if periodic { Placement::Left } else { Placement::Vertex };
        let axes: Vec<(usize, Placement)> =
            shape.iter().zip(self.domain.axes()).map(|(&n, axis)| (n, placement(axis.periodic))).collect();
        Ok(Grid::uniform(self.domain.clone(), &axes)?)
    }

    /// Those of `times` that lie outside the trained range by more than rounding can explain; none with a calendar, which
    /// knows all times.
    pub fn outside_range(&self, times: impl IntoIterator<Item = f64>) -> Vec<f64> {
        let (Some([first, last]), None) = (self.times, &self.measured.calendar) else { return Vec::new() };
        let slack = ROUNDING * (last - first);
        times.into_iter().filter(|t| !(first - slack..=last + slack).contains(t)).collect()
    }

    /// The last time to which a model with a calendar was trained to go from `s`; `None` without a calendar.
    pub fn furthest(&self, s: f64) -> Option<f64> {
        let calendar = self.measured.calendar.as_ref()?;
        Some(s + calendar.longest_lead * (1.0 + ROUNDING))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_powers_of_the_lead_between_measurements() {
        let mut problem = Problem {
            domain: Domain::unit(1, true).unwrap(),
            source_channels: 1,
            target_channels: 1,
            native: vec![8],
            times: Some([0.0, 8.0]),
            changes: Vec::new(),
            measured: Measured::default(),
        };
        assert_eq!(problem.change(2.0), 0.25);
        problem.changes = vec![[1.0, 0.1], [4.0, 0.2]];
        problem.validate().unwrap();
        for (lead, change) in
            [(0.0, 0.0), (0.5, 0.05), (1.0, 0.1), (2.0, 0.1 * 2f64.sqrt()), (4.0, 0.2), (9.0, 0.2)]
        {
            assert!((problem.change(lead) - change).abs() < 1e-12, "{lead}");
        }
        problem.changes = vec![[4.0, 0.1], [1.0, 0.2]];
        assert!(problem.validate().is_err());
    }
}
