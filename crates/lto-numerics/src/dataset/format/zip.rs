//! The directory of a zip archive: where each member lies, so that it can be read in place.
//!
//! The `zip` crate streams members from their beginning. Here slices of a large stored member need its byte
//! offset, a compressed member must continue where the last slice ended, and the sizes that a directory
//! claims are checked against the file before they are trusted; doing that around the crate would take about
//! as many lines as reading the directory.

use super::inflate::Compression;
use super::strided::{Extent, read_at};
use std::fs::File;

/// The signature of a zip archive with at least one member.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";

/// The signature of the record at the end, and so of an archive without members.
pub(crate) const END: &[u8] = b"PK\x05\x06";
const END_LEN: u64 = 22;
const END64_LOCATOR: &[u8] = b"PK\x06\x07";
const END64: &[u8] = b"PK\x06\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_LEN: usize = 46;
const LOCAL_LEN: u64 = 30;

/// A member of an archive.
pub(crate) struct Member {
    pub name: String,
    /// Where its content is, or why it cannot be read.
    pub extent: Result<Extent, String>,
}

/// Lists the members in directory order.
///
/// # Errors
/// A text saying what is damaged.
pub(crate) fn members(file: &mut File) -> Result<Vec<Member>, String> {
    let len = file.metadata().map_err(|e| e.to_string())?.len();
    let (offset, size, count) = directory(file, len)?;
    let end = offset.checked_add(size).filter(|&end| end <= len);
    let Some(_) = end else {
        return Err(format!("its directory of {size} bytes at {offset} lies outside the file"));
    };
    let mut bytes = vec![0; usize::try_from(size).map_err(|e| e.to_string())?];
    read_at(file, offset, &mut bytes).map_err(|e| e.to_string())?;
    let mut rest = bytes.as_slice();
    let mut members = Vec::new();
    while rest.starts_with(ENTRY) {
        let (member, next) = entry(file, len, rest)?;
        members.push(member);
        rest = next;
    }
    if members.len() as u64 != count {
        return Err(format!("only {} of the {count} entries of its directory can be read", members.len()));
    }
    Ok(members)
}

/// Offset and size of the directory and its number of entries, from the record at the end of the file.
fn directory(file: &mut File, len: u64) -> Result<(u64, u64, u64), String> {
    let io = |e: std::io::Error| e.to_string();
    // The record ends with a comment of up to 64 KiB.
    let tail_len = len.min(END_LEN + 0xffff);
    let mut tail = vec![0; tail_len as usize];
    read_at(file, len - tail_len, &mut tail).map_err(io)?;
    let at = (0..tail.len()).rev().find(|&at| {
        let record = &tail[at..];
        record.starts_with(END) && u64::from(u16_at(record, 20)) + END_LEN == record.len() as u64
    });
    let at = at.ok_or("no directory at its end: the file is truncated; get it again")?;
    let record = &tail[at..];
    let (count, size, offset) = (u16_at(record, 10), u32_at(record, 12), u32_at(record, 16));
    if count != u16::MAX && size != u32::MAX && offset != u32::MAX {
        return Ok((offset.into(), size.into(), count.into()));
    }
    // ZIP64: a locator just before the record points to a larger record.
    let locator = at.checked_sub(20).map(|at| &tail[at..]).filter(|l| l.starts_with(END64_LOCATOR));
    let at = u64_at(locator.ok_or("the ZIP64 directory is missing")?, 8);
    let mut record = [0; 56];
    if at.checked_add(record.len() as u64).is_none_or(|end| end > len) {
        return Err(format!("its ZIP64 directory at {at} lies outside the file"));
    }
    read_at(file, at, &mut record).map_err(io)?;
    if !record.starts_with(END64) {
        return Err(format!("no ZIP64 directory at {at}"));
    }
    Ok((u64_at(&record, 48), u64_at(&record, 40), u64_at(&record, 32)))
}

/// Parses a directory entry; returns it and what follows.
fn entry<'a>(file: &mut File, file_len: u64, bytes: &'a [u8]) -> Result<(Member, &'a [u8]), String> {
    let cut = || "its directory is cut short";
    let (fixed, rest) = bytes.split_at_checked(ENTRY_LEN).ok_or_else(cut)?;
    let (name, rest) = rest.split_at_checked(u16_at(fixed, 28).into()).ok_or_else(cut)?;
    let (extra, rest) = rest.split_at_checked(u16_at(fixed, 30).into()).ok_or_else(cut)?;
    let (_, rest) = rest.split_at_checked(u16_at(fixed, 32).into()).ok_or_else(cut)?;
    let name = String::from_utf8_lossy(name).into_owned();

    let mut large = zip64(extra);
    let mut field = |at| match u32_at(fixed, at) {
        u32::MAX => {
            let (value, rest) =
                large.split_first_chunk().ok_or(format!("{name}: ZIP64 sizes are missing"))?;
            large = rest;
            Ok(u64::from_le_bytes(*value))
        }
        value => Ok::<u64, String>(value.into()),
    };
    // In the order in which the large values follow one another.
    let (decoded_len, len, local) = (field(24)?, field(20)?, field(42)?);
    let (encrypted, method, crc32) = (u16_at(fixed, 8) & 1 == 1, u16_at(fixed, 10), u32_at(fixed, 16));
    let compression = match method {
        _ if encrypted => Err("encrypted; save it without a password".into()),
        0 => Ok(None),
        8 => Ok(Some(Compression::Deflate { crc32 })),
        n => Err(format!("zip compression {n}, which numpy does not write; use numpy.savez_compressed")),
    };
    let extent = match compression {
        Err(why) => Err(why),
        Ok(compression) => {
            let offset = data_offset(file, local, len, file_len).map_err(|e| format!("{name}: {e}"))?;
            let stored_crc32 = compression.is_none().then_some(crc32);
            let extent = Extent { offset, len, compression, stored_crc32, decoded_len };
            extent.check().map_err(|e| format!("{name}: {e}"))?;
            Ok(extent)
        }
    };
    Ok((Member { name, extent }, rest))
}

/// The values of the ZIP64 extra field; empty if there is none.
fn zip64(mut extra: &[u8]) -> &[u8] {
    while extra.len() >= 4 {
        let (id, len) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let Some((field, rest)) = extra[4..].split_at_checked(len) else { break };
        if id == 1 {
            return field;
        }
        extra = rest;
    }
    &[]
}

/// Where the content of a member begins: after its local header, whose extra field may differ from the
/// directory's.
fn data_offset(file: &mut File, local: u64, len: u64, file_len: u64) -> Result<u64, String> {
    let outside = || format!("{len} bytes at {local} lie outside the file of {file_len} bytes");
    let fits = |end: Option<u64>| end.filter(|&end| end <= file_len).ok_or_else(outside);
    fits(local.checked_add(LOCAL_LEN))?;
    let mut header = [0; LOCAL_LEN as usize];
    read_at(file, local, &mut header).map_err(|e| e.to_string())?;
    if !header.starts_with(MAGIC) {
        return Err(format!("no member at {local}; the archive is damaged"));
    }
    let offset = local + LOCAL_LEN + u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
    fits(offset.checked_add(len))?;
    Ok(offset)
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..).and_then(|b| b.first_chunk()).copied().unwrap_or([0; N])
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes_at(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes_at(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes_at(bytes, at))
}
