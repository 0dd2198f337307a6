//! Writing HDF5: contiguous arrays filled entry by entry, coordinates as dimension scales, attributes of the file.

use crate::dataset::format::Attribute;
use crate::error::{Error, Result};
use rust_hdf5::dataset::DatasetBuilder;
use rust_hdf5::{H5Dataset, H5File, H5Group, H5Type};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An HDF5 file being written.
pub(crate) struct Hdf5Writer {
    path: PathBuf,
    file: H5File,
    groups: BTreeMap<String, H5Group>,
    coordinates: Vec<H5Dataset>,
    arrays: Vec<(H5Dataset, Vec<usize>)>,
}

impl Hdf5Writer {
    /// Starts the file `at`; errors name `path`.
    pub(crate) fn create(at: &Path, path: &Path) -> Result<Self> {
        // Nobody else knows of the file yet, so there is nothing to lock.
        let file = told(path, H5File::options().no_locking().create(at))?;
        Ok(Self {
            path: path.into(),
            file,
            groups: BTreeMap::new(),
            coordinates: Vec::new(),
            arrays: Vec::new(),
        })
    }

    /// Adds an attribute to the file; a single value as a scalar.
    pub(crate) fn attribute(&mut self, name: &str, value: &Attribute) -> Result<()> {
        let done = match value {
            Attribute::Numbers(numbers) => match numbers.as_slice() {
                [number] => self.file.set_attr_numeric(name, number),
                numbers => self.file.set_attr_array_numeric(name, numbers),
            },
            Attribute::Texts(texts) => match texts.as_slice() {
                [text] => self.file.set_attr_string(name, text),
                texts => {
                    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                    self.file.set_attr_string_array(name, &texts)
                }
            },
        };
        told(&self.path, done)
    }

    /// Adds a list of coordinates, `group/name`, as a dimension scale.
    pub(crate) fn coordinates(&mut self, name: &str, values: &[f64]) -> Result<()> {
        let (builder, short) = self.builder::<f64>(name)?;
        let done = builder.shape([values.len()]).create(short).and_then(|dataset| {
            dataset.write_raw(values)?;
            dataset.set_scale(Some(short))?;
            Ok(dataset)
        });
        self.coordinates.push(told(&self.path, done)?);
        Ok(())
    }

    /// Adds a single-precision array `group/name`. `scales` assigns the coordinates added so far to its axes.
    pub(crate) fn array(&mut self, name: &str, shape: &[usize], scales: &[Option<usize>]) -> Result<()> {
        let (builder, short) = self.builder::<f32>(name)?;
        let done = builder.shape(shape).create(short).and_then(|dataset| {
            for (axis, scale) in scales.iter().enumerate() {
                if let Some(scale) = scale.and_then(|scale| self.coordinates.get(scale)) {
                    dataset.attach_scale(axis, scale)?;
                }
            }
            Ok(dataset)
        });
        self.arrays.push((told(&self.path, done)?, shape.to_vec()));
        Ok(())
    }

    /// Writes entry `index` along the first axis of array number `array`.
    pub(crate) fn write(&mut self, array: usize, index: usize, values: &[f32]) -> Result<()> {
        let (dataset, shape) = &self.arrays[array];
        let mut start = vec![0; shape.len()];
        start[0] = index;
        let mut count = shape.clone();
        count[0] = 1;
        told(&self.path, dataset.write_slice(&start, &count, values))
    }

    /// Completes the file; making it durable is left to the caller.
    pub(crate) fn finish(self) -> Result<()> {
        drop((self.coordinates, self.arrays, self.groups));
        told(&self.path, self.file.close_no_sync())
    }

    /// A builder in the group of `group/name`, created if needed, and the name without the group.
    fn builder<'a, T: H5Type>(&mut self, name: &'a str) -> Result<(DatasetBuilder<T>, &'a str)> {
        let Some((group, short)) = name.rsplit_once('/') else {
            return Ok((self.file.new_dataset(), name));
        };
        if !self.groups.contains_key(group) {
            let created = told(&self.path, self.file.create_group(group))?;
            self.groups.insert(group.into(), created);
        }
        Ok((self.groups[group].new_dataset(), short))
    }
}

fn told<T>(path: &Path, result: rust_hdf5::Result<T>) -> Result<T> {
    result.map_err(|error| {
        let source = match error {
            rust_hdf5::Hdf5Error::Io(source) => source,
            error => std::io::Error::other(error.to_string()),
        };
        Error::Io { path: path.into(), source }
    })
}
