//! Blosc, version 1: blocks of shuffled bytes, each compressed by one of several codecs.

use super::codec::{inflate_zlib, inflate_zstd, shown};
use std::ops::RangeInclusive;

/// Bytes of the header.
const HEADER: usize = 16;
/// Blocks are split into one stream for each byte of an element, up to so many.
const MAX_SPLITS: usize = 16;
/// Shorter streams are not split.
const MIN_SPLIT: usize = 128;
/// Farthest match of BloscLZ that needs no more than two bytes.
const NEAR: usize = 8191;

/// Decompresses a chunk that must become as many bytes as `expected`.
///
/// # Errors
/// What is wrong with it.
pub(super) fn decompress(bytes: &[u8], expected: &RangeInclusive<usize>) -> Result<Vec<u8>, String> {
    let damaged = || "damaged Blosc data".to_string();
    let word = |at: usize| -> Option<usize> {
        let bytes = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize)
    };
    if bytes.len() < HEADER {
        return Err(damaged());
    }
    let (flags, width) = (bytes[2], usize::from(bytes[3]).max(1));
    let (total, block) = (word(4).ok_or_else(damaged)?, word(8).ok_or_else(damaged)?);
    if !expected.contains(&total) || block == 0 && total > 0 {
        let expected = shown(expected);
        return Err(format!("Blosc data of {total} bytes, where {expected} are expected"));
    }
    if flags & 2 != 0 {
        return bytes.get(HEADER..HEADER + total).map(Into::into).ok_or_else(damaged);
    }
    let codec = Codec::of(flags >> 5)?;
    let mut out = Vec::with_capacity(total);
    for (number, first) in (0..total).step_by(block.max(1)).enumerate() {
        let length = block.min(total - first);
        let whole = length == block;
        let splits = flags & 16 == 0 && width <= MAX_SPLITS && block / width >= MIN_SPLIT && whole;
        let splits = if splits { width } else { 1 };
        let mut at = word(HEADER + 4 * number).ok_or_else(damaged)?;
        let mut decoded = Vec::with_capacity(length);
        for _ in 0..splits {
            let size = word(at).ok_or_else(damaged)?;
            let stream =
                at.checked_add(4 + size).and_then(|end| bytes.get(at + 4..end)).ok_or_else(damaged)?;
            let wanted = length / splits;
            let part = if size == wanted { stream.to_vec() } else { codec.decode(stream, wanted)? };
            decoded.extend(part);
            at += 4 + size;
        }
        if decoded.len() != length {
            return Err(damaged());
        }
        match flags & 5 {
            1 => unshuffle(&decoded, width, &mut out),
            4 => unshuffle_bits(&decoded, width, &mut out),
            _ => out.extend(decoded),
        }
    }
    Ok(out)
}

#[derive(Clone, Copy)]
enum Codec {
    BloscLz,
    Lz4,
    Zlib,
    Zstd,
}

impl Codec {
    fn of(number: u8) -> Result<Self, String> {
        Ok(match number {
            0 => Self::BloscLz,
            1 => Self::Lz4,
            3 => Self::Zlib,
            4 => Self::Zstd,
            2 => return Err("compressed by Snappy; write it again with Zstandard".into()),
            _ => return Err(format!("Blosc codec {number} is not known")),
        })
    }

    fn decode(self, bytes: &[u8], expected: usize) -> Result<Vec<u8>, String> {
        match self {
            Self::BloscLz => blosclz(bytes, expected).ok_or_else(|| "damaged BloscLZ data".into()),
            Self::Lz4 => lz4_flex::block::decompress(bytes, expected).map_err(|e| format!("LZ4: {e}")),
            Self::Zlib => inflate_zlib(bytes, &(expected..=expected)),
            Self::Zstd => inflate_zstd(bytes, &(expected..=expected)),
        }
    }
}

/// BloscLZ: literals, and copies of what was written before.
fn blosclz(bytes: &[u8], expected: usize) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::with_capacity(expected);
    let mut input = bytes.iter().copied();
    let mut control = usize::from(input.next()? & 31);
    loop {
        if control >= 32 {
            let mut length = (control >> 5) - 1;
            let mut offset = (control & 31) << 8;
            if length == 6 {
                loop {
                    let more = input.next()?;
                    length += usize::from(more);
                    if more != 255 {
                        break;
                    }
                }
            }
            let code = usize::from(input.next()?);
            offset = match (code, offset) {
                (255, 7936) => (usize::from(input.next()?) << 8) + usize::from(input.next()?) + NEAR,
                _ => offset + code,
            };
            length += 3;
            let from = out.len().checked_sub(offset + 1)?;
            if out.len() + length > expected {
                return None;
            }
            for i in from..from + length {
                out.push(out[i]);
            }
        } else {
            if out.len() + control + 1 > expected {
                return None;
            }
            for _ in 0..=control {
                out.push(input.next()?);
            }
        }
        match input.next() {
            Some(next) => control = usize::from(next),
            None => return (out.len() == expected).then_some(out),
        }
    }
}

/// The bytes of elements that were stored as all first bytes, all second bytes, …; left over bytes stay.
pub(super) fn unshuffle(bytes: &[u8], width: usize, out: &mut Vec<u8>) {
    let n = bytes.len() / width;
    out.extend((0..n).flat_map(|i| (0..width).map(move |j| bytes[j * n + i])));
    out.extend(&bytes[n * width..]);
}

/// The bytes of elements that were stored as all first bits, all second bits, …
fn unshuffle_bits(bytes: &[u8], width: usize, out: &mut Vec<u8>) {
    let n = bytes.len() / width;
    if !n.is_multiple_of(8) {
        return out.extend(bytes);
    }
    let bit = |row: usize, i: usize| bytes[row * (n / 8) + i / 8] >> (i % 8) & 1;
    let byte = |i: usize, j: usize| (0..8).fold(0, |byte, k| byte | bit(8 * j + k, i) << k);
    out.extend((0..n).flat_map(|i| (0..width).map(move |j| byte(i, j))));
    out.extend(&bytes[n * width..]);
}
