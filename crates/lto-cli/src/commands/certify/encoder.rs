//! The estimate that a trained twin's encoder makes.

use anyhow::{Context, Result};
use lto::model::Model;
use lto_numerics::Domain;
use std::path::Path;

/// What a certificate needs to know about an encoder.
pub struct Encoder {
    /// ℓ of its set convolution.
    pub length_scale: f64,
    /// Where its states live.
    pub domain: Domain,
}

/// Reads the run or model at a path.
///
/// # Errors
/// A model that cannot be read, or without a set convolution to encode observations.
pub fn read(path: &Path) -> Result<Encoder> {
    let model = Model::load(path)?;
    let parameters = model.operator().parameters();
    let of_encoder = |name: &str| name.starts_with("encoder.") && name.ends_with("log_length_scale");
    let log = parameters.iter().find(|p| of_encoder(&p.name)).and_then(|p| p.values.first());
    let log = log.with_context(|| {
        format!("{}: has no encoder with a length scale; give --length-scale instead", path.display())
    })?;
    Ok(Encoder { length_scale: f64::from(*log).exp(), domain: model.card().problem.domain.clone() })
}
