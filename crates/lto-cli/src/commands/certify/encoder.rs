//! The set convolution that a trained model encodes with.

use anyhow::{Context, Result};
use lto::model::Model;
use lto_numerics::{Domain, SetConv};
use std::path::Path;

/// What a certificate needs to know about an encoder.
pub struct Encoder {
    /// Its set convolution, as it is computed: ℓ, density floor and precision.
    pub setconv: SetConv,
    /// Where its states live.
    pub domain: Domain,
}

/// Reads the run or model at a path.
///
/// # Errors
/// A model that cannot be read, or without a set convolution to encode observations.
pub fn read(path: &Path) -> Result<Encoder> {
    let model = Model::load(path)?;
    let setconv = model.operator().set_convolution().with_context(|| {
        format!("{}: does not encode by a set convolution; give --length-scale instead", path.display())
    })?;
    Ok(Encoder { setconv, domain: model.card().problem.domain.clone() })
}
