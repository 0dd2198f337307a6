//! Symmetric positive definite systems of a few hundred unknowns.

use super::dot;

/// The Cholesky factor L of a positive definite matrix, in place of its lower triangle.
pub fn factorize(a: &mut [f64], n: usize) {
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * n);
        for j in 0..i {
            row[j] = (row[j] - dot(&row[..j], &above[j * n..j * n + j])) / above[j * n + j];
        }
        // Something on the diagonal keeps pivots positive; rounding must not make a root of a negative number.
        row[i] = (row[i] - dot(&row[..i], &row[..i])).max(f64::MIN_POSITIVE).sqrt();
    }
}

/// L⁻ᵀ L⁻¹ y.
pub fn substitute(lower: &[f64], n: usize, y: &[f64]) -> Vec<f64> {
    let mut x = y.to_vec();
    for i in 0..n {
        x[i] = (x[i] - dot(&lower[i * n..i * n + i], &x[..i])) / lower[i * n + i];
    }
    for i in (0..n).rev() {
        x[i] /= lower[i * n + i];
        let known = x[i];
        (0..i).for_each(|j| x[j] -= lower[i * n + j] * known);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: [[4, 2], [2, 5]] x = [8, 12] has x = [1, 2].
    #[test]
    fn equations_are_solved() {
        let mut lower = vec![4.0, 0.0, 2.0, 5.0];
        factorize(&mut lower, 2);
        assert_eq!((lower[0], lower[2], lower[3]), (2.0, 1.0, 2.0));
        assert_eq!(substitute(&lower, 2, &[8.0, 12.0]), [1.0, 2.0]);
    }
}
