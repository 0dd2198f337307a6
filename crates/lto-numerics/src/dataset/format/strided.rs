//! The store behind every format whose arrays are each one strided block of a file, compressed or not: MATLAB
//! 5, `.npy`, `.npz`.

use super::checksum::RunningChecksum;
use super::inflate::{Compression, Inflater, MAX_EXPANSION};
use super::read_ahead::{ReadAhead, Slice};
use super::scalar::{Kind, Scalar};
use super::slice::{Order, SlicePath};
use super::text::TextForm;
use super::{ArrayInfo, ArrayStore, Attribute, ElementType, Format, array_index, check_slice};
use crate::error::{Error, Result};
use crate::memory;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Arrays that may be read in turns, each from where it was left.
const IN_TURNS: usize = 32;

/// A stretch of a file, and the bytes it decodes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub offset: u64,
    pub len: u64,
    pub compression: Option<Compression>,
    /// Checksum of uncompressed bytes, if known.
    pub stored_crc32: Option<u32>,
    /// Number of bytes once decompressed.
    pub decoded_len: u64,
}

impl Extent {
    /// An error text if the stretch cannot hold the decompressed length.
    pub fn check(&self) -> Result<(), String> {
        let most = if self.compression.is_some() { self.len.saturating_mul(MAX_EXPANSION) } else { self.len };
        if self.decoded_len > most {
            return Err(format!("{} bytes cannot hold the {} claimed", self.len, self.decoded_len));
        }
        Ok(())
    }

    pub fn inflater(&self) -> Option<Inflater> {
        self.compression.map(|c| Inflater::new(self.offset, self.len, self.decoded_len, c))
    }

    /// The first bytes, at most `n`; fewer if the content is shorter.
    pub fn start(&self, file: &mut File, n: usize) -> io::Result<Vec<u8>> {
        let n = usize::try_from(self.decoded_len).unwrap_or(n).min(n);
        let mut bytes = vec![0; n];
        match self.inflater() {
            Some(mut inflater) => {
                let n = inflater.read_start(file, &mut bytes)?;
                bytes.truncate(n);
            }
            None => read_at(file, self.offset, &mut bytes)?,
        }
        Ok(bytes)
    }
}

pub(crate) fn read_at(file: &mut File, offset: u64, out: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(out)
}

/// Where the numbers of an array are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub extent: Extent,
    /// Offset of the first element in the decompressed extent.
    pub first_byte: u64,
    pub scalar: Scalar,
    pub order: Order,
}

/// An array found in a file.
pub(crate) struct Found {
    pub name: String,
    pub shape: Vec<usize>,
    pub element: ElementType,
    /// Its numbers, or why it has none and what to do about it.
    pub content: Result<Block, String>,
    /// Its texts, if it holds texts.
    pub text: Option<TextBlock>,
}

/// Where the texts of an array are, row-major.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextBlock {
    pub extent: Extent,
    /// Offset of the first element in the decompressed extent.
    pub first_byte: u64,
    pub form: TextForm,
}

impl Found {
    /// An array that is listed but cannot be read.
    pub fn refused(name: String, shape: Vec<usize>, why: impl Into<String>) -> Self {
        Found { name, shape, element: ElementType::Other, content: Err(why.into()), text: None }
    }

    fn info(&self) -> ArrayInfo {
        let storage = match &self.content {
            Err(why) => why.clone(),
            Ok(block) => {
                let order = if block.order == Order::ColumnMajor { "column-major" } else { "row-major" };
                let packing = if block.extent.compression.is_some() { ", deflate" } else { "" };
                let endian = if block.scalar.big_endian { ", big-endian" } else { "" };
                format!("{}, {order}{packing}{endian}", block.scalar.kind.name())
            }
        };
        ArrayInfo { name: self.name.clone(), shape: self.shape.clone(), element: self.element, storage }
    }
}

/// Number of bytes of an array, or an error text if they exceed what is available.
pub(crate) fn data_len(shape: &[usize], kind: Kind, available: u64) -> Result<u64, String> {
    // Every partial product must fit, so that no later index arithmetic can overflow, even with zero-length
    // axes.
    let claimed = shape
        .iter()
        .try_fold(kind.size() as u64, |n, &d| n.checked_mul(d.max(1) as u64))
        .filter(|&n| n <= i64::MAX as u64)
        .ok_or_else(|| format!("the shape {shape:?} is beyond any file"))?;
    let bytes = if shape.contains(&0) { 0 } else { claimed };
    if bytes > available {
        let name = kind.name();
        return Err(format!(
            "{shape:?} elements of {name} are {bytes} bytes, but only {available} are there"
        ));
    }
    Ok(bytes)
}

/// A file of named arrays, each one strided block.
///
/// # Cost
/// An uncompressed slice costs the bytes it spans, read in blocks of at most 1 MiB; gaps under 32 KiB are
/// read through. A compressed slice costs decompressing the array from its start to the end of the slice,
/// except that a read which follows the previous one of that array continues from there. Memory is the result plus fixed
/// buffers.
///
/// In column-major arrays (MATLAB, Fortran order) whose first axis counts samples, one sample spans the whole
/// array: a read is one pass over it, whether for one sample or a hundred. Ask for many samples at once, or
/// for consecutive ones in order: the second read in order fetches, in its one pass, as many of the following
/// samples as fit into 64 MiB. Samples in random order cost one pass each; convert such a file first.
pub struct StridedStore {
    path: PathBuf,
    format: Format,
    file: File,
    arrays: Vec<ArrayInfo>,
    contents: Vec<Result<Block, String>>,
    texts: Vec<Option<TextBlock>>,
    attributes: Vec<(String, String, Attribute)>,
    /// The arrays last read, the newest last, and how far: several may be read in turns.
    progress: VecDeque<(usize, Progress)>,
    ahead: ReadAhead,
}

impl StridedStore {
    pub(crate) fn new(
        path: &Path,
        format: Format,
        file: File,
        found: Vec<Found>,
        attributes: Vec<(String, String, Attribute)>,
    ) -> Self {
        StridedStore {
            path: path.into(),
            format,
            file,
            arrays: found.iter().map(Found::info).collect(),
            texts: found.iter().map(|f| f.text).collect(),
            contents: found.into_iter().map(|f| f.content).collect(),
            attributes,
            progress: VecDeque::new(),
            ahead: ReadAhead::default(),
        }
    }

    fn gather(&mut self, slice: &Slice, block: Block) -> Result<Vec<f64>> {
        let plan = SlicePath::new(&self.arrays[slice.array].shape, block.order, &slice.start, &slice.count);
        self.follow(slice.array, block.extent, |file, progress| {
            plan.gather(block.scalar, |at, out| progress.read(file, block.first_byte, at, out))
        })
    }

    /// Reads on in an array, from where the last read of it ended.
    fn follow<T>(
        &mut self,
        array: usize,
        extent: Extent,
        read: impl FnOnce(&mut File, &mut Progress) -> io::Result<T>,
    ) -> Result<T> {
        let known = self.progress.iter().position(|(of, _)| *of == array);
        let known = known.and_then(|at| self.progress.remove(at)).map(|(_, progress)| progress);
        let mut progress = known.unwrap_or_else(|| Progress::of(extent));
        let values = read(&mut self.file, &mut progress)
            .map_err(|source| file_error(&self.path, Some(&self.arrays[array].name), source))?;
        // A failed read leaves no state to continue from.
        self.progress.push_back((array, progress));
        if self.progress.len() > IN_TURNS {
            self.progress.pop_front();
        }
        Ok(values)
    }
}

/// How far an array was read.
struct Progress {
    extent: Extent,
    /// The state of the decompression of a compressed one.
    inflater: Option<Inflater>,
    /// The checksum so far of an uncompressed one.
    checksum: Option<RunningChecksum>,
}

impl Progress {
    fn of(extent: Extent) -> Self {
        Self { extent, inflater: extent.inflater(), checksum: RunningChecksum::of(extent) }
    }

    /// Fills `out` with the bytes `at` and after, counted from the first element, which lies `first` bytes into the extent.
    fn read(&mut self, file: &mut File, first: u64, at: u64, out: &mut [u8]) -> io::Result<()> {
        let at = first + at;
        if let Some(inflater) = &mut self.inflater {
            return inflater.read_at(file, at, out);
        }
        read_at(file, self.extent.offset + at, out)?;
        match &mut self.checksum {
            Some(checksum) => checksum.add(file, first, at, out),
            None => Ok(()),
        }
    }
}

impl ArrayStore for StridedStore {
    fn path(&self) -> &Path {
        &self.path
    }

    fn format(&self) -> Format {
        self.format
    }

    fn arrays(&self) -> &[ArrayInfo] {
        &self.arrays
    }

    fn attributes(&self) -> &[(String, String, Attribute)] {
        &self.attributes
    }

    fn read(&mut self, array: &str, start: &[usize], count: &[usize]) -> Result<Vec<f64>> {
        let index = array_index(&self.path, &self.arrays, array)?;
        let block = match &self.contents[index] {
            Ok(block) => *block,
            Err(why) => return Err(Error::unsupported(&self.path, Some(array), why)),
        };
        let info = check_slice(&self.path, &self.arrays, array, start, count)?;
        let slice = Slice { array: index, start: start.into(), count: count.into() };
        if block.order == Order::RowMajor {
            return self.gather(&slice, block);
        }
        if let Some(values) = self.ahead.serve(&slice) {
            return Ok(values);
        }
        match self.ahead.extend(&slice, &info.shape) {
            None => self.gather(&slice, block),
            Some(longer) => {
                let values = self.gather(&longer, block)?;
                let part = values[..count.iter().product()].to_vec();
                self.ahead.keep(longer, values);
                Ok(part)
            }
        }
    }

    fn texts(&mut self, array: &str, rows: Range<usize>) -> Result<Option<Vec<String>>> {
        let index = array_index(&self.path, &self.arrays, array)?;
        let Some(TextBlock { extent, first_byte, form }) = self.texts[index] else { return Ok(None) };
        let shape = &self.arrays[index].shape;
        let Some(row) = form.row_size(shape) else { return Ok(None) };
        let n = shape[0];
        let held = n.checked_mul(row).and_then(|bytes| (bytes as u64).checked_add(first_byte));
        if held.is_none_or(|held| held > extent.decoded_len) {
            return Err(Error::corrupt(&self.path, Some(array), "the file is truncated or damaged"));
        }
        let (start, end) = (rows.start.min(n) * row, rows.end.min(n) * row);
        let length = end.saturating_sub(start);
        memory::require("texts", 2 * length as u128)?;
        let mut bytes = vec![0; length];
        self.follow(index, extent, |file, progress| {
            progress.read(file, first_byte, start as u64, &mut bytes)
        })?;
        Ok(Some(form.decode(&bytes, row)))
    }
}

/// The crate's error for an error while reading; damage if the content is at fault.
pub(crate) fn file_error(path: &Path, array: Option<&str>, source: io::Error) -> Error {
    match source.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData => Error::corrupt(path, array, source.to_string()),
        _ => Error::Io { path: path.into(), source },
    }
}
