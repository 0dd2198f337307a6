//! The journal of a generation, `FILE.partial`: a line of JSON that says what is generated, then one record
//! per sample, in order: number of bytes (`u64`, little-endian), the bytes, their CRC-32. An interrupted or
//! killed run resumes from it; an incomplete record is dropped.

use crate::error::{Error, Result};
use crate::pde::PdeConfig;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Longest header; a file with a longer first line is not a journal.
const MAX_HEADER_BYTES: u64 = 1 << 16;
const DAMAGED: &str = "a sample in it is damaged; run again with --resume";

/// What is generated. Equal recipes give equal samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Version of the generator.
    pub version: String,
    /// The PDE and its parameters.
    pub config: PdeConfig,
    /// The seed.
    pub seed: u64,
    /// Number of samples wanted.
    pub samples: usize,
}

impl Recipe {
    /// The recipe of this version.
    pub fn new(config: PdeConfig, seed: u64, samples: usize) -> Self {
        Self { version: env!("CARGO_PKG_VERSION").into(), config, seed, samples }
    }

    /// The recipe in the journal at `path`; `None` for any other file.
    pub fn of_journal(path: &Path) -> Option<Self> {
        let line = first_line(&mut BufReader::new(File::open(path).ok()?)).ok()?;
        serde_json::from_slice(&line).ok()
    }

    /// The PDE and its parameters, as written into files.
    pub(super) fn config_json(&self) -> Result<String> {
        serde_json::to_string(&self.config).map_err(unwritable)
    }

    /// The differences between a journal's recipe and this one, one per line.
    fn differences(&self, journal: &Recipe) -> Result<Vec<String>> {
        let value = |recipe| serde_json::to_value(recipe).map_err(unwritable);
        let mut lines = Vec::new();
        compare("", &value(journal)?, &value(self)?, &mut lines);
        Ok(lines)
    }
}

/// JSON cannot hold non-finite numbers, but no PDE has any once built.
fn unwritable(error: serde_json::Error) -> Error {
    Error::Parameter { name: "config", value: error.to_string(), requirement: "must be writable as JSON" }
}

fn compare(name: &str, old: &serde_json::Value, new: &serde_json::Value, lines: &mut Vec<String>) {
    let (Some(old_map), Some(new_map)) = (old.as_object(), new.as_object()) else {
        if old != new {
            lines.push(format!("{name} is {old} there, {new} here"));
        }
        return;
    };
    let mut keys: Vec<&String> = old_map.keys().chain(new_map.keys()).collect();
    keys.sort();
    keys.dedup();
    for key in keys {
        let null = serde_json::Value::Null;
        compare(key, old_map.get(key).unwrap_or(&null), new_map.get(key).unwrap_or(&null), lines);
    }
}

fn first_line(reader: &mut BufReader<File>) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    reader.by_ref().take(MAX_HEADER_BYTES).read_until(b'\n', &mut line)?;
    Ok(line)
}

/// An open journal, locked against other runs.
pub struct Journal {
    path: PathBuf,
    file: BufWriter<File>,
    data_start: u64,
    n_samples: usize,
}

impl Journal {
    /// The path of an output file's journal.
    pub fn path_for(output: &Path) -> PathBuf {
        let mut name = output.as_os_str().to_owned();
        name.push(".partial");
        name.into()
    }

    /// Starts a journal, replacing any old one.
    ///
    /// # Errors
    /// The folder cannot be written, or another run is using the journal.
    pub fn create(path: &Path, recipe: &Recipe) -> Result<Self> {
        // Truncated only once it is ours.
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = open.map_err(io_error(path))?;
        lock(&file, path)?;
        file.set_len(0).map_err(io_error(path))?;
        let mut line = serde_json::to_vec(recipe).map_err(unwritable)?;
        line.push(b'\n');
        let data_start = line.len() as u64;
        let mut journal = Self { path: path.into(), file: BufWriter::new(file), data_start, n_samples: 0 };
        journal.file.write_all(&line).map_err(io_error(path))?;
        journal.flush()?;
        Ok(journal)
    }

    /// Opens a journal to continue after its last complete sample.
    ///
    /// # Errors
    /// It is damaged, belongs to something else (the error says what differs), or is in use.
    pub fn resume(path: &Path, recipe: &Recipe) -> Result<Self> {
        let refuse = |problem: String| Err(Error::Output { path: path.into(), problem });
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(io_error(path))?;
        lock(&file, path)?;
        let mut reader = BufReader::new(file);
        let line = first_line(&mut reader).map_err(io_error(path))?;
        let Ok(found) = serde_json::from_slice::<Recipe>(&line) else {
            return refuse("is not a journal of this program; delete it to start over".into());
        };
        let (there, here) = (found.config.name(), recipe.config.name());
        if there != here {
            return refuse(format!(
                "is an unfinished run of {there}, not of {here}; choose another output, or start over without --resume \
                 and with --force"
            ));
        }
        let differences = recipe.differences(&found)?;
        if !differences.is_empty() {
            return refuse(format!(
                "was begun with other settings: {}; use those, or start over without --resume and with --force",
                differences.join(", ")
            ));
        }
        let data_start = line.len() as u64;
        let mut records = Records::new(reader, data_start).map_err(io_error(path))?;
        let mut n_samples = 0;
        while n_samples < recipe.samples && records.next().map_err(io_error(path))?.is_some() {
            n_samples += 1;
        }
        let Records { reader, position: end, .. } = records;
        let mut file = reader.into_inner();
        file.set_len(end).map_err(io_error(path))?;
        file.seek(SeekFrom::Start(end)).map_err(io_error(path))?;
        Ok(Self { path: path.into(), file: BufWriter::new(file), data_start, n_samples })
    }

    /// Number of samples in it.
    pub fn n_samples(&self) -> usize {
        self.n_samples
    }

    /// Appends one sample.
    ///
    /// # Errors
    /// The disk is full.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let length = (bytes.len() as u64).to_le_bytes();
        for part in [&length, bytes, &checksum(bytes).to_le_bytes()] {
            self.file.write_all(part).map_err(io_error(&self.path))?;
        }
        self.n_samples += 1;
        Ok(())
    }

    /// Flushes everything appended to disk.
    ///
    /// # Errors
    /// The disk is full.
    pub fn flush(&mut self) -> Result<()> {
        self.file.flush().map_err(io_error(&self.path))?;
        self.file.get_ref().sync_data().map_err(io_error(&self.path))
    }

    /// The error for a damaged sample.
    pub(super) fn damaged(&self) -> Error {
        Error::Corrupt { path: self.path.clone(), array: None, position: None, problem: DAMAGED.into() }
    }

    /// The samples, from the first, one at a time.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn samples(&mut self) -> Result<impl Iterator<Item = Result<Vec<u8>>> + use<>> {
        self.flush()?;
        let path = self.path.clone();
        let mut file = File::open(&path).map_err(io_error(&path))?;
        file.seek(SeekFrom::Start(self.data_start)).map_err(io_error(&path))?;
        let reader = BufReader::with_capacity(1 << 20, file);
        let mut records = Records::new(reader, self.data_start).map_err(io_error(&path))?;
        Ok((0..self.n_samples).map(move |_| {
            let record = records.next().map_err(io_error(&path))?;
            record.ok_or_else(|| Error::Corrupt {
                path: path.clone(),
                array: None,
                position: Some(records.position),
                problem: DAMAGED.into(),
            })
        }))
    }

    /// Deletes the journal.
    ///
    /// # Errors
    /// It cannot be deleted.
    pub fn remove(&mut self) -> Result<()> {
        std::fs::remove_file(&self.path).map_err(io_error(&self.path))
    }
}

/// The records of a journal, read one after the other.
struct Records {
    reader: BufReader<File>,
    /// Where the last complete record ends.
    position: u64,
    file_length: u64,
}

impl Records {
    /// The records from `position` on, where `reader` stands.
    fn new(reader: BufReader<File>, position: u64) -> io::Result<Self> {
        let file_length = reader.get_ref().metadata()?.len();
        Ok(Self { reader, position, file_length })
    }

    /// The next record; `None` if there is no complete one.
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let frame = (size_of::<u64>() + size_of::<u32>()) as u64;
        let left = self.file_length.saturating_sub(self.position);
        let Some(room) = left.checked_sub(frame) else { return Ok(None) };
        let mut length = [0; 8];
        self.reader.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        // Before anything is allocated, since a damaged length may be anything.
        if length > room {
            return Ok(None);
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        let mut checksum = [0; 4];
        self.reader.read_exact(&mut bytes)?;
        self.reader.read_exact(&mut checksum)?;
        if self::checksum(&bytes).to_le_bytes() != checksum {
            return Ok(None);
        }
        self.position += frame + length;
        Ok(Some(bytes))
    }
}

/// The CRC-32 of bytes.
fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> Error + '_ {
    move |source| Error::Io { path: path.into(), source }
}

fn lock(file: &File, path: &Path) -> Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(Error::Output { path: path.into(), problem: "another run is writing it".into() })
        }
        // Some network file systems have no locks; generation works there too.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::HeatConfig;

    fn recipe() -> Recipe {
        let config = PdeConfig::Heat(HeatConfig::default());
        Recipe { version: "1".into(), config, seed: 7, samples: 5 }
    }

    fn contents(journal: &mut Journal) -> Vec<Vec<u8>> {
        journal.samples().unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn a_torn_or_damaged_tail_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.partial");
        let samples = [vec![1, 2], vec![3, 4, 5], vec![6; 9]];
        let mut journal = Journal::create(&path, &recipe()).unwrap();
        samples.iter().for_each(|sample| journal.append(sample).unwrap());
        journal.flush().unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();

        let torn = |bytes: usize| whole[..whole.len() - bytes].to_vec();
        let mut altered = whole.clone();
        altered[whole.len() - 6] ^= 1;
        let mut endless = whole.clone();
        endless[whole.len() - 21..][..8].fill(0xff);
        for bytes in [torn(1), torn(12), torn(15), altered, endless] {
            std::fs::write(&path, bytes).unwrap();
            let mut journal = Journal::resume(&path, &recipe()).unwrap();
            assert_eq!(contents(&mut journal), samples[..2]);
            journal.append(&samples[2]).unwrap();
            journal.flush().unwrap();
            drop(journal);
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn other_settings_are_refused_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.partial");
        drop(Journal::create(&path, &recipe()).unwrap());
        let other = HeatConfig { n_bumps: 5, ..HeatConfig::default() };
        let other = Recipe { seed: 8, config: PdeConfig::Heat(other), ..recipe() };
        let error = Journal::resume(&path, &other).err().unwrap().to_string();
        assert!(error.contains("n_bumps is 4 there, 5 here, seed is 7 there, 8 here"), "{error}");

        let burgers = PdeConfig::Burgers(crate::pde::BurgersConfig::default());
        let error =
            Journal::resume(&path, &Recipe { config: burgers, ..recipe() }).err().unwrap().to_string();
        assert!(error.contains("an unfinished run of heat, not of burgers"), "{error}");

        std::fs::write(&path, [0u8; 100]).unwrap();
        let error = Journal::resume(&path, &recipe()).err().unwrap().to_string();
        assert!(error.contains("is not a journal"), "{error}");
    }

    #[test]
    fn two_runs_do_not_share_a_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.partial");
        let _first = Journal::create(&path, &recipe()).unwrap();
        for second in [Journal::create(&path, &recipe()), Journal::resume(&path, &recipe())] {
            assert!(second.err().unwrap().to_string().contains("another run"));
        }
    }
}
