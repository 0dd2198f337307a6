//! Fourier transforms of band-limited fields on an n × n periodic grid: only the columns that de-aliasing keeps
//! are transformed, and the row transforms, the pointwise work between them and both transpositions share one
//! small block that stays in the first-level cache.

use rustfft::num_complex::Complex64;
use rustfft::{Fft, FftPlanner};
use std::sync::Arc;

/// Grid rows handled together: eight complex numbers are two cache lines of a column.
const BLOCK: usize = 8;

/// Transforms between an n × n grid `[x, y]` and the modes |k_x|, |k_y| ≤ `cutoff`.
///
/// Modes live in [`Buffers::columns`], `[2 cutoff + 1, n]`: one column per k_y (0, 1, …, cutoff, −cutoff, …, −1),
/// with k_x along it in the usual order of an n-point transform.
pub(super) struct BandTransform {
    n: usize,
    cutoff: usize,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
}

/// The working memory of one [`BandTransform`] user.
pub(super) struct Buffers {
    /// The modes; see [`BandTransform`].
    pub columns: Vec<Complex64>,
    rows: Vec<Complex64>,
    scratch: Vec<Complex64>,
}

impl BandTransform {
    /// Transforms for an n × n grid with the largest `cutoff` for which products of two fields are free of
    /// aliasing: 3 cutoff < n.
    pub fn new(n: usize) -> Self {
        let mut planner = FftPlanner::new();
        let cutoff = n.saturating_sub(1) / 3;
        Self { n, cutoff, forward: planner.plan_fft_forward(n), inverse: planner.plan_fft_inverse(n) }
    }

    /// Grid points along each axis.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Largest wavenumber kept along each axis.
    pub fn cutoff(&self) -> usize {
        self.cutoff
    }

    /// Number of wavenumbers kept along each axis, 2 cutoff + 1.
    pub fn width(&self) -> usize {
        2 * self.cutoff + 1
    }

    /// Fresh working memory, all zero.
    pub fn buffers(&self) -> Buffers {
        let zero = Complex64::default();
        let scratch = self.forward.get_inplace_scratch_len().max(self.inverse.get_inplace_scratch_len());
        Buffers {
            columns: vec![zero; self.width() * self.n],
            rows: vec![zero; BLOCK * self.n],
            scratch: vec![zero; scratch],
        }
    }

    /// Modes → grid → `pointwise` on each grid row → modes. Unnormalized: the identity gives n² times the modes.
    /// Entries of the columns beyond the cutoff must be zero before and are undefined after.
    pub fn map_on_grid(&self, buffers: &mut Buffers, mut pointwise: impl FnMut(&mut [Complex64])) {
        let Buffers { columns, rows, scratch } = buffers;
        self.inverse.process_with_scratch(columns, scratch);
        for x in (0..self.n).step_by(BLOCK) {
            let block = &mut rows[..BLOCK.min(self.n - x) * self.n];
            self.gather(columns, x, block);
            self.inverse.process_with_scratch(block, scratch);
            pointwise(block);
            self.forward.process_with_scratch(block, scratch);
            self.scatter(block, x, columns);
        }
        self.forward.process_with_scratch(columns, scratch);
    }

    /// Modes → grid: the real part of the field, row-major `[x, y]`, into `values`.
    pub fn synthesize(&self, buffers: &mut Buffers, values: &mut [f64]) {
        let Buffers { columns, rows, scratch } = buffers;
        self.inverse.process_with_scratch(columns, scratch);
        for (block_index, out) in values.chunks_mut(BLOCK * self.n).enumerate() {
            let block = &mut rows[..out.len()];
            self.gather(columns, block_index * BLOCK, block);
            self.inverse.process_with_scratch(block, scratch);
            out.iter_mut().zip(block).for_each(|(out, z)| *out = z.re);
        }
    }

    /// Grid → modes, unnormalized: n² times the modes of the real field `values`, row-major `[x, y]`.
    pub fn analyze(&self, values: &[f64], buffers: &mut Buffers) {
        let Buffers { columns, rows, scratch } = buffers;
        for (block_index, values) in values.chunks(BLOCK * self.n).enumerate() {
            let block = &mut rows[..values.len()];
            block.iter_mut().zip(values).for_each(|(z, &value)| *z = Complex64::new(value, 0.0));
            self.forward.process_with_scratch(block, scratch);
            self.scatter(block, block_index * BLOCK, columns);
        }
        self.forward.process_with_scratch(columns, scratch);
    }

    /// Columns at x, x + 1, … → rows, with zeros beyond the cutoff.
    fn gather(&self, columns: &[Complex64], x: usize, block: &mut [Complex64]) {
        let n_rows = block.len() / self.n;
        for row in block.chunks_exact_mut(self.n) {
            row[self.cutoff + 1..self.n - self.cutoff].fill(Complex64::default());
        }
        for (column, y) in columns.chunks_exact(self.n).zip(self.row_positions()) {
            for (b, &value) in column[x..x + n_rows].iter().enumerate() {
                block[b * self.n + y] = value;
            }
        }
    }

    /// The kept entries of rows x, x + 1, … → columns.
    fn scatter(&self, block: &[Complex64], x: usize, columns: &mut [Complex64]) {
        let n_rows = block.len() / self.n;
        for (column, y) in columns.chunks_exact_mut(self.n).zip(self.row_positions()) {
            for (b, value) in column[x..x + n_rows].iter_mut().enumerate() {
                *value = block[b * self.n + y];
            }
        }
    }

    /// The position of each column's wavenumber in a row of n.
    fn row_positions(&self) -> impl Iterator<Item = usize> + use<> {
        (0..=self.cutoff).chain(self.n - self.cutoff..self.n)
    }
}
