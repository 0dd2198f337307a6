//! Samples as HDF5: contiguous arrays, so that any sample is one read; coordinates attached as dimension scales.

use super::Sink;
use super::arrays::FileArrays;
use super::atomic::AtomicFile;
use crate::dataset::format::hdf5::Hdf5Writer;
use crate::error::Result;
use std::path::Path;

pub(super) struct Hdf5Sink {
    // Before the file, because it still has to write to it.
    writer: Hdf5Writer,
    file: AtomicFile,
}

impl Hdf5Sink {
    pub(super) fn create(path: &Path, arrays: &FileArrays) -> Result<Self> {
        let file = AtomicFile::create(path)?;
        let mut writer = Hdf5Writer::create(file.path(), path)?;
        for (name, value) in &arrays.attributes {
            writer.attribute(name, value)?;
        }
        for coordinate in &arrays.coordinates {
            writer.coordinates(&coordinate.name, &coordinate.values)?;
        }
        for output in &arrays.outputs {
            writer.array(&output.name, &output.shape, &output.scales)?;
        }
        Ok(Self { writer, file })
    }
}

impl Sink for Hdf5Sink {
    fn put(&mut self, output: usize, sample: usize, values: &[f32]) -> Result<()> {
        self.writer.write(output, sample, values)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.writer.finish()?;
        self.file.finish()
    }
}
