//! The mean course of the training samples: their mean state at every time, estimated, not trained.

use crate::error::{Error, Result};
use crate::interpolate::closely;
use crate::parameters::Named;
use crate::problem::Problem;
use lto_numerics::dataset::Context;
use lto_numerics::{Grid, Points};
use serde::{Deserialize, Serialize};

/// Times closer than this share of the period are the same.
const SAME_TIME: f64 = 1e-6;

/// Where and when a mean course m(x, t) is known. It is filled in from the data; the values are the model's weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MeanCourse {
    /// Times of its frames, increasing, all within the first period if there is one. A steady problem has a single one.
    pub times: Vec<f64>,
    /// Coordinates of its points along each axis.
    pub coordinates: Vec<Vec<f64>>,
    /// The time after which it repeats.
    pub period: Option<f64>,
}

impl MeanCourse {
    /// The course of data with these frames; frames a whole number of periods apart are one.
    pub fn new(times: &[f64], grid: &Grid, period: Option<f64>) -> Self {
        let coordinates = (0..grid.dim()).map(|d| grid.coordinates(d).to_vec()).collect();
        let mut course = Self { times: Vec::new(), coordinates, period };
        course.times = times.iter().map(|&t| course.phase(t)).collect();
        course.times.sort_by(f64::total_cmp);
        let same = SAME_TIME * period.unwrap_or(0.0);
        course.times.dedup_by(|later, earlier| *later - *earlier <= same);
        course
    }

    /// The frame at the time t of a frame of the data.
    pub fn frame(&self, t: f64) -> usize {
        let (before, after, share) = self.around(t);
        if share < 0.5 { before } else { after }
    }

    /// `t` within the first period.
    fn phase(&self, t: f64) -> f64 {
        match self.period {
            Some(period) => {
                let phase = t.rem_euclid(period);
                if period - phase <= SAME_TIME * period { 0.0 } else { phase }
            }
            None => t,
        }
    }

    /// The frames before and after a time, and how far between them it lies, from 0 to 1. Without a period, the first
    /// and the last frame hold before and after them.
    fn around(&self, t: f64) -> (usize, usize, f64) {
        let (t, n) = (self.phase(t), self.times.len());
        let next = self.times.partition_point(|&time| time <= t);
        let (before, after) = match self.period {
            Some(_) => ((next + n - 1) % n, next % n),
            None => (next.saturating_sub(1), next.min(n - 1)),
        };
        let turn = |wraps: bool| if wraps { self.period.unwrap_or(0.0) } else { 0.0 };
        let from = self.times[before] - turn(next == 0);
        let gap = self.times[after] + turn(next == n) - from;
        (before, after, if gap > 0.0 { ((t - from) / gap).clamp(0.0, 1.0) } else { 0.0 })
    }

    /// m(·, t) at any points: linear between frames, interpolated in space by [`closely`]. `frame` gives the values
    /// `[channel, point]` of a frame at `points`.
    ///
    /// # Shapes
    /// M points → `[q, M]`.
    ///
    /// # Errors
    /// As [`closely`].
    pub fn at(
        &self,
        t: f64,
        points: &Points,
        query: &Points,
        frame: impl Fn(usize) -> Vec<f64>,
    ) -> Result<Vec<f64>> {
        let (before, after, share) = self.around(t);
        let between = |(a, b): (f64, f64)| a + share * (b - a);
        let values: Vec<f64> = frame(before).into_iter().zip(frame(after)).map(between).collect();
        let n_channels = values.len() / points.len();
        closely(&Context { points: points.clone(), n_channels, values, deviations: None }, query)
    }

    /// Its grid, if what it says of itself makes sense.
    ///
    /// # Errors
    /// Times that do not increase or are missing, a period that is not positive, coordinates that are no grid.
    pub fn grid(&self, name: &str, problem: &Problem) -> Result<Grid> {
        let refuse = |key: &str, value: String, requirement: &str| {
            Err(Error::Config { key: format!("model.{key}"), value, requirement: requirement.into() })
        };
        if self.times.is_empty() {
            let requirement = "is a mean of training samples, not trained; name it in lto evaluate";
            return refuse("kind", name.into(), requirement);
        }
        if !self.times.iter().all(|t| t.is_finite()) || self.times.windows(2).any(|pair| pair[0] >= pair[1]) {
            return refuse("times", format!("{:?}", self.times), "must increase");
        }
        match self.period {
            Some(period) if !(period > 0.0 && period.is_finite()) => {
                refuse("period", period.to_string(), "must be positive")
            }
            _ => Ok(Grid::from_coordinates(problem.domain.clone(), self.coordinates.clone())?),
        }
    }
}

/// The name of a course's values beside a model's weights.
pub(crate) const TENSOR: &str = "mean_course";

/// A mean course with its values: what a model that learns departures from it adds to them.
#[derive(Clone, Debug)]
pub struct Course {
    when: MeanCourse,
    points: Points,
    /// `[frame, channel, point]`.
    mean: Vec<f32>,
}

impl Course {
    /// The course of a problem's states with the values `[frame, channel, point]`.
    ///
    /// # Errors
    /// As [`MeanCourse::grid`], or another number of values.
    pub fn new(when: MeanCourse, mean: Vec<f32>, problem: &Problem) -> Result<Self> {
        let points = Points::grid(when.grid("a mean course", problem)?);
        let expected = when.times.len() * problem.target_channels * points.len();
        if mean.len() != expected {
            let what = "number of values of the mean course".into();
            return Err(lto_numerics::Error::Mismatch { what, expected, got: mean.len() }.into());
        }
        Ok(Self { when, points, mean })
    }

    /// Where and when it is known.
    pub fn when(&self) -> &MeanCourse {
        &self.when
    }

    /// m(·, t) at any points.
    ///
    /// # Shapes
    /// M points → `[q, M]`.
    ///
    /// # Errors
    /// As [`MeanCourse::at`].
    pub fn at(&self, t: f64, query: &Points) -> Result<Vec<f64>> {
        let size = self.mean.len() / self.when.times.len();
        let frame = |k: usize| self.mean[k * size..][..size].iter().map(|&m| f64::from(m)).collect();
        self.when.at(t, &self.points, query, frame)
    }

    /// Its values, as they are stored beside weights.
    pub(crate) fn tensor(&self) -> Named {
        let (frames, points) = (self.when.times.len(), self.points.len());
        let shape = vec![frames, self.mean.len() / (frames * points), points];
        Named { name: TENSOR.into(), shape, values: self.mean.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::{Domain, Placement};

    fn course(times: &[f64], period: Option<f64>) -> MeanCourse {
        let grid = Grid::cubic(Domain::unit(1, true).unwrap(), 4, Placement::Left).unwrap();
        MeanCourse::new(times, &grid, period)
    }

    /// Two days of four hours each are four phases; the one after the last is the first.
    #[test]
    fn frames_a_period_apart_are_one() {
        let hours: Vec<f64> = (0..8).map(f64::from).collect();
        let day = course(&hours, Some(4.0));
        assert_eq!(day.times, [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(hours.iter().map(|&t| day.frame(t)).collect::<Vec<_>>(), [0, 1, 2, 3, 0, 1, 2, 3]);
        assert_eq!(day.around(3.75), (3, 0, 0.75), "from the last hour to midnight");
        assert_eq!(day.around(-1.5), (2, 3, 0.5));
        assert_eq!(course(&[1.0, 5.0 - 1e-9], Some(4.0)).times.len(), 1);
        // Six frames of 0.1 a period, which floating-point numbers do not divide.
        let tenths: Vec<f64> = (0..30).map(|i| f64::from(i) * 0.1).collect();
        let turn = course(&tenths, Some(0.6));
        assert_eq!(turn.times.len(), 6, "{:?}", turn.times);
        assert!(tenths.iter().enumerate().all(|(i, &t)| turn.frame(t) == i % 6));
        assert_eq!(course(&[2.0], Some(4.0)).around(1.0), (0, 0, 0.75), "a single frame is always it");
    }

    #[test]
    fn without_a_period_the_ends_hold() {
        let once = course(&[1.0, 2.0, 4.0], None);
        assert_eq!(once.around(3.5), (1, 2, 0.75));
        assert_eq!((once.around(0.0).0, once.around(0.0).2), (0, 0.0));
        assert_eq!((once.around(9.0).0, once.around(9.0).1), (2, 2));
        assert_eq!([1.0, 2.0, 4.0].map(|t| once.frame(t)), [0, 1, 2]);
    }
}
