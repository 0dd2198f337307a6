//! The elements of a level-5 MAT-file: tags, and the header of a matrix. Parsing sees only the first bytes of
//! a matrix; the numbers stay in the file.

use super::super::scalar::Kind;

/// Data types of elements.
pub(super) const MATRIX: u32 = 14;
pub(super) const COMPRESSED: u32 = 15;
const UTF32: u32 = 18;

/// Class of objects without dimensions.
const OPAQUE: u32 = 17;

/// The most bytes a matrix header can reasonably take: flags, dimensions, name and tags.
pub(super) const HEADER_LIMIT: usize = 4096;
const MAX_AXES: usize = 32;

/// The numeric kind of a data type of numbers.
fn kind(data_type: u32) -> Option<Kind> {
    Some(match data_type {
        1 => Kind::I8,
        2 => Kind::U8,
        3 => Kind::I16,
        4 => Kind::U16,
        5 => Kind::I32,
        6 => Kind::U32,
        7 => Kind::F32,
        9 => Kind::F64,
        12 => Kind::I64,
        13 => Kind::U64,
        _ => return None,
    })
}

/// The kind of a class of numbers.
fn number_class(code: u32, logical: bool) -> Option<Kind> {
    Some(match code {
        6 => Kind::F64,
        7 => Kind::F32,
        8 => Kind::I8,
        9 if logical => Kind::Bool,
        9 => Kind::U8,
        10 => Kind::I16,
        11 => Kind::U16,
        12 => Kind::I32,
        13 => Kind::U32,
        14 => Kind::I64,
        15 => Kind::U64,
        _ => return None,
    })
}

/// The name of any other class.
fn other_class(code: u32) -> Option<&'static str> {
    Some(match code {
        1 => "cell array",
        2 => "structure",
        3 => "object",
        4 => "text",
        5 => "sparse matrix",
        16 => "function handle",
        OPAQUE => "object of a MATLAB class",
        _ => return None,
    })
}

/// A type, a length, and where the data is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    pub data_type: u32,
    pub len: u64,
    /// Offset of the data from the tag.
    pub data: u64,
    /// Offset of the next element from the tag. Only compressed elements are not padded to eight bytes.
    pub next: u64,
}

impl Tag {
    /// Reads the tag at the start of `bytes`. Short data may be inside the tag itself.
    pub fn parse(bytes: &[u8], big_endian: bool) -> Result<Tag, String> {
        let words = bytes.first_chunk::<8>().ok_or("the file ends inside a tag")?;
        let first = word(&words[..4], big_endian);
        if first >> 16 != 0 {
            let len = u64::from(first >> 16);
            if len > 4 {
                return Err(format!("a small element claims {len} bytes, but has room for 4"));
            }
            return Ok(Tag { data_type: first & 0xffff, len, data: 4, next: 8 });
        }
        if !(1..=UTF32).contains(&first) {
            return Err(format!("{first} is not a MATLAB data type; the file is damaged"));
        }
        let len = u64::from(word(&words[4..], big_endian));
        let padded = if first == COMPRESSED { len } else { len.next_multiple_of(8) };
        Ok(Tag { data_type: first, len, data: 8, next: 8 + padded })
    }
}

fn word(bytes: &[u8], big_endian: bool) -> u32 {
    let bytes = bytes.first_chunk().copied().unwrap_or_default();
    if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
}

/// What a variable holds.
pub(super) enum Content {
    /// Real numbers of a class, stored as that kind or losslessly as a smaller one: `len` bytes from `first`
    /// on.
    Numbers { class: Kind, stored: Kind, first: u64, len: u64 },
    /// Anything else, by name.
    Other(&'static str),
}

/// The header of a variable.
pub(super) struct Matrix {
    pub name: String,
    pub shape: Vec<usize>,
    pub content: Content,
}

impl Matrix {
    /// Parses the start of the content of a matrix element.
    pub fn parse(start: &[u8], big_endian: bool) -> Result<Matrix, String> {
        let mut elements = Elements { start, at: 0, big_endian };
        let flags = word(elements.next("array flags")?, big_endian);
        let (complex, logical, code) = (flags & 0x800 != 0, flags & 0x200 != 0, flags & 0xff);
        let shape =
            if code == OPAQUE { Vec::new() } else { dimensions(elements.next("dimensions")?, big_endian)? };
        let name = text(elements.next("name")?);
        let content = match (number_class(code, logical), other_class(code)) {
            (Some(_), _) if complex => Content::Other("complex numbers"),
            (Some(class), _) => elements.numbers(class).map_err(|e| format!("{name}: {e}"))?,
            (None, Some(other)) => Content::Other(other),
            (None, None) => return Err(format!("{name}: {code} is not a MATLAB class")),
        };
        Ok(Matrix { name, shape, content })
    }
}

fn dimensions(bytes: &[u8], big_endian: bool) -> Result<Vec<usize>, String> {
    if bytes.is_empty() || bytes.len() > 4 * MAX_AXES || !bytes.len().is_multiple_of(4) {
        return Err(format!("{} bytes of dimensions; an array has 1 to {MAX_AXES} of 4 bytes", bytes.len()));
    }
    let sizes = bytes.chunks_exact(4).map(|b| word(b, big_endian).cast_signed());
    sizes.map(|n| usize::try_from(n).map_err(|_| format!("a dimension is {n}"))).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').into()
}

/// The elements inside a matrix, one after the other.
struct Elements<'a> {
    start: &'a [u8],
    at: usize,
    big_endian: bool,
}

impl<'a> Elements<'a> {
    fn tag(&self) -> Result<Tag, String> {
        Tag::parse(self.start.get(self.at..).unwrap_or_default(), self.big_endian)
    }

    fn next(&mut self, what: &str) -> Result<&'a [u8], String> {
        let tag = self.tag()?;
        let from = self.at.saturating_add(tag.data as usize);
        let data = self.start.get(from..from.saturating_add(tag.len as usize));
        self.at = self.at.saturating_add(tag.next as usize);
        data.ok_or(format!("{what} of {} bytes do not fit into the variable's header", tag.len))
    }

    fn numbers(&self, class: Kind) -> Result<Content, String> {
        let tag = self.tag()?;
        let stored = kind(tag.data_type).ok_or(format!("{} is not a numeric type", tag.data_type))?;
        Ok(Content::Numbers { class, stored, first: self.at as u64 + tag.data, len: tag.len })
    }
}
