//! Operators made of a mean course: it alone, or with the anomalies of the observations.

use super::still::check_frame;
use crate::course::MeanCourse;
use crate::device::fetch;
use crate::error::Result;
use crate::interpolate::closely;
use crate::operator::{Architecture, Operator, Seen, tensor};
use crate::parameters::Named;
use crate::problem::Problem;
use crate::size::{Size, points};
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use std::sync::Arc;

impl MeanCourse {
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
    /// m(·, t) at any points.
    ///
    /// # Shapes
    /// M points → `[q, M]`.
    fn at(&self, t: f64, query: &Points) -> Result<Vec<f64>> {
        let frame = |k: usize| fetch(self.mean.val().narrow(0, k, 1)).into_iter().map(f64::from).collect();
        self.course.at(t, &self.points, query, frame)
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

    fn takes_missing(&self) -> bool {
        true
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
