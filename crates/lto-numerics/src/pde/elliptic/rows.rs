//! Slices and sums shared by the grid operators.

/// Rows `i − 1`, `i` (to be written) and `i + 1` of a row-major array with `n` columns.
pub(super) fn three_rows(z: &mut [f64], n: usize, i: usize) -> (&[f64], &mut [f64], &[f64]) {
    let (before, rest) = z.split_at_mut(i * n);
    let (here, after) = rest.split_at_mut(n);
    (&before[(i - 1) * n..], here, &after[..n])
}

/// `a · b` in eight independent partial sums, so that it runs in vector registers.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}
