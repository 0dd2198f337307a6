//! How far estimates between sensors can be off.

use super::Name;
use crate::compute;
use crate::error::{Error, ErrorBody, Result};
use crate::limits::Limits;
use crate::served::Loaded;
use crate::service::Service;
use crate::wire::{Answer, CertifyRequest, parse};
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use lto_numerics::study::SensorCertificate;
use lto_numerics::theory::plan::{PlaceGrid, WorstPlace, spread};
use lto_numerics::theory::{Certificate, Estimator, LocalBounds, Regularity};
use lto_numerics::{Points, SetConv};
use serde::Serialize;
use utoipa::ToSchema;

/// The bounds on a grid.
#[derive(Serialize, ToSchema)]
pub struct CertifyAnswer {
    /// Points along each axis.
    shape: Vec<usize>,
    /// How far the estimate can be off at each, row-major.
    bounds: Vec<f64>,
    /// The estimate.
    #[schema(value_type = String)]
    estimator: Estimator,
    /// Its ℓ.
    length_scale: f64,
    /// ε in its denominator.
    density_floor: f64,
    /// The largest bound, and where it is.
    #[schema(value_type = Object)]
    worst: WorstPlace,
    /// The mean bound.
    mean: f64,
    /// Number of points where the local linear estimate falls back to Nadaraya–Watson.
    fallbacks: usize,
    /// What the certificate leaves out of this model.
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<&'static str>,
    /// What `lto certify --json` says, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    certificate: Option<SensorCertificate>,
}

/// What a certificate is about.
struct Layout {
    sensors: Points,
    regularity: Regularity,
    setconv: SetConv,
}

/// A bound of the error between the sensors at every place of a grid, for every state no more curved than given.
#[utoipa::path(
    post, path = "/v1/models/{m}/certify", params(("m" = String, Path, description = "the model's name")),
    request_body = CertifyRequest,
    responses((status = 200, body = CertifyAnswer), (status = "4XX", body = ErrorBody), (status = 503, body = ErrorBody)),
)]
pub async fn certify(State(service): State<Service>, Name(name): Name, body: Bytes) -> Result<Response> {
    let (served, limits) = (service.model(&name)?, service.limits().clone());
    let map = move || {
        let request: CertifyRequest = parse(&body)?;
        let wanted = request.summary;
        Ok((mapped(&served.now(), request, &limits)?, wanted))
    };
    let ((answer, layout), wanted) = service.quick(map).await?;
    if !wanted {
        return service.respond(Answer::json(&answer)?);
    }
    let whole = move || {
        let Layout { sensors, regularity, setconv } = layout;
        let found = SensorCertificate::new(sensors, regularity, None, Some(setconv), &mut |_| ())?;
        Answer::json(&CertifyAnswer { certificate: Some(found), ..answer })
    };
    service.respond(service.slow(whole).await?)
}

/// The map of the bounds.
fn mapped(loaded: &Loaded, request: CertifyRequest, limits: &Limits) -> Result<(CertifyAnswer, Layout)> {
    let problem = &loaded.model.card().problem;
    limits.check_study(request.sensors.n)?;
    let grid = compute::grid(request.grid.as_deref().unwrap_or(&problem.native), problem, limits)?;
    let sensors = compute::sensors(request.sensors, problem)?;
    let regularity = Regularity::new(&problem.domain, request.curvature, request.sup, request.gradient)?;
    let estimator = estimator(request.estimator.as_deref(), Estimator::NadarayaWatson)?;
    let own = loaded.model.operator().set_convolution(&sensors);
    let setconv = match (request.length_scale, own) {
        (Some(ell), Some(own)) => own.with_length_scale(ell)?,
        (Some(ell), None) => SetConv::new(ell)?,
        (None, Some(own)) => own,
        (None, None) => SetConv::new(best_scale(&sensors, &regularity, estimator)?)?,
    };
    let shape = grid.shape();
    let query = Points::grid(grid);
    let local = LocalBounds::new(&setconv, estimator, &sensors, &regularity, &query)?;
    let (worst, bound) = local.worst();
    let mut at = vec![0.0; query.dim()];
    query.write_point(worst, &mut at);
    let answer = CertifyAnswer {
        shape,
        bounds: local.bounds.iter().map(|at| at.bound).collect(),
        estimator,
        length_scale: setconv.kernel().length_scale(),
        density_floor: setconv.density_floor(),
        worst: WorstPlace { value: bound.bound, at },
        mean: local.mean(),
        fallbacks: local.n_fallbacks,
        remark: loaded.model.card().model.uncertified(),
        certificate: None,
    };
    Ok((answer, Layout { sensors, regularity, setconv }))
}

/// The widest ℓ whose largest bound is about the least.
pub fn best_scale(sensors: &Points, regularity: &Regularity, estimator: Estimator) -> Result<f64> {
    let places = PlaceGrid::new(sensors.domain(), spread(sensors.len()))?;
    let certificate = Certificate::new(sensors, regularity.clone())?;
    Ok(certificate.tuned(sensors, estimator, places.points())?.length_scale)
}

/// The estimator of a name.
pub fn estimator(name: Option<&str>, usual: Estimator) -> Result<Estimator> {
    let Some(name) = name else { return Ok(usual) };
    Estimator::ALL.into_iter().find(|estimator| estimator.name() == name).ok_or_else(|| {
        let names = Estimator::ALL.map(Estimator::name).join(" or ");
        Error::unfit("data", format!("estimator = {name:?}: must be {names}"))
    })
}
