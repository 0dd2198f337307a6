//! NumPy's `.npz`, uncompressed: a zip of `.npy` members. Every size is known when an array begins, so every
//! array has its place in the file from the start, and the samples of several arrays are written in turn,
//! each in its place. The `zip` crate writes one member after the other, which would keep a whole dataset in
//! memory. Timestamps in the archive are constant: 1980-01-01.

use super::Sink;
use super::arrays::{FileArrays, Output};
use super::atomic::AtomicFile;
use crate::dataset::format::Attribute;
use crate::error::Result;
use crate::grid::expect;
use flate2::Crc;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// From here on, sizes and offsets need the 64-bit form.
const ZIP64_FROM: u64 = u32::MAX as u64;
/// 1980-01-01 00:00 in DOS format: the time, then the date.
const DATE: [u8; 4] = [0, 0, 0x21, 0];

/// An array in the archive.
struct Member {
    name: String,
    /// Offset of its header.
    at: u64,
    /// Offset of its data: the npy header, then the values.
    data: u64,
    size: u64,
    written: u64,
    crc: Crc,
}

/// An `.npz` file being written. Dropped before [`NpzArchive::finish`], it leaves nothing behind.
pub struct NpzArchive {
    file: AtomicFile,
    members: Vec<Member>,
    end: u64,
}

impl NpzArchive {
    /// Starts a file; an existing one is replaced only when the new one is finished.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self { file: AtomicFile::create(path)?, members: Vec::new(), end: 0 })
    }

    /// Adds an array of double-precision numbers, row-major; an empty shape is a single number.
    ///
    /// # Errors
    /// A number of values that does not fit the shape, or a failing disk.
    pub fn numbers(&mut self, name: &str, shape: &[usize], values: &[f64]) -> Result<()> {
        expect("number of values of an array", shape.iter().product(), values.len())?;
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.whole(name, "<f8", shape, &bytes)
    }

    /// Adds an array of texts; an empty shape is a single text.
    ///
    /// # Errors
    /// A number of texts that does not fit the shape, or a failing disk.
    pub fn texts(&mut self, name: &str, shape: &[usize], texts: &[String]) -> Result<()> {
        expect("number of texts of an array", shape.iter().product(), texts.len())?;
        let (width, bytes) = utf32(texts);
        self.whole(name, &format!("<U{width}"), shape, &bytes)
    }

    fn whole(&mut self, name: &str, element: &str, shape: &[usize], bytes: &[u8]) -> Result<()> {
        let member = self.begin(name, element, shape, bytes.len() as u64)?;
        self.put_bytes(member, bytes)
    }

    /// Reserves space for an array and writes its npy header; returns the array's index.
    fn begin(&mut self, name: &str, element: &str, shape: &[usize], values: u64) -> Result<usize> {
        let head = npy_header(element, shape);
        let size = values.saturating_add(head.len() as u64);
        let member =
            Member { name: format!("{name}.npy"), at: self.end, data: 0, size, written: 0, crc: Crc::new() };
        let data = self.end + local_header(&member).len() as u64;
        self.end = data.saturating_add(size);
        self.members.push(Member { data, ..member });
        let number = self.members.len() - 1;
        self.put_bytes(number, &head)?;
        Ok(number)
    }

    /// Writes the next bytes of an array.
    fn put_bytes(&mut self, member: usize, bytes: &[u8]) -> Result<()> {
        let member = &mut self.members[member];
        let at = member.data + member.written;
        member.written += bytes.len() as u64;
        member.crc.update(bytes);
        write_at(&mut self.file, at, bytes)
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// A failing disk; then the file does not appear.
    pub fn finish(mut self) -> Result<()> {
        for member in &self.members {
            write_at(&mut self.file, member.at, &local_header(member))?;
        }
        let directory: Vec<u8> = self.members.iter().flat_map(directory_entry).collect();
        let end = end_of_directory(self.members.len() as u64, directory.len() as u64, self.end);
        write_at(&mut self.file, self.end, &[directory, end].concat())?;
        self.file.finish()
    }
}

/// Samples in an archive. Attributes are arrays too; single values have no axes.
pub(super) struct NpzSink {
    archive: NpzArchive,
    /// The indices of the outputs in the archive.
    outputs: Vec<usize>,
}

impl NpzSink {
    pub(super) fn create(path: &Path, arrays: &FileArrays) -> Result<Self> {
        let mut archive = NpzArchive::create(path)?;
        let shape = |n: usize| if n == 1 { vec![] } else { vec![n] };
        for (name, value) in &arrays.attributes {
            match value {
                Attribute::Numbers(numbers) => archive.numbers(name, &shape(numbers.len()), numbers)?,
                Attribute::Texts(texts) => archive.texts(name, &shape(texts.len()), texts)?,
            }
        }
        for coordinate in &arrays.coordinates {
            archive.numbers(&coordinate.name, &[coordinate.values.len()], &coordinate.values)?;
        }
        let begin = |output: &Output| {
            let bytes = output.shape.iter().fold(4u64, |size, &n| size.saturating_mul(n as u64));
            archive.begin(&output.name, "<f4", &output.shape, bytes)
        };
        let outputs = arrays.outputs.iter().map(begin).collect::<Result<_>>()?;
        Ok(Self { archive, outputs })
    }
}

impl Sink for NpzSink {
    fn put(&mut self, output: usize, _sample: usize, values: &[f32]) -> Result<()> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.archive.put_bytes(self.outputs[output], &bytes)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.archive.finish()
    }
}

fn write_at(file: &mut AtomicFile, at: u64, bytes: &[u8]) -> Result<()> {
    let target = file.file();
    let done = target.seek(SeekFrom::Start(at)).and_then(|_| target.write_all(bytes));
    done.map_err(|source| file.error(source))
}

/// The header of an `.npy` file of version 1.0 with elements such as `<f8`, padded to a multiple of 64 bytes.
pub fn npy_header(element: &str, shape: &[usize]) -> Vec<u8> {
    let axes = match shape {
        [n] => format!("{n},"),
        shape => shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    };
    let mut text = format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({axes}), }}");
    while (10 + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00".as_slice(), &length, text.as_bytes()].concat()
}

/// Texts as NumPy stores them: padded to equal length, four bytes per code point.
fn utf32(texts: &[String]) -> (usize, Vec<u8>) {
    let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let padded =
        |text: &String| text.chars().map(u32::from).chain(std::iter::repeat(0)).take(width).collect();
    let points: Vec<u32> = texts.iter().flat_map(|text| -> Vec<u32> { padded(text) }).collect();
    (width, points.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// The 32-bit form of a size or offset, or the marker that the 64-bit form follows.
fn short(value: u64) -> [u8; 4] {
    u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes()
}

/// Extra field 1 of zip: the values that did not fit into 32 bits.
fn extra(values: &[u64]) -> Vec<u8> {
    if values.is_empty() {
        return Vec::new();
    }
    let mut field = vec![1, 0, 8 * values.len() as u8, 0];
    field.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    field
}

/// What the local header and the directory entry share: version needed, flags, no compression, date,
/// checksum, sizes, length of the name.
fn common(member: &Member) -> Vec<u8> {
    let version = if member.size >= ZIP64_FROM || member.at >= ZIP64_FROM { 45u16 } else { 20 };
    // Bit 11: the name is UTF-8.
    let flags: u16 = if member.name.is_ascii() { 0 } else { 1 << 11 };
    let mut out = [version.to_le_bytes(), flags.to_le_bytes(), [0, 0]].concat();
    out.extend(DATE);
    out.extend(member.crc.sum().to_le_bytes());
    out.extend(short(member.size));
    out.extend(short(member.size));
    out.extend((member.name.len() as u16).to_le_bytes());
    out
}

fn local_header(member: &Member) -> Vec<u8> {
    let large: &[u64] = if member.size >= ZIP64_FROM { &[member.size, member.size] } else { &[] };
    let extra = extra(large);
    let length = (extra.len() as u16).to_le_bytes();
    [b"PK\x03\x04".as_slice(), &common(member), &length, member.name.as_bytes(), &extra].concat()
}

fn directory_entry(member: &Member) -> Vec<u8> {
    let mut large = Vec::new();
    if member.size >= ZIP64_FROM {
        large.extend([member.size; 2]);
    }
    if member.at >= ZIP64_FROM {
        large.push(member.at);
    }
    let extra = extra(&large);
    let mut out = [b"PK\x01\x02".as_slice(), &45u16.to_le_bytes(), &common(member)].concat();
    out.extend((extra.len() as u16).to_le_bytes());
    // No comment, disk 0, no attributes inside or outside.
    out.extend([0; 10]);
    out.extend(short(member.at));
    out.extend(member.name.as_bytes());
    out.extend(extra);
    out
}

fn end_of_directory(entries: u64, size: u64, at: u64) -> Vec<u8> {
    let mut out = Vec::new();
    if at >= ZIP64_FROM || entries >= u64::from(u16::MAX) {
        out.extend(b"PK\x06\x06");
        // Size of the rest of this record, versions, disks.
        out.extend(44u64.to_le_bytes());
        out.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        for value in [entries, entries, size, at] {
            out.extend(value.to_le_bytes());
        }
        out.extend(b"PK\x06\x07\0\0\0\0");
        out.extend((at + size).to_le_bytes());
        out.extend(1u32.to_le_bytes());
    }
    let count = u16::try_from(entries).unwrap_or(u16::MAX).to_le_bytes();
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count, count].concat());
    out.extend(short(size));
    out.extend(short(at));
    out.extend([0, 0]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::format;

    #[test]
    fn arrays_are_read_back_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let mut archive = NpzArchive::create(&path).unwrap();
        let values = [0.1, -2.0, f64::NAN, 4e300, 5.0, -0.0];
        archive.numbers("values", &[2, 3], &values).unwrap();
        archive.numbers("time", &[], &[7.5]).unwrap();
        archive.texts("names", &[2], &["u".into(), "größe".into()]).unwrap();
        assert!(archive.numbers("short", &[4], &values).is_err());
        archive.finish().unwrap();
        let mut store = format::open(&path).unwrap();
        let names: Vec<&str> = store.arrays().iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["values", "time", "names"]);
        let read = store.read("values", &[0, 0], &[2, 3]).unwrap();
        assert!(read.iter().zip(values).all(|(a, b)| a.to_bits() == b.to_bits()), "{read:?}");
        assert_eq!(store.read("time", &[], &[]).unwrap(), [7.5]);
    }
}
