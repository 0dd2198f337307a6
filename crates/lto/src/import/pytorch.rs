//! Tensors of a `torch.save` file: a zip archive with a pickle that describes them, and their numbers.

use super::StateTensor;
use super::number::Number;
use super::pickle::{Id, Object, Pickle};
use crate::error::{Error, Result};
use lto_numerics::dataset::format::archive::Archive;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// No pickle of a state dict is longer.
const LONGEST_PICKLE: u64 = 1 << 26;

/// Where training scripts put the weights among other things.
const NESTED: [&str; 4] = ["state_dict", "model_state_dict", "model_state", "model"];

/// Reads all tensors of the state dict of a file.
///
/// # Errors
/// A file that is damaged, compressed, of the old format, or holds anything but tensors in dictionaries.
pub fn read(path: &Path) -> Result<Vec<StateTensor>> {
    let refuse = |problem: String| Error::bad_file(path, problem);
    let length = std::fs::metadata(path).map_err(Error::io(path))?.len();
    let mut archive = Archive::open(path).map_err(|e| {
        refuse(format!(
            "not a complete file of torch.save (PyTorch before 1.6 wrote another format: save it again): {e}"
        ))
    })?;
    let is_pickle = |name: &&str| *name == "data.pkl" || name.ends_with("/data.pkl");
    let pickle = archive.names().find(is_pickle).map(str::to_string);
    let pickle = pickle
        .ok_or_else(|| refuse("a zip archive, but not one of torch.save: it has no data.pkl".into()))?;
    let folder = pickle.trim_end_matches("data.pkl");
    let byte_order = format!("{folder}byteorder");
    let has_order = archive.names().any(|name| name == byte_order);
    if has_order && archive.read(&byte_order, 16)? != b"little" {
        return Err(refuse("its numbers are not little-endian".into()));
    }
    let parsed = Pickle::parse(&archive.read(&pickle, LONGEST_PICKLE)?)
        .map_err(|problem| refuse(format!("its pickle is refused: {problem}")))?;
    let found = tensors(&parsed).ok_or_else(|| {
        refuse(format!("holds no dictionary of tensors, neither itself nor in {}", NESTED.join(", ")))
    })?;
    let left = usize::try_from(length).unwrap_or(usize::MAX);
    let mut entries = Entries { archive, storages: HashMap::new(), bytes_left: length, left };
    let (mut known, mut all) = (HashSet::new(), Vec::with_capacity(found.len()));
    for (name, id) in found {
        if !known.insert(name) {
            return Err(refuse(format!("has two tensors {name}")));
        }
        let tensor = entries.tensor(&parsed, id, folder, name);
        all.push(tensor.map_err(|problem| refuse(format!("tensor {name}: {problem}")))?);
    }
    Ok(all)
}

/// The tensors of the outermost dictionary, or of the one in it that is known to hold weights.
fn tensors(pickle: &Pickle) -> Option<Vec<(&str, Id)>> {
    let of = |dictionary: Id| -> Option<Vec<(&str, Id)>> {
        let mut entries = pickle.entries(dictionary);
        entries.retain(|(_, id)| matches!(pickle.get(*id), Object::Tensor(_)));
        (!entries.is_empty()).then_some(entries)
    };
    of(pickle.root()).or_else(|| {
        let entries = pickle.entries(pickle.root());
        NESTED.iter().find_map(|name| of(entries.iter().find(|(key, _)| key == name)?.1))
    })
}

/// The files of the archive.
struct Entries {
    archive: Archive,
    /// Those already read: tensors may share them.
    storages: HashMap<String, Vec<u8>>,
    /// Bytes that may still be read: in all no more than the file has, even if its members overlap.
    bytes_left: u64,
    /// Numbers that may still be read. A number has at least two bytes: tensors may share storages, but not
    /// without end.
    left: usize,
}

impl Entries {
    /// A tensor: storage, offset, sizes and strides, then parts not needed here.
    fn tensor(&mut self, pickle: &Pickle, id: Id, folder: &str, name: &str) -> Result<StateTensor, String> {
        let Object::Tensor(arguments) = pickle.get(id) else { return Err("is none".into()) };
        let Object::Sequence(arguments) = pickle.get(*arguments) else { return Err("is damaged".into()) };
        let [storage, offset, sizes, strides, ..] = arguments[..] else { return Err("is damaged".into()) };
        let (kind, key, stored) =
            storage_of(pickle, storage).ok_or("its storage has an unknown description")?;
        let number = Number::of_storage(kind)
            .ok_or_else(|| format!("has numbers of {kind}; only floating-point and complex are read"))?;
        let (Some(offset), Some(sizes), Some(strides)) =
            (pickle.size(offset), pickle.sizes(sizes), pickle.sizes(strides))
        else {
            return Err("its shape is damaged".into());
        };
        let bad =
            || format!("shape {sizes:?} with strides {strides:?} does not fit its {stored} stored numbers");
        let count = sizes.iter().try_fold(1usize, |n, size| n.checked_mul(*size)).ok_or_else(bad)?;
        let reach = sizes.iter().zip(&strides).try_fold(offset, |end, (size, stride)| {
            size.saturating_sub(1).checked_mul(*stride).and_then(|step| end.checked_add(step))
        });
        // More numbers than stored would be repetitions, which weights are not: a small file cannot make a
        // large tensor.
        if sizes.len() != strides.len()
            || count > stored
            || count > 0 && reach.is_none_or(|end| end >= stored)
        {
            return Err(bad());
        }
        self.left =
            self.left.checked_sub(count).ok_or("the tensors have more numbers than the file has bytes")?;
        let longest = stored.checked_mul(number.bytes()).ok_or_else(bad)?;
        let bytes = self.storage(&format!("{folder}data/{key}"))?;
        if bytes.len() != longest {
            return Err(format!("its storage has {} bytes instead of {longest}", bytes.len()));
        }
        let mut values = Vec::with_capacity(count * number.parts());
        for flat in 0..count {
            let (mut rest, mut at) = (flat, offset);
            for (size, stride) in sizes.iter().zip(&strides).rev() {
                at += rest % size * stride;
                rest /= size;
            }
            number.read(&bytes[at * number.bytes()..(at + 1) * number.bytes()], &mut values);
        }
        Ok(StateTensor { name: name.into(), shape: sizes, values, complex: number == Number::Complex64 })
    }
}

impl Entries {
    /// The bytes of a storage, read once.
    fn storage(&mut self, name: &str) -> Result<&[u8], String> {
        if !self.storages.contains_key(name) {
            let bytes = self.archive.read(name, self.bytes_left).map_err(|e| e.to_string())?;
            self.bytes_left -= bytes.len() as u64;
            self.storages.insert(name.into(), bytes);
        }
        Ok(self.storages.get(name).map_or(&[], Vec::as_slice))
    }
}

/// Kind, key and length of a storage: of the tuple `("storage", kind, key, device, length)`.
fn storage_of(pickle: &Pickle, id: Id) -> Option<(&str, &str, usize)> {
    let Object::Stored(tuple) = pickle.get(id) else { return None };
    let Object::Sequence(parts) = pickle.get(*tuple) else { return None };
    let [_, kind, key, _, length] = parts[..] else { return None };
    match (pickle.get(kind), pickle.get(key)) {
        (Object::Name(kind), Object::Text(key)) => Some((kind, key, pickle.size(length)?)),
        _ => None,
    }
}
