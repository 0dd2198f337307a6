//! Truncated discrete Fourier transforms of planes, as matrix products: any size, computing only the kept
//! wavenumbers.

use super::axis::Axis;
use crate::kernel::scratch::Scratch;
use lto_numerics::matrix::{Matrix, multiply};
use rayon::prelude::*;

/// A group of planes should have this many numbers: it then stays in the second-level cache.
const GROUP_LEN: usize = 64 * 1024;

/// The transform `A` of real planes `[n0, n1]` to the kept wavenumbers, `[real | imaginary, modes0, modes1]`, and its
/// transpose. With `D` the factors of the modes, `Aᵀ D A` keeps these wavenumbers and drops all others.
#[derive(Debug)]
pub struct Transform {
    first: Axis,
    last: Axis,
    /// `[n1, (cos | −sin) modes1]`.
    along_last: Vec<f32>,
    /// `[(cos | sin) sizes, n0]` of the sizes of the wavenumbers; empty where the first axis has one point.
    along_first: Vec<f32>,
    /// For every wavenumber of the first axis the place of its size and its sign.
    folds: Vec<(usize, f32)>,
    factors: Vec<f32>,
}

impl Transform {
    /// Tables for planes on these axes.
    pub fn new(first: Axis, last: Axis) -> Self {
        let (along_last, (along_first, folds)) = (along_last(&last), along_first(&first));
        let columns: Vec<f64> = last.factors().collect();
        let factors = first.factors().flat_map(|a| columns.iter().map(move |b| (a * b) as f32)).collect();
        Self { first, last, along_last, along_first, folds, factors }
    }

    /// Number of modes K, dropped ones included.
    pub fn modes(&self) -> usize {
        self.factors.len()
    }

    /// The grid `[n0, n1]`.
    pub fn grid(&self) -> [usize; 2] {
        [self.first.points(), self.last.points()]
    }

    /// The axes.
    pub fn axes(&self) -> [&Axis; 2] {
        [&self.first, &self.last]
    }

    /// The factors `D` of the modes.
    pub fn factors(&self) -> &[f32] {
        &self.factors
    }

    /// `A` of every plane: `[planes, n0, n1]` → `[planes, 2, K]`.
    pub fn analyze(&self, x: &[f32]) -> Vec<f32> {
        let [n0, n1] = self.grid();
        let (m1, modes) = (self.last.modes(), self.modes());
        let planes = x.len() / (n0 * n1);
        let group = self.group(planes);
        let mut image = vec![0.0; planes * 2 * modes];
        image.par_chunks_mut(group * 2 * modes).zip(x.par_chunks(group * n0 * n1)).for_each(|(image, x)| {
            let rows = x.len() / n1;
            let table = Matrix::new(&self.along_last, n1, 2 * m1);
            if self.along_first.is_empty() {
                return multiply(Matrix::new(x, rows, n1), table, image, false);
            }
            let sizes = self.along_first.len() / n0;
            let mut scratch = Scratch::new((rows + sizes) * 2 * m1);
            let (half, products) = scratch.get().split_at_mut(rows * 2 * m1);
            multiply(Matrix::new(x, rows, n1), table, half, false);
            let table = Matrix::new(&self.along_first, sizes, n0);
            for (image, half) in image.chunks_exact_mut(2 * modes).zip(half.chunks_exact(n0 * 2 * m1)) {
                multiply(table, Matrix::new(half, n0, 2 * m1), products, false);
                self.unfold(products, image);
            }
        });
        image
    }

    /// `y += Aᵀ` of every plane, `[planes, 2, K]` → `[planes, n0, n1]`; then `finish(first plane, planes of y)` on groups
    /// of planes while they are in the cache.
    pub fn add_synthesis(&self, image: &[f32], y: &mut [f32], finish: impl Fn(usize, &mut [f32]) + Sync) {
        let [n0, n1] = self.grid();
        let (m1, modes) = (self.last.modes(), self.modes());
        let group = self.group(y.len() / (n0 * n1));
        let groups = y.par_chunks_mut(group * n0 * n1).zip(image.par_chunks(group * 2 * modes));
        groups.enumerate().for_each(|(i, (y, image))| {
            let rows = y.len() / n1;
            let table = Matrix::new(&self.along_last, n1, 2 * m1).transposed();
            if self.along_first.is_empty() {
                multiply(Matrix::new(image, rows, 2 * m1), table, y, true);
            } else {
                let sizes = self.along_first.len() / n0;
                let mut scratch = Scratch::new((rows + sizes) * 2 * m1);
                let (half, products) = scratch.get().split_at_mut(rows * 2 * m1);
                let along_first = Matrix::new(&self.along_first, sizes, n0).transposed();
                for (image, half) in image.chunks_exact(2 * modes).zip(half.chunks_exact_mut(n0 * 2 * m1)) {
                    self.fold(image, products);
                    multiply(along_first, Matrix::new(products, sizes, 2 * m1), half, false);
                }
                multiply(Matrix::new(half, rows, 2 * m1), table, y, true);
            }
            finish(i * group, y);
        });
    }

    /// From `Σ_j (a + ib) cos θ` and `Σ_j (a + ib) sin θ` for every size of wavenumber, `[(cos | sin) sizes, (a | b) modes1]`,
    /// to `Σ_j (a + ib) e^{∓iθ}` for every wavenumber.
    fn unfold(&self, products: &[f32], image: &mut [f32]) {
        let m1 = self.last.modes();
        let (cosines, sines) = products.split_at(products.len() / 2);
        let (real, imaginary) = image.split_at_mut(image.len() / 2);
        let rows = real.chunks_exact_mut(m1).zip(imaginary.chunks_exact_mut(m1));
        for (&(place, sign), (real, imaginary)) in self.folds.iter().zip(rows) {
            let (cos, sin) = (&cosines[place * 2 * m1..][..2 * m1], &sines[place * 2 * m1..][..2 * m1]);
            for k in 0..m1 {
                real[k] = cos[k] + sign * sin[m1 + k];
                imaginary[k] = cos[m1 + k] - sign * sin[k];
            }
        }
    }

    /// The transpose of [`Transform::unfold`].
    fn fold(&self, image: &[f32], products: &mut [f32]) {
        let m1 = self.last.modes();
        products.fill(0.0);
        let (cosines, sines) = products.split_at_mut(products.len() / 2);
        let (real, imaginary) = image.split_at(image.len() / 2);
        let rows = real.chunks_exact(m1).zip(imaginary.chunks_exact(m1));
        for (&(place, sign), (real, imaginary)) in self.folds.iter().zip(rows) {
            let cos = &mut cosines[place * 2 * m1..][..2 * m1];
            let sin = &mut sines[place * 2 * m1..][..2 * m1];
            for k in 0..m1 {
                cos[k] += real[k];
                cos[m1 + k] += imaginary[k];
                sin[k] -= sign * imaginary[k];
                sin[m1 + k] += sign * real[k];
            }
        }
    }

    /// Planes done together: few enough for the cache and for all threads to have some.
    fn group(&self, planes: usize) -> usize {
        let [n0, n1] = self.grid();
        let cached = (GROUP_LEN / (n0 * n1)).max(1);
        planes.div_ceil(4 * rayon::current_num_threads()).clamp(1, cached)
    }
}

/// `[n, (cos | −sin) modes]`.
fn along_last(axis: &Axis) -> Vec<f32> {
    let (modes, angle) = (axis.modes(), axis.angles());
    let mut table = vec![0.0; axis.points() * 2 * modes];
    for (j, row) in table.chunks_exact_mut(2 * modes).enumerate() {
        for k in 0..modes {
            let (cos, sin) = angle(k, j);
            (row[k], row[modes + k]) = (cos, -sin);
        }
    }
    table
}

/// `[(cos | sin) sizes, n]` and the folds; no table for a single point, where it would be the identity.
fn along_first(axis: &Axis) -> (Vec<f32>, Vec<(usize, f32)>) {
    let (n, (sizes, folds), angle) = (axis.points(), axis.folded(), axis.circle());
    if n * axis.modes() == 1 {
        return (Vec::new(), folds);
    }
    let angles = || sizes.iter().flat_map(|&k| (0..n).map(move |j| (k, j))).map(|(k, j)| angle(k, j));
    let table = angles().map(|(cos, _)| cos).chain(angles().map(|(_, sin)| sin)).collect();
    (table, folds)
}
