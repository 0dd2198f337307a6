//! Rows in the order of time, however many: sorted runs in a temporary file, merged into frames. Memory holds one run
//! and the rows of one time.

use super::frames::{FrameStore, FrameWriter};
use super::row::{HEAD, Row};
use super::{Catalog, Faults};
use crate::error::{Error, Result};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes of rows held before they are sorted and written.
const RUN: usize = 32 << 20;
/// Bytes of all runs held while they are merged, and the most and least of one.
const MERGE: usize = 16 << 20;
const BUFFER: Range<usize> = 16 << 10..256 << 10;

/// Sort key of a row in memory.
struct Key {
    time: f64,
    station: u32,
    start: usize,
    end: usize,
}

/// Rows on their way into frames.
pub(super) struct Spool {
    run_size: usize,
    file: Option<File>,
    /// End of each run in the file; each begins where the one before ends.
    ends: Vec<u64>,
    bytes: Vec<u8>,
    keys: Vec<Key>,
}

impl Spool {
    pub(super) fn new() -> Self {
        Self::with_runs_of(RUN)
    }

    fn with_runs_of(run_size: usize) -> Self {
        Self { run_size, file: None, ends: Vec::new(), bytes: Vec::new(), keys: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// A temporary folder that cannot be written.
    pub(super) fn push(&mut self, row: &Row) -> Result<()> {
        let start = self.bytes.len();
        row.write(&mut self.bytes);
        self.keys.push(Key { time: row.time, station: row.station, start, end: self.bytes.len() });
        if self.bytes.len() + self.keys.len() * size_of::<Key>() >= self.run_size {
            self.write_run().map_err(temporary)?;
        }
        Ok(())
    }

    /// Sorts what is in memory and appends it to the file. Rows of one station at one time stay in the file's order.
    fn write_run(&mut self) -> io::Result<()> {
        self.keys.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.station.cmp(&b.station)));
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let mut out = io::BufWriter::with_capacity(1 << 20, file);
        for key in &self.keys {
            out.write_all(&self.bytes[key.start..key.end])?;
        }
        out.flush()?;
        drop(out);
        self.ends.push(self.ends.last().copied().unwrap_or(0) + self.bytes.len() as u64);
        self.bytes.clear();
        self.keys.clear();
        Ok(())
    }

    /// Merges the runs into frames, one for each time.
    ///
    /// # Errors
    /// Contradicting readings, where faults are refused; a temporary folder that cannot be written.
    pub(super) fn finish(mut self, catalog: &Catalog, faults: &mut Faults) -> Result<FrameStore> {
        if !self.keys.is_empty() {
            self.write_run().map_err(temporary)?;
        }
        // What is no longer needed must not stay while frames are written.
        (self.bytes, self.keys) = (Vec::new(), Vec::new());
        let mut writer = FrameWriter::new(catalog).map_err(temporary)?;
        let Some(mut file) = self.file else { return writer.finish().map_err(temporary) };
        let buffer = (MERGE / self.ends.len()).clamp(BUFFER.start, BUFFER.end);
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let mut runs: Vec<Run> =
            starts.zip(&self.ends).map(|(start, &end)| Run::new(start, end, buffer)).collect();
        let mut heap = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            heap.extend(run.next(&mut file).map_err(temporary)?.then(|| run.order(number)).map(Reverse));
        }
        while let Some(Reverse((_, _, number))) = heap.pop() {
            let run = &mut runs[number];
            writer.push(&run.row, faults)?;
            heap.extend(run.next(&mut file).map_err(temporary)?.then(|| run.order(number)).map(Reverse));
        }
        writer.finish().map_err(temporary)
    }
}

/// A sorted run in the file, and its next row.
struct Run {
    position: u64,
    end: u64,
    /// Bytes read at once.
    size: usize,
    buffer: Vec<u8>,
    at: usize,
    row: Row,
}

impl Run {
    fn new(position: u64, end: u64, size: usize) -> Self {
        Self { position, end, size, buffer: Vec::new(), at: 0, row: Row::default() }
    }

    /// By time, then station, then place in the file: runs are in its order.
    fn order(&self, number: usize) -> (u64, u32, usize) {
        // Order of floating-point numbers as that of integers: the sign flips all bits, or only itself.
        let bits = self.row.time.to_bits();
        let flip = if bits >> 63 == 1 { u64::MAX } else { 1 << 63 };
        (bits ^ flip, self.row.station, number)
    }

    /// Reads the next row; false at the end of the run.
    fn next(&mut self, file: &mut File) -> io::Result<bool> {
        if !self.hold(HEAD, file)? {
            return Ok(false);
        }
        let length = HEAD + Row::tail(&self.buffer[self.at..self.at + HEAD]);
        if !self.hold(length, file)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.row.read(&self.buffer[self.at..self.at + length]);
        self.at += length;
        Ok(true)
    }

    /// Has `n` bytes in the buffer; false if the run ends before.
    fn hold(&mut self, n: usize, file: &mut File) -> io::Result<bool> {
        if self.buffer.len() - self.at >= n {
            return Ok(true);
        }
        self.buffer.drain(..self.at);
        self.at = 0;
        let kept = self.buffer.len();
        let more = (self.end - self.position).min(self.size.max(n) as u64) as usize;
        self.buffer.resize(kept + more, 0);
        file.seek(SeekFrom::Start(self.position))?;
        file.read_exact(&mut self.buffer[kept..])?;
        self.position += more as u64;
        Ok(self.buffer.len() >= n)
    }
}

/// The error for the temporary file; it has no name.
pub(super) fn temporary(source: io::Error) -> Error {
    let path: PathBuf = std::env::temp_dir();
    match source.kind() {
        io::ErrorKind::StorageFull => {
            let problem =
                "no room for the record sorted by time; set TMPDIR to a folder on a larger disk".into();
            Error::Output { path, problem }
        }
        _ => Error::Io { path: Path::new(&path).into(), source },
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::Entry;
    use super::super::{FaultPolicy, faults::FaultKind};
    use super::*;

    /// Rows of `n` stations at `times` times in a shuffled order, in runs of a few rows.
    #[test]
    fn rows_come_back_by_time_and_station_from_many_runs() {
        let (times, n) = (40u32, 7u32);
        let mut catalog = Catalog::default();
        (0..n).for_each(|i| _ = catalog.station(Some(format!("s{i}").as_bytes()), &[f64::from(i)]));
        catalog.variable("u", None);
        let mut spool = Spool::with_runs_of(600);
        for k in 0..u64::from(times * n) {
            let shuffled = (k * 101 % u64::from(times * n)) as u32;
            let (t, station) = (shuffled / n, shuffled % n);
            let entries =
                vec![Entry { variable: 0, value: f64::from(t * 100 + station), deviation: f64::NAN }];
            spool.push(&Row { line: k, time: f64::from(t) - 20.0, station, moved: None, entries }).unwrap();
        }
        assert!(spool.ends.len() > 10);
        let mut faults = Faults::new(Path::new("r.csv"), FaultPolicy::Refuse);
        let frames = spool.finish(&catalog, &mut faults).unwrap();
        assert_eq!(frames.times(), (0..times).map(|t| f64::from(t) - 20.0).collect::<Vec<_>>());
        for t in 0..times {
            let frame = frames.read(t as usize, &catalog).unwrap();
            assert_eq!(frame.stations, (0..n).collect::<Vec<_>>());
            assert_eq!(frame.values, (0..n).map(|i| f64::from(t * 100 + i)).collect::<Vec<_>>());
            assert_eq!((frame.coordinates[3], frame.deviations), (3.0, None));
        }
        assert_eq!(faults.count(FaultKind::Doubled), 0);
    }
}
