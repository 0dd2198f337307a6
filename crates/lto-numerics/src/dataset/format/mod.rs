//! File formats as stores of named arrays, read lazily and in slices. One file per format; what the arrays
//! mean is left to the layouts.

pub mod archive;
mod cf;
mod checksum;
pub mod csv;
mod detect;
pub mod grib;
pub mod hdf5;
mod inflate;
pub mod mat5;
pub mod npy;
pub mod npz;
mod read_ahead;
mod scalar;
mod slice;
mod strided;
mod text;
pub mod zarr;
mod zip;

pub use cf::TimeUnits;
pub(crate) use cf::not_finite;
pub use strided::StridedStore;

use crate::error::{Error, Result};
use detect::Start;
use serde::Serialize;
use std::io;
use std::ops::Range;
use std::path::Path;

/// All formats in the order in which they are tried, one line each: the variant, what its files are called in words,
/// whether a file is one of them, and how it is opened.
macro_rules! formats {
    ($($(#[$doc:meta])* $kind:ident = $files:literal: $recognizes:path, $open:path;)+) => {
        /// Which format a file has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Format {
            $($(#[$doc])* $kind,)+
        }

        impl Format {
            /// All formats, in the order in which they are tried.
            pub const ALL: [Format; [$($files),+].len()] = [$(Format::$kind),+];

            /// Its files in words, with their suffixes.
            fn files(self) -> &'static str {
                match self { $(Format::$kind => $files,)+ }
            }

            fn recognizes(self, start: &mut Start) -> io::Result<bool> {
                match self { $(Format::$kind => $recognizes(start),)+ }
            }

            fn open(self, path: &Path) -> Result<Box<dyn ArrayStore>> {
                match self { $(Format::$kind => Ok(Box::new($open(path)?)),)+ }
            }
        }
    };
}

formats! {
    /// One NumPy array.
    Npy = "NumPy arrays (.npy)": npy::recognizes, npy::open;
    /// A zip of NumPy arrays.
    Npz = "NumPy archives (.npz)": npz::recognizes, npz::open;
    /// HDF5.
    Hdf5 = "HDF5 (.h5, .hdf5)": hdf5::recognizes, hdf5::Hdf5Store::open;
    /// MATLAB 7.3: HDF5 with reversed axes, which only the opened file tells.
    Mat73 = "MATLAB 7.3 (.mat)": hdf5::recognizes, hdf5::Hdf5Store::open;
    /// MATLAB level 5 (`save -v6`, `-v7`).
    Mat5 = "MATLAB 5 to 7 (.mat)": mat5::recognizes, mat5::open;
    /// GRIB, editions 1 and 2.
    Grib = "GRIB (.grib, .grb2)": grib::recognizes, grib::GribStore::open;
    /// Zarr, a folder.
    Zarr = "Zarr folders": zarr::recognizes, zarr::ZarrStore::open;
    /// Comma-separated point cloud.
    Csv = "CSV (.csv, .tsv, .txt)": csv::recognizes, csv::CsvStore::open;
}

/// Element type of an array in the file. Reading always gives `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ElementType {
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// Any integer or boolean type.
    Integer,
    /// Text, complex numbers, structures: listed, but not readable as numbers.
    Other,
}

/// A named array of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArrayInfo {
    /// Full name (`group/dataset` in HDF5).
    pub name: String,
    /// Shape in row-major order, as NumPy would show it (MATLAB's own axis order for `.mat` files).
    pub shape: Vec<usize>,
    /// Element type in the file.
    pub element: ElementType,
    /// How it is stored, for people: `chunked [1, 201, 1024], gzip`.
    pub storage: String,
}

/// An attribute of a file, a group or an array.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Attribute {
    /// One number or several.
    Numbers(Vec<f64>),
    /// One text or several.
    Texts(Vec<String>),
}

/// A file opened for lazy reading.
pub trait ArrayStore: Send {
    /// The file.
    fn path(&self) -> &Path;

    /// Its format.
    fn format(&self) -> Format;

    /// All arrays, in the file's order.
    fn arrays(&self) -> &[ArrayInfo];

    /// Attributes by `(owner, name)`; the owner is a group or array name, empty for the file itself.
    fn attributes(&self) -> &[(String, String, Attribute)];

    /// Reads the slice `start[d] .. start[d] + count[d]` as row-major `f64`, touching no more of the file
    /// than its storage requires. Packed numbers are unpacked, and values marked as missing become NaN. NaN
    /// and infinity are passed through; their meaning is left to the caller.
    ///
    /// # Errors
    /// No such array, a slice beyond it, elements that are not numbers, or a damaged file.
    fn read(&mut self, array: &str, start: &[usize], count: &[usize]) -> Result<Vec<f64>>;

    /// Some texts of an array of texts `[n]`, or of characters `[n, m]`; `None` if its elements are something else. Rows
    /// beyond the end are left out.
    ///
    /// # Errors
    /// No such array, or a damaged file.
    fn texts(&mut self, array: &str, rows: Range<usize>) -> Result<Option<Vec<String>>> {
        let _ = rows;
        array_index(self.path(), self.arrays(), array).map(|_| None)
    }

    /// A CSV file's columns, which are already in memory.
    fn table(&self) -> Option<&csv::Table> {
        None
    }
}

/// Opens a file of any known format, recognized by its first bytes or, if the format has no signature, by its
/// suffix.
///
/// # Errors
/// The file cannot be read, is damaged, or has none of the known formats; then the error says what it looks
/// like. Only regular files and Zarr folders are accepted, since formats are read from several places at once.
pub fn open(path: &Path) -> Result<Box<dyn ArrayStore>> {
    detect_format(path)?.open(path)
}

/// The format of a file, as [`open`] finds it.
///
/// # Errors
/// As [`open`].
pub(crate) fn detect_format(path: &Path) -> Result<Format> {
    if zarr::is_store(path) {
        return Ok(Format::Zarr);
    }
    require_file(path)?;
    detect::detect(path)
}

/// Refuses folders, and pipes and devices, which might never end.
pub(crate) fn require_file(path: &Path) -> Result<()> {
    let kind = std::fs::metadata(path).map_err(|source| Error::Io { path: path.into(), source })?.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let problem = if kind.is_dir() {
        "a folder, and no Zarr store: name one of the files in it"
    } else {
        "not a regular file, but a pipe or a device: save it as a file first"
    };
    Err(Error::unsupported(path, None, problem))
}

/// Position of an array in a listing.
///
/// # Errors
/// [`Error::NoSuchArray`].
pub(crate) fn array_index(path: &Path, arrays: &[ArrayInfo], array: &str) -> Result<usize> {
    arrays.iter().position(|a| a.name == array).ok_or_else(|| Error::NoSuchArray {
        path: path.into(),
        array: array.into(),
        present: arrays.iter().map(|a| a.name.clone()).collect(),
    })
}

/// Finds an array and checks a slice against its shape: the first step of every [`ArrayStore::read`].
///
/// # Errors
/// [`Error::NoSuchArray`], [`Error::SliceOutOfBounds`], or [`Error::Unsupported`] for elements that are not
/// numbers.
pub(crate) fn check_slice<'a>(
    path: &Path,
    arrays: &'a [ArrayInfo],
    array: &str,
    start: &[usize],
    count: &[usize],
) -> Result<&'a ArrayInfo> {
    let info = &arrays[array_index(path, arrays, array)?];
    let fits = start.len() == info.shape.len()
        && count.len() == info.shape.len()
        && info
            .shape
            .iter()
            .zip(start.iter().zip(count))
            .all(|(&n, (&s, &c))| s.checked_add(c).is_some_and(|e| e <= n));
    if !fits {
        return Err(Error::SliceOutOfBounds {
            path: path.into(),
            array: array.into(),
            start: start.into(),
            count: count.into(),
            shape: info.shape.as_slice().into(),
        });
    }
    if info.element == ElementType::Other {
        return Err(Error::unsupported(path, Some(array), "its elements are not real numbers"));
    }
    Ok(info)
}
