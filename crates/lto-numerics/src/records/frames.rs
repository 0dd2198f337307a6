//! Frames in a temporary file: all that was observed at one time, one after the other.

use super::faults::FaultKind;
use super::row::{Row, take};
use super::spool::temporary;
use super::{Catalog, Faults, Frame};
use crate::error::Result;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

/// Collects rows in the order of time into frames.
pub(super) struct FrameWriter {
    out: BufWriter<File>,
    position: u64,
    index: Index,
    n_variables: usize,
    frame: Draft,
}

/// Where the frames are.
#[derive(Default)]
struct Index {
    times: Vec<f64>,
    /// Where each frame begins, and the last one ends.
    offsets: Vec<u64>,
}

/// The frame that is being collected.
#[derive(Default)]
struct Draft {
    time: f64,
    stations: Vec<u32>,
    moved: Vec<Option<[f64; 3]>>,
    /// Value, deviation and line of each variable of each station.
    cells: Vec<Cell>,
}

#[derive(Clone, Copy)]
struct Cell {
    value: f64,
    deviation: f64,
    line: u64,
}

const MISSING: Cell = Cell { value: f64::NAN, deviation: f64::NAN, line: 0 };

impl FrameWriter {
    pub(super) fn new(catalog: &Catalog) -> io::Result<Self> {
        Ok(Self {
            out: BufWriter::with_capacity(1 << 20, tempfile::tempfile()?),
            position: 0,
            index: Index { times: Vec::new(), offsets: vec![0] },
            n_variables: catalog.variables.len(),
            frame: Draft::default(),
        })
    }

    /// Adds a row, not earlier than those before.
    ///
    /// # Errors
    /// Contradicting readings, where faults are refused; a temporary folder that cannot be written.
    pub(super) fn push(&mut self, row: &Row, faults: &mut Faults) -> Result<()> {
        if row.time != self.frame.time {
            self.end_frame().map_err(temporary)?;
        }
        self.frame.time = row.time;
        self.frame.add(row, self.n_variables, faults)
    }

    /// Writes the frame and begins another.
    fn end_frame(&mut self) -> io::Result<()> {
        let Draft { time, stations, moved, cells } = std::mem::take(&mut self.frame);
        if stations.is_empty() {
            return Ok(());
        }
        let any_moved = moved.iter().any(Option::is_some);
        let any_deviation = cells.iter().any(|cell| cell.deviation.is_finite());
        let mut bytes = Vec::with_capacity(6 + stations.len() * (4 + 8 * self.n_variables));
        bytes.extend((stations.len() as u32).to_le_bytes());
        bytes.extend([u8::from(any_moved), u8::from(any_deviation)]);
        bytes.extend(stations.iter().flat_map(|station| station.to_le_bytes()));
        if any_moved {
            let places = moved.iter().map(|place| place.unwrap_or([f64::NAN; 3]));
            bytes.extend(places.flatten().flat_map(f64::to_le_bytes));
        }
        let mut columns = |number: fn(&Cell) -> f64| {
            for variable in 0..self.n_variables {
                let column = cells.iter().skip(variable).step_by(self.n_variables);
                bytes.extend(column.flat_map(|cell| number(cell).to_le_bytes()));
            }
        };
        columns(|cell| cell.value);
        if any_deviation {
            columns(|cell| cell.deviation);
        }
        self.out.write_all(&bytes)?;
        self.position += bytes.len() as u64;
        self.index.times.push(time);
        self.index.offsets.push(self.position);
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<FrameStore> {
        self.end_frame()?;
        let file = self.out.into_inner().map_err(|error| error.into_error())?;
        Ok(FrameStore { file: Mutex::new(file), index: self.index, n_variables: self.n_variables })
    }
}

impl Draft {
    /// Adds a row; rows of one station come one after the other.
    fn add(&mut self, row: &Row, n_variables: usize, faults: &mut Faults) -> Result<()> {
        if self.stations.last() != Some(&row.station) {
            self.stations.push(row.station);
            self.moved.push(None);
            self.cells.resize(self.stations.len() * n_variables, MISSING);
        }
        let slot = self.stations.len() - 1;
        self.moved[slot] = row.moved.or(self.moved[slot]);
        for entry in &row.entries {
            let cell = &mut self.cells[slot * n_variables + entry.variable];
            let new = Cell { value: entry.value, deviation: entry.deviation, line: row.line };
            if cell.line > 0 {
                let word = faults.row_word();
                let place = format_args!("{word} {}", row.line);
                if cell.value == new.value {
                    faults.add(FaultKind::Doubled, &place, || format!("repeats {word} {}", cell.line))?;
                    continue;
                }
                faults.add(FaultKind::Contradicting, &place, || {
                    format!(
                        "the same station, time and variable has the value {} here, but {} in {word} {}; delete one \
                         of them, or keep the last (data.records.skip_faults)",
                        new.value, cell.value, cell.line
                    )
                })?;
            }
            *cell = new;
        }
        Ok(())
    }
}

/// The frames of a record, read one at a time by any thread.
pub(super) struct FrameStore {
    file: Mutex<File>,
    index: Index,
    n_variables: usize,
}

impl FrameStore {
    pub(super) fn times(&self) -> &[f64] {
        &self.index.times
    }

    /// Reads frame `i`; the stations that stood still are where the catalog has them.
    pub(super) fn read(&self, i: usize, catalog: &Catalog) -> Result<Frame> {
        let bytes = self.bytes(i).map_err(temporary)?;
        let mut rest = &bytes[..];
        let n = u32::from_le_bytes(take(&mut rest)) as usize;
        let [moved, noisy] = take(&mut rest);
        let stations: Vec<u32> = (0..n).map(|_| u32::from_le_bytes(take(&mut rest))).collect();
        let dim = catalog.axes.len().max(1);
        let still = stations.iter().flat_map(|&station| &catalog.stations[station as usize].coordinates);
        let mut coordinates: Vec<f64> = still.copied().collect();
        if moved == 1 {
            for place in coordinates.chunks_exact_mut(dim) {
                let new: [f64; 3] = std::array::from_fn(|_| f64::from_le_bytes(take(&mut rest)));
                if new[0].is_finite() {
                    place.copy_from_slice(&new[..dim]);
                }
            }
        }
        let mut numbers = || -> Vec<f64> {
            (0..n * self.n_variables).map(|_| f64::from_le_bytes(take(&mut rest))).collect()
        };
        let values = numbers();
        let deviations = (noisy == 1).then(numbers);
        Ok(Frame { time: self.index.times[i], stations, coordinates, values, deviations })
    }

    fn bytes(&self, i: usize) -> io::Result<Vec<u8>> {
        let (start, end) = (self.index.offsets[i], self.index.offsets[i + 1]);
        let mut bytes = vec![0; (end - start) as usize];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
