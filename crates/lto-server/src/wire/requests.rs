//! The bodies of requests.

use super::Rows;
use serde::Deserialize;
use utoipa::ToSchema;

/// Where the field is wanted.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Query {
    /// A grid over the domain: points along each axis, or one number for all.
    #[schema(example = json!([64, 64]))]
    Grid(Vec<usize>),
    /// Points, `[[x, y], …]`.
    #[schema(value_type = Vec<Vec<f64>>)]
    Points(Rows),
}

/// The field from readings.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PredictRequest {
    /// Where the sensors are: `[[x, y], …]`.
    #[schema(value_type = Vec<Vec<f64>>)]
    pub sensors: Rows,
    /// What they read: one row a sensor, a number for each source channel; `null` is missing.
    #[schema(value_type = Vec<Vec<Option<f64>>>)]
    pub values: Rows,
    /// When they read it; not for steady models.
    pub s: Option<f64>,
    /// The times to predict; not for steady models.
    #[serde(default)]
    pub times: Vec<f64>,
    /// Where to predict; without it, the training grid.
    pub query: Option<Query>,
    /// The probability of a band around the prediction.
    pub band: Option<f64>,
    /// Also accept values and times unlike the training data's.
    #[serde(default)]
    pub force: bool,
    /// Leave out readings with a missing value.
    #[serde(default)]
    pub skip_missing: bool,
    /// Average readings at the same place.
    #[serde(default)]
    pub merge_duplicates: bool,
}

/// Readings to be encoded once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EncodeRequest {
    /// Where the sensors are: `[[x, y], …]`.
    #[schema(value_type = Vec<Vec<f64>>)]
    pub sensors: Rows,
    /// What they read: one row a sensor, a number for each source channel; `null` is missing.
    #[schema(value_type = Vec<Vec<Option<f64>>>)]
    pub values: Rows,
    /// When they read it; not for steady models.
    pub s: Option<f64>,
    /// Also accept values and times unlike the training data's.
    #[serde(default)]
    pub force: bool,
    /// Leave out readings with a missing value.
    #[serde(default)]
    pub skip_missing: bool,
    /// Average readings at the same place.
    #[serde(default)]
    pub merge_duplicates: bool,
}

/// The field of an encoded state.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecodeRequest {
    /// The state, as `encode` named it.
    pub state: String,
    /// The times to predict; not for steady models.
    #[serde(default)]
    pub times: Vec<f64>,
    /// Where to predict; without it, the training grid.
    pub query: Option<Query>,
    /// The probability of a band around the prediction.
    pub band: Option<f64>,
}

/// What is tolerated in readings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tolerance {
    /// Values and times unlike the training data's.
    pub force: bool,
    /// Missing values.
    pub skip_missing: bool,
    /// Several readings at the same place.
    pub merge_duplicates: bool,
}

/// How far off estimates between sensors can be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CertifyRequest {
    /// Where the sensors are.
    #[schema(value_type = Vec<Vec<f64>>)]
    pub sensors: Rows,
    /// The largest second derivative of the states along any direction.
    pub curvature: f64,
    /// The largest value; it or `gradient` is needed if an axis is not periodic.
    pub sup: Option<f64>,
    /// The largest slope.
    pub gradient: Option<f64>,
    /// The grid of the map; without it, the training grid.
    pub grid: Option<Vec<usize>>,
    /// `nadaraya_watson`, which is what a twin encodes, or `local_linear`.
    pub estimator: Option<String>,
    /// ℓ of the estimate; without it the encoder's own, else the best.
    pub length_scale: Option<f64>,
    /// Whether everything that `lto certify` says is wanted too.
    #[serde(default)]
    pub summary: bool,
}

/// Where more sensors should go, and which existing ones matter.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignRequest {
    /// The existing sensors, which stay; may be empty.
    #[serde(default)]
    #[schema(value_type = Vec<Vec<f64>>)]
    pub sensors: Rows,
    /// How many to add; 0 only ranks the existing ones.
    pub n: usize,
    /// The largest second derivative of the states: the layout then minimizes the error bound, not the fill distance.
    pub curvature: Option<f64>,
    /// The largest value; with `curvature`.
    pub sup: Option<f64>,
    /// The largest slope; with `curvature`.
    pub gradient: Option<f64>,
    /// The estimate between the sensors; with `curvature`.
    pub estimator: Option<String>,
    /// ℓ of the estimate; with `curvature`. Without it, the best for each layout.
    pub length_scale: Option<f64>,
}

/// Readings as they come in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservationsRequest {
    /// When the sensors read it.
    pub time: f64,
    /// Where the sensors are.
    #[schema(value_type = Vec<Vec<f64>>)]
    pub sensors: Rows,
    /// What they read, one row a sensor.
    #[schema(value_type = Vec<Vec<f64>>)]
    pub values: Rows,
}

impl PredictRequest {
    /// What is tolerated.
    pub fn tolerance(&self) -> Tolerance {
        let Self { force, skip_missing, merge_duplicates, .. } = *self;
        Tolerance { force, skip_missing, merge_duplicates }
    }
}

impl EncodeRequest {
    /// What is tolerated.
    pub fn tolerance(&self) -> Tolerance {
        let Self { force, skip_missing, merge_duplicates, .. } = *self;
        Tolerance { force, skip_missing, merge_duplicates }
    }
}
