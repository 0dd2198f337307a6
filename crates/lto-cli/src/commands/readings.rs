//! Points, and what was measured there, as a file has them: CSV columns or NumPy arrays, in the order of the domain's axes.

use anyhow::{Context as _, Result, bail, ensure};
use lto_numerics::Domain;
use lto_numerics::dataset::format::csv::PointCloud;
use lto_numerics::dataset::format::{self, ArrayStore, Format};
use std::path::Path;

/// The rows of a file of points.
pub struct Readings {
    /// Coordinates `[n, D]` in the order of the domain's axes; all finite.
    pub coordinates: Vec<f64>,
    /// Time of each row, where the file has any.
    pub times: Option<Vec<f64>>,
    /// Names of the values.
    pub names: Vec<String>,
    /// Values `[value][n]`; NaN where one is missing.
    pub values: Vec<Vec<f64>>,
    /// Where the values of a row stand in the file, where that is not just its number.
    lines: Vec<(usize, u64)>,
}

impl Readings {
    /// Reads a CSV or NumPy file of points on `domain`.
    ///
    /// # Errors
    /// A file that cannot be read or does not hold points along the axes of the domain, or a point outside it (a periodic
    /// axis wraps).
    pub fn read(path: &Path, domain: &Domain) -> Result<Self> {
        let readings = match format::open(path)? {
            store if store.format() == Format::Csv => Self::from_cloud(PointCloud::read(path)?, domain),
            mut store => Self::from_arrays(store.as_mut(), domain),
        };
        let mut readings =
            readings.with_context(|| format!("{}: holds no points as wanted", path.display()))?;
        for point in readings.coordinates.chunks_exact_mut(domain.dim()) {
            for (axis, x) in domain.axes().iter().zip(point) {
                *x = axis.bring_in(*x);
            }
        }
        readings
            .check_domain(domain)
            .with_context(|| format!("{}: does not fit the domain", path.display()))?;
        Ok(readings)
    }

    /// Number of rows n.
    pub fn len(&self, dim: usize) -> usize {
        self.coordinates.len() / dim
    }

    /// A row by the place where a person finds it: `line 7` of a CSV file, `row 5` (from 0) of arrays.
    pub fn place(&self, row: usize) -> String {
        match self.lines.iter().find(|(r, _)| *r == row) {
            Some((_, line)) => format!("line {line}"),
            None => format!("row {row} (from 0)"),
        }
    }

    fn from_cloud(cloud: PointCloud, domain: &Domain) -> Result<Self> {
        let lines = cloud.missing().iter().map(|missing| (missing.point, missing.line)).collect();
        let given = cloud.axis_names.len();
        let columns = axis_columns(&cloud.axis_names, domain)?;
        let rows = cloud.coordinates.chunks_exact(given.max(1));
        let coordinates = rows.flat_map(|row| columns.iter().map(|&column| row[column])).collect();
        let times = cloud.times.map(|(_, times)| times);
        Ok(Self { coordinates, times, names: cloud.value_names, values: cloud.values, lines })
    }

    fn from_arrays(store: &mut dyn ArrayStore, domain: &Domain) -> Result<Self> {
        let dim = domain.dim();
        let arrays: Vec<(String, Vec<usize>)> =
            store.arrays().iter().map(|a| (a.name.clone(), a.shape.clone())).collect();
        let mut read = |name: &str, shape: &[usize]| store.read(name, &vec![0; shape.len()], shape);
        let (mut times, mut names, mut values) = (None, Vec::new(), Vec::new());
        let coordinates = match arrays.iter().find(|(name, _)| name == "points") {
            Some((name, shape)) => {
                ensure!(
                    shape.len() == 2 && shape[1] == dim || dim == 1 && shape.len() == 1,
                    "the array points has the shape {shape:?}; (n, {dim}) is needed, a row for each point"
                );
                read(name, shape)?
            }
            None => {
                let names: Vec<String> = arrays.iter().map(|(name, _)| name.clone()).collect();
                let axes = axis_columns(&names, domain)
                    .context("there is neither an array points (n, D) nor one for each axis")?;
                let axes: Vec<Vec<f64>> =
                    axes.iter().map(|&i| read(&arrays[i].0, &arrays[i].1)).collect::<Result<_, _>>()?;
                let n = axes[0].len();
                ensure!(
                    axes.iter().all(|axis| axis.len() == n),
                    "the arrays of the coordinates differ in length"
                );
                (0..n).flat_map(|row| axes.iter().map(move |axis| axis[row])).collect()
            }
        };
        let n = coordinates.len() / dim;
        let is_axis =
            |name: &str| name == "points" || domain.axes().iter().any(|a| a.name.eq_ignore_ascii_case(name));
        for (name, shape) in arrays.iter().filter(|(name, _)| !is_axis(name)) {
            match shape.as_slice() {
                [rows] if *rows == n && matches!(name.as_str(), "t" | "time") => {
                    times = Some(read(name, shape)?)
                }
                [rows] if *rows == n => {
                    names.push(name.clone());
                    values.push(read(name, shape)?);
                }
                [rows, columns] if *rows == n && name == "values" => {
                    let all = read(name, shape)?;
                    for column in 0..*columns {
                        names.push(format!("values[:, {column}]"));
                        values.push(all.iter().skip(column).step_by(*columns).copied().collect());
                    }
                }
                _ => {}
            }
        }
        if let Some(row) = coordinates.iter().position(|x| !x.is_finite()) {
            bail!("row {} (from 0) has a coordinate that is not finite", row / dim);
        }
        if let Some(row) = values.iter().find_map(|v: &Vec<f64>| v.iter().position(|x| x.is_infinite())) {
            bail!("row {row} (from 0) has an infinite value");
        }
        Ok(Self { coordinates, times, names, values, lines: Vec::new() })
    }

    fn check_domain(&self, domain: &Domain) -> Result<()> {
        for (row, point) in self.coordinates.chunks_exact(domain.dim()).enumerate() {
            for (axis, &x) in domain.axes().iter().zip(point) {
                ensure!(
                    axis.contains(x),
                    "point {row} (from 0) lies at {} = {x}, outside the domain, {domain}; convert the \
                     coordinates, or leave the point out",
                    axis.name
                );
            }
        }
        Ok(())
    }
}

/// Which of the columns is which axis of the domain, by name.
fn axis_columns(names: &[String], domain: &Domain) -> Result<Vec<usize>> {
    let wanted = || domain.axes().iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>().join(", ");
    let column = |name: &str| names.iter().position(|n| n.eq_ignore_ascii_case(name));
    let columns: Option<Vec<usize>> = domain.axes().iter().map(|axis| column(&axis.name)).collect();
    columns.with_context(|| format!("the axes are {}; the file has {}", wanted(), names.join(", ")))
}
