//! Samples as NumPy's `.npz`, uncompressed. Every size is known beforehand, so every array has its place in the
//! file from the start and samples are written where they belong. Attributes are arrays too, single ones without
//! axes. Times in the archive are those of no clock: 1980-01-01.

use super::Sink;
use super::atomic::AtomicFile;
use super::plan::Plan;
use crate::dataset::format::Attribute;
use crate::error::Result;
use flate2::Crc;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// From here on, sizes and places need the 64-bit form.
const ZIP64_FROM: u64 = u32::MAX as u64;
/// 1980-01-01 00:00 as DOS has it: the time, then the date.
const DATE: [u8; 4] = [0, 0, 0x21, 0];

/// An array in the archive.
struct Member {
    name: String,
    /// Place of its header.
    at: u64,
    /// Place of its data: the npy header, then the values.
    data: u64,
    size: u64,
    written: u64,
    crc: Crc,
}

pub(super) struct NpzSink {
    file: AtomicFile,
    members: Vec<Member>,
    /// Index of the first output among the members.
    outputs: usize,
    end: u64,
}

impl NpzSink {
    pub(super) fn create(path: &Path, plan: &Plan) -> Result<Self> {
        let file = AtomicFile::create(path)?;
        let mut sink = Self { file, members: Vec::new(), outputs: 0, end: 0 };
        for (name, value) in &plan.attributes {
            let (element, bytes, n) = match value {
                Attribute::Numbers(numbers) => ("<f8".into(), little_endian(numbers), numbers.len()),
                Attribute::Texts(texts) => {
                    let (width, bytes) = utf32(texts);
                    (format!("<U{width}"), bytes, texts.len())
                }
            };
            let shape = if n == 1 { vec![] } else { vec![n] };
            sink.whole(name, &element, &shape, &bytes)?;
        }
        for coordinate in &plan.coordinates {
            let bytes = little_endian(&coordinate.values);
            sink.whole(&coordinate.name, "<f8", &[coordinate.values.len()], &bytes)?;
        }
        sink.outputs = sink.members.len();
        for output in &plan.outputs {
            let values = output.shape.iter().fold(4u64, |size, &n| size.saturating_mul(n as u64));
            sink.begin(&output.name, "<f4", &output.shape, values)?;
        }
        Ok(sink)
    }

    /// Adds an array that is there already.
    fn whole(&mut self, name: &str, element: &str, shape: &[usize], bytes: &[u8]) -> Result<()> {
        self.begin(name, element, shape, bytes.len() as u64)?;
        self.put_bytes(self.members.len() - 1, bytes)
    }

    /// Gives an array its place in the file and writes its npy header.
    fn begin(&mut self, name: &str, element: &str, shape: &[usize], values: u64) -> Result<()> {
        let head = npy_header(element, shape);
        let size = values.saturating_add(head.len() as u64);
        let member =
            Member { name: format!("{name}.npy"), at: self.end, data: 0, size, written: 0, crc: Crc::new() };
        let data = self.end + local_header(&member).len() as u64;
        self.end = data.saturating_add(size);
        self.members.push(Member { data, ..member });
        self.put_bytes(self.members.len() - 1, &head)
    }

    /// Writes the next bytes of an array.
    fn put_bytes(&mut self, member: usize, bytes: &[u8]) -> Result<()> {
        let member = &mut self.members[member];
        let at = member.data + member.written;
        member.written += bytes.len() as u64;
        member.crc.update(bytes);
        write_at(&mut self.file, at, bytes)
    }
}

impl Sink for NpzSink {
    fn put(&mut self, output: usize, _sample: usize, values: &[f32]) -> Result<()> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.put_bytes(self.outputs + output, &bytes)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        for member in &self.members {
            write_at(&mut self.file, member.at, &local_header(member))?;
        }
        let directory: Vec<u8> = self.members.iter().flat_map(directory_entry).collect();
        let end = end_of_directory(self.members.len() as u64, directory.len() as u64, self.end);
        write_at(&mut self.file, self.end, &[directory, end].concat())?;
        self.file.finish()
    }
}

fn write_at(file: &mut AtomicFile, at: u64, bytes: &[u8]) -> Result<()> {
    let target = file.file();
    let done = target.seek(SeekFrom::Start(at)).and_then(|_| target.write_all(bytes));
    done.map_err(|source| file.error(source))
}

/// The header of version 1.0, padded to a multiple of 64 bytes.
fn npy_header(element: &str, shape: &[usize]) -> Vec<u8> {
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

fn little_endian(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Texts as NumPy stores them: equally many code points of four bytes each.
fn utf32(texts: &[String]) -> (usize, Vec<u8>) {
    let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let padded =
        |text: &String| text.chars().map(u32::from).chain(std::iter::repeat(0)).take(width).collect();
    let points: Vec<u32> = texts.iter().flat_map(|text| -> Vec<u32> { padded(text) }).collect();
    (width, points.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// The 32-bit form of a size or place, or the mark that the 64-bit form follows.
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

/// What the header before the data and the entry in the directory have in common: version needed, flags, no
/// compression, date, checksum, sizes, length of the name.
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
