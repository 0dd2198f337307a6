//! HDF5, and MATLAB 7.3 files, which are HDF5 with reversed axes. Only this folder uses the `rust-hdf5`
//! crate; whatever the crate does with a damaged file (panic, absurd allocation) is contained here.

mod attributes;
mod element;
mod matlab;
mod objects;
mod storage;
mod superblock;
mod write;

pub(crate) use write::Hdf5Writer;

use super::cf::Packing;
use super::detect::Start;
use super::scalar::Kind;
use super::{ArrayInfo, ArrayStore, Attribute, ElementType, Format, array_index, check_slice};
use crate::error::{Error, Result};
use rust_hdf5::{H5Dataset, H5File, Hdf5Error};
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// By its signature, which may follow a block of the user's.
pub(super) fn recognizes(start: &mut Start) -> io::Result<bool> {
    Ok(superblock::signature(&mut start.file)?.is_some())
}

/// An HDF5 or MATLAB 7.3 file opened for reading.
pub struct Hdf5Store {
    path: PathBuf,
    format: Format,
    arrays: Vec<ArrayInfo>,
    /// What is behind each of `arrays`.
    contents: Vec<Content>,
    attributes: Vec<(String, String, Attribute)>,
    length: u64,
    /// The array of texts last read.
    texts: Option<(usize, Vec<String>)>,
}

/// What is behind a listed name.
enum Content {
    /// Numbers.
    Numbers(Kind, H5Dataset, Option<Packing>),
    /// Texts, or characters: names, not numbers.
    Texts(H5Dataset),
    /// Nothing at all (`h5py.Empty` to NumPy users): read as no elements.
    Null,
    /// Something valid that is not read as numbers.
    Other,
    /// A dataset that the file does not fully contain, and why.
    Damaged(String),
    /// A dataset stored in a way that is not supported, and what to do.
    Unsupported(String),
}

impl Hdf5Store {
    /// Opens a file and lists what is in it; no values are read.
    ///
    /// # Errors
    /// The file cannot be read, is not HDF5, is shorter than it claims, or has a damaged structure.
    pub fn open(path: &Path) -> Result<Self> {
        let io = |source| Error::Io { path: path.into(), source };
        let length = std::fs::metadata(path).map_err(io)?.len();
        if let Some(stated) = guarded(path, None, || Ok(superblock::stated_length(path)?))?
            && stated > length
        {
            let problem =
                format!("truncated: the file is {length} bytes, its header says {stated}; get it again");
            return Err(Error::corrupt(path, None, problem));
        }
        // Best effort: some network file systems have no locks.
        let file = guarded(path, None, || H5File::options().best_effort_locking().open(path))?;
        let attributes = guarded(path, None, || Ok(attributes::read(path, file.userblock_size())?))?;
        let matlab = matlab::is_matlab(path, &attributes).map_err(io)?;
        let (mut arrays, mut contents) = (Vec::new(), Vec::new());
        for name in guarded(path, None, || Ok(file.dataset_names()))? {
            let (mut info, mut content) = match guarded(path, None, || storage::describe(&file, &name)) {
                Ok(found) => found,
                Err(error) => unreadable(name, error),
            };
            if let Content::Numbers(_, _, packing) = &mut content {
                match Packing::of(&attributes, &info.name, info.element) {
                    Ok(found) => *packing = found,
                    Err(problem) => content = Content::Damaged(problem),
                }
            }
            if matlab {
                info.shape.reverse();
                if matlab::is_no_array(&info.name, &attributes) {
                    info.element = ElementType::Other;
                    content = Content::Other;
                }
            }
            arrays.push(info);
            contents.push(content);
        }
        let format = if matlab { Format::Mat73 } else { Format::Hdf5 };
        Ok(Self { path: path.into(), format, arrays, contents, attributes, length, texts: None })
    }
}

/// The entry of a dataset that cannot even be described; listed, so that the rest of the file can be read.
fn unreadable(name: String, error: Error) -> (ArrayInfo, Content) {
    let content = match error {
        Error::Unsupported { problem, .. } => Content::Unsupported(problem),
        Error::Corrupt { problem, .. } => Content::Damaged(problem),
        error => Content::Damaged(error.to_string()),
    };
    let storage = "unreadable".into();
    (ArrayInfo { name, shape: Vec::new(), element: ElementType::Other, storage }, content)
}

/// Calls into the crate. Its errors become ours, and so does a panic, which only a damaged file can cause.
fn guarded<T>(path: &Path, array: Option<&str>, call: impl FnOnce() -> rust_hdf5::Result<T>) -> Result<T> {
    let problem = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(Hdf5Error::Io(source))) => return Err(Error::Io { path: path.into(), source }),
        Ok(Err(Hdf5Error::Unsupported(problem))) => return Err(Error::unsupported(path, array, problem)),
        Ok(Err(error)) => format!("damaged HDF5 file: {error}"),
        Err(_) => "damaged HDF5 file: its structure contradicts itself".into(),
    };
    Err(Error::corrupt(path, array, problem))
}

impl ArrayStore for Hdf5Store {
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
        let at = self.arrays.iter().position(|info| info.name == array);
        let content = at.and_then(|at| self.contents.get(at));
        let corrupt = |problem: String| Error::corrupt(&self.path, Some(array), problem);
        match content {
            Some(Content::Damaged(problem)) => return Err(corrupt(problem.clone())),
            Some(Content::Unsupported(problem)) => {
                return Err(Error::unsupported(&self.path, Some(array), problem));
            }
            _ => check_slice(&self.path, &self.arrays, array, start, count)?,
        };
        let Some(Content::Numbers(kind, dataset, packing)) = content else { return Ok(Vec::new()) };
        if count.contains(&0) {
            return Ok(Vec::new());
        }
        let guarded_read = |start: &[usize], count: &[usize]| {
            guarded(&self.path, Some(array), || storage::check(dataset, *kind, count, self.length))?
                .map_err(corrupt)?;
            let mut values =
                guarded(&self.path, Some(array), || element::read(*kind, dataset, start, count))?;
            if let Some(packing) = packing {
                packing.unpack(&mut values);
            }
            Ok(values)
        };
        if self.format != Format::Mat73 {
            return guarded_read(start, count);
        }
        let reversed = |of: &[usize]| of.iter().rev().copied().collect::<Vec<_>>();
        let count = reversed(count);
        Ok(matlab::reverse_axes(guarded_read(&reversed(start), &count)?, &count))
    }

    /// Texts can only be read all at once, and are kept.
    fn texts(&mut self, array: &str, rows: Range<usize>) -> Result<Option<Vec<String>>> {
        let at = array_index(&self.path, &self.arrays, array)?;
        let Content::Texts(dataset) = &self.contents[at] else { return Ok(None) };
        let shape = &self.arrays[at].shape;
        if shape.is_empty() || shape.contains(&0) {
            return Ok(None);
        }
        let all = match self.texts.take().filter(|(of, _)| *of == at) {
            Some((_, all)) => all,
            None => {
                guarded(&self.path, Some(array), || storage::check(dataset, Kind::U8, shape, self.length))?
                    .map_err(|problem| Error::corrupt(&self.path, Some(array), problem))?;
                match guarded(&self.path, Some(array), || element::texts(dataset, shape))? {
                    Some(all) => all,
                    None => return Ok(None),
                }
            }
        };
        let some = all.get(rows.start.min(all.len())..rows.end.min(all.len())).map(<[String]>::to_vec);
        self.texts = Some((at, all));
        Ok(some)
    }
}
