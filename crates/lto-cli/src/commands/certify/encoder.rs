//! The set convolution that a trained model encodes with.

use anyhow::{Context, Result};
use lto::model::Model;
use lto_numerics::{Domain, Points, SetConv};
use std::path::{Path, PathBuf};

/// What a certificate needs to know about an encoder.
pub struct Encoder {
    model: Model,
    path: PathBuf,
}

/// Reads the run or model at a path.
///
/// # Errors
/// A model that cannot be read.
pub fn read(path: &Path) -> Result<Encoder> {
    Ok(Encoder { model: Model::load(path)?, path: path.into() })
}

impl Encoder {
    /// What a certificate of its set convolution leaves out, if anything.
    pub fn remark(&self) -> Option<&'static str> {
        self.model.card().model.uncertified()
    }

    /// Where its states live.
    pub fn domain(&self) -> &Domain {
        &self.model.card().problem.domain
    }

    /// Its set convolution for these sensors, as it is computed: ℓ, density floor and precision.
    ///
    /// # Errors
    /// A model without a set convolution to encode observations.
    pub fn setconv(&self, sensors: &Points) -> Result<SetConv> {
        let path = self.path.display();
        let found = self.model.operator().set_convolution(sensors);
        found.with_context(|| {
            format!("{path}: does not encode by a set convolution; give --length-scale instead")
        })
    }
}
