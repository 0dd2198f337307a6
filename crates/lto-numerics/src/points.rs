//! Point sets: scattered, a tensor grid, or some points of a tensor grid. The structure is kept because the
//! set convolution is much cheaper on (masked) grids.

use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::grid::{Grid, expect};
use foldhash::fast::RandomState;
use std::hash::BuildHasher;

/// How a set of points is laid out.
#[derive(Clone, Debug, PartialEq)]
pub enum PointStructure {
    /// Anywhere: coordinates `[n, D]`, row-major.
    Scattered(Vec<f64>),
    /// All points of a grid, row-major.
    Grid(Grid),
    /// Some points of a grid: increasing row-major indices.
    Masked {
        /// The grid.
        grid: Grid,
        /// The indices of its points, increasing.
        indices: Vec<usize>,
    },
}

/// Distinct, finite points inside a domain.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    domain: Domain,
    structure: PointStructure,
}

/// Places that have been seen, in order, and where each is found again: a table of numbers that stays in the first-level cache
/// for thousands of them, where a map of places would not.
struct Seen {
    keys: Vec<[u64; 3]>,
    /// Numbers of keys by their hash, or at the next free place; a power of two of them, half of them free.
    table: Vec<u32>,
    hasher: RandomState,
}

impl Seen {
    const FREE: u32 = u32::MAX;

    fn new(n: usize) -> Self {
        let table = vec![Self::FREE; (2 * n).next_power_of_two()];
        Self { keys: Vec::with_capacity(n), table, hasher: RandomState::default() }
    }

    /// Adds a place, at most as many as were announced; the number of the same place, if it was there.
    fn insert(&mut self, key: [u64; 3]) -> Option<usize> {
        let last = self.table.len() - 1;
        let mut place = self.hasher.hash_one(key) as usize & last;
        while self.table[place] != Self::FREE {
            let number = self.table[place] as usize;
            if self.keys[number] == key {
                return Some(number);
            }
            place = (place + 1) & last;
        }
        self.table[place] = self.keys.len() as u32;
        self.keys.push(key);
        None
    }
}

impl Points {
    /// Scattered points from row-major coordinates `[n, D]`. Coordinates up to one period outside a periodic axis are
    /// wrapped into it.
    ///
    /// # Errors
    /// No points, a length that is not a multiple of D, a coordinate that is not finite or outside the
    /// domain, or two points in the same place; the error says which.
    pub fn scattered(domain: Domain, mut coordinates: Vec<f64>) -> Result<Self> {
        let dim = domain.dim();
        if coordinates.is_empty() {
            return Err(Error::NoPoints);
        }
        expect("coordinates left over after whole points", 0, coordinates.len() % dim)?;
        let mut seen = Seen::new(coordinates.len() / dim);
        for (index, point) in coordinates.chunks_exact_mut(dim).enumerate() {
            for (axis, x) in domain.axes().iter().zip(point.iter_mut()) {
                *x = axis.bring_in(*x);
            }
            domain.check_point(index, point)?;
            let mut key = [0u64; 3];
            for (d, axis) in domain.axes().iter().enumerate() {
                // Adding zero joins −0.0 and 0.0.
                key[d] = (axis.wrap(point[d]) + 0.0).to_bits();
            }
            if let Some(first) = seen.insert(key) {
                return Err(Error::DuplicatePoints { first, second: index, coordinates: point.to_vec() });
            }
        }
        Ok(Self { domain, structure: PointStructure::Scattered(coordinates) })
    }

    /// All points of a grid.
    pub fn grid(grid: Grid) -> Self {
        Self { domain: grid.domain().clone(), structure: PointStructure::Grid(grid) }
    }

    /// The points of `grid` with the given row-major indices. Any order is accepted; they are kept sorted.
    ///
    /// # Errors
    /// No index, one beyond the grid, or one given twice.
    pub fn masked(grid: Grid, mut indices: Vec<usize>) -> Result<Self> {
        indices.sort_unstable();
        match indices.last() {
            None => return Err(Error::NoPoints),
            Some(&last) if last >= grid.len() => {
                return Err(Error::Parameter {
                    name: "grid index",
                    value: last.to_string(),
                    requirement: "must be less than the number of grid points",
                });
            }
            Some(_) => {}
        }
        if let Some(second) = (1..indices.len()).find(|&i| indices[i] == indices[i - 1]) {
            let mut coordinates = vec![0.0; grid.dim()];
            grid.write_point(indices[second], &mut coordinates);
            return Err(Error::DuplicatePoints { first: second - 1, second, coordinates });
        }
        Ok(Self { domain: grid.domain().clone(), structure: PointStructure::Masked { grid, indices } })
    }

    /// The domain the points lie in.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The same points with the distances of a domain at the same place.
    pub fn measured_as(mut self, domain: &Domain) -> Self {
        self.domain.measure_as(domain);
        match &mut self.structure {
            PointStructure::Scattered(_) => {}
            PointStructure::Grid(grid) | PointStructure::Masked { grid, .. } => grid.measure_as(domain),
        }
        self
    }

    /// The same points in coordinates that are distances: see [`Domain::flat`].
    ///
    /// # Errors
    /// Points so close that rounding joins them.
    pub fn flat(&self) -> Result<Self> {
        let axes = self.domain.axes();
        Ok(match &self.structure {
            PointStructure::Grid(grid) => Self::grid(grid.flat()?),
            PointStructure::Masked { grid, indices } => Self::masked(grid.flat()?, indices.clone())?,
            PointStructure::Scattered(coordinates) => {
                let scaled = coordinates.iter().zip(axes.iter().cycle()).map(|(x, axis)| axis.scale * x);
                Self::scattered(self.domain.flat(), scaled.collect())?
            }
        })
    }

    /// How the points are laid out.
    pub fn structure(&self) -> &PointStructure {
        &self.structure
    }

    /// Spatial dimension D.
    pub fn dim(&self) -> usize {
        self.domain.dim()
    }

    /// (|Ω|/N)^(1/D): the spacing of a regular layout of as many points.
    pub fn mean_spacing(&self) -> f64 {
        (self.domain.volume() / self.len() as f64).powf(1.0 / self.dim() as f64)
    }

    /// Number of points N.
    pub fn len(&self) -> usize {
        match &self.structure {
            PointStructure::Scattered(coordinates) => coordinates.len() / self.dim(),
            PointStructure::Grid(grid) => grid.len(),
            PointStructure::Masked { indices, .. } => indices.len(),
        }
    }

    /// Never true: a point set has at least one point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the coordinates of point `index` into `point`.
    pub fn write_point(&self, index: usize, point: &mut [f64]) {
        let dim = self.dim();
        match &self.structure {
            PointStructure::Scattered(coordinates) => {
                point.copy_from_slice(&coordinates[index * dim..(index + 1) * dim]);
            }
            PointStructure::Grid(grid) => grid.write_point(index, point),
            PointStructure::Masked { grid, indices } => grid.write_point(indices[index], point),
        }
    }

    /// All coordinates, row-major `[n, D]`.
    pub fn coordinates(&self) -> Vec<f64> {
        if let PointStructure::Scattered(coordinates) = &self.structure {
            return coordinates.clone();
        }
        let dim = self.dim();
        let mut all = vec![0.0; self.len() * dim];
        for (index, point) in all.chunks_exact_mut(dim).enumerate() {
            self.write_point(index, point);
        }
        all
    }

    /// The points in order, in pieces of at most `most` (at least one), for work that is too large to do at
    /// once. Pieces of a grid are masked grids.
    pub fn pieces(&self, most: usize) -> Vec<Self> {
        let (n, most) = (self.len(), most.max(1));
        if n <= most {
            return vec![self.clone()];
        }
        let piece = |first: usize| {
            let range = first..(first + most).min(n);
            let structure = match &self.structure {
                PointStructure::Scattered(all) => {
                    PointStructure::Scattered(all[range.start * self.dim()..range.end * self.dim()].to_vec())
                }
                PointStructure::Grid(grid) => {
                    PointStructure::Masked { grid: grid.clone(), indices: range.collect() }
                }
                PointStructure::Masked { grid, indices } => {
                    PointStructure::Masked { grid: grid.clone(), indices: indices[range].to_vec() }
                }
            };
            Self { domain: self.domain.clone(), structure }
        };
        (0..n).step_by(most).map(piece).collect()
    }

    /// The points with the given increasing indices. Some points of a grid stay points of it.
    ///
    /// # Errors
    /// No index.
    pub fn select(&self, indices: &[usize]) -> Result<Self> {
        if indices.is_empty() {
            return Err(Error::NoPoints);
        }
        let structure = match &self.structure {
            _ if indices.len() == self.len() => self.structure.clone(),
            PointStructure::Scattered(all) => {
                let point = |&index: &usize| &all[index * self.dim()..(index + 1) * self.dim()];
                PointStructure::Scattered(indices.iter().flat_map(point).copied().collect())
            }
            PointStructure::Grid(grid) => {
                PointStructure::Masked { grid: grid.clone(), indices: indices.to_vec() }
            }
            PointStructure::Masked { grid, indices: kept } => PointStructure::Masked {
                grid: grid.clone(),
                indices: indices.iter().map(|&index| kept[index]).collect(),
            },
        };
        Ok(Self { domain: self.domain.clone(), structure })
    }

    /// The same points without their grid structure.
    pub fn to_scattered(&self) -> Self {
        Self { domain: self.domain.clone(), structure: PointStructure::Scattered(self.coordinates()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Axis;
    use crate::grid::Placement;

    fn unit(periodic: bool) -> Domain {
        Domain::unit(2, periodic).unwrap()
    }

    #[test]
    fn bad_points_are_refused_by_name() {
        let refuse = |coordinates: &[f64]| Points::scattered(unit(true), coordinates.to_vec()).unwrap_err();
        assert!(matches!(refuse(&[]), Error::NoPoints));
        assert!(matches!(refuse(&[0.1, 0.2, 0.3]), Error::Mismatch { got: 1, .. }));
        assert!(matches!(refuse(&[0.1, 0.2, 0.3, f64::NAN]), Error::NonFinitePoint { index: 1, .. }));
        let err = refuse(&[0.1, 0.2, 0.3, 2.5]);
        assert!(matches!(err, Error::PointOutsideDomain { index: 1, .. }));
        assert!(err.to_string().contains("y = 2.5 is not in [0, 1]"), "{err}");
        assert!(Points::scattered(unit(false), vec![0.3, 1.5]).is_err());
        let err = refuse(&[0.1, 0.0, 0.5, 0.5, 0.1, 1.0]);
        assert!(matches!(err, Error::DuplicatePoints { first: 0, second: 2, .. }), "{err}");
        assert!(Points::scattered(unit(false), vec![0.1, 0.0, 0.1, 1.0]).is_ok());
        let err = refuse(&[0.0, 0.5, -0.0, 0.5]);
        assert!(matches!(err, Error::DuplicatePoints { .. }), "{err}");
    }

    #[test]
    fn periodic_axes_wrap_coordinates() {
        let axes = vec![Axis::new("x", 0.0156, 1.0156, true), Axis::new("lon", 0.0, 360.0, true)];
        let domain = Domain::new(axes).unwrap();
        let points = Points::scattered(domain.clone(), vec![0.005, -10.0, 0.5, 360.0]).unwrap();
        let [x, lon, ..] = points.coordinates()[..] else { panic!("two axes") };
        assert!((x - 1.005).abs() < 1e-12 && lon == 350.0, "{x} {lon}");
        let err = Points::scattered(domain, vec![0.5, -10.0, 0.5, 350.0]).unwrap_err();
        assert!(matches!(err, Error::DuplicatePoints { first: 0, second: 1, .. }), "{err}");
    }

    #[test]
    fn pieces_are_the_points_in_order() {
        let grid = Grid::cubic(unit(true), 4, Placement::Left).unwrap();
        let masked = Points::masked(grid.clone(), vec![1, 2, 5, 11, 14]).unwrap();
        for points in [masked.to_scattered(), masked, Points::grid(grid)] {
            for most in [0, 1, 2, 3, 100] {
                let pieces = points.pieces(most);
                assert!(pieces.iter().all(|p| p.len() <= most.max(1)));
                assert_eq!(pieces.len(), points.len().div_ceil(most.max(1)));
                let together: Vec<f64> = pieces.iter().flat_map(Points::coordinates).collect();
                assert_eq!(together, points.coordinates());
            }
        }
    }

    #[test]
    fn a_selection_keeps_its_structure() {
        let grid = Grid::cubic(unit(true), 4, Placement::Left).unwrap();
        let masked = Points::masked(grid.clone(), vec![1, 2, 5, 11, 14]).unwrap();
        let expected = Points::masked(grid.clone(), vec![2, 11]).unwrap();
        assert_eq!(masked.select(&[1, 3]).unwrap(), expected);
        assert_eq!(Points::grid(grid.clone()).select(&[2, 11]).unwrap(), expected);
        assert_eq!(masked.to_scattered().select(&[1, 3]).unwrap(), expected.to_scattered());
        assert_eq!(
            Points::grid(grid.clone()).select(&(0..16).collect::<Vec<_>>()).unwrap(),
            Points::grid(grid)
        );
        assert!(matches!(masked.select(&[]), Err(Error::NoPoints)));
    }

    #[test]
    fn masks_are_sorted_and_checked() {
        let grid = Grid::cubic(unit(true), 4, Placement::Left).unwrap();
        let points = Points::masked(grid.clone(), vec![7, 2]).unwrap();
        assert_eq!(points.coordinates(), [0.0, 0.5, 0.25, 0.75]);
        assert_eq!(points.to_scattered().coordinates(), points.coordinates());
        assert!(matches!(Points::masked(grid.clone(), vec![]), Err(Error::NoPoints)));
        assert!(matches!(Points::masked(grid.clone(), vec![16]), Err(Error::Parameter { .. })));
        assert!(matches!(Points::masked(grid, vec![3, 3]), Err(Error::DuplicatePoints { .. })));
    }
}
