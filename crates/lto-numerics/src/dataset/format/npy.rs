//! NumPy's `.npy`: one array, in either byte order and either axis order. The header is parsed here because
//! `npyz` reads arrays front to back, not in slices, and brings in a parser generator for this one line of
//! text.

use super::Format;
use super::detect::Start;
use super::scalar::{Kind, Scalar};
use super::slice::Order;
use super::strided::{Block, Extent, Found, StridedStore, TextBlock, data_len, file_error};
use super::text::TextForm;
use crate::error::{Error, Result};
use std::fs::File;
use std::io;
use std::path::Path;

/// The signature of every `.npy`.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";
/// Longer headers belong to structured arrays of absurd width.
const HEADER_LIMIT: usize = 1 << 20;

/// By its first bytes.
pub(super) fn recognizes(start: &mut Start) -> io::Result<bool> {
    Ok(start.bytes.starts_with(MAGIC))
}

/// Opens a `.npy` file. Its array is named after the file: `u` for `u.npy`.
///
/// # Errors
/// An unreadable, damaged or truncated file.
pub fn open(path: &Path) -> Result<StridedStore> {
    let io = |source| file_error(path, None, source);
    let mut file = File::open(path).map_err(io)?;
    let len = file.metadata().map_err(io)?.len();
    let extent = Extent { offset: 0, len, compression: None, stored_crc32: None, decoded_len: len };
    let name = path.file_stem().map_or("array".into(), |s| s.to_string_lossy().into_owned());
    let found = array(&mut file, name, extent).map_err(|problem| Error::corrupt(path, None, problem))?;
    Ok(StridedStore::new(path, Format::Npy, file, vec![found], Vec::new()))
}

/// Finds the array in a stretch of a file that holds a `.npy`.
pub(super) fn array(file: &mut File, name: String, extent: Extent) -> Result<Found, String> {
    let read = |file: &mut File, n| extent.start(file, n).map_err(|e| e.to_string());
    let start = read(file, 12)?;
    let (header_start, header_len) = match start.strip_prefix(MAGIC).unwrap_or_default() {
        [1, _, a, b, ..] => (10, u16::from_le_bytes([*a, *b]).into()),
        [2 | 3, _, a, b, c, d] => (12, u32::from_le_bytes([*a, *b, *c, *d]) as usize),
        [version, ..] => {
            return Err(format!("version {version} of the npy format is unknown"));
        }
        [] => return Err("not a NumPy array: it does not begin with \\x93NUMPY".into()),
    };
    if header_len > HEADER_LIMIT {
        return Err(format!("the header claims {header_len} bytes; it is damaged"));
    }
    let first_byte = header_start + header_len;
    let start = read(file, first_byte)?;
    let text = start.get(header_start..first_byte).ok_or("the file ends inside its header")?;
    let header = Header::parse(&String::from_utf8_lossy(text))?;
    let scalar = match header.element {
        Ok(scalar) => scalar,
        Err(why) => {
            let block = |form| TextBlock { extent, first_byte: first_byte as u64, form };
            let text =
                header.text.filter(|_| header.order == Order::RowMajor || header.shape.len() == 1).map(block);
            return Ok(Found { text, ..Found::refused(name, header.shape, why) });
        }
    };
    let first_byte = first_byte as u64;
    data_len(&header.shape, scalar.kind, extent.decoded_len.saturating_sub(first_byte))
        .map_err(|e| format!("{name}: {e}; the file is truncated or damaged"))?;
    let content = Ok(Block { extent, first_byte, scalar, order: header.order });
    Ok(Found { name, shape: header.shape, element: scalar.kind.element(), content, text: None })
}

/// The header: a Python dictionary of three entries.
struct Header {
    /// The element type, or why it cannot be read.
    element: Result<Scalar, String>,
    /// The form of its texts, if it holds texts.
    text: Option<TextForm>,
    order: Order,
    shape: Vec<usize>,
}

impl Header {
    fn parse(text: &str) -> Result<Header, String> {
        let value = |key: &str| {
            entry(text, key).ok_or_else(|| format!("no {key:?} in the header {:?}", text.trim_end()))
        };
        let order = match value("fortran_order")? {
            "True" => Order::ColumnMajor,
            "False" => Order::RowMajor,
            other => return Err(format!("fortran_order is {other}, neither True nor False")),
        };
        let shape = value("shape")?;
        let inner = shape.strip_prefix('(').and_then(|s| s.strip_suffix(')')).unwrap_or(shape);
        let sizes = inner.split(',').map(str::trim).filter(|s| !s.is_empty());
        // Python 2 wrote long integers with an L.
        let sizes = sizes.map(|s| s.trim_end_matches('L').parse());
        let shape: Vec<usize> = sizes.collect::<Result<_, _>>().map_err(|e| format!("shape {shape}: {e}"))?;
        let descr = value("descr")?;
        Ok(Header { element: element(descr), text: TextForm::of_numpy(descr), order, shape })
    }
}

/// The text of a key's value in a flat Python dictionary: what follows the key and a colon (a field name has
/// none). Bracketed values are taken whole.
fn entry<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let after =
        quoted.iter().flat_map(|q| text.match_indices(q.as_str()).map(|(at, q)| &text[at + q.len()..]));
    let value = after.filter_map(|s| s.trim_start().strip_prefix(':')).next()?.trim_start();
    let mut depth = 0usize;
    let end = value.find(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c == '}')
    })?;
    Some(value[..end].trim())
}

/// The element type of a `descr`: `'<f8'`, or a list of fields.
pub(super) fn element(descr: &str) -> Result<Scalar, String> {
    let code = descr.trim_matches(['\'', '"']);
    let (order, code) = match code.split_at_checked(1) {
        Some((order @ ("<" | ">" | "|" | "="), code)) => (order, code),
        _ => ("=", code),
    };
    let kind = match code {
        "b1" => Kind::Bool,
        "i1" => Kind::I8,
        "u1" => Kind::U8,
        "i2" => Kind::I16,
        "u2" => Kind::U16,
        "i4" => Kind::I32,
        "u4" => Kind::U32,
        "i8" => Kind::I64,
        "u8" => Kind::U64,
        "f2" => Kind::F16,
        "f4" => Kind::F32,
        "f8" => Kind::F64,
        _ if code.starts_with('O') || descr.contains("O'") => {
            return Err("pickled Python objects, refused because loading them runs code; re-save with \
                        numpy.save(..., allow_pickle=False) as a numeric array"
                .into());
        }
        _ if descr.starts_with('[') => {
            return Err("a structured array; save each of its fields as an array of its own".into());
        }
        _ if code.starts_with('c') => {
            return Err("complex numbers; save the real and the imaginary part as two arrays".into());
        }
        _ => return Err(format!("elements of type {descr}, not numbers; save it as float64")),
    };
    Ok(Scalar { kind, big_endian: order == ">" })
}
