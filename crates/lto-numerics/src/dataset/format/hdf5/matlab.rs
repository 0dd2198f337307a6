//! MATLAB 7.3 files: HDF5 in which every array has its axes reversed, and attributes say what MATLAB sees.

use crate::dataset::format::Attribute;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The first bytes of such a file, before the HDF5 part.
const BANNER: &[u8] = b"MATLAB 7.3 MAT-file";

/// Whether the file begins like MATLAB's own, or has a top-level array that names its MATLAB class.
pub(super) fn is_matlab(path: &Path, attributes: &[(String, String, Attribute)]) -> std::io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(BANNER.len() as u64).read_to_end(&mut start)?;
    Ok(start == BANNER
        || attributes.iter().any(|(owner, name, _)| name == "MATLAB_class" && !owner.contains('/')))
}

/// Whether MATLAB sees something other than an array of numbers in this dataset: text, parts of a sparse
/// matrix or of a cell array, or an empty array (whose shape the dataset holds).
pub(super) fn is_no_array(name: &str, attributes: &[(String, String, Attribute)]) -> bool {
    let group = name.rsplit_once('/').map(|(group, _)| group);
    name.starts_with("#")
        || attributes.iter().any(|(owner, attribute, value)| match attribute.as_str() {
            "MATLAB_class" if owner == name => {
                matches!(value, Attribute::Texts(class) if matches!(class.first().map(String::as_str),
                    Some("char" | "cell" | "function_handle")))
            }
            "MATLAB_empty" => owner == name,
            "MATLAB_sparse" => Some(owner.as_str()) == group,
            _ => false,
        })
}

/// Row-major values of `shape` with the order of all axes reversed: `out[i, j, …, k] = values[k, …, j, i]`.
pub(super) fn reverse_axes(values: Vec<f64>, shape: &[usize]) -> Vec<f64> {
    // Axes of length one do not move anything.
    let shape: Vec<usize> = shape.iter().copied().filter(|&n| n != 1).collect();
    if shape.len() < 2 || values.is_empty() {
        return values;
    }
    // Stride in the output of each axis of the input: products of the axes before it.
    let mut strides = vec![1; shape.len()];
    for d in 1..shape.len() {
        strides[d] = strides[d - 1] * shape[d - 1];
    }
    let (last, row) = (shape.len() - 1, shape[shape.len() - 1]);
    let mut out = vec![0.0; values.len()];
    let mut index = vec![0; last];
    for values in values.chunks_exact(row) {
        let mut at: usize = index.iter().zip(&strides).map(|(i, stride)| i * stride).sum();
        for &value in values {
            out[at] = value;
            at += strides[last];
        }
        for d in (0..last).rev() {
            index[d] += 1;
            if index[d] < shape[d] {
                break;
            }
            index[d] = 0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversal_moves_every_entry() {
        let shape = [2, 1, 3, 4];
        let values: Vec<f64> = (0..24).map(f64::from).collect();
        let out = reverse_axes(values.clone(), &shape);
        for (i, j, k) in (0..24).map(|n| (n / 12, n / 4 % 3, n % 4)) {
            assert_eq!(out[(k * 3 + j) * 2 + i], values[(i * 3 + j) * 4 + k], "{i} {j} {k}");
        }
        assert_eq!(reverse_axes(out, &[4, 3, 1, 2]), values);
        assert_eq!(reverse_axes(vec![1.0, 2.0], &[1, 2]), [1.0, 2.0]);
        assert!(reverse_axes(vec![], &[0, 2, 3]).is_empty());
    }
}
