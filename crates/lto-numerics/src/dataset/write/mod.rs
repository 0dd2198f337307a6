//! Writing samples to files in PDEBench's layout, one sample after the other. The file appears only once it
//! is complete. Equal samples give equal bytes.
//!
//! | array | shape | type |
//! |---|---|---|
//! | `tensor` | (n, t, x[, y[, z]]), or (n, 1, x[, y[, z]]) for a steady problem | `f32` |
//! | `nu` | (n, x[, y[, z]]): the source of a steady problem | `f32` |
//! | `x-coordinate`, `y-coordinate`, `z-coordinate` | (points,) | `f64` |
//! | `t-coordinate` | (t,), one entry per frame | `f64` |
//! | `resolution_128/…` | the same arrays on the finer grid of 128 points along x | |
//!
//! Coordinates are in double precision (PDEBench: single), since rounded ones may lie outside the domain.
//! Attributes: those given, and `domain_lower`, `domain_upper`, `periodic` (one number per axis).

mod arrays;
mod atomic;
mod npz;
mod pdebench_hdf5;

pub use atomic::AtomicFile;
pub use npz::{NpzArchive, npy_header};

use super::format::Attribute;
use crate::error::{Error, Result};
use crate::grid::{Grid, expect};
use crate::sample::Sample;
use arrays::FileArrays;
use npz::NpzSink;
use pdebench_hdf5::Hdf5Sink;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A text as a CSV field, quoted if necessary.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', ';', '"', '\n', '\t']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

/// The folder of a file to be written.
///
/// # Errors
/// The folder does not exist, or the name is a folder's.
pub fn folder_of(path: &Path) -> Result<PathBuf> {
    let refuse = |path: &Path, problem: String| Err(Error::Output { path: path.into(), problem });
    let folder = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return refuse(path, "is not the name of a file".into()),
    };
    if !folder.is_dir() {
        return refuse(folder, format!("no such folder; create it first: mkdir -p {}", folder.display()));
    }
    if path.is_dir() {
        return refuse(path, "is a folder, not a file to write".into());
    }
    Ok(folder.into())
}

/// Writes a file atomically: readers see the old file or the complete new one.
///
/// # Errors
/// The folder does not exist or cannot be written, or the disk is full.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    folder_of(path)?;
    let mut file = AtomicFile::create(path)?;
    file.file().write_all(bytes).map_err(|source| file.error(source))?;
    file.finish()
}

/// What a file of samples holds besides the samples.
#[derive(Clone, Debug)]
pub struct Header {
    /// The grids of every sample: the native one, then finer ones.
    pub grids: Vec<Arc<Grid>>,
    /// Times of the frames; empty for a steady problem.
    pub times: Vec<f64>,
    /// Number of samples.
    pub n_samples: usize,
    /// Names and values written beside the data.
    pub attributes: Vec<(String, Attribute)>,
}

/// Where the arrays of a [`FileArrays`] go.
trait Sink {
    /// Writes entry `sample` of output array `output`; called once for each, in order.
    fn put(&mut self, output: usize, sample: usize, values: &[f32]) -> Result<()>;

    /// Makes the file appear under its name.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// A file of samples being written. Dropped before [`SampleWriter::finish`], it leaves nothing behind.
pub struct SampleWriter {
    arrays: FileArrays,
    sink: Box<dyn Sink>,
    written: usize,
}

/// Starts a file: HDF5 if the name ends in `.hdf5` or `.h5` (PDEBench's own loader accepts only `.hdf5`),
/// NumPy if it ends in `.npz`. An existing file is replaced only when the new one is finished.
///
/// # Errors
/// Another suffix, a header without grid or samples, or a folder that cannot be written.
pub fn create(path: &Path, header: &Header) -> Result<SampleWriter> {
    let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
    let arrays = FileArrays::new(header)?;
    let sink: Box<dyn Sink> = match suffix {
        "hdf5" | "h5" => Box::new(Hdf5Sink::create(path, &arrays)?),
        "npz" => Box::new(NpzSink::create(path, &arrays)?),
        _ => {
            let problem = format!(
                "samples cannot be written as {suffix:?}; end the name in .hdf5 (PDEBench), .h5 or .npz"
            );
            return Err(Error::unsupported(path, None, problem));
        }
    };
    Ok(SampleWriter { arrays, sink, written: 0 })
}

impl SampleWriter {
    /// Writes the next sample, given on every grid of the header. Values are rounded to single precision.
    ///
    /// # Errors
    /// More samples than announced, grids, times or channels other than announced, a value that is not finite in
    /// single precision, or a failing disk.
    pub fn append(&mut self, on_grids: &[Sample]) -> Result<()> {
        if self.written == self.arrays.n_samples {
            return Err(Error::Mismatch {
                what: "number of samples to write".into(),
                expected: self.arrays.n_samples,
                got: self.written + 1,
            });
        }
        for (output, values) in self.arrays.values(self.written, on_grids)?.iter().enumerate() {
            self.sink.put(output, self.written, values)?;
        }
        self.written += 1;
        Ok(())
    }

    /// Completes the file, makes it durable, and gives it its name.
    ///
    /// # Errors
    /// Fewer samples than announced, or a failing disk; then the file does not appear.
    pub fn finish(self) -> Result<()> {
        expect("number of samples written", self.arrays.n_samples, self.written)?;
        self.sink.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        for content in ["old", "new"] {
            write_whole(&path, content.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = write_whole(&folder.path().join("missing/a.txt"), b"").unwrap_err();
        assert!(error.to_string().contains("no such folder"), "{error}");
    }
}
