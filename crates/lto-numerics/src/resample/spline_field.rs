//! A field on a grid as a smooth function of the place: a C² tensor-product spline with its slopes.

use super::cubic::{MIN_POINTS, System, curvatures};
use crate::domain::Axis;
use crate::error::{Error, Result};
use crate::field::Field;
use crate::lines::map_lines;

/// The cubic spline through the values of a field on one or two axes (periodic, or not-a-knot): fourth order
/// for smooth fields, at most ½Mh² off (¾Mh² on an open axis) for curvature M, and exact at the grid points. An open axis ends at its bounds: places beyond have the value at the bound.
#[derive(Clone, Debug)]
pub struct SplineField {
    /// Two axes; the first is trivial in one dimension.
    axes: [Knots; 2],
    dim: usize,
    n_channels: usize,
    /// `[channel, point, 4]`: u, ∂₀²u, ∂₁²u and ∂₀²∂₁²u.
    nodes: Vec<[f64; 4]>,
}

/// The points along one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Knots {
    /// `None` for the trivial axis.
    axis: Option<Axis>,
    points: Vec<f64>,
    intervals: Vec<f64>,
}

/// Where a place lies along one axis: the ends of its interval, and the weights of their values and second
/// derivatives, for the spline and for its slope.
struct At {
    ends: [usize; 2],
    weights: [[f64; 2]; 2],
    slopes: [[f64; 2]; 2],
}

impl SplineField {
    /// The spline through a field.
    ///
    /// # Errors
    /// More than two axes, or fewer than four points along one of them.
    pub fn new(field: &Field) -> Result<Self> {
        let (grid, dim) = (field.grid(), field.grid().dim());
        if dim > 2 {
            return Err(Error::Mismatch { what: "axes of a spline, at most".into(), expected: 2, got: dim });
        }
        let mut axes = [Knots::trivial(), Knots::trivial()];
        for (d, knots) in axes[2 - dim..].iter_mut().enumerate() {
            *knots = Knots::new(&grid.domain().axes()[d], grid.coordinates(d))?;
        }
        let shape = [field.n_channels(), axes[0].points.len(), axes[1].points.len()];
        let along = |values: &[f64], d: usize| axes[d].curvatures_of(values, &shape, d + 1);
        let u = field.values();
        let (first, second) = (along(u, 0), along(u, 1));
        let both = along(&first, 1);
        let nodes = (0..u.len()).map(|i| [u[i], first[i], second[i], both[i]]).collect();
        Ok(Self { n_channels: field.n_channels(), dim, nodes, axes })
    }

    /// Number of channels.
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// The points along its axes.
    pub fn knots(&self) -> &[Knots] {
        &self.axes[2 - self.dim..]
    }

    /// The values that it goes through, `[channel, point]`.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.nodes.iter().map(|node| node[0])
    }

    /// The last `n` channels alone.
    pub fn last_channels(&self, n: usize) -> Self {
        let each = self.nodes.len() / self.n_channels;
        Self { n_channels: n, nodes: self.nodes[(self.n_channels - n) * each..].to_vec(), ..self.clone() }
    }

    /// Writes the values at a place, and the slopes `[channel, axis]` unless that slice is empty.
    pub fn write(&self, place: &[f64], values: &mut [f64], slopes: &mut [f64]) {
        let trivial = 2 - self.dim;
        let at = [0, 1].map(|d| self.axes[d].at(if d < trivial { 0.0 } else { place[d - trivial] }));
        let n1 = self.axes[1].points.len();
        let size = self.nodes.len() / self.n_channels;
        let channels = self.nodes.chunks_exact(size).zip(values).enumerate();
        for (channel, (nodes, value)) in channels {
            let node = |a: usize, b: usize| &nodes[at[0].ends[a] * n1 + at[1].ends[b]];
            let sum = |w0: &[[f64; 2]; 2], w1: &[[f64; 2]; 2]| {
                let mut sum = 0.0;
                for (a, w0) in w0.iter().enumerate() {
                    for (b, w1) in w1.iter().enumerate() {
                        let [u, m0, m1, m] = *node(a, b);
                        sum += w1[0] * (w0[0] * u + w0[1] * m0) + w1[1] * (w0[0] * m1 + w0[1] * m);
                    }
                }
                sum
            };
            *value = sum(&at[0].weights, &at[1].weights);
            if !slopes.is_empty() {
                let slopes = &mut slopes[channel * self.dim..(channel + 1) * self.dim];
                slopes[self.dim - 1] = sum(&at[0].weights, &at[1].slopes);
                if self.dim == 2 {
                    slopes[0] = sum(&at[0].slopes, &at[1].weights);
                }
            }
        }
    }
}

impl Knots {
    /// The points.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// Lengths of the intervals between them; on a periodic axis also of the one that closes the circle.
    pub fn intervals(&self) -> &[f64] {
        &self.intervals
    }

    /// The matrix that makes second derivatives of values: `M_i = Σ_j C_ij u_j` at the points of the spline through u.
    ///
    /// # Shapes
    /// `[n, n]`, row-major.
    pub fn curvatures(&self) -> Vec<f64> {
        let n = self.points.len();
        let one: Vec<f64> = (0..n * n).map(|i| if i / n == i % n { 1.0 } else { 0.0 }).collect();
        self.curvatures_of(&one, &[n, n], 0)
    }

    /// Second derivatives of the splines through all lines of `values` along axis `d`; zero along the trivial one.
    ///
    /// # Shapes
    /// As `values`, which are `shape`, row-major.
    fn curvatures_of(&self, values: &[f64], shape: &[usize], d: usize) -> Vec<f64> {
        let Some(axis) = &self.axis else { return vec![0.0; values.len()] };
        let system = System::new(axis, &self.intervals);
        map_lines(values, shape, d, shape[d], |line, m| curvatures(&system, &self.intervals, line, m))
    }

    fn trivial() -> Self {
        Self { axis: None, points: vec![0.0], intervals: Vec::new() }
    }

    fn new(axis: &Axis, points: &[f64]) -> Result<Self> {
        if points.len() < MIN_POINTS {
            let reason = format!("a spline needs at least {MIN_POINTS} points, there are {}", points.len());
            return Err(Error::Resample { method: "cubic", axis: axis.name.clone(), reason });
        }
        let mut intervals: Vec<f64> = points.windows(2).map(|pair| pair[1] - pair[0]).collect();
        if axis.periodic {
            intervals.push(axis.length() - (points[points.len() - 1] - points[0]));
        }
        Ok(Self { axis: Some(axis.clone()), points: points.into(), intervals })
    }

    fn at(&self, x: f64) -> At {
        let Some(axis) = &self.axis else {
            return At { ends: [0, 0], weights: [[1.0, 0.0], [0.0; 2]], slopes: [[0.0; 2]; 2] };
        };
        let (n, first) = (self.points.len(), self.points[0]);
        let inside = if axis.periodic {
            first + (x - first).rem_euclid(axis.length())
        } else {
            x.clamp(axis.lower, axis.upper)
        };
        let i = self.interval(inside);
        let h = self.intervals[i];
        let right = (inside - self.points[i]) / h;
        let left = 1.0 - right;
        let curvature = |w: f64| (w * w * w - w) * h * h / 6.0;
        let slope = |w: f64| (3.0 * w * w - 1.0) * h / 6.0;
        let moves = if axis.periodic || inside == x { 1.0 } else { 0.0 };
        At {
            ends: [i, (i + 1) % n],
            weights: [[left, curvature(left)], [right, curvature(right)]],
            slopes: [[-moves / h, -moves * slope(left)], [moves / h, moves * slope(right)]],
        }
    }

    /// The interval of a place; the outermost ones reach to the bounds. A guess that is right on uniform axes
    /// saves the search.
    fn interval(&self, x: f64) -> usize {
        let most = self.intervals.len() - 1;
        let holds = |i: usize| {
            (i == 0 || self.points[i] <= x) && self.points.get(i + 1).is_none_or(|&end| i == most || x < end)
        };
        let guess = (((x - self.points[0]) / self.intervals[0]).max(0.0) as usize).min(most);
        if holds(guess) {
            return guess;
        }
        self.points.partition_point(|&y| y <= x).saturating_sub(1).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Domain, Grid, Placement};
    use std::f64::consts::TAU;
    use std::sync::Arc;

    fn wave(x: &[f64]) -> f64 {
        (TAU * x[0] + 0.3).sin() * x.get(1).map_or(1.0, |y| (TAU * y).cos())
    }

    fn spline(dim: usize, periodic: bool, n: usize) -> SplineField {
        let placement = if periodic { Placement::Left } else { Placement::Vertex };
        let grid = Grid::cubic(Domain::unit(dim, periodic).unwrap(), n, placement).unwrap();
        SplineField::new(&Field::from_fn(Arc::new(grid), wave)).unwrap()
    }

    fn at(spline: &SplineField, x: &[f64]) -> (f64, Vec<f64>) {
        let (mut value, mut slopes) = ([0.0], vec![0.0; x.len()]);
        spline.write(x, &mut value, &mut slopes);
        (value[0], slopes)
    }

    /// Fourth order in the spacing, on periodic and open axes, in one and two dimensions; the slopes are those
    /// of the spline.
    #[test]
    fn is_of_fourth_order_and_knows_its_slopes() {
        for dim in 1..=2 {
            for periodic in [true, false] {
                let places: Vec<Vec<f64>> = (1..40)
                    .map(|i| (0..dim).map(|d| (0.317 * f64::from(i) + 0.11 * d as f64).fract()).collect())
                    .collect();
                let error = |n| {
                    let spline = spline(dim, periodic, n);
                    let off = places.iter().map(|x| (at(&spline, x).0 - wave(x)).abs());
                    off.fold(0.0, f64::max)
                };
                let order = (error(16) / error(32)).log2();
                assert!(order > 3.4, "{dim} {periodic}: {order}");
                let spline = spline(dim, periodic, 12);
                for x in &places {
                    for d in 0..dim {
                        let moved = |h: f64| {
                            let mut x = x.clone();
                            x[d] += h;
                            at(&spline, &x).0
                        };
                        let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                        assert!((slope - at(&spline, x).1[d]).abs() < 1e-6, "{dim} {periodic} {x:?}");
                    }
                }
            }
        }
    }

    /// What docs/theory.md proves: |û − u| ≤ C M h² with C = ½ on a periodic axis and ¾ on an open one, however coarse the
    /// grid; on two axes the second counts 2.5 times. Values that differ by at most 1 give splines that differ by at most
    /// 2.5 on a periodic axis.
    #[test]
    fn errors_stay_below_the_curvature_times_the_squared_spacing() {
        let mut closest = 0.0f64;
        for (periodic, share) in [(true, 0.5), (false, 0.75)] {
            for (n, waves) in [(5, 1.0), (5, 2.0), (8, 3.0), (16, 2.0), (16, 7.0)] {
                for dim in 1..=2 {
                    let placement = if periodic { Placement::Left } else { Placement::Vertex };
                    let grid = Grid::cubic(Domain::unit(dim, periodic).unwrap(), n, placement).unwrap();
                    let h = 1.0 / if periodic { n as f64 } else { n as f64 - 1.0 };
                    let u = |x: &[f64]| x.iter().map(|x| (TAU * waves * x + 0.4).sin()).product::<f64>();
                    let spline = SplineField::new(&Field::from_fn(Arc::new(grid), u)).unwrap();
                    // Along an axis |∂²u| ≤ (2π waves)².
                    let bound = share * (TAU * waves * h).powi(2) * if dim == 2 { 3.5 } else { 1.0 };
                    for i in 0..200 {
                        let x: Vec<f64> =
                            (0..dim).map(|d| (0.0731 * f64::from(i) + 0.4 * d as f64).fract()).collect();
                        let error = (at(&spline, &x).0 - u(&x)).abs();
                        assert!(error <= bound, "{periodic} {n} {waves} {dim}: {error} above {bound}");
                        closest = closest.max(error / bound);
                    }
                }
            }
        }
        assert!(closest > 0.15, "the bound is not empty: {closest}");
        let grid = Arc::new(Grid::cubic(Domain::unit(1, true).unwrap(), 8, Placement::Left).unwrap());
        let signs = |i: usize| (0..8).map(|j| if i >> j & 1 == 1 { 1.0 } else { -1.0 }).collect();
        let largest = (0..256).flat_map(|i| {
            let spline = SplineField::new(&Field::new(grid.clone(), 1, signs(i)).unwrap()).unwrap();
            (0..32).map(move |k| at(&spline, &[f64::from(k) / 32.0]).0.abs())
        });
        let largest = largest.fold(0.0, f64::max);
        assert!((1.3..=2.5).contains(&largest), "{largest}");
    }

    #[test]
    fn periodic_axes_wrap_and_open_ones_end() {
        let (circle, line) = (spline(1, true, 16), spline(1, false, 16));
        for x in [-0.3, 1.2, 3.7] {
            assert!((at(&circle, &[x]).0 - at(&circle, &[x.rem_euclid(1.0)]).0).abs() < 1e-12);
            assert_eq!(at(&line, &[x]), (at(&line, &[x.clamp(0.0, 1.0)]).0, vec![0.0]));
        }
    }

    #[test]
    fn grid_points_keep_their_values_on_any_coordinates() {
        let axis = Axis::new("x", 0.0, 2.0, false);
        let grid =
            Grid::from_coordinates(Domain::new(vec![axis]).unwrap(), vec![vec![0.1, 0.2, 0.7, 1.1, 1.9]])
                .unwrap();
        let field = Field::from_fn(Arc::new(grid.clone()), wave);
        let spline = SplineField::new(&field).unwrap();
        for (x, u) in grid.coordinates(0).iter().zip(field.values()) {
            assert!((at(&spline, &[*x]).0 - u).abs() < 1e-14);
        }
        assert!(
            SplineField::new(&Field::from_fn(
                Arc::new(Grid::cubic(Domain::unit(1, true).unwrap(), 3, Placement::Left).unwrap()),
                wave
            ))
            .is_err()
        );
    }
}
