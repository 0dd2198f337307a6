//! What a layout can ask of a file: arrays by name, coordinates, times, attributes; and the notes it leaves.

use crate::dataset::format::{ArrayInfo, ArrayStore, Attribute, ElementType, Format, TimeUnits, not_finite};
use crate::dataset::options::OpenOptions;
use crate::error::{Error, Result};
use crate::field::check_times;
use std::path::Path;

/// A file as layouts see it: the arrays under one prefix, falling back to the root for what the prefix lacks.
pub(crate) struct Probe<'a> {
    store: &'a mut dyn ArrayStore,
    prefix: String,
    /// The user's options.
    pub options: &'a OpenOptions,
    /// What was recognized and assumed so far.
    pub notes: Vec<String>,
    /// The unit and origin of the times, if the file gives them.
    pub time_units: Option<TimeUnits>,
    /// Arrays used as coordinates.
    pub coordinate_arrays: Vec<String>,
}

/// Longer axes are refused: no data has them, and the state kept per entry would not fit into memory.
const MAX_AXIS: usize = 1 << 28;

/// More channels are refused: no state has them, and each gets a name.
const MAX_CHANNELS: usize = 1 << 16;

impl<'a> Probe<'a> {
    pub fn new(store: &'a mut dyn ArrayStore, options: &'a OpenOptions, prefix: String) -> Self {
        Self { store, prefix, options, notes: Vec::new(), time_units: None, coordinate_arrays: Vec::new() }
    }

    pub fn path(&self) -> &Path {
        self.store.path()
    }

    pub fn format(&self) -> Format {
        self.store.format()
    }

    /// The file's name without its folder.
    pub fn file_name(&self) -> String {
        self.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// All arrays of the file.
    pub fn arrays(&self) -> &[ArrayInfo] {
        self.store.arrays()
    }

    /// The numeric array `name`, if there is one.
    pub fn find(&self, name: &str) -> Option<&ArrayInfo> {
        let prefixed = format!("{}{name}", self.prefix);
        let get = |name: &str| self.arrays().iter().find(|a| a.name == name);
        get(&prefixed).or_else(|| get(name)).filter(|a| a.element != ElementType::Other)
    }

    /// Whether all of `names` are present.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.find(name).is_some())
    }

    /// Number of axes of the array `name`; 0 if it is absent.
    pub fn rank(&self, name: &str) -> usize {
        self.find(name).map_or(0, |a| a.shape.len())
    }

    /// The array `name`, checked to have entries along every axis and no absurd number of them.
    pub fn array(&self, name: &str) -> Result<ArrayInfo> {
        let array = self.find(name).cloned().ok_or_else(|| Error::NoSuchArray {
            path: self.path().into(),
            array: name.into(),
            present: self.arrays().iter().map(|a| a.name.clone()).collect(),
        })?;
        self.check_shape(&array)?;
        Ok(array)
    }

    /// Refuses an array without entries, or with more along an axis than any data has: a shape is only a
    /// claim, and must be checked before anything is kept per entry.
    pub fn check_shape(&self, array: &ArrayInfo) -> Result<()> {
        let (name, shape) = (&array.name, &array.shape);
        if shape.contains(&0) {
            return Err(self.unknown(format!("{name} is empty: its shape is {shape:?}")));
        }
        if shape.iter().any(|&n| n > MAX_AXIS) {
            let problem = format!("{name} claims the shape {shape:?}: no axis may be longer than {MAX_AXIS}");
            return Err(self.unknown(problem));
        }
        Ok(())
    }

    /// The number of channels of an array whose channel axes have these lengths.
    pub fn count_channels(&self, array: &str, lengths: impl Iterator<Item = usize>) -> Result<usize> {
        let n = lengths.fold(1usize, usize::saturating_mul);
        if n <= MAX_CHANNELS {
            return Ok(n);
        }
        Err(self.unknown(format!(
            "{array} would have {n} channels, more than {MAX_CHANNELS}: is that axis space or time?"
        )))
    }

    /// An attribute by owner and name; the prefix is searched before the root.
    pub fn attribute(&self, owner: &str, name: &str) -> Option<&Attribute> {
        let group = self.prefix.trim_end_matches('/');
        let get = |owner: &str| {
            self.store.attributes().iter().find(|(o, n, _)| o == owner && n == name).map(|(_, _, a)| a)
        };
        if owner.is_empty() { get(group).or_else(|| get(owner)) } else { get(owner) }
    }

    /// The texts of an attribute; empty if it is absent or numeric.
    pub fn texts(&self, owner: &str, name: &str) -> Vec<String> {
        match self.attribute(owner, name) {
            Some(Attribute::Texts(texts)) => texts.clone(),
            _ => Vec::new(),
        }
    }

    /// The numbers of an attribute, if it has exactly `n`.
    pub fn numbers(&self, owner: &str, name: &str, n: usize) -> Option<Vec<f64>> {
        match self.attribute(owner, name) {
            Some(Attribute::Numbers(values)) if values.len() == n => Some(values.clone()),
            _ => None,
        }
    }

    /// The numbers of the file's attribute `name` or, in formats without attributes, of a list of that name,
    /// if there are exactly `n`.
    pub fn stated(&mut self, name: &str, n: usize) -> Result<Option<Vec<f64>>> {
        if let Some(values) = self.numbers("", name, n) {
            return Ok(Some(values));
        }
        match self.find(name) {
            Some(array) if array.shape.iter().copied().fold(1, usize::saturating_mul) == n => {
                Ok(Some(self.list(name)?))
            }
            _ => Ok(None),
        }
    }

    /// Adds a note.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Reads a whole array.
    pub fn read_all(&mut self, name: &str) -> Result<(ArrayInfo, Vec<f64>)> {
        let info = self.array(name)?;
        let values = self.store.read(&info.name, &vec![0; info.shape.len()], &info.shape)?;
        Ok((info, values))
    }

    /// Reads a slice of the array with this full name.
    pub fn read_slice(&mut self, array: &str, start: &[usize], count: &[usize]) -> Result<Vec<f64>> {
        self.store.read(array, start, count)
    }

    /// Reads a list of numbers: an array with at most one axis longer than one.
    pub fn list(&mut self, name: &str) -> Result<Vec<f64>> {
        let info = self.array(name)?;
        if info.shape.iter().filter(|&&n| n != 1).count() > 1 {
            return Err(self.unsupported(
                &info.name,
                format!("coordinates must be a list, but the shape is {:?}", info.shape),
            ));
        }
        let (info, values) = self.read_all(name)?;
        match values.iter().position(|v| !v.is_finite()) {
            None => Ok(values),
            Some(i) => Err(not_finite(self.store, &info.name, vec![i], values[i])),
        }
    }

    /// Coordinates from the array `name` for the `n` points of an axis of `owner`.
    pub fn coordinates(&mut self, name: &str, n: usize, owner: &str) -> Result<Vec<f64>> {
        let values = self.list(name)?;
        self.expect(format!("entries of {name} for the points of {owner}"), n, values.len())?;
        self.coordinate_arrays.push(name.into());
        Ok(values)
    }

    /// Times from the array `name` for the `n_frames` frames of `owner`. PDEBench writes one time more than
    /// there are frames; the last is dropped.
    pub fn times(&mut self, name: &str, n_frames: usize, owner: &str) -> Result<Vec<f64>> {
        let mut times = self.list(name)?;
        if times.len() == n_frames + 1 {
            times.pop();
            self.note(format!(
                "{name} has {} entries for {n_frames} frames of {owner}: the last is dropped",
                n_frames + 1
            ));
        }
        self.expect(format!("entries of {name} for the frames of {owner}"), n_frames, times.len())?;
        self.check_times(name, &times)?;
        Ok(times)
    }

    /// Refuses times from the array `name` that do not increase, and records their units, unless other times
    /// are given.
    pub fn check_times(&mut self, name: &str, times: &[f64]) -> Result<()> {
        if self.options.time_step.is_some() {
            return Ok(());
        }
        let array = self.find(name).map_or(name, |array| &array.name);
        self.time_units = TimeUnits::of(self.store.attributes(), array);
        check_times(times).map_err(|problem| self.wrong(Some(name.into()), problem))
    }

    /// An error with the file and the arrays it is about.
    pub fn wrong(&self, array: Option<String>, problem: Error) -> Error {
        Error::In { path: self.path().into(), array, problem: Box::new(problem) }
    }

    /// A list `[n]`, or `[samples, n]` whose rows must all be equal.
    pub fn common_list(&mut self, name: &str) -> Result<Vec<f64>> {
        let shape = self.array(name)?.shape;
        let &[rows, n] = shape.as_slice() else { return self.list(name) };
        if rows == 1 || n <= 1 {
            return self.list(name);
        }
        let (info, values) = self.read_all(name)?;
        let (first, rest) = values.split_at(n);
        if rest.chunks(n).any(|row| row != first) {
            let problem = "it differs between samples, so they cannot form one dataset".into();
            return Err(self.unsupported(&info.name, problem));
        }
        self.note(format!("{name} repeats the same {n} entries for every sample"));
        Ok(first.to_vec())
    }

    /// `Ok` if two counts agree; the error names the file.
    pub fn expect(&self, what: String, expected: usize, got: usize) -> Result<()> {
        if expected == got {
            return Ok(());
        }
        Err(Error::Mismatch { what: format!("{}: {what}", self.path().display()), expected, got })
    }

    pub fn unsupported(&self, array: &str, problem: String) -> Error {
        Error::unsupported(self.path(), Some(array), problem)
    }

    pub fn unknown(&self, problem: impl Into<String>) -> Error {
        Error::UnknownLayout { path: self.path().into(), problem: problem.into() }
    }
}
