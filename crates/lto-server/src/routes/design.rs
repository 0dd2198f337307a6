//! Where more sensors should go, and which existing ones matter.

use super::Name;
use super::certify::{best_scale, estimator};
use crate::compute;
use crate::error::{Error, ErrorBody, Result};
use crate::limits::Limits;
use crate::service::Service;
use crate::wire::{Answer, DesignRequest, parse};
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use lto::problem::Problem;
use lto_numerics::study::{SensorStudy, StudyGoal};
use lto_numerics::theory::plan::{Failure, Failures, PlaceGrid, SensorObjective, SensorRequest, spread};
use lto_numerics::theory::{Estimator, Regularity};
use lto_numerics::{Points, SetConv};
use serde::Serialize;
use utoipa::ToSchema;

/// Most places at which failures are judged.
const FAILURE_PLACES: usize = 20_000;

/// A layout, and what its sensors are worth.
#[derive(Serialize, ToSchema)]
pub struct DesignAnswer {
    /// Where the new sensors should go.
    places: Vec<Vec<f64>>,
    /// What is made small: `fill_distance` or `certificate`.
    objective: &'static str,
    /// It, with the existing sensors alone; `null` without any.
    before: Option<f64>,
    /// It, with the new ones.
    after: Option<f64>,
    /// The existing sensors whose failure costs most, the worst first.
    #[schema(value_type = Vec<Object>)]
    most: Vec<Failure>,
    /// Those whose failure costs least.
    #[schema(value_type = Vec<Object>)]
    least: Vec<Failure>,
}

/// Places new sensors beside existing ones, and ranks the existing ones.
#[utoipa::path(
    post, path = "/v1/models/{m}/design", params(("m" = String, Path, description = "the model's name")),
    request_body = DesignRequest,
    responses((status = 200, body = DesignAnswer), (status = "4XX", body = ErrorBody), (status = 503, body = ErrorBody)),
)]
pub async fn design(State(service): State<Service>, Name(name): Name, body: Bytes) -> Result<Response> {
    let (served, limits) = (service.model(&name)?, service.limits().clone());
    let work = move || Answer::json(&designed(&served.now().model.card().problem, parse(&body)?, &limits)?);
    service.respond(service.slow(work).await?)
}

fn designed(problem: &Problem, request: DesignRequest, limits: &Limits) -> Result<DesignAnswer> {
    let DesignRequest { sensors, n, .. } = &request;
    limits.check_study(sensors.n.saturating_add(*n))?;
    if sensors.n == 0 && *n == 0 {
        return Err(Error::unfit(
            "data",
            "n = 0 without sensors: there is nothing to place and nothing to rank",
        ));
    }
    let (n, goal) = (*n, goal(problem, &request)?);
    let existing = (request.sensors.n > 0).then(|| compute::sensors(request.sensors, problem)).transpose()?;
    let study = match n {
        0 => None,
        n => {
            let (domain, existing, objective) = (&problem.domain, existing.as_ref(), goal.clone());
            let request = SensorRequest { domain, n_new: n, existing, avoid: &[], objective };
            Some(SensorStudy::new(&request, 0, &mut |_| ())?)
        }
    };
    let places = study.iter().flat_map(|study| {
        let (dim, skipped) = (study.sensors.dim(), study.n_existing);
        study.sensors.coordinates().chunks_exact(dim).skip(skipped).map(<[f64]>::to_vec).collect::<Vec<_>>()
    });
    let (mut before, mut failures) = (None, None);
    if let Some(existing) = &existing {
        let objective = objective(&goal, existing, study.as_ref().and_then(|study| study.length_scale))?;
        let judged = PlaceGrid::new(&problem.domain, spread(existing.len() + n))?;
        before = Some(objective.evaluate(existing, &judged)?.value);
        let coarse = PlaceGrid::new(&problem.domain, spread(existing.len()).min(FAILURE_PLACES))?;
        failures = Failures::find(&objective, existing, &coarse)?;
    }
    let (most, least) = failures.map(|found| (found.most, found.least)).unwrap_or_default();
    Ok(DesignAnswer {
        places: places.collect(),
        objective: if goal == StudyGoal::FillDistance { "fill_distance" } else { "certificate" },
        before,
        after: study.as_ref().map(|study| study.worst.value),
        most,
        least,
    })
}

/// What the layout is to make small.
fn goal(problem: &Problem, request: &DesignRequest) -> Result<StudyGoal> {
    let DesignRequest { curvature, sup, gradient, length_scale, estimator: named, .. } = request;
    let estimator = estimator(named.as_deref(), Estimator::LocalLinear)?;
    match curvature {
        Some(curvature) => {
            let regularity = Regularity::new(&problem.domain, *curvature, *sup, *gradient)?;
            Ok(StudyGoal::Certificate { estimator, regularity, length_scale: *length_scale })
        }
        None if sup.is_some() || gradient.is_some() || length_scale.is_some() || named.is_some() => {
            let message =
                "curvature is missing: sup, gradient, length_scale and estimator have no effect without it";
            Err(Error::unfit("data", message))
        }
        None => Ok(StudyGoal::FillDistance),
    }
}

/// The goal at one ℓ: that of the new layout, else the given or the best one.
fn objective(goal: &StudyGoal, existing: &Points, chosen: Option<f64>) -> Result<SensorObjective> {
    Ok(match goal {
        StudyGoal::FillDistance => SensorObjective::FillDistance,
        StudyGoal::Certificate { estimator, regularity, length_scale } => {
            let scale = match chosen.or(*length_scale) {
                Some(scale) => scale,
                None => best_scale(existing, regularity, *estimator)?,
            };
            let setconv = SetConv::new(scale)?;
            SensorObjective::Certificate { setconv, estimator: *estimator, regularity: regularity.clone() }
        }
    })
}
