//! The format of a file: by its first bytes, then by its name; if none matches, what it looks like instead.

use super::Format;
use crate::error::{Error, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What a format is recognized by.
pub(super) struct Start {
    /// The file, to look further.
    pub(super) file: File,
    /// Its first bytes, up to 512.
    pub(super) bytes: Vec<u8>,
    /// The suffix of its name, in lower case.
    pub(super) suffix: String,
}

/// The format of a file: the first that recognizes it. MATLAB 7.3 files count as HDF5 here.
///
/// # Errors
/// The file cannot be read, or has none of the known formats; then the error says what it looks like.
pub(super) fn detect(path: &Path) -> Result<Format> {
    let io = |source| Error::Io { path: path.into(), source };
    let mut file = File::open(path).map_err(io)?;
    let mut bytes = Vec::new();
    file.by_ref().take(512).read_to_end(&mut bytes).map_err(io)?;
    let suffix = path.extension().and_then(|s| s.to_str()).unwrap_or_default().to_ascii_lowercase();
    let mut start = Start { file, bytes, suffix };
    for format in Format::ALL {
        if format.recognizes(&mut start).map_err(io)? {
            return Ok(format);
        }
    }
    let looks = resemblance(&start).map_or_else(
        || {
            let first: Vec<String> = start.bytes.iter().take(8).map(|b| format!("{b:02x}")).collect();
            format!("an unknown format, its first bytes are {}", first.join(" "))
        },
        String::from,
    );
    let known = Format::ALL.map(Format::files).join(", ");
    Err(Error::unsupported(path, None, format!("{looks}. Files that can be read: {known}")))
}

/// What a file looks like that only seems to be text or data.
pub(super) fn resemblance(start: &Start) -> Option<&'static str> {
    let text = String::from_utf8_lossy(&start.bytes).trim_start().to_ascii_lowercase();
    Some(match &start.bytes[..] {
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
        bytes if start.suffix == "mat" && is_matlab4(bytes) => {
            "looks like MATLAB version 4: load it in MATLAB and save with -v7"
        }
        _ => return None,
    })
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
