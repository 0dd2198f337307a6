//! The small twin of the heat equation that is part of the binary, so that the service shows something at once.

use lto::{Model, Result};

/// Its file; `twin/README.md` has the command that made it.
const FILE: &[u8] = include_bytes!("../twin/model.safetensors");

/// The twin.
///
/// # Errors
/// None: the file is sound.
pub fn model() -> Result<Model> {
    Model::from_bytes(FILE)
}
