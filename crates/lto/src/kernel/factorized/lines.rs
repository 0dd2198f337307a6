//! Truncated discrete Fourier transforms of the lines of a grid along one axis, as matrix products: any size, computing only
//! the kept wavenumbers.
//!
//! The image of a state `[c, n0, n1]` is `[(real | imaginary) of every wavenumber, c, lines]`: wavenumbers come first, so that
//! channels are mixed by products of matrices, and lines come last along both axes, so that nothing is permuted.

use crate::kernel::spectral::axis::Axis;
use lto_numerics::matrix::{Matrix, multiply, multiply_strided};
use rayon::prelude::*;

/// A task should do this many multiplications.
const PRODUCTS_PER_TASK: usize = 2_000_000;

/// The transforms along every axis of a grid.
#[derive(Debug)]
pub struct Lines {
    grid: [usize; 2],
    axes: Vec<LineTransform>,
}

impl Lines {
    /// For a grid of one or two axes, each with its points and how many wavenumbers are kept, 0 the first.
    pub fn new(axes: &[(usize, usize)]) -> Self {
        let grid = [if axes.len() == 2 { axes[0].0 } else { 1 }, axes[axes.len() - 1].0];
        let transform = |(d, &(n, modes)): (usize, &(usize, usize))| {
            let is_last = d + 1 == axes.len();
            LineTransform::new(Axis::half(n, n, modes), grid[usize::from(!is_last)], is_last)
        };
        Self { grid, axes: axes.iter().enumerate().map(transform).collect() }
    }

    /// The grid `[n0, n1]`; `n0 = 1` in one dimension.
    pub fn grid(&self) -> [usize; 2] {
        self.grid
    }

    /// The transform along each axis.
    pub fn axes(&self) -> &[LineTransform] {
        &self.axes
    }
}

/// The transform `A` of all lines along one axis, and its transpose. With `D` the factors of the modes, `Aᵀ D A` keeps these
/// wavenumbers and drops all others.
#[derive(Debug)]
pub struct LineTransform {
    axis: Axis,
    /// Lines of a plane.
    lines: usize,
    /// Whether they run along the last array axis.
    is_last: bool,
    /// `[(cos | −sin) of every wavenumber, n]`.
    table: Vec<f32>,
    factors: Vec<f32>,
}

impl LineTransform {
    fn new(axis: Axis, lines: usize, is_last: bool) -> Self {
        let factors = axis.factors().map(|factor| factor as f32).collect();
        Self { lines, is_last, table: table(&axis), factors, axis }
    }

    /// The points and wavenumbers of a line.
    pub fn axis(&self) -> &Axis {
        &self.axis
    }

    /// Whether lines run along the last array axis.
    pub fn is_last(&self) -> bool {
        self.is_last
    }

    /// Lines of a plane.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// The factors `D` of the modes.
    pub fn factors(&self) -> &[f32] {
        &self.factors
    }

    /// Numbers in the image of a state of `channels` channels.
    pub fn image_len(&self, channels: usize) -> usize {
        2 * self.axis.modes() * channels * self.lines
    }

    /// `A x`: `[c, n0, n1]` → `[2 modes, c, lines]`.
    pub fn analyze(&self, x: &[f32], image: &mut [f32]) {
        let (n, lines) = (self.axis.points(), self.lines);
        let columns = x.len() / n;
        let rows = rows_per_task(2 * self.axis.modes(), columns * n);
        let tasks = image.par_chunks_mut(rows * columns).zip(self.table.par_chunks(rows * n));
        tasks.for_each(|(image, table)| {
            let table = Matrix::new(table, table.len() / n, n);
            if self.is_last {
                return multiply(table, Matrix::new(x, columns, n).transposed(), image, false);
            }
            for (i, plane) in x.chunks_exact(n * lines).enumerate() {
                let image = &mut image[i * lines..];
                multiply_strided(table, Matrix::new(plane, n, lines), image, columns, false);
            }
        });
    }

    /// `y = Aᵀ image`, or `y += Aᵀ image`: `[2 modes, c, lines]` → `[c, n0, n1]`.
    pub fn synthesize(&self, image: &[f32], y: &mut [f32], accumulate: bool) {
        let (n, lines, rows) = (self.axis.points(), self.lines, 2 * self.axis.modes());
        let columns = y.len() / n;
        let planes = rows_per_task(columns / lines, rows * lines * n);
        let table = Matrix::new(&self.table, rows, n);
        y.par_chunks_mut(planes * lines * n).enumerate().for_each(|(i, y)| {
            let first = i * planes * lines;
            if self.is_last {
                let image = Matrix::strided(&image[first..], rows, y.len() / n, columns);
                return multiply(image.transposed(), table, y, accumulate);
            }
            for (i, plane) in y.chunks_exact_mut(n * lines).enumerate() {
                let image = Matrix::strided(&image[first + i * lines..], rows, lines, columns);
                multiply(table.transposed(), image, plane, accumulate);
            }
        });
    }
}

/// `[(cos | −sin) of every wavenumber, n]`.
fn table(axis: &Axis) -> Vec<f32> {
    let (points, angle) = (0..axis.points(), axis.angles());
    let rows = (0..axis.modes()).flat_map(|k| {
        let (cos, sin): (Vec<f32>, Vec<f32>) = points.clone().map(|j| angle(k, j)).unzip();
        [cos, sin.into_iter().map(|sin| -sin).collect()]
    });
    rows.flatten().collect()
}

/// How many of `rows` rows of a product a task does, each of `products` multiplications.
fn rows_per_task(rows: usize, products: usize) -> usize {
    let tasks = (rows * products / PRODUCTS_PER_TASK).clamp(1, rayon::current_num_threads());
    rows.div_ceil(tasks)
}
