//! Slices shared by the grid operators.

/// Rows `i − 1`, `i` (to be written) and `i + 1` of a row-major array with `n` columns.
pub(super) fn three_rows(z: &mut [f64], n: usize, i: usize) -> (&[f64], &mut [f64], &[f64]) {
    let (before, rest) = z.split_at_mut(i * n);
    let (here, after) = rest.split_at_mut(n);
    (&before[(i - 1) * n..], here, &after[..n])
}
