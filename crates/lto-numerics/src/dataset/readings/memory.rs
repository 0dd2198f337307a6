//! Rows that are in memory instead of a file, as a program or a notebook has them.

use super::Readings;
use crate::error::{Error, Result};
use crate::{Domain, Grid, Points};

/// The columns of rows in memory, all of the same length n.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// Time of each row, if known.
    pub times: Option<Vec<f64>>,
    /// Names of the values.
    pub names: Vec<String>,
    /// Values `[value][n]`; NaN if missing.
    pub values: Vec<Vec<f64>>,
}

impl Readings {
    /// Rows at scattered points, with coordinates `[n, D]`; messages call them `name`, as they call a file by its path.
    /// Coordinates on periodic axes are wrapped into the domain.
    ///
    /// # Errors
    /// Columns of another length, a point outside the domain, or an infinite value.
    pub fn scattered(name: &str, domain: &Domain, coordinates: Vec<f64>, columns: Columns) -> Result<Self> {
        let left = coordinates.len() % domain.dim();
        if left != 0 {
            let problem = format!("{left} coordinates are left over after whole points in {domain}");
            return Err(Error::Readings { path: name.into(), row: None, problem });
        }
        Self::in_memory(name, domain.clone(), coordinates, columns, None)
    }

    /// Rows at all points of a grid, in its order; their context is the grid itself, not scattered points.
    ///
    /// # Errors
    /// As [`Readings::scattered`].
    pub fn on_grid(name: &str, grid: Grid, columns: Columns) -> Result<Self> {
        let coordinates = Points::grid(grid.clone()).coordinates();
        Self::in_memory(name, grid.domain().clone(), coordinates, columns, Some(grid))
    }

    fn in_memory(
        name: &str,
        domain: Domain,
        coordinates: Vec<f64>,
        columns: Columns,
        grid: Option<Grid>,
    ) -> Result<Self> {
        let Columns { times, names, values } = columns;
        let path = name.into();
        let readings = Self { coordinates, times, names, values, domain, path, lines: Vec::new(), grid };
        let n = readings.len();
        let named = readings.names.iter().map(String::as_str).zip(&readings.values);
        let times = readings.times.iter().map(|times| ("t", times));
        if let Some((column, entries)) = named.chain(times).find(|(_, entries)| entries.len() != n) {
            let problem = format!("{column} has {} entries for {n} points", entries.len());
            return Err(readings.refuse(None, problem));
        }
        readings.checked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Placement, PointStructure};

    fn columns(values: Vec<f64>) -> Columns {
        Columns { times: None, names: vec!["u".into()], values: vec![values] }
    }

    #[test]
    fn rows_in_memory_are_checked_as_those_of_a_file() {
        let domain = Domain::unit(2, false).unwrap();
        let rows = |coordinates: &[f64], values: &[f64]| {
            Readings::scattered("points", &domain, coordinates.to_vec(), columns(values.to_vec()))
        };
        let readings = rows(&[0.1, 0.2, 0.3, 0.4], &[1.0, f64::NAN]).unwrap();
        assert_eq!((readings.len(), readings.point(1), readings.values[0][0]), (2, &[0.3, 0.4][..], 1.0));
        for (coordinates, values, told) in [
            (&[0.1, 0.2, 0.3][..], &[1.0][..], "points: 1 coordinates are left over"),
            (&[0.1, 0.2], &[1.0, 2.0], "points: u has 2 entries for 1 points"),
            (&[0.1, 0.2], &[f64::INFINITY], "points: row 0 (from 0): has an infinite value"),
            (&[0.1, 2.0], &[1.0], "points: row 0 (from 0): y = 2 lies outside the domain"),
        ] {
            let error = rows(coordinates, values).unwrap_err().to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }

    #[test]
    fn rows_of_a_grid_stay_on_it() {
        let grid = Grid::cubic(Domain::unit(2, true).unwrap(), 3, Placement::Left).unwrap();
        let readings = Readings::on_grid("values", grid.clone(), columns(vec![0.0; 9])).unwrap();
        assert_eq!(*readings.points((0..9).collect()).unwrap().structure(), PointStructure::Grid(grid));
        let some = readings.points(vec![1, 5]).unwrap();
        assert!(matches!(some.structure(), PointStructure::Masked { .. }));
        assert_eq!(some.coordinates(), [readings.point(1), readings.point(5)].concat());
        let rows = Readings::scattered(
            "points",
            readings.domain(),
            readings.coordinates.clone(),
            columns(vec![0.0; 9]),
        );
        assert!(matches!(rows.unwrap().sensors().unwrap().structure(), PointStructure::Scattered(_)));
    }
}
