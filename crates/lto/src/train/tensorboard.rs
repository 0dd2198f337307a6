//! TensorBoard event files: records of protocol buffers, framed by lengths and checksums.

use crate::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Appends scalars to its own event file.
pub struct EventFile {
    path: PathBuf,
    file: File,
}

impl EventFile {
    /// A new event file in the folder of a run. A run resumed after `step` steps says so: TensorBoard then
    /// discards later steps of earlier files.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(run: &Path, step: u64) -> Result<Self> {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs());
        let mut attempt = 0;
        let (path, file) = loop {
            let path = run.join(format!("events.out.tfevents.{seconds:010}.lto.{step}.{attempt}"));
            match OpenOptions::new().create_new(true).append(true).open(&path) {
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => attempt += 1,
                opened => break (path.clone(), opened.map_err(Error::io(&path))?),
            }
        };
        let mut events = Self { path, file };
        events.write(&event(0, now(), &bytes(3, b"brain.Event:2")))?;
        if step > 0 {
            // SessionLog { status: START }
            events.write(&event(step + 1, now(), &bytes(7, &varint_field(1, 1))))?;
        }
        Ok(events)
    }

    /// Appends some scalars of a step.
    ///
    /// # Errors
    /// A full or failing disk.
    pub fn scalars<'a>(
        &mut self,
        step: u64,
        scalars: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<()> {
        self.write(&event(step, now(), &bytes(5, &summary(scalars))))
    }

    fn write(&mut self, event: &[u8]) -> Result<()> {
        self.file.write_all(&record(event)).map_err(Error::io(&self.path))
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |t| t.as_secs_f64())
}

/// Length, its checksum, the data, their checksum.
fn record(data: &[u8]) -> Vec<u8> {
    let masked =
        |bytes: &[u8]| crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes();
    let length = (data.len() as u64).to_le_bytes();
    [&length[..], &masked(&length), data, &masked(data)].concat()
}

/// `Event { wall_time: 1, step: 2, … }`.
fn event(step: u64, wall_time: f64, what: &[u8]) -> Vec<u8> {
    // Field 1 as 64 bits.
    [&[0x09][..], &wall_time.to_le_bytes(), &varint_field(2, step), what].concat()
}

/// `Summary { value: [Value { tag: 1, simple_value: 2 }] }`.
fn summary<'a>(scalars: impl IntoIterator<Item = (&'a str, f64)>) -> Vec<u8> {
    let value = |(tag, value): (&str, f64)| {
        // Field 2 as 32 bits.
        let value = [&bytes(1, tag.as_bytes())[..], &[0x15], &(value as f32).to_le_bytes()].concat();
        bytes(1, &value)
    };
    scalars.into_iter().flat_map(value).collect()
}

/// A field of a number.
fn varint_field(field: u8, value: u64) -> Vec<u8> {
    [&[field << 3][..], &varint(value)].concat()
}

/// A field of bytes.
fn bytes(field: u8, data: &[u8]) -> Vec<u8> {
    [&[field << 3 | 2][..], &varint(data.len() as u64), data].concat()
}

/// Seven bits per byte, lowest first; all but the last have their top bit set.
fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes made independently, by the definition of the format:
    ///
    /// ```python
    /// import struct
    /// def crc32c(data):                      # bit by bit, reflected polynomial of Castagnoli
    ///     crc = 0xffffffff
    ///     for byte in data:
    ///         crc ^= byte
    ///         for _ in range(8): crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    ///     return crc ^ 0xffffffff
    /// def mask(crc): return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff
    /// value = b'\x0a\x04loss' + b'\x15' + struct.pack('<f', 0.5)
    /// summary = b'\x0a' + bytes([len(value)]) + value
    /// event = b'\x09' + struct.pack('<d', 2.0) + b'\x10\xac\x02' + b'\x2a' + bytes([len(summary)]) + summary
    /// length = struct.pack('<Q', len(event))
    /// print((length + struct.pack('<I', mask(crc32c(length))) + event + struct.pack('<I', mask(crc32c(event)))).hex())
    /// ```
    #[test]
    fn records_are_the_bytes_of_the_format() {
        let made = record(&event(300, 2.0, &bytes(5, &summary([("loss", 0.5)]))));
        let hex: String = made.iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(hex, EXPECTED);
    }

    const EXPECTED: &str =
        "1b000000000000001a0d9e1309000000000000004010ac022a0d0a0b0a046c6f7373150000003fdfc52b60";

    #[test]
    fn a_file_begins_with_its_version_and_a_resumed_one_with_its_step() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = EventFile::create(folder.path(), 0).unwrap();
        first.scalars(1, [("a", 1.0)]).unwrap();
        let second = EventFile::create(folder.path(), 7).unwrap();
        let contents = std::fs::read(&first.path).unwrap();
        assert!(contents.windows(13).any(|w| w == b"brain.Event:2"));
        assert!(first.path != second.path);
        let resumed = std::fs::read(&second.path).unwrap();
        // step 8, session log with status 1.
        assert!(resumed.windows(6).any(|w| w == [0x10, 8, 0x3a, 2, 0x08, 1]));
    }
}
