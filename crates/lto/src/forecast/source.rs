//! Readings as they come in, from a growing file or a stream, on a thread of their own.

use crate::error::{Error, Result};
use lto_numerics::records::{CsvRows, FaultKind, FaultPolicy, Faults, RecordOptions, Row};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// How often a growing file is looked at.
const POLL: Duration = Duration::from_millis(200);
/// Rows on their way; a reader that is faster waits.
const QUEUE: usize = 4096;

/// What the reader found.
#[derive(Debug)]
pub enum Message {
    /// A station that was not there before; they are numbered in this order.
    Station(String),
    /// A row that can be used.
    Row {
        /// The row.
        row: Row,
        /// Where it was observed.
        place: Vec<f64>,
        /// Whether it came in after all that was there at first had been read.
        fresh: bool,
    },
    /// A row that cannot be used.
    Fault {
        /// What is wrong.
        kind: FaultKind,
        /// Where, which value, what to do.
        text: String,
        /// As of a row.
        fresh: bool,
    },
    /// Bytes that can no longer be read.
    Failed(Error),
}

/// Where readings come from.
pub struct Source {
    /// What was found, in order; the end of the file ends it.
    pub messages: Receiver<Message>,
    stop: Arc<AtomicBool>,
}

impl Source {
    /// Reads a file, and goes on as it grows if `follow`; standard input if the path is `-`.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub fn open(path: &Path, follow: bool, options: RecordOptions) -> Result<Self> {
        let (caught_up, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let bytes: Box<dyn Read + Send> = if path == Path::new("-") {
            caught_up.store(true, Ordering::Relaxed);
            Box::new(io::stdin())
        } else {
            let file = File::open(path);
            let file = file.map_err(|source| lto_numerics::Error::Io { path: path.into(), source })?;
            Box::new(Growing { file, position: 0, follow, caught_up: caught_up.clone(), stop: stop.clone() })
        };
        let (sender, messages) = sync_channel(QUEUE);
        let path = PathBuf::from(path);
        std::thread::spawn(move || {
            if let Err(error) = read(&path, bytes, &options, &caught_up, &sender) {
                let _ = sender.send(Message::Failed(error));
            }
        });
        Ok(Self { messages, stop })
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Sends all rows; ends when nobody listens.
fn read(
    path: &Path,
    bytes: Box<dyn Read + Send>,
    options: &RecordOptions,
    caught_up: &AtomicBool,
    to: &SyncSender<Message>,
) -> Result<()> {
    let mut catalog = options.catalog()?;
    let mut faults = Faults::new(path, FaultPolicy::Skip).logged();
    let mut rows = CsvRows::new(path, bytes, options, &mut catalog)?;
    let (mut row, mut told) = (Row::default(), 0);
    loop {
        let more = rows.next(&mut catalog, &mut faults, &mut row)?;
        let fresh = caught_up.load(Ordering::Relaxed);
        let fault = |(kind, text)| Message::Fault { kind, text, fresh };
        let mut out: Vec<Message> = faults.take().into_iter().map(fault).collect();
        if more {
            let stations = catalog.stations();
            out.extend(stations[told..].iter().map(|station| Message::Station(station.name.clone())));
            told = stations.len();
            let still = &stations[row.station as usize].coordinates;
            let place = row.moved.map_or(still.clone(), |place| place[..still.len()].to_vec());
            out.push(Message::Row { row: row.clone(), place, fresh });
        }
        for message in out {
            if to.send(message).is_err() {
                return Ok(());
            }
        }
        if !more {
            return Ok(());
        }
    }
}

/// A file that may grow: its end is waited for, unless it is not followed.
struct Growing {
    file: File,
    position: u64,
    follow: bool,
    caught_up: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
}

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.file.read(buffer)?;
            self.position += n as u64;
            if n > 0 {
                return Ok(n);
            }
            self.caught_up.store(true, Ordering::Relaxed);
            if !self.follow || self.stop.load(Ordering::Relaxed) {
                return Ok(0);
            }
            if self.file.metadata()?.len() < self.position {
                return Err(io::Error::other("the file became shorter while it was followed; start again"));
            }
            std::thread::sleep(POLL);
        }
    }
}
