//! Weights trained elsewhere: PyTorch state dicts for the architecture of a configuration.

mod names;
mod notes;
mod number;
mod pickle;
mod pytorch;
mod spectral;

use crate::data::Data;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::model::Model;
use crate::weights;
use number::Number;
use safetensors::tensor::SafeTensors;
use std::path::Path;

/// A tensor of a state dict.
#[derive(Clone, Debug, PartialEq)]
pub struct StateTensor {
    /// Its name in the state dict.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its numbers, row-major; two for each if complex.
    pub values: Vec<f32>,
    /// Whether its numbers are complex.
    pub complex: bool,
}

/// A model with weights trained elsewhere.
pub struct Imported {
    /// The model.
    pub model: Model,
    /// Where its inputs differ from those in the program that trained it, as text.
    pub notes: Vec<String>,
}

/// A model of the architecture and the data of a configuration, with the weights of a state dict: a `.pt` file of
/// `torch.save(model.state_dict(), …)`, whose pickle is read as data and never run, or a `.safetensors` file.
/// The normalization is fitted to the training data, as in training; `progress` follows it and may stop it.
///
/// # Errors
/// A file that is damaged or holds anything but tensors; weights that are missing, superfluous or of another shape, all by
/// name; data that cannot be read or solved.
pub fn import(
    experiment: &Experiment,
    path: &Path,
    progress: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<Imported> {
    let data = Data::open(&experiment.data, experiment.train.context.largest_fraction())?;
    let operator = experiment.model.init(&data.problem(), experiment.seed, Device::default())?;
    let tensors = names::ours(&experiment.model, &operator.parameters(), read_state_dict(path)?)
        .map_err(|problem| Error::bad_file(path, problem))?;
    let operator = weights::load_into(operator.as_ref(), tensors, path)?;
    let (source, target, _) = data.fit_normalizers(progress)?;
    let normalizers = experiment.model.normalizers(&data.problem(), (source, target));
    let mut card = data.card(experiment.model.clone(), normalizers);
    card.data = format!("{}; weights imported from {}", card.data, path.display());
    let notes = notes::notes(&experiment.model, &data.layout().grid);
    Ok(Imported { model: Model::of(card, operator), notes })
}

/// All tensors of a state dict, unchanged.
///
/// # Errors
/// As [`import`], except for what depends on the architecture.
pub fn read_state_dict(path: &Path) -> Result<Vec<StateTensor>> {
    if path.extension().is_some_and(|suffix| suffix == "safetensors") {
        read_safetensors(path)
    } else {
        pytorch::read(path)
    }
}

fn read_safetensors(path: &Path) -> Result<Vec<StateTensor>> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let file = SafeTensors::deserialize(&bytes)
        .map_err(|e| Error::bad_file(path, format!("not a whole .safetensors file: {e}")))?;
    let one = |(name, view): (String, safetensors::tensor::TensorView)| {
        let number = Number::of_dtype(view.dtype()).ok_or_else(|| {
            let what = format!("tensor {name} has numbers of type {:?}", view.dtype());
            Error::bad_file(path, format!("{what}; only floating-point and complex numbers are read"))
        })?;
        let mut values = Vec::with_capacity(view.data().len() / number.bytes() * number.parts());
        view.data().chunks_exact(number.bytes()).for_each(|bytes| number.read(bytes, &mut values));
        let complex = number == Number::Complex64;
        Ok(StateTensor { name, shape: view.shape().to_vec(), values, complex })
    };
    file.tensors().into_iter().map(one).collect()
}
