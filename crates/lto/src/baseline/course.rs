//! Operators made of a mean course: the mean state of the training samples at every time, estimated, not trained.

use super::still::check_frame;
use crate::error::{Error, Result};
use crate::interpolate::closely;
use crate::operator::{Architecture, Operator, Seen, tensor};
use crate::parameters::Named;
use crate::problem::Problem;
use crate::size::{Size, points};
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use lto_numerics::dataset::Context;
use lto_numerics::{Grid, Points};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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

    pub(super) fn size(&self, problem: &Problem) -> Size {
        let values = self.coordinates.iter().map(|x| x.len() as f64).product::<f64>();
        let weights = self.times.len() as f64 * problem.target_channels as f64 * values;
        Size { weights, layers: 1.0, state: points(problem) }
    }

    /// An operator of this course, all zeros: climatology, or with the anomalies of the observations.
    pub(super) fn init(
        &self,
        name: &'static str,
        anomalies: bool,
        problem: &Problem,
        device: &Device,
    ) -> Result<Arc<dyn Operator>> {
        let grid = self.grid(name, problem)?;
        let shape = [self.times.len(), problem.target_channels, grid.len()];
        Ok(Arc::new(CourseOperator {
            mean: Param::from_tensor(Tensor::zeros(shape, device)),
            name,
            anomalies,
            course: self.clone(),
            points: Points::grid(grid),
            problem: problem.clone(),
        }))
    }

    /// The grid, if the course is one.
    fn grid(&self, name: &str, problem: &Problem) -> Result<Grid> {
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

/// A mean course, alone or with the anomalies of the observations.
#[derive(Module, Debug)]
struct CourseOperator {
    /// `[frame, channel, point]`.
    mean: Param<Tensor<3>>,
    #[module(skip)]
    name: &'static str,
    #[module(skip)]
    anomalies: bool,
    #[module(skip)]
    course: MeanCourse,
    #[module(skip)]
    points: Points,
    #[module(skip)]
    problem: Problem,
}

impl CourseOperator {
    /// m(·, t) at any points: linear between frames, interpolated in space by [`closely`].
    ///
    /// # Shapes
    /// M points → `[q, M]`.
    fn at(&self, t: f64, query: &Points) -> Result<Vec<f64>> {
        let (before, after, share) = self.course.around(t);
        let frame = |k: usize| self.mean.val().narrow(0, k, 1).into_data().iter::<f64>().collect::<Vec<_>>();
        let between = |(a, b): (f64, f64)| a + share * (b - a);
        let values = frame(before).into_iter().zip(frame(after)).map(between).collect();
        closely(
            &Context { points: self.points.clone(), n_channels: self.problem.target_channels, values },
            query,
        )
    }

    /// The anomalies u − m(·, s) at the observed points, interpolated at the query points.
    ///
    /// # Shapes
    /// `[p, N]` of the context, M points → `[p, M]`.
    fn anomalies(&self, context: &Context, s: f64, query: &Points) -> Result<Vec<f64>> {
        let mean = self.at(s, &context.points)?;
        let values = context.values.iter().zip(mean).map(|(u, m)| u - m).collect();
        closely(&Context { values, ..context.clone() }, query)
    }
}

impl Architecture for CourseOperator {
    type Latent = ();

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn encode(&self, _contexts: &[Context]) -> Result<()> {
        if self.anomalies { check_frame(&self.problem, self.name) } else { Ok(()) }
    }

    fn decode(&self, seen: Seen<()>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let mut values = Vec::new();
        let examples = seen.contexts.iter().zip(seen.times).zip(queries.iter().cycle());
        for ((context, &(s, t)), query) in examples {
            let mut state = self.at(t, query)?;
            if self.anomalies {
                let anomalies = self.anomalies(context, s, query)?;
                state.iter_mut().zip(anomalies).for_each(|(m, anomaly)| *m += anomaly);
            }
            values.extend(state);
        }
        let shape = [seen.contexts.len(), self.problem.target_channels, queries[0].len()];
        Ok(tensor(&values, shape, &self.mean.val().device()))
    }

    /// None: means are estimated, not trained.
    fn count(&self, _parameter: &Named) -> usize {
        0
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
