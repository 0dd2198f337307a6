//! An in-memory store for tests of everything above the file formats. It counts its reads.

use crate::dataset::format::{ArrayInfo, ArrayStore, Attribute, ElementType, Format, check_slice};
use crate::error::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Arrays and attributes held in memory.
pub(crate) struct MemoryStore {
    path: PathBuf,
    arrays: Vec<ArrayInfo>,
    values: Vec<Vec<f64>>,
    attributes: Vec<(String, String, Attribute)>,
    /// Values read so far.
    pub values_read: Arc<AtomicUsize>,
    /// Number of reads so far.
    pub reads: Arc<AtomicUsize>,
}

impl MemoryStore {
    pub fn new(path: &str) -> Self {
        Self {
            path: path.into(),
            arrays: Vec::new(),
            values: Vec::new(),
            attributes: Vec::new(),
            values_read: Arc::default(),
            reads: Arc::default(),
        }
    }

    /// Adds an array whose value is a function of its index.
    pub fn with(mut self, name: &str, shape: &[usize], value: impl Fn(&[usize]) -> f64) -> Self {
        let len: usize = shape.iter().product();
        let zeros = vec![0; shape.len()];
        self.values
            .push((0..len).map(|i| value(&crate::dataset::gather::unravel(i, &zeros, shape))).collect());
        self.arrays.push(ArrayInfo {
            name: name.into(),
            shape: shape.into(),
            element: ElementType::F64,
            storage: "memory".into(),
        });
        self
    }

    /// Adds a list of numbers.
    pub fn list(self, name: &str, values: &[f64]) -> Self {
        self.with(name, &[values.len()], |i| values[i[0]])
    }

    /// Replaces an attribute of the file, or adds it.
    pub fn set_attribute(&mut self, name: &str, attribute: Attribute) {
        self.attributes.retain(|(owner, n, _)| !(owner.is_empty() && n == name));
        self.attributes.push((String::new(), name.into(), attribute));
    }

    pub fn attribute(mut self, owner: &str, name: &str, attribute: Attribute) -> Self {
        self.attributes.push((owner.into(), name.into(), attribute));
        self
    }
}

impl ArrayStore for MemoryStore {
    fn path(&self) -> &Path {
        &self.path
    }

    fn format(&self) -> Format {
        Format::Hdf5
    }

    fn arrays(&self) -> &[ArrayInfo] {
        &self.arrays
    }

    fn attributes(&self) -> &[(String, String, Attribute)] {
        &self.attributes
    }

    fn read(&mut self, array: &str, start: &[usize], count: &[usize]) -> Result<Vec<f64>> {
        let info = check_slice(&self.path, &self.arrays, array, start, count)?;
        let position = self.arrays.iter().position(|a| a.name == array).unwrap();
        let len: usize = count.iter().product();
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.values_read.fetch_add(len, Ordering::Relaxed);
        Ok((0..len)
            .map(|i| {
                let index = crate::dataset::gather::unravel(i, start, count);
                let flat = index.iter().zip(&info.shape).fold(0, |flat, (i, n)| flat * n + i);
                self.values[position][flat]
            })
            .collect())
    }
}
