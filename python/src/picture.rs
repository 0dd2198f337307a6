//! Pictures.

use crate::error::Result;
use crate::files::write;
use base64::{Engine, engine::general_purpose::STANDARD};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// A picture; a notebook shows it.
#[pyclass(module = "lto", frozen)]
pub struct Picture {
    /// The bytes of a PNG file.
    pub png: Vec<u8>,
}

#[pymethods]
impl Picture {
    /// The bytes of a PNG file.
    #[getter]
    fn png<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.png)
    }

    /// The picture inside a page.
    pub fn to_html(&self) -> String {
        format!("<img src=\"data:image/png;base64,{}\">", STANDARD.encode(&self.png))
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.png(py)
    }

    /// Writes the picture to a ``.png`` file.
    fn save(&self, path: PathBuf) -> Result<()> {
        write(&path, "a picture", "png", || Ok(self.png.clone()))
    }

    fn __repr__(&self) -> String {
        format!("Picture of {}", lto_report::words::bytes(self.png.len() as u64))
    }
}
