//! MATLAB level-5 files (`save -v6`, and compressed `-v7`). Variables are listed without decompressing their
//! numbers; shapes are MATLAB's own, `(1200, 64, 64, 20)` for 1200 samples.

mod header;

use super::detect::Start;
use super::inflate::Compression;
use super::scalar::Scalar;
use super::slice::Order;
use super::strided::{Block, Extent, Found, StridedStore, data_len, file_error, read_at};
use super::{Attribute, Format};
use crate::error::{Error, Result};
use header::{COMPRESSED, Content, HEADER_LIMIT, MATRIX, Matrix, Tag};
use std::fs::File;
use std::io;
use std::path::Path;

/// Length of the file header: text, and at the end the version and the byte order.
const FILE_HEADER: usize = 128;

/// By the text it begins with, or by version and byte order.
pub(super) fn recognizes(start: &mut Start) -> io::Result<bool> {
    let mark = start.bytes.get(124..FILE_HEADER);
    let marked = mark == Some(b"\0\x01IM") || mark == Some(b"\x01\0MI");
    Ok(marked || start.bytes.starts_with(b"MATLAB 5.0"))
}

/// Opens a level-5 MAT-file and lists its variables. The text of its header becomes the file's attribute
/// `header`.
///
/// # Errors
/// An unreadable, damaged or truncated file; a MATLAB 7.3 file, which is HDF5.
pub fn open(path: &Path) -> Result<StridedStore> {
    let io = |source| file_error(path, None, source);
    let corrupt = |at: u64, problem: String| Error::Corrupt {
        path: path.into(),
        array: None,
        position: Some(at),
        problem,
    };
    let mut file = File::open(path).map_err(io)?;
    let len = file.metadata().map_err(io)?.len();
    let mut header = [0; FILE_HEADER];
    if len < FILE_HEADER as u64 {
        return Err(corrupt(0, format!("{len} bytes are too few for a MAT-file")));
    }
    read_at(&mut file, 0, &mut header).map_err(io)?;
    let big_endian = byte_order(&header).map_err(|problem| corrupt(124, problem))?;

    let mut found = Vec::new();
    let mut at = FILE_HEADER as u64;
    while at < len {
        let mut bytes = [0; 8];
        let n = bytes.len().min((len - at) as usize);
        read_at(&mut file, at, &mut bytes[..n]).map_err(io)?;
        let tag = Tag::parse(&bytes[..n], big_endian).map_err(|problem| corrupt(at, problem))?;
        let there = len - at - n as u64;
        if tag.len > there {
            let text = format!("a variable of {} bytes begins here, but only {there} follow", tag.len);
            return Err(corrupt(at, text + ": the file is truncated; get it again"));
        }
        let offset = at + tag.data;
        let variable = match tag.data_type {
            MATRIX => plain(&mut file, offset, tag.len, big_endian),
            COMPRESSED => compressed(&mut file, offset, tag.len, big_endian),
            // Other elements may stand between variables.
            _ => Ok(None),
        };
        let variable = variable.map_err(|problem| corrupt(at, problem))?;
        // Unnamed variables are MATLAB's own bookkeeping.
        found.extend(variable.filter(|v| !v.name.is_empty()));
        at += tag.next;
    }
    let text = String::from_utf8_lossy(&header[..116]).trim_end_matches(['\0', ' ']).into();
    let attribute = (String::new(), "header".into(), Attribute::Texts(vec![text]));
    Ok(StridedStore::new(path, Format::Mat5, file, found, vec![attribute]))
}

/// Checks version and byte order; true for big-endian.
fn byte_order(header: &[u8; FILE_HEADER]) -> Result<bool, String> {
    let big_endian = match &header[126..] {
        b"IM" => false,
        b"MI" => true,
        _ => return Err("no byte-order mark: not a level-5 MAT-file".into()),
    };
    match header[if big_endian { 124 } else { 125 }] {
        1 => Ok(big_endian),
        2 => Err("this is MATLAB 7.3, an HDF5 file".into()),
        n => Err(format!("version {n} of the MAT-file format is unknown")),
    }
}

/// An uncompressed variable.
fn plain(file: &mut File, offset: u64, len: u64, big_endian: bool) -> Result<Option<Found>, String> {
    let extent = Extent { offset, len, compression: None, stored_crc32: None, decoded_len: len };
    let start = extent.start(file, HEADER_LIMIT).map_err(|e| e.to_string())?;
    variable(extent, 0, &start, big_endian)
}

/// A compressed variable: a matrix element with its tag.
fn compressed(file: &mut File, offset: u64, len: u64, big_endian: bool) -> Result<Option<Found>, String> {
    let mut extent = Extent {
        offset,
        len,
        compression: Some(Compression::Zlib),
        stored_crc32: None,
        decoded_len: u64::MAX,
    };
    let start = extent.start(file, HEADER_LIMIT).map_err(|e| e.to_string())?;
    let tag = Tag::parse(&start, big_endian)?;
    if tag.data_type != MATRIX {
        return Err(format!("a compressed element holds type {} instead of a matrix", tag.data_type));
    }
    extent.decoded_len = tag.data + tag.len;
    extent.check()?;
    variable(extent, tag.data, start.get(tag.data as usize..).unwrap_or_default(), big_endian)
}

/// The variable whose content starts at byte `content` of an extent with `start`; `None` for an empty one.
fn variable(extent: Extent, content: u64, start: &[u8], big_endian: bool) -> Result<Option<Found>, String> {
    if extent.decoded_len == content {
        return Ok(None);
    }
    let Matrix { name, shape, content: kind } = Matrix::parse(start, big_endian)?;
    let (class, stored, first, len) = match kind {
        Content::Numbers { class, stored, first, len } => (class, stored, content + first, len),
        Content::Other(what) => {
            let why = format!("{what}, not real numbers; save it from MATLAB as a full real numeric array");
            return Ok(Some(Found::refused(name, shape, why)));
        }
    };
    let available = extent.decoded_len.saturating_sub(first).min(len);
    let needed = data_len(&shape, stored, available).map_err(|e| format!("{name}: {e}"))?;
    if needed != len {
        return Err(format!("{name}: {shape:?} takes {needed} bytes, but {len} are stored"));
    }
    let scalar = Scalar { kind: stored, big_endian };
    let block = Block { extent, first_byte: first, scalar, order: Order::ColumnMajor };
    Ok(Some(Found { name, shape, element: class.element(), content: Ok(block), text: None }))
}
