//! Data sets of solved PDEs.

use crate::error::{Result, config};
use crate::interrupt::watched;
use lto_numerics::generate::{Existing, Generation, Recipe};
use lto_numerics::pde::PdeConfig;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Solves `n` random problems of a PDE into a file; `pde` is JSON: `{"pde": "heat", "resolution": 64}`. `progress` is called
/// with the number of solved samples. Ctrl-C keeps what is solved for `resume`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "these are Python's keywords")]
pub fn generate(
    py: Python,
    pde: &str,
    n: usize,
    seed: u64,
    output: PathBuf,
    resume: bool,
    replace: bool,
    progress: Option<Py<PyAny>>,
) -> Result<()> {
    let pde: PdeConfig = serde_json::from_str(pde).map_err(|error| config(error.to_string()))?;
    let mut generation = Generation::begin(Recipe::new(pde, seed, n), &output, Existing { resume, replace })?;
    let stop = AtomicBool::new(false);
    let mut raised: Option<PyErr> = None;
    let outcome = watched(py, &stop, || {
        let mut show = |solved: usize| {
            let Some(progress) = &progress else { return };
            if let Err(error) = Python::attach(|py| progress.call1(py, (solved,))) {
                stop.store(true, Ordering::SeqCst);
                raised.get_or_insert(error);
            }
        };
        generation.run(&mut show, &|| stop.load(Ordering::SeqCst))
    });
    match raised {
        Some(error) => Err(error.into()),
        None => outcome?.map(drop).map_err(Into::into),
    }
}
