//! The checksum of uncompressed bytes, computed while they are read in order.

use super::strided::{Extent, read_at};
use flate2::Crc;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};

/// The CRC-32 of a stretch of a file from its first byte up to `position`.
pub(super) struct RunningChecksum {
    extent: Extent,
    expected: u32,
    crc: Crc,
    position: u64,
}

impl RunningChecksum {
    /// For a stretch whose checksum is known.
    pub(super) fn of(extent: Extent) -> Option<Self> {
        let expected = extent.stored_crc32?;
        Some(Self { extent, expected, crc: Crc::new(), position: 0 })
    }

    /// Adds `bytes` read from `at` on; the header, before `first`, is fetched here. Bytes out of order are
    /// skipped: the sum is then never complete, unless reading starts over at `first`.
    ///
    /// # Errors
    /// The last byte is reached and the sum is wrong.
    pub(super) fn add(&mut self, file: &mut File, first: u64, at: u64, bytes: &[u8]) -> Result<()> {
        if at == first && self.position != first {
            let mut header = vec![0; usize::try_from(first).map_err(Error::other)?];
            read_at(file, self.extent.offset, &mut header)?;
            self.crc.reset();
            self.crc.update(&header);
            self.position = first;
        }
        if at != self.position {
            return Ok(());
        }
        self.crc.update(bytes);
        self.position += bytes.len() as u64;
        if self.position == self.extent.len && self.crc.sum() != self.expected {
            let text = "its checksum does not match its bytes: the file is damaged; get it again";
            return Err(Error::new(ErrorKind::InvalidData, text));
        }
        Ok(())
    }
}
