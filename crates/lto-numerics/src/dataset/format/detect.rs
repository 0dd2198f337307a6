//! The format of a file: by its first bytes, then by its name; if none matches, what it looks like instead.

use super::{Format, npy, zip};
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
const SUPPORTED: &str =
    "HDF5 (.h5, .hdf5), MATLAB (.mat, versions 5 to 7.3), NumPy (.npy, .npz), CSV (.csv, .tsv, .txt)";

/// The format of a file. MATLAB 7.3 files count as HDF5 here: only their contents tell them apart.
///
/// # Errors
/// The file cannot be read, or has none of the known formats; then the error says what it looks like.
pub(super) fn detect(path: &Path) -> Result<Format> {
    let io = |source| Error::Io { path: path.into(), source };
    let mut file = File::open(path).map_err(io)?;
    let mut start = Vec::new();
    file.by_ref().take(512).read_to_end(&mut start).map_err(io)?;
    if start.starts_with(npy::MAGIC) {
        return Ok(Format::Npy);
    }
    if start.starts_with(zip::MAGIC) || start.starts_with(zip::END) {
        return Ok(Format::Npz);
    }
    if hdf5_signature(&mut file).map_err(io)?.is_some() {
        return Ok(Format::Hdf5);
    }
    let mark = start.get(124..128);
    if start.starts_with(b"MATLAB 5.0") || mark == Some(b"\0\x01IM") || mark == Some(b"\x01\0MI") {
        return Ok(Format::Mat5);
    }
    let suffix = path.extension().and_then(|s| s.to_str()).unwrap_or_default().to_ascii_lowercase();
    match resemblance(&start, &suffix) {
        None => Ok(Format::Csv),
        Some(looks) => {
            Err(Error::unsupported(path, None, format!("{looks}. Files that can be read: {SUPPORTED}")))
        }
    }
}

/// Where HDF5 begins in a file, possibly after a user block: at 0, 512, 1024, 2048, …
pub(super) fn hdf5_signature(file: &mut File) -> io::Result<Option<u64>> {
    let len = file.metadata()?.len();
    let mut at = 0;
    while at < len {
        let mut signature = Vec::new();
        file.seek(SeekFrom::Start(at))?;
        file.by_ref().take(8).read_to_end(&mut signature)?;
        if signature == HDF5_SIGNATURE {
            return Ok(Some(at));
        }
        at = (2 * at).max(512);
    }
    Ok(None)
}

/// What a file without a known signature looks like; `None` for CSV.
fn resemblance(start: &[u8], suffix: &str) -> Option<String> {
    let text = String::from_utf8_lossy(start).trim_start().to_ascii_lowercase();
    let binary = start.contains(&0);
    let looks = match start {
        [] => "an empty file: a failed download?",
        _ if text.starts_with("<!doctype") || text.starts_with("<html") => {
            "looks like a web page (HTML): a failed download?"
        }
        _ if text.starts_with("<?xml") => "looks like XML: a failed download?",
        _ if text.starts_with("version https://git-lfs") => {
            "a Git LFS pointer, not the data: run `git lfs pull`"
        }
        [0x1f, 0x8b, ..] => "compressed by gzip: run `gunzip` on it",
        [b'C', b'D', b'F', 1 | 2 | 5, ..] => "classic NetCDF: convert it with `nccopy -k nc4`",
        [0x80, 2..=5, ..] => {
            "looks like a Python pickle, refused because loading it runs code: save with numpy.savez"
        }
        _ if suffix == "mat" && is_matlab4(start) => {
            "looks like MATLAB version 4: load it in MATLAB and save with -v7"
        }
        _ if !binary && matches!(suffix, "csv" | "tsv" | "txt") => return None,
        _ => {
            let first: Vec<String> = start.iter().take(8).map(|b| format!("{b:02x}")).collect();
            return Some(format!("an unknown format; its first bytes are {}", first.join(" ")));
        }
    };
    Some(looks.into())
}

/// Version 4 begins with a variable: type, rows, columns, imaginary flag, length of the name.
fn is_matlab4(start: &[u8]) -> bool {
    let words = start.as_chunks::<4>().0;
    [u32::from_le_bytes, u32::from_be_bytes].iter().any(|word| match words {
        [kind, _, _, imaginary, name_len, ..] => {
            word(*kind) < 5000 && word(*imaginary) <= 1 && (1..=64).contains(&word(*name_len))
        }
        _ => false,
    })
}
