//! Points and the values measured there: the rows of a CSV file, of the arrays of a NumPy file, or of memory.

mod memory;

pub use memory::Columns;

use super::format::csv::{ColumnRole, Table};
use super::format::{self, ArrayStore, ElementType, Format};
use crate::error::{Error, Result};
use crate::{Domain, Grid, Points};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// An opened file of points, parsed once; [`PointFile::on`] returns its rows as points of a domain.
///
/// A CSV file has a column for each axis and optionally a column `t` or `time`; all other columns are values.
/// A NumPy file has an array `points` of shape (n, D), or an array (n,) for each axis; optionally `t` or
/// `time` (n,); and its values as arrays (n,), or as one array `values` of shape (n, C).
pub struct PointFile {
    store: Box<dyn ArrayStore>,
}

impl PointFile {
    /// Opens a CSV or NumPy file.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self { store: format::open(path)? })
    }

    /// The names of the coordinates in a CSV file, in its order; empty for arrays, which need a domain to
    /// tell.
    pub fn axis_names(&self) -> Vec<String> {
        let axes =
            |table: &Table| table.columns_of(ColumnRole::Axis).map(|column| column.name.clone()).collect();
        self.store.table().map(axes).unwrap_or_default()
    }

    /// The rows, as points of `domain`. Coordinates on periodic axes are wrapped into the domain.
    ///
    /// # Errors
    /// A file without points along the domain's axes, a point outside it, or an infinite value.
    pub fn on(&mut self, domain: &Domain) -> Result<Readings> {
        let lines = self.store.table().map(|table| table.lines.clone()).unwrap_or_default();
        let mut readings = Readings {
            path: self.store.path().into(),
            lines,
            coordinates: self.coordinates(domain)?,
            times: None,
            names: Vec::new(),
            values: Vec::new(),
            domain: domain.clone(),
            grid: None,
        };
        self.read_values(&mut readings)?;
        readings.checked()
    }

    fn refuse(&self, problem: String) -> Error {
        Error::Readings { path: self.store.path().into(), row: None, problem }
    }

    /// Coordinates `[n, D]` in the order of the domain's axes.
    fn coordinates(&mut self, domain: &Domain) -> Result<Vec<f64>> {
        let arrays: Vec<(String, Vec<usize>)> =
            self.store.arrays().iter().map(|array| (array.name.clone(), array.shape.clone())).collect();
        let dim = domain.dim();
        let points = arrays.iter().find(|(name, _)| name == "points" && self.store.format() != Format::Csv);
        if let Some((name, shape)) = points {
            if !(shape.len() == 2 && shape[1] == dim || dim == 1 && shape.len() == 1) {
                return Err(self.refuse(format!(
                    "the array points has shape {shape:?}, but must be (n, {dim}), one row per point"
                )));
            }
            return self.whole(name, shape);
        }
        let mut axes = Vec::with_capacity(dim);
        for axis in domain.axes() {
            let found = arrays.iter().find(|(name, _)| name.eq_ignore_ascii_case(&axis.name));
            let Some((name, shape)) = found else {
                let join = |names: Vec<&str>| names.join(", ");
                return Err(self.refuse(format!(
                    "the axes are {}; the file has {}",
                    join(domain.axes().iter().map(|axis| axis.name.as_str()).collect()),
                    join(arrays.iter().map(|(name, _)| name.as_str()).collect()),
                )));
            };
            axes.push(self.whole(name, shape)?);
        }
        let n = axes[0].len();
        if axes.iter().any(|axis| axis.len() != n) {
            return Err(self.refuse("the arrays of the coordinates differ in length".into()));
        }
        Ok((0..n).flat_map(|row| axes.iter().map(move |axis| axis[row])).collect())
    }

    /// Reads every array with one entry per point that is not a coordinate.
    fn read_values(&mut self, readings: &mut Readings) -> Result<()> {
        let n = readings.len();
        let is_axis = |name: &str| {
            name == "points" || readings.domain.axes().iter().any(|a| a.name.eq_ignore_ascii_case(name))
        };
        let arrays = self.store.arrays().iter();
        let arrays: Vec<(String, Vec<usize>)> = arrays
            .filter(|array| array.element != ElementType::Other && !is_axis(&array.name))
            .map(|array| (array.name.clone(), array.shape.clone()))
            .collect();
        for (name, shape) in arrays {
            match shape[..] {
                [rows] if rows == n => {
                    let entries = self.whole(&name, &shape)?;
                    if name.eq_ignore_ascii_case("t") || name.eq_ignore_ascii_case("time") {
                        readings.times = Some(entries);
                    } else {
                        readings.names.push(name);
                        readings.values.push(entries);
                    }
                }
                [rows, columns] if rows == n && name == "values" => {
                    let all = self.whole(&name, &shape)?;
                    for column in 0..columns {
                        readings.names.push(format!("values[:, {column}]"));
                        readings.values.push(all.iter().skip(column).step_by(columns).copied().collect());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn whole(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
        self.store.read(name, &vec![0; shape.len()], shape)
    }
}

/// Points of a domain, with times and values, row by row.
#[derive(Clone, Debug)]
pub struct Readings {
    /// Coordinates `[n, D]` in the order of the domain's axes; all inside the domain.
    pub coordinates: Vec<f64>,
    /// Time of each row, if the file has times.
    pub times: Option<Vec<f64>>,
    /// Names of the values, in the file's order; `values[:, 1]` is a column of the array `values`.
    pub names: Vec<String>,
    /// Values `[value][n]`; NaN if missing.
    pub values: Vec<Vec<f64>>,
    domain: Domain,
    /// The file, or what memory calls the rows.
    path: PathBuf,
    /// Line of each row; empty for arrays.
    lines: Vec<u64>,
    /// The grid whose points the rows are, in its order, if it is known.
    grid: Option<Grid>,
}

impl Readings {
    /// Reads a CSV or NumPy file of points in `domain`.
    ///
    /// # Errors
    /// As [`PointFile::open`] and [`PointFile::on`].
    pub fn read(path: &Path, domain: &Domain) -> Result<Self> {
        PointFile::open(path)?.on(domain)
    }

    /// Number of rows n.
    pub fn len(&self) -> usize {
        self.coordinates.len() / self.domain.dim()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The domain of the points.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The coordinates of a row.
    pub fn point(&self, row: usize) -> &[f64] {
        let dim = self.domain.dim();
        &self.coordinates[row * dim..(row + 1) * dim]
    }

    /// Where to find a row: `line 7` of a CSV file, `row 5 (from 0)` of arrays.
    pub fn place(&self, row: usize) -> String {
        match self.lines.get(row) {
            Some(line) => format!("line {line}"),
            None => format!("row {row} (from 0)"),
        }
    }

    /// The error for a problem with a row, or with the file.
    pub fn refuse(&self, row: Option<usize>, problem: String) -> Error {
        Error::Readings { path: self.path.clone(), row: row.map(|row| self.place(row)), problem }
    }

    /// Rows at the same place, grouped, in file order. The two ends of a periodic axis are one place.
    pub fn places(&self, rows: impl IntoIterator<Item = usize>) -> Vec<Vec<usize>> {
        let mut known: HashMap<[u64; 3], usize, RandomState> = HashMap::default();
        let mut places: Vec<Vec<usize>> = Vec::new();
        for row in rows {
            let mut key = [0; 3];
            for (key, (axis, x)) in key.iter_mut().zip(self.domain.axes().iter().zip(self.point(row))) {
                // Adding zero maps −0 to 0.
                *key = (axis.wrap(*x) + 0.0).to_bits();
            }
            let number = *known.entry(key).or_insert(places.len());
            if number == places.len() {
                places.push(Vec::new());
            }
            places[number].push(row);
        }
        places
    }

    /// The distinct places, for sensors that measured several times.
    ///
    /// # Errors
    /// No rows.
    pub fn sensors(&self) -> Result<Points> {
        let places = self.places(0..self.len());
        self.points(places.iter().map(|rows| rows[0]).collect()).map_err(|problem| Error::In {
            path: self.path.clone(),
            array: None,
            problem: Box::new(problem),
        })
    }

    /// The points of some rows, by ascending numbers; points of a known grid keep it.
    ///
    /// # Errors
    /// No rows, or two at the same place.
    pub fn points(&self, rows: Vec<usize>) -> Result<Points> {
        match &self.grid {
            Some(grid) if rows.len() == grid.len() => Ok(Points::grid(grid.clone())),
            Some(grid) => Points::masked(grid.clone(), rows),
            None => {
                let coordinates = rows.iter().flat_map(|&row| self.point(row)).copied().collect();
                Points::scattered(self.domain.clone(), coordinates)
            }
        }
    }

    /// Refuses infinite values; brings the points into the domain.
    fn checked(mut self) -> Result<Self> {
        let infinite = |values: &Vec<f64>| values.iter().position(|value| value.is_infinite());
        if let Some(row) = self.values.iter().find_map(infinite) {
            return Err(self.refuse(Some(row), "has an infinite value".into()));
        }
        self.place_in_domain()?;
        Ok(self)
    }

    /// Wraps coordinates on periodic axes; refuses any outside the others.
    fn place_in_domain(&mut self) -> Result<()> {
        let dim = self.domain.dim();
        for i in 0..self.coordinates.len() {
            let (axis, x) = (&self.domain.axes()[i % dim], self.coordinates[i]);
            if !x.is_finite() {
                return Err(self.refuse(Some(i / dim), format!("{} = {x} is not finite", axis.name)));
            }
            if axis.contains(x) {
                continue;
            }
            if !axis.periodic {
                return Err(self.refuse(
                    Some(i / dim),
                    format!(
                        "{} = {x} lies outside the domain, {}; convert the coordinates, or leave the point out",
                        axis.name, self.domain
                    ),
                ));
            }
            self.coordinates[i] = axis.wrap(x);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::write::NpzArchive;
    use crate::{Axis, Domain};

    fn domain(periodic: bool) -> Domain {
        Domain::new(vec![Axis::new("x", 0.0, 1.0, periodic), Axis::new("y", 0.0, 2.0, false)]).unwrap()
    }

    fn csv(text: &str, domain: &Domain) -> Result<Readings> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.csv");
        std::fs::write(&path, text).unwrap();
        Readings::read(&path, domain)
    }

    #[test]
    fn rows_come_in_the_order_of_the_axes_and_know_their_lines() {
        let text = "# a comment\nname,Y,u,X,Time\na,1.5,3,0.25,0\nb,0.5,,0.75,1\n";
        let readings = csv(text, &domain(false)).unwrap();
        assert_eq!(readings.coordinates, [0.25, 1.5, 0.75, 0.5]);
        assert_eq!(readings.times, Some(vec![0.0, 1.0]));
        assert_eq!((readings.names.as_slice(), readings.values[0][0]), (&["u".to_string()][..], 3.0));
        assert!(readings.values[0][1].is_nan());
        assert_eq!((readings.place(1), readings.len()), ("line 4".into(), 2));
    }

    #[test]
    fn arrays_hold_the_same_in_two_forms() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.npz");
        let mut archive = NpzArchive::create(&path).unwrap();
        archive.numbers("points", &[2, 2], &[0.25, 1.5, 0.75, 0.5]).unwrap();
        archive.numbers("values", &[2, 2], &[3.0, 4.0, 5.0, 6.0]).unwrap();
        archive.finish().unwrap();
        let readings = Readings::read(&path, &domain(false)).unwrap();
        assert_eq!((readings.coordinates[2], readings.values[1].as_slice()), (0.75, &[4.0, 6.0][..]));
        assert_eq!(
            (readings.names[1].as_str(), readings.place(1)),
            ("values[:, 1]", "row 1 (from 0)".into())
        );

        let mut archive = NpzArchive::create(&path).unwrap();
        for (name, values) in [("y", [1.5, 0.5]), ("x", [0.25, 0.75]), ("u", [3.0, f64::INFINITY])] {
            archive.numbers(name, &[2], &values).unwrap();
        }
        archive.finish().unwrap();
        let error = Readings::read(&path, &domain(false)).unwrap_err().to_string();
        assert!(error.contains("row 1 (from 0): has an infinite value"), "{error}");
    }

    #[test]
    fn coordinates_wrap_on_periodic_axes_and_are_refused_elsewhere() {
        let text = "x,y,u\n-0.25,0,1\n1,0,2\n3.5,0,3\n";
        let readings = csv(text, &domain(true)).unwrap();
        assert_eq!(readings.coordinates, [0.75, 0.0, 1.0, 0.0, 0.5, 0.0]);
        let error = csv(text, &domain(false)).unwrap_err().to_string();
        assert!(error.contains("line 2: x = -0.25 lies outside"), "{error}");
        let error = csv("x,u\n0,1\n", &domain(true)).unwrap_err().to_string();
        assert!(error.contains("the axes are x, y; the file has x, u"), "{error}");
    }

    #[test]
    fn rows_at_one_place_are_one_sensor() {
        let readings = csv("x,y\n0,1\n0.5,1\n1,1\n-0,1\n", &domain(true)).unwrap();
        assert_eq!(readings.places(0..4), [vec![0, 2, 3], vec![1]]);
        assert_eq!(readings.sensors().unwrap().len(), 2);
    }
}
