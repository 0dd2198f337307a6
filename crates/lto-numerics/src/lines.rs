//! One-dimensional operations along one axis of a row-major array.

/// Applies `operation(line, result)` to every line of `values` along `axis`: lines of `shape[axis]` entries
/// become lines of `new_length`.
///
/// # Shapes
/// `values` is `shape`, row-major; the result is `shape` with entry `axis` replaced by `new_length`.
pub(crate) fn map_lines<T: Copy + Default>(
    values: &[T],
    shape: &[usize],
    axis: usize,
    new_length: usize,
    mut operation: impl FnMut(&[T], &mut [T]),
) -> Vec<T> {
    let length = shape[axis];
    let stride: usize = shape[axis + 1..].iter().product();
    let blocks: usize = shape[..axis].iter().product();
    let mut mapped = vec![T::default(); blocks * new_length * stride];
    let mut line = vec![T::default(); length];
    let mut result = vec![T::default(); new_length];
    for (block, mapped) in
        values.chunks_exact(length * stride).zip(mapped.chunks_exact_mut(new_length * stride))
    {
        for offset in 0..stride {
            for (entry, &value) in line.iter_mut().zip(block[offset..].iter().step_by(stride)) {
                *entry = value;
            }
            operation(&line, &mut result);
            for (value, &entry) in mapped[offset..].iter_mut().step_by(stride).zip(&result) {
                *value = entry;
            }
        }
    }
    mapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_run_along_the_axis_and_may_change_length() {
        let values: Vec<i32> = (0..12).collect(); // shape [2, 3, 2]
        let sums = |line: &[i32], result: &mut [i32]| result[0] = line.iter().sum();
        assert_eq!(map_lines(&values, &[2, 3, 2], 0, 1, sums), [6, 8, 10, 12, 14, 16]);
        assert_eq!(map_lines(&values, &[2, 3, 2], 1, 1, sums), [6, 9, 24, 27]);
        assert_eq!(map_lines(&values, &[2, 3, 2], 2, 1, sums), [1, 5, 9, 13, 17, 21]);
        let ends = |line: &[i32], result: &mut [i32]| result.copy_from_slice(&[line[0], line[2]]);
        assert_eq!(map_lines(&values, &[2, 3, 2], 1, 2, ends), [0, 1, 4, 5, 6, 7, 10, 11]);
    }
}
