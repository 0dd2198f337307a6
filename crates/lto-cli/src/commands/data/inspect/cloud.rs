//! What a point cloud holds, column by column.

use lto_numerics::dataset::format::csv::PointCloud;
use serde::Serialize;

/// A point cloud in short.
#[derive(Serialize)]
pub struct CloudSummary {
    /// Number of points.
    pub n_points: usize,
    /// Coordinates, then the time, then the values.
    pub columns: Vec<ColumnSummary>,
    /// Columns of text, which are not read.
    pub text_columns: Vec<String>,
}

/// The range of one column.
#[derive(Serialize)]
pub struct ColumnSummary {
    /// Name in the file.
    pub name: String,
    /// `coordinate`, `time` or `value`.
    pub role: &'static str,
    /// Smallest entry; `None` where there is none.
    pub min: Option<f64>,
    /// Largest entry.
    pub max: Option<f64>,
    /// Mean of the entries.
    pub mean: Option<f64>,
    /// Number of entries the file does not have.
    pub n_missing: usize,
}

impl CloudSummary {
    /// The summary of a cloud.
    pub fn new(cloud: &PointCloud) -> Self {
        let dim = cloud.axis_names.len().max(1);
        let coordinates = cloud.axis_names.iter().enumerate().map(|(d, name)| {
            let entries = cloud.coordinates.iter().skip(d).step_by(dim);
            ColumnSummary::new(name, "coordinate", entries)
        });
        let times = cloud.times.iter().map(|(name, times)| ColumnSummary::new(name, "time", times));
        let values = cloud.value_names.iter().zip(&cloud.values);
        let values = values.map(|(name, values)| ColumnSummary::new(name, "value", values));
        Self {
            n_points: cloud.len(),
            columns: coordinates.chain(times).chain(values).collect(),
            text_columns: cloud.text_names.clone(),
        }
    }
}

impl ColumnSummary {
    fn new<'a>(name: &str, role: &'static str, entries: impl IntoIterator<Item = &'a f64>) -> Self {
        let (finite, missing): (Vec<f64>, Vec<f64>) =
            entries.into_iter().partition(|entry| entry.is_finite());
        let known = |value: f64| (!finite.is_empty()).then_some(value);
        Self {
            name: name.into(),
            role,
            min: known(finite.iter().fold(f64::INFINITY, |a, &b| a.min(b))),
            max: known(finite.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b))),
            mean: known(finite.iter().sum::<f64>() / finite.len() as f64),
            n_missing: missing.len(),
        }
    }
}
