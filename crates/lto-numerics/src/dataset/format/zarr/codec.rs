//! What was done to the bytes of a chunk, and how it is undone.

use super::blosc;
use serde_json::Value;
use std::io::Read;
use std::ops::RangeInclusive;

/// A step from bytes to bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Codec {
    Gzip,
    Zlib,
    Zstd,
    Blosc,
    /// A checksum after the bytes.
    Crc32c,
    /// Bytes of elements of this width, sorted by their place in the element.
    Shuffle(usize),
}

impl Codec {
    /// The codec of this name, with its settings.
    ///
    /// # Errors
    /// A codec that is not supported.
    pub(super) fn of(name: &str, settings: &Value) -> Result<Self, String> {
        Ok(match name.strip_prefix("numcodecs.").unwrap_or(name) {
            "gzip" => Self::Gzip,
            "zlib" => Self::Zlib,
            "zstd" => Self::Zstd,
            "blosc" => Self::Blosc,
            "crc32c" => Self::Crc32c,
            "shuffle" => Self::Shuffle(settings["elementsize"].as_u64().unwrap_or(4).clamp(1, 16) as usize),
            other => {
                return Err(format!("its codec {other} is not supported; write it again with zstd or gzip"));
            }
        })
    }

    /// Undoes the step. `expected` are the lengths that the decoded chunk may have, which every step but a checksum keeps.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub(super) fn decode(&self, bytes: Vec<u8>, expected: &RangeInclusive<usize>) -> Result<Vec<u8>, String> {
        match self {
            Self::Gzip => exactly(flate2::read::MultiGzDecoder::new(&bytes[..]), expected, "gzip"),
            Self::Zlib => inflate_zlib(&bytes, expected),
            Self::Zstd => inflate_zstd(&bytes, expected),
            Self::Blosc => blosc::decompress(&bytes, expected),
            Self::Crc32c => without_checksum(bytes),
            Self::Shuffle(width) => {
                let mut out = Vec::with_capacity(bytes.len());
                blosc::unshuffle(&bytes, *width, &mut out);
                Ok(out)
            }
        }
    }
}

/// Checks and removes the CRC-32C at the end.
pub(super) fn without_checksum(mut bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let Some((content, sum)) = bytes.split_last_chunk::<4>() else {
        return Err("too short for its checksum".into());
    };
    if crc32c::crc32c(content) != u32::from_le_bytes(*sum) {
        return Err("its checksum is wrong: the file is damaged".into());
    }
    bytes.truncate(bytes.len() - 4);
    Ok(bytes)
}

pub(super) fn inflate_zlib(bytes: &[u8], expected: &RangeInclusive<usize>) -> Result<Vec<u8>, String> {
    exactly(flate2::read::ZlibDecoder::new(bytes), expected, "zlib")
}

pub(super) fn inflate_zstd(bytes: &[u8], expected: &RangeInclusive<usize>) -> Result<Vec<u8>, String> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(bytes).map_err(|e| format!("zstd: {e}"))?;
    exactly(decoder, expected, "zstd")
}

/// All bytes of a decoder, which must be as many as expected; no more are read.
fn exactly(decoder: impl Read, expected: &RangeInclusive<usize>, name: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    decoder.take(*expected.end() as u64 + 1).read_to_end(&mut out).map_err(|e| format!("{name}: {e}"))?;
    if !expected.contains(&out.len()) {
        let expected = shown(expected);
        return Err(format!("{name}: {} bytes or more, where {expected} are expected", out.len()));
    }
    Ok(out)
}

/// A number of bytes, or the most.
pub(super) fn shown(expected: &RangeInclusive<usize>) -> String {
    let (least, most) = (expected.start(), expected.end());
    if least == most { most.to_string() } else { format!("{least} to {most}") }
}
