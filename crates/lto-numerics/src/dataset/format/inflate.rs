//! Streaming decompression of one stretch of a file in two small buffers, whatever its size.

use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom};

/// No deflate stream expands by more than this factor, so a header that claims more is wrong.
pub(crate) const MAX_EXPANSION: u64 = 1032;

const INPUT: usize = 1 << 16;

/// How a stretch of a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// Deflate in a zlib wrapper, which carries its own checksum.
    Zlib,
    /// Bare deflate, with the checksum of the whole content known from elsewhere.
    Deflate { crc32: u32 },
}

/// The decompressed bytes of `len` bytes of a file from `offset` on, read forward.
pub(crate) struct Inflater {
    offset: u64,
    len: u64,
    decoded_len: u64,
    compression: Compression,
    state: Decompress,
    crc: Crc,
    input: Box<[u8]>,
    /// The part of `input` not yet consumed.
    pending: std::ops::Range<usize>,
    /// Compressed bytes fetched so far.
    fetched: u64,
    position: u64,
}

impl Inflater {
    /// `decoded_len` is the length at which the content must be complete and its checksum right.
    pub fn new(offset: u64, len: u64, decoded_len: u64, compression: Compression) -> Self {
        Inflater {
            offset,
            len,
            decoded_len,
            compression,
            state: Decompress::new(compression == Compression::Zlib),
            crc: Crc::new(),
            input: vec![0; INPUT.min(usize::try_from(len).unwrap_or(INPUT))].into(),
            pending: 0..0,
            fetched: 0,
            position: 0,
        }
    }

    /// Fills `out` with the decompressed bytes from `at` on. Moving forward decompresses what lies between;
    /// moving back starts over.
    pub fn read_at(&mut self, file: &mut File, at: u64, out: &mut [u8]) -> Result<()> {
        if at < self.position {
            *self = Inflater::new(self.offset, self.len, self.decoded_len, self.compression);
        }
        let mut skipped = [0; 1 << 14];
        while self.position < at {
            let n = (skipped.len() as u64).min(at - self.position) as usize;
            self.fill(file, &mut skipped[..n])?;
        }
        self.fill(file, out)?;
        if self.position == self.decoded_len { self.verify(file) } else { Ok(()) }
    }

    /// As [`Inflater::read_at`] from 0, but the content may end early; returns its length.
    pub fn read_start(&mut self, file: &mut File, out: &mut [u8]) -> Result<usize> {
        let mut n = 0;
        while n < out.len() {
            match self.some(file, &mut out[n..])? {
                0 => break,
                more => n += more,
            }
        }
        Ok(n)
    }

    fn fill(&mut self, file: &mut File, mut out: &mut [u8]) -> Result<()> {
        while !out.is_empty() {
            let n = self.some(file, out)?;
            if n == 0 {
                let text = format!("the compressed data ends after {} bytes", self.position);
                return Err(Error::new(ErrorKind::UnexpectedEof, text));
            }
            out = &mut out[n..];
        }
        Ok(())
    }

    /// Decompresses at least one byte into `out`; 0 at the end of the stream.
    fn some(&mut self, file: &mut File, out: &mut [u8]) -> Result<usize> {
        loop {
            if self.pending.is_empty() && self.fetched < self.len {
                let n = (self.input.len() as u64).min(self.len - self.fetched) as usize;
                file.seek(SeekFrom::Start(self.offset + self.fetched))?;
                file.read_exact(&mut self.input[..n])?;
                self.fetched += n as u64;
                self.pending = 0..n;
            }
            let (consumed, produced) = (self.state.total_in(), self.state.total_out());
            let status = self
                .state
                .decompress(&self.input[self.pending.clone()], out, FlushDecompress::None)
                .map_err(|_| damaged())?;
            let n = (self.state.total_out() - produced) as usize;
            let used = (self.state.total_in() - consumed) as usize;
            self.pending.start += used;
            self.position += n as u64;
            if self.compression != Compression::Zlib {
                self.crc.update(&out[..n]);
            }
            let exhausted = self.pending.is_empty() && self.fetched == self.len;
            if n > 0 || status == Status::StreamEnd || (exhausted && used == 0) {
                return Ok(n);
            }
            if used == 0 && !self.pending.is_empty() {
                return Err(damaged());
            }
        }
    }

    /// At the end of the content: checks that it is what was compressed.
    fn verify(&mut self, file: &mut File) -> Result<()> {
        match self.compression {
            Compression::Deflate { crc32 } if self.crc.sum() != crc32 => Err(damaged()),
            Compression::Deflate { .. } => Ok(()),
            // The wrapper's checksum is compared when the stream is read past its last byte.
            Compression::Zlib => self.some(file, &mut [0; 64]).map(|_| ()),
        }
    }
}

fn damaged() -> Error {
    Error::new(ErrorKind::InvalidData, "the compressed data is damaged; get the file again")
}
