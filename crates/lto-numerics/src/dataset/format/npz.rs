//! NumPy's `.npz`: a zip archive of `.npy` members. Stored members are read in place; compressed ones are
//! decompressed as they stream by.

use super::detect::Start;
use super::strided::{Found, StridedStore, file_error};
use super::{Format, npy, zip};
use crate::error::{Error, Result};
use std::fs::File;
use std::io;
use std::path::Path;

/// By its first bytes, as any zip archive.
pub(super) fn recognizes(start: &mut Start) -> io::Result<bool> {
    Ok(start.bytes.starts_with(zip::MAGIC) || start.bytes.starts_with(zip::END))
}

/// Opens a `.npz` file. Arrays are named as `numpy.load` names them, without `.npy`.
///
/// The checksum of an array is verified once it has been read in order from start to end, at once or piece by
/// piece.
///
/// # Errors
/// An unreadable, damaged or truncated file, or an archive without any `.npy` member.
pub fn open(path: &Path) -> Result<StridedStore> {
    let mut file = File::open(path).map_err(|source| file_error(path, None, source))?;
    let members = zip::members(&mut file).map_err(|problem| Error::corrupt(path, None, problem))?;
    if !members.iter().any(|m| m.name.ends_with(".npy")) {
        return Err(Error::unsupported(path, None, without_arrays(&members)));
    }
    let mut found = Vec::new();
    for member in members {
        let Some(name) = member.name.strip_suffix(".npy").map(str::to_owned) else {
            found.push(Found::refused(member.name, Vec::new(), "not a NumPy array"));
            continue;
        };
        found.push(match member.extent {
            Err(why) => Found::refused(name, Vec::new(), why),
            Ok(extent) => npy::array(&mut file, name, extent)
                .map_err(|problem| Error::corrupt(path, Some(&member.name), problem))?,
        });
    }
    Ok(StridedStore::new(path, Format::Npz, file, found, Vec::new()))
}

/// What an archive without arrays might be.
fn without_arrays(members: &[zip::Member]) -> String {
    let pickle = members.iter().any(|m| m.name.ends_with("data.pkl"));
    let names: Vec<&str> = members.iter().take(5).map(|m| m.name.as_str()).collect();
    if pickle {
        "a PyTorch file (a zip with a pickle inside), refused because loading it runs code; save its tensors \
         with numpy.savez(path, name=tensor.numpy())"
            .into()
    } else {
        format!("a zip archive without any .npy member: it holds {names:?}")
    }
}
