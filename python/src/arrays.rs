//! NumPy arrays in and out.

use crate::error::{Failure, Result, data};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// An array of `float64`, as [`real`] makes it.
#[pyfunction]
pub fn floats<'py>(name: &str, value: &Bound<'py, PyAny>) -> Result<Bound<'py, PyArrayDyn<f64>>> {
    Ok((*real(name, value)?).clone())
}

/// Real numbers that were given as the argument `name`: an array of `float64` as it is, other numbers converted, entries of
/// masked arrays that are masked as NaN.
///
/// # Errors
/// Anything that is no array of real numbers.
pub fn real<'py>(name: &str, value: &Bound<'py, PyAny>) -> Result<PyReadonlyArrayDyn<'py, f64>> {
    let masked = value.hasattr("filled")?;
    if let (false, Ok(array)) = (masked, value.cast::<PyArrayDyn<f64>>()) {
        return Ok(array.readonly());
    }
    let array = value.py().import("numpy")?.call_method1("asanyarray", (value,));
    let array = array
        .map_err(|error| data(format!("{name} makes no array of numbers: {}", error.value(value.py()))))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if ["M", "m"].contains(&kind.as_str()) {
        return Err(data(format!(
            "{name} holds dates or durations, but models count time in the unit of their training data; convert it, as with \
             ({name} - start) / numpy.timedelta64(1, 'h') for hours since a date start"
        )));
    }
    if !["f", "i", "u"].contains(&kind.as_str()) {
        let dtype = array.getattr("dtype")?.str()?;
        return Err(data(format!(
            "{name} holds {dtype}, but must hold real numbers; convert it, as with numpy.asarray({name}, dtype=float)"
        )));
    }
    let mut array = array.call_method1("astype", ("float64",))?;
    if masked {
        array = array.call_method1("filled", (f64::NAN,))?;
    }
    let array = array.cast_into::<PyArrayDyn<f64>>().map_err(|error| Failure::Python(error.into()))?;
    Ok(array.readonly())
}

/// The numbers in row-major order.
pub fn row_major(array: &PyReadonlyArrayDyn<f64>) -> Vec<f64> {
    match array.as_slice() {
        // A column-major array has a slice too, in its own order.
        Ok(slice) if array.is_c_contiguous() => slice.to_vec(),
        _ => array.as_array().iter().copied().collect(),
    }
}

/// A shape as Python writes it: `(4,)`, `(4, 2)`.
pub fn shape_text(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    match sizes.as_slice() {
        [one] => format!("({one},)"),
        _ => format!("({})", sizes.join(", ")),
    }
}

/// Points as rows: `(M, D)`, or `(M,)` in one dimension.
///
/// # Errors
/// Another shape.
pub fn points(name: &str, value: &Bound<PyAny>, dim: usize) -> Result<Vec<f64>> {
    let array = real(name, value)?;
    match array.shape() {
        [_, columns] if *columns == dim => Ok(row_major(&array)),
        [_] if dim == 1 => Ok(row_major(&array)),
        shape => Err(data(format!(
            "{name} has shape {}, but must be (n, {dim}): one row per point, one column per axis",
            shape_text(shape)
        ))),
    }
}

/// An array that owns these numbers, without a copy.
///
/// # Errors
/// A number of values that does not fit the shape.
pub fn array<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    PyArray1::from_vec(py, values).reshape(shape)
}
