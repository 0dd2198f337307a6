//! Zarr, versions 2 and 3: folders of compressed chunks, described in JSON. Only chunks that a slice touches are read.

mod blosc;
mod codec;
mod metadata;
mod texts;

use super::cf::Packing;
use super::detect::Start;
use super::scalar::Line;
use super::{ArrayInfo, ArrayStore, Attribute, ElementType, Format, array_index, check_slice};
use crate::error::{Error, Result};
use crate::memory;
use metadata::ArrayForm;
use serde_json::Value;
use std::collections::VecDeque;
use std::fs;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

/// Groups within groups that are looked into.
const DEPTH: usize = 8;
/// Values of decoded chunks that are kept.
const KEPT: usize = 8 << 20;

/// Never a file: see [`is_store`].
pub(super) fn recognizes(_: &mut Start) -> io::Result<bool> {
    Ok(false)
}

/// Whether a folder is an array or a group of arrays.
pub(super) fn is_store(folder: &Path) -> bool {
    ["zarr.json", ".zgroup", ".zarray", ".zmetadata"].iter().any(|name| folder.join(name).is_file())
}

/// An opened Zarr folder.
pub struct ZarrStore {
    path: PathBuf,
    arrays: Vec<ArrayInfo>,
    /// Where each of them is.
    folders: Vec<PathBuf>,
    /// What is behind each of `arrays`: its form, or why it cannot be read.
    forms: Vec<Result<(ArrayForm, Option<Packing>), String>>,
    attributes: Vec<(String, String, Attribute)>,
    /// Decoded chunks by array and number, the last one used last.
    kept: VecDeque<(usize, usize, Vec<f64>)>,
}

impl ZarrStore {
    /// Opens a folder and lists what is in it; no values are read.
    ///
    /// # Errors
    /// Descriptions that cannot be read.
    pub fn open(path: &Path) -> Result<Self> {
        let mut store = Self {
            path: path.into(),
            arrays: Vec::new(),
            folders: Vec::new(),
            forms: Vec::new(),
            attributes: Vec::new(),
            kept: VecDeque::new(),
        };
        store.walk("", DEPTH)?;
        if store.arrays.is_empty() {
            return Err(Error::unsupported(path, None, "a Zarr folder without arrays"));
        }
        Ok(store)
    }

    /// Lists an array, or the content of a group.
    fn walk(&mut self, name: &str, depth: usize) -> Result<()> {
        let folder = if name.is_empty() { self.path.clone() } else { self.path.join(name) };
        let old = self.json(&folder.join(".zarray"))?;
        let new = self.json(&folder.join("zarr.json"))?;
        let attributes = match &new {
            Some(json) => json["attributes"].clone(),
            None => self.json(&folder.join(".zattrs"))?.unwrap_or_default(),
        };
        let owned = metadata::attributes(name, &attributes);
        match (&old, &new) {
            (Some(json), _) => return self.add(name, metadata::version_2(json), json, owned),
            (None, Some(json)) if json["node_type"] == "array" => {
                self.add(name, metadata::version_3(json), json, owned)?;
                let names = json["dimension_names"].as_array().into_iter().flatten();
                let names: Vec<String> = names.filter_map(|name| name.as_str().map(Into::into)).collect();
                if !names.is_empty() {
                    self.attributes.push((
                        self.shown(name),
                        "_ARRAY_DIMENSIONS".into(),
                        Attribute::Texts(names),
                    ));
                }
                return Ok(());
            }
            _ => self.attributes.extend(owned),
        }
        if depth == 0 {
            return Ok(());
        }
        let io = |source| Error::Io { path: folder.clone(), source };
        let mut inside: Vec<String> = Vec::new();
        for entry in fs::read_dir(&folder).map_err(io)? {
            let entry = entry.map_err(io)?;
            if is_store(&entry.path()) {
                inside.extend(entry.file_name().to_str().map(Into::into));
            }
        }
        inside.sort();
        for one in inside {
            let name = if name.is_empty() { one } else { format!("{name}/{one}") };
            self.walk(&name, depth - 1)?;
        }
        Ok(())
    }

    /// The name of an array; a folder that is itself one goes by its own.
    fn shown(&self, name: &str) -> String {
        let own = || self.path.file_stem().map_or("array".into(), |stem| stem.to_string_lossy().into_owned());
        if name.is_empty() { own() } else { name.into() }
    }

    fn add(
        &mut self,
        name: &str,
        form: Result<ArrayForm, String>,
        json: &Value,
        mut attributes: Vec<(String, String, Attribute)>,
    ) -> Result<()> {
        self.folders.push(if name.is_empty() { self.path.clone() } else { self.path.join(name) });
        let name = self.shown(name);
        attributes.iter_mut().for_each(|(owner, _, _)| owner.clone_from(&name));
        // Version 2 keeps the number for missing values here; 0 is what untouched chunks hold.
        let fill = json["fill_value"].as_f64().filter(|fill| json["zarr_format"] == 2 && *fill != 0.0);
        if let Some(fill) = fill {
            attributes.push((name.clone(), "_FillValue".into(), Attribute::Numbers(vec![fill])));
        }
        let shape = json["shape"].as_array().into_iter().flatten();
        let shape: Vec<usize> = shape.map(|n| n.as_u64().unwrap_or(0) as usize).collect();
        let element = form.as_ref().ok().filter(|form| form.texts.is_none());
        let element = element.map_or(ElementType::Other, |form| form.scalar.kind.element());
        let storage = form.as_ref().map_or("unreadable".into(), |form| format!("chunks {:?}", form.chunk));
        let packed = form.and_then(|form| Ok((form, Packing::of(&attributes, &name, element)?)));
        self.arrays.push(ArrayInfo { name, shape, element, storage });
        self.forms.push(packed);
        self.attributes.extend(attributes);
        Ok(())
    }

    /// A JSON file, if it is there.
    fn json(&self, path: &Path) -> Result<Option<Value>> {
        match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Io { path: path.into(), source }),
            Ok(text) => serde_json::from_slice(&text)
                .map(Some)
                .map_err(|error| Error::corrupt(path, None, format!("not JSON: {error}"))),
        }
    }

    /// The decoded bytes of a chunk, one of the lengths `expected`; `None` if it is not stored.
    fn bytes(
        &self,
        form: &ArrayForm,
        array: usize,
        index: &[usize],
        expected: &RangeInclusive<usize>,
    ) -> Result<Option<Vec<u8>>> {
        let outer: Vec<usize> = match &form.shard {
            Some(shard) => index.iter().zip(&shard.chunks).map(|(i, n)| i / n).collect(),
            None => index.into(),
        };
        let path = self.folders[array].join(form.keys.name(&outer));
        let wrong = |problem: String| Error::corrupt(&path, Some(&self.arrays[array].name), problem);
        let bytes = match read_chunk(&path, form, index) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) if error.kind() == ErrorKind::InvalidData => return Err(wrong(error.to_string())),
            Err(source) => return Err(Error::Io { path, source }),
        };
        let Some(mut bytes) = bytes else { return Ok(None) };
        for codec in form.codecs.iter().rev() {
            bytes = codec.decode(bytes, expected).map_err(wrong)?;
        }
        if !expected.contains(&bytes.len()) {
            let expected = codec::shown(expected);
            return Err(wrong(format!("a chunk of {} bytes, where {expected} are expected", bytes.len())));
        }
        Ok(Some(bytes))
    }

    /// The values of a chunk, row-major; `None` if it is not stored.
    fn chunk(&self, form: &ArrayForm, array: usize, index: &[usize]) -> Result<Option<Vec<f64>>> {
        let n: usize = form.chunk.iter().product();
        let size = n * form.scalar.kind.size();
        let Some(bytes) = self.bytes(form, array, index, &(size..=size))? else { return Ok(None) };
        let mut values = vec![0.0; n];
        form.scalar.decode(&bytes, &mut values, Line { count: n, step: 1, out_step: 1 });
        Ok(Some(if form.column_major { row_major(&values, &form.chunk) } else { values }))
    }

    /// A chunk, decoded or kept from before; fills where it is not stored.
    fn cached(&mut self, array: usize, number: usize, index: &[usize]) -> Result<&[f64]> {
        let found = self.kept.iter().position(|(a, n, _)| (*a, *n) == (array, number));
        let entry = match found.and_then(|at| self.kept.remove(at)) {
            Some(entry) => entry,
            None => {
                let Ok((form, _)) = &self.forms[array] else { unreachable!("checked by read") };
                let values = self.chunk(form, array, index)?;
                let n = form.chunk.iter().product();
                (array, number, values.unwrap_or_else(|| vec![form.fill; n]))
            }
        };
        self.kept.push_back(entry);
        while self.kept.len() > 1 && self.kept.iter().map(|(_, _, values)| values.len()).sum::<usize>() > KEPT
        {
            self.kept.pop_front();
        }
        Ok(self.kept.back().map_or(&[], |(_, _, values)| values))
    }
}

/// Bytes of a chunk as stored; `None` if a shard does not hold it.
fn read_chunk(path: &Path, form: &ArrayForm, index: &[usize]) -> io::Result<Option<Vec<u8>>> {
    let Some(shard) = &form.shard else { return fs::read(path).map(Some) };
    let invalid = |problem: &str| io::Error::new(ErrorKind::InvalidData, problem.to_string());
    let mut file = fs::File::open(path)?;
    let length = file.metadata()?.len();
    let n: usize = shard.chunks.iter().product();
    let size = 16 * n as u64 + if shard.index_checked { 4 } else { 0 };
    if size > length {
        return Err(invalid("a shard shorter than its index"));
    }
    file.seek(if shard.index_first { SeekFrom::Start(0) } else { SeekFrom::Start(length - size) })?;
    let mut bytes = vec![0; size as usize];
    file.read_exact(&mut bytes)?;
    if shard.index_checked {
        bytes = codec::without_checksum(bytes).map_err(|problem| invalid(&problem))?;
    }
    let within = index.iter().zip(&shard.chunks).fold(0, |flat, (i, n)| flat * n + i % n);
    let entry = bytes.as_chunks::<8>().0;
    let (offset, size) = (u64::from_le_bytes(entry[2 * within]), u64::from_le_bytes(entry[2 * within + 1]));
    if offset == u64::MAX && size == u64::MAX {
        return Ok(None);
    }
    if offset.checked_add(size).is_none_or(|end| end > length) {
        return Err(invalid("a shard whose index points beyond its end"));
    }
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = vec![0; size as usize];
    file.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// Values whose first axis runs fastest, with the last one fastest.
fn row_major(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let strides: Vec<usize> = (0..shape.len()).map(|d| shape[..d].iter().product()).collect();
    let at = |mut flat: usize| {
        let mut from = 0;
        for d in (0..shape.len()).rev() {
            from += flat % shape[d] * strides[d];
            flat /= shape[d];
        }
        values[from]
    };
    (0..values.len()).map(at).collect()
}

impl ArrayStore for ZarrStore {
    fn path(&self) -> &Path {
        &self.path
    }

    fn format(&self) -> Format {
        Format::Zarr
    }

    fn arrays(&self) -> &[ArrayInfo] {
        &self.arrays
    }

    fn attributes(&self) -> &[(String, String, Attribute)] {
        &self.attributes
    }

    fn read(&mut self, array: &str, start: &[usize], count: &[usize]) -> Result<Vec<f64>> {
        let number = array_index(&self.path, &self.arrays, array)?;
        let (form, packing) = match &self.forms[number] {
            Ok((form, packing)) => (form.clone(), packing.clone()),
            Err(problem) => return Err(Error::unsupported(&self.path, Some(array), problem)),
        };
        check_slice(&self.path, &self.arrays, array, start, count)?;
        let len: usize = count.iter().product();
        memory::require(&format!("{len} values"), 8 * len as u128)?;
        let mut out = vec![form.fill; len];
        if len > 0 {
            for_boxes(&form, start, count, |index, flat, box_| {
                let chunk = self.cached(number, flat, index)?;
                box_.copy(chunk, &mut out);
                Ok(())
            })?;
        }
        if let Some(packing) = packing {
            packing.unpack(&mut out);
        }
        Ok(out)
    }

    fn texts(&mut self, array: &str, rows: Range<usize>) -> Result<Option<Vec<String>>> {
        let number = array_index(&self.path, &self.arrays, array)?;
        let Ok((form, _)) = &self.forms[number] else { return Ok(None) };
        let (Some(texts), &[length], &[chunk]) = (form.texts, &form.shape[..], &form.chunk[..]) else {
            return Ok(None);
        };
        let rows = rows.start.min(length)..rows.end.min(length);
        memory::require(&format!("{} texts", rows.len()), (rows.len() as u128) * 32)?;
        let mut all = Vec::with_capacity(rows.len());
        for i in rows.start / chunk..rows.end.div_ceil(chunk) {
            let found = match self.bytes(form, number, &[i], &texts.lengths(chunk))? {
                Some(bytes) => texts.decode(&bytes),
                None => Ok(Vec::new()),
            };
            let mut found = found.map_err(|problem| Error::corrupt(&self.path, Some(array), problem))?;
            let before = i * chunk;
            // What is not stored is empty.
            found.resize(chunk.min(rows.end - before), String::new());
            all.extend(found.drain(rows.start.saturating_sub(before)..));
        }
        Ok(Some(all))
    }
}

/// The part of a slice that one chunk holds, axis by axis: first in the chunk, first in the slice, how many.
struct SharedBox<'a> {
    axes: Vec<(usize, usize, usize)>,
    chunk: &'a [usize],
    count: &'a [usize],
}

impl SharedBox<'_> {
    fn copy(&self, from: &[f64], to: &mut [f64]) {
        let Some(((in_chunk, in_slice, run), outer)) = self.axes.split_last() else {
            to[0] = from[0];
            return;
        };
        let rows: usize = outer.iter().map(|(_, _, n)| n).product();
        for row in 0..rows {
            let (mut rest, mut source, mut target) = (row, 0, 0);
            let (mut source_step, mut target_step) = (1, 1);
            source += in_chunk;
            target += in_slice;
            for d in (0..outer.len()).rev() {
                source_step *= self.chunk[d + 1];
                target_step *= self.count[d + 1];
                let (a, b, n) = outer[d];
                source += (a + rest % n) * source_step;
                target += (b + rest % n) * target_step;
                rest /= n;
            }
            to[target..target + run].copy_from_slice(&from[source..source + run]);
        }
    }
}

/// Calls `each` for all chunks that a slice touches, with the chunk's index, its number and the shared box.
fn for_boxes(
    form: &ArrayForm,
    start: &[usize],
    count: &[usize],
    mut each: impl FnMut(&[usize], usize, &SharedBox) -> Result<()>,
) -> Result<()> {
    let rank = form.chunk.len();
    let first: Vec<usize> = (0..rank).map(|d| start[d] / form.chunk[d]).collect();
    let last: Vec<usize> = (0..rank).map(|d| (start[d] + count[d] - 1) / form.chunk[d]).collect();
    let along: Vec<usize> = (0..rank).map(|d| form.shape[d].div_ceil(form.chunk[d])).collect();
    let mut index = first.clone();
    loop {
        let axis = |d: usize| {
            let low = index[d] * form.chunk[d];
            let begin = low.max(start[d]);
            let end = (low + form.chunk[d]).min(start[d] + count[d]);
            (begin - low, begin - start[d], end - begin)
        };
        let shared = SharedBox { axes: (0..rank).map(axis).collect(), chunk: &form.chunk, count };
        let number = index.iter().zip(&along).fold(0, |flat, (i, n)| flat * n + i);
        each(&index, number, &shared)?;
        let Some(d) = (0..rank).rev().find(|&d| index[d] < last[d]) else { return Ok(()) };
        index[d] += 1;
        index[d + 1..].copy_from_slice(&first[d + 1..]);
    }
}
