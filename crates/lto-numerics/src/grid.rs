//! Tensor grids and where exactly their points lie. No placement is assumed: every solver, file layout and
//! dataset states its own.

use crate::domain::{Axis, Domain};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Where the `n` points of a uniform grid axis lie in `[lower, lower + L]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// `x_i = lower + i L/n`: periodic, or only the lower boundary included.
    Left,
    /// `x_i = lower + (i + ½) L/n`: cell centers.
    Center,
    /// `x_i = lower + i L/(n−1)`: vertices, both boundaries included.
    Vertex,
}

impl Placement {
    /// All placements, for help texts and tests.
    pub const ALL: [Placement; 3] = [Placement::Left, Placement::Center, Placement::Vertex];

    /// Name as written in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Placement::Left => "left",
            Placement::Center => "center",
            Placement::Vertex => "vertex",
        }
    }

    /// The `n` coordinates on `[lower, upper]`. A single vertex sits at `lower`.
    pub fn coordinates(self, n: usize, lower: f64, upper: f64) -> Vec<f64> {
        let (offset, intervals) = match self {
            Placement::Left => (0.0, n as f64),
            Placement::Center => (0.5, n as f64),
            Placement::Vertex => (0.0, n.saturating_sub(1).max(1) as f64),
        };
        // `min` because lower + L·1 may round above `upper`.
        (0..n).map(|i| (lower + (upper - lower) * ((i as f64 + offset) / intervals)).min(upper)).collect()
    }
}

/// A tensor grid over a domain: increasing coordinates along each axis. Row-major; the last axis is fastest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grid {
    domain: Domain,
    coordinates: Vec<Vec<f64>>,
    placements: Vec<Option<Placement>>,
}

impl Grid {
    /// A uniform grid: per axis a number of points and a placement.
    ///
    /// # Errors
    /// Wrong number of axes, an axis without points, or a vertex grid on a periodic axis (its two ends would be
    /// the same point).
    pub fn uniform(domain: Domain, axes: &[(usize, Placement)]) -> Result<Self> {
        expect("number of grid axes", domain.dim(), axes.len())?;
        let coordinates = domain
            .axes()
            .iter()
            .zip(axes)
            .map(|(axis, &(n, placement))| placement.coordinates(n, axis.lower, axis.upper))
            .collect();
        let mut grid = Self::from_coordinates(domain, coordinates)?;
        grid.placements = axes.iter().map(|&(_, placement)| Some(placement)).collect();
        Ok(grid)
    }

    /// A uniform grid with the same number of points and placement on every axis.
    ///
    /// # Errors
    /// As [`Grid::uniform`].
    pub fn cubic(domain: Domain, n: usize, placement: Placement) -> Result<Self> {
        let axes = vec![(n, placement); domain.dim()];
        Self::uniform(domain, &axes)
    }

    /// A grid from explicit, increasing coordinates per axis. An axis that matches a [`Placement`] to a
    /// relative 1e-6 is recognized as such (files store coordinates in single precision).
    ///
    /// # Errors
    /// Wrong number of axes, an empty axis, coordinates that are not finite, not increasing or outside the
    /// domain, or both ends of a periodic axis.
    pub fn from_coordinates(domain: Domain, coordinates: Vec<Vec<f64>>) -> Result<Self> {
        expect("number of grid axes", domain.dim(), coordinates.len())?;
        for (axis, x) in domain.axes().iter().zip(&coordinates) {
            let name = || axis.name.clone();
            if x.is_empty() {
                return Err(Error::NoPoints);
            }
            for (index, &value) in x.iter().enumerate() {
                if !value.is_finite() {
                    return Err(Error::NonFinitePoint { index, axis: name(), value });
                }
                if !axis.contains(value) {
                    let (lower, upper) = (axis.lower, axis.upper);
                    return Err(Error::PointOutsideDomain { index, axis: name(), value, lower, upper });
                }
                if index > 0 && value <= x[index - 1] {
                    return Err(Error::UnsortedAxis { axis: name(), index, value, previous: x[index - 1] });
                }
            }
            let (first, last) = (x[0], x[x.len() - 1]);
            if axis.periodic && x.len() > 1 && first == axis.lower && last == axis.upper {
                let (first, second, coordinates) = (0, x.len() - 1, vec![first]);
                return Err(Error::DuplicatePoints { first, second, coordinates });
            }
        }
        let placements = domain
            .axes()
            .iter()
            .zip(&coordinates)
            .map(|(axis, x)| {
                let tolerance = 1e-6 * axis.length();
                Placement::ALL.into_iter().find(|p| {
                    let ideal = p.coordinates(x.len(), axis.lower, axis.upper);
                    ideal.iter().zip(x).all(|(a, b)| (a - b).abs() <= tolerance)
                })
            })
            .collect();
        Ok(Self { domain, coordinates, placements })
    }

    /// Takes over the distances of a domain at the same place.
    pub(crate) fn measure_as(&mut self, domain: &Domain) {
        self.domain.measure_as(domain);
    }

    /// The same points in coordinates that are distances: see [`Domain::flat`].
    ///
    /// # Errors
    /// Points so close that rounding joins them.
    pub(crate) fn flat(&self) -> Result<Self> {
        let scaled = |(axis, x): (&Axis, &Vec<f64>)| x.iter().map(|x| axis.scale * x).collect();
        let coordinates = self.domain.axes().iter().zip(&self.coordinates).map(scaled).collect();
        Self::from_coordinates(self.domain.flat(), coordinates)
    }

    /// The domain the grid lies in.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Spatial dimension D.
    pub fn dim(&self) -> usize {
        self.domain.dim()
    }

    /// Number of points along each axis.
    pub fn shape(&self) -> Vec<usize> {
        self.coordinates.iter().map(Vec::len).collect()
    }

    /// Total number of points.
    pub fn len(&self) -> usize {
        self.coordinates.iter().map(Vec::len).product()
    }

    /// Never true: a grid has points on every axis.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Coordinates along axis `d`, increasing.
    pub fn coordinates(&self, d: usize) -> &[f64] {
        &self.coordinates[d]
    }

    /// The placement of axis `d`, if it is uniform and known.
    pub fn placement(&self, d: usize) -> Option<Placement> {
        self.placements[d]
    }

    /// Mean spacing along axis `d` (the axis length if it has only one point).
    pub fn spacing(&self, d: usize) -> f64 {
        let x = &self.coordinates[d];
        if x.len() < 2 {
            self.domain.axes()[d].length()
        } else {
            (x[x.len() - 1] - x[0]) / (x.len() - 1) as f64
        }
    }

    /// Writes the coordinates of point `index` (row-major) into `point`.
    pub fn write_point(&self, index: usize, point: &mut [f64]) {
        let mut rest = index;
        for d in (0..self.dim()).rev() {
            let x = &self.coordinates[d];
            point[d] = x[rest % x.len()];
            rest /= x.len();
        }
    }

    /// Every `stride`-th point along each axis, from the first.
    ///
    /// # Errors
    /// `stride` is zero.
    pub fn strided(&self, stride: usize) -> Result<Self> {
        if stride == 0 {
            return Err(Error::Parameter {
                name: "stride",
                value: "0".into(),
                requirement: "must be at least 1",
            });
        }
        let coordinates =
            self.coordinates.iter().map(|x| x.iter().copied().step_by(stride).collect()).collect();
        Self::from_coordinates(self.domain.clone(), coordinates)
    }
}

/// All ways to write `n` as an ordered product of `dim` factors.
pub(crate) fn factor_shapes(n: usize, dim: usize) -> Vec<Vec<usize>> {
    if dim == 1 {
        return vec![vec![n]];
    }
    let small = (1..=n.isqrt()).filter(|&f| n.is_multiple_of(f));
    let divisors = small.flat_map(|f| if f * f == n { vec![f] } else { vec![f, n / f] });
    divisors
        .flat_map(|first| {
            factor_shapes(n / first, dim - 1).into_iter().map(move |rest| [vec![first], rest].concat())
        })
        .collect()
}

/// `Ok` if two counts agree, else [`Error::Mismatch`].
pub(crate) fn expect(what: &str, expected: usize, got: usize) -> Result<()> {
    if expected == got { Ok(()) } else { Err(Error::Mismatch { what: what.into(), expected, got }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_put_points_where_their_formulas_say() {
        assert_eq!(Placement::Left.coordinates(4, 0.0, 1.0), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(Placement::Center.coordinates(4, 0.0, 1.0), [0.125, 0.375, 0.625, 0.875]);
        assert_eq!(Placement::Vertex.coordinates(5, -1.0, 1.0), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    }

    #[test]
    fn strides_of_421_vertices_are_vertex_grids() {
        let grid = Grid::cubic(Domain::unit(2, false).unwrap(), 421, Placement::Vertex).unwrap();
        for (stride, n) in [(5, 85), (4, 106), (3, 141), (2, 211), (1, 421)] {
            let coarse = grid.strided(stride).unwrap();
            assert_eq!(coarse.shape(), [n, n]);
            assert_eq!(coarse.placement(0), Some(Placement::Vertex));
            assert_eq!(coarse.coordinates(1)[n - 1], 1.0);
        }
    }

    #[test]
    fn row_major_points_have_the_last_axis_fastest() {
        let domain = Domain::unit(2, false).unwrap();
        let grid = Grid::uniform(domain, &[(2, Placement::Left), (4, Placement::Center)]).unwrap();
        let mut point = [0.0; 2];
        grid.write_point(5, &mut point);
        assert_eq!(point, [0.5, 0.375]);
    }

    #[test]
    fn vertices_on_a_periodic_axis_are_a_duplicate() {
        let periodic = Domain::unit(1, true).unwrap();
        let err = Grid::cubic(periodic, 5, Placement::Vertex).unwrap_err();
        assert!(matches!(err, Error::DuplicatePoints { first: 0, second: 4, .. }), "{err}");
    }

    #[test]
    fn factor_shapes_are_all_ordered_products() {
        let mut shapes = factor_shapes(12, 2);
        shapes.sort();
        assert_eq!(shapes, [[1, 12], [2, 6], [3, 4], [4, 3], [6, 2], [12, 1]]);
        assert_eq!(factor_shapes(36, 3).len(), 36);
        assert!(factor_shapes(36, 3).iter().all(|s| s.iter().product::<usize>() == 36));
    }

    #[test]
    fn decreasing_coordinates_are_named() {
        let err =
            Grid::from_coordinates(Domain::unit(1, false).unwrap(), vec![vec![0.0, 0.5, 0.4]]).unwrap_err();
        assert_eq!(err.to_string(), "grid axis x: coordinates must increase, but entry 2 is 0.4 after 0.5");
    }
}
