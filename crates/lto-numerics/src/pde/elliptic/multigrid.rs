//! One multigrid V-cycle: the preconditioner of the conjugate gradients in [`super::solve`].

use super::five_point::FivePoint;
use super::nine_point::NinePoint;

/// The level matrices of one coefficient with their work vectors.
pub(super) struct Multigrid {
    finest: FivePoint,
    levels: Vec<Level>,
    residual: Vec<f64>,
    scratch: Vec<f64>,
}

/// A coarse level: its matrix, right-hand side, correction and residual.
struct Level {
    matrix: NinePoint,
    r: Vec<f64>,
    z: Vec<f64>,
    residual: Vec<f64>,
}

impl Multigrid {
    /// Coarsens down to a single interior vertex, where a Gauss–Seidel sweep is an exact solve.
    pub(super) fn new(finest: FivePoint) -> Self {
        let n = finest.n();
        let mut levels: Vec<Level> = Vec::new();
        if n > 3 {
            levels.push(Level::new(NinePoint::from_finest(&finest)));
        }
        while let Some(last) = levels.last().filter(|level| level.matrix.n() > 3) {
            let coarser = last.matrix.coarsened();
            levels.push(Level::new(coarser));
        }
        Self { finest, levels, residual: vec![0.0; n * n], scratch: vec![0.0; n] }
    }

    /// The matrix of the finest level.
    pub(super) fn finest(&self) -> &FivePoint {
        &self.finest
    }

    /// `z ≈ A⁻¹ r`, a fixed symmetric positive definite map: red then black Gauss–Seidel, the coarser levels,
    /// black then red.
    pub(super) fn precondition(&mut self, r: &[f64], z: &mut [f64]) {
        let Self { finest, levels, residual, scratch } = self;
        finest.smooth_color_from_zero(0, r, z);
        finest.smooth_color(1, r, z, scratch);
        if let Some((first, _)) = levels.split_first_mut() {
            finest.residual(r, z, residual);
            restrict(residual, finest.n(), &mut first.r, first.matrix.n());
            v_cycle(levels, scratch);
            prolong_add(&levels[0].z, levels[0].matrix.n(), z, finest.n());
        }
        finest.smooth_color(1, r, z, scratch);
        finest.smooth_color(0, r, z, scratch);
    }
}

impl Level {
    fn new(matrix: NinePoint) -> Self {
        let zeros = || vec![0.0; matrix.n() * matrix.n()];
        Self { r: zeros(), z: zeros(), residual: zeros(), matrix }
    }
}

/// Solves the first level approximately; the others are coarser.
fn v_cycle(levels: &mut [Level], scratch: &mut [f64]) {
    let Some((level, coarser)) = levels.split_first_mut() else { return };
    let Level { matrix, r, z, residual } = level;
    matrix.smooth_forward_from_zero(r, z, scratch);
    let Some(next) = coarser.first_mut() else { return };
    matrix.residual(r, z, residual);
    restrict(residual, matrix.n(), &mut next.r, next.matrix.n());
    v_cycle(coarser, scratch);
    prolong_add(&coarser[0].z, coarser[0].matrix.n(), z, matrix.n());
    matrix.smooth_backward(r, z, scratch);
}

/// `coarse = Pᵀ fine`.
fn restrict(fine: &[f64], n: usize, coarse: &mut [f64], coarse_n: usize) {
    for row in 1..coarse_n - 1 {
        let rows = &fine[(2 * row - 1) * n..(2 * row + 2) * n];
        let (above, rest) = rows.split_at(n);
        let (here, below) = rest.split_at(n);
        let sum = |j: usize| here[j] + 0.5 * (above[j] + below[j]);
        for (column, value) in coarse[row * coarse_n..(row + 1) * coarse_n].iter_mut().enumerate() {
            if (1..coarse_n - 1).contains(&column) {
                let j = 2 * column;
                *value = sum(j) + 0.5 * (sum(j - 1) + sum(j + 1));
            }
        }
    }
}

/// `fine += P coarse`: bilinear interpolation.
fn prolong_add(coarse: &[f64], coarse_n: usize, fine: &mut [f64], n: usize) {
    for i in 1..n - 1 {
        let above = &coarse[i / 2 * coarse_n..];
        let below = &coarse[i.div_ceil(2) * coarse_n..];
        let mean = |column: usize| 0.5 * (above[column] + below[column]);
        let mut left = mean(0);
        let row = &mut fine[i * n..(i + 1) * n - 1];
        for (column, pair) in row[1..].chunks_mut(2).enumerate() {
            let right = mean(column + 1);
            pair[0] += 0.5 * (left + right);
            if let Some(value) = pair.get_mut(1) {
                *value += right;
            }
            left = right;
        }
    }
}
