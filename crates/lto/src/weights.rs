//! Named tensors with a description, as `.safetensors` files: written atomically, checked when read.

use crate::error::{Error, Result};
use crate::operator::Operator;
use crate::parameters::Named;
use lto_numerics::dataset::write::AtomicFile;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Key of the metadata that holds the description as JSON.
const KEY: &str = "lto";

/// Writes tensors and their description, atomically.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, tensors: &[Named], description: &impl Serialize) -> Result<()> {
    let all = to_bytes(path, tensors, description)?;
    let mut file = AtomicFile::create(path)?;
    file.file().write_all(&all).map_err(Error::io(path))?;
    Ok(file.finish()?)
}

/// The bytes of such a file; messages call it `path`.
///
/// # Errors
/// A description that is no JSON.
pub fn to_bytes(path: &Path, tensors: &[Named], description: &impl Serialize) -> Result<Vec<u8>> {
    let text = serde_json::to_string(description).map_err(|e| Error::bad_file(path, e.to_string()))?;
    let bytes: Vec<Vec<u8>> =
        tensors.iter().map(|t| t.values.iter().flat_map(|v| v.to_le_bytes()).collect()).collect();
    let mut views = Vec::with_capacity(tensors.len());
    for (tensor, bytes) in tensors.iter().zip(&bytes) {
        let view = TensorView::new(Dtype::F32, tensor.shape.clone(), bytes);
        views.push((&tensor.name, view.map_err(|e| Error::bad_file(path, e.to_string()))?));
    }
    let metadata = HashMap::from([(KEY.to_string(), text)]);
    serialize(views, Some(metadata)).map_err(|e| Error::bad_file(path, e.to_string()))
}

/// Reads tensors and their description.
///
/// # Errors
/// A file that is missing or damaged, is not in single precision, or has no valid description.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<(Vec<Named>, T)> {
    from_bytes(path, &std::fs::read(path).map_err(Error::io(path))?)
}

/// As [`read`], from the bytes of such a file; messages call it `path`.
///
/// # Errors
/// As [`read`].
pub fn from_bytes<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<(Vec<Named>, T)> {
    let broken = |e: safetensors::SafeTensorError| {
        Error::bad_file(path, format!("not a whole .safetensors file: {e}"))
    };
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(broken)?;
    let text = metadata.metadata().as_ref().and_then(|m| m.get(KEY));
    let text =
        text.ok_or_else(|| Error::bad_file(path, "holds weights only, no description of a model by lto"))?;
    let description = serde_json::from_str(text).map_err(|e| {
        Error::bad_file(path, format!("its description is not understood by this version of lto: {e}"))
    })?;
    let tensors = SafeTensors::deserialize(bytes).map_err(broken)?;
    let mut found = Vec::with_capacity(tensors.len());
    for (name, view) in tensors.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(Error::bad_file(
                path,
                format!("tensor {name} has numbers of type {:?}, not F32", view.dtype()),
            ));
        }
        let values =
            view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        found.push(Named { name, shape: view.shape().to_vec(), values });
    }
    Ok((found, description))
}

/// An operator with these tensors as weights: exactly its parameters, with their shapes.
///
/// # Errors
/// The first parameter that is missing, of another shape, not finite, or unknown.
pub fn load_into(operator: &dyn Operator, tensors: Vec<Named>, path: &Path) -> Result<Arc<dyn Operator>> {
    let mut known: HashMap<String, Named> = tensors.into_iter().map(|t| (t.name.clone(), t)).collect();
    let mut problem = None;
    let loaded = operator.with_parameters(&mut |name, shape| {
        let found = known.remove(name);
        let complaint = match &found {
            None => Some(format!("the weights {name} are missing")),
            Some(t) if t.shape != shape => {
                Some(format!("{name} has shape {:?}, the architecture needs {shape:?}", t.shape))
            }
            Some(t) if t.values.iter().any(|v| !v.is_finite()) => {
                Some(format!("{name} holds a NaN or infinity"))
            }
            Some(_) => None,
        };
        if let Some(complaint) = complaint {
            problem.get_or_insert(complaint);
            return None;
        }
        found.map(|t| t.values)
    });
    if let Some(name) = known.keys().min() {
        problem.get_or_insert(format!("{name} is not a parameter of this architecture"));
    }
    problem.map_or(Ok(loaded), |problem| Err(Error::bad_file(path, problem)))
}
