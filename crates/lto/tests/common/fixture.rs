//! Arrays that Python scripts made.

use lto_numerics::dataset::format;
use std::path::Path;

/// Reads arrays of a fixture whole.
pub struct Fixture(Box<dyn format::ArrayStore>);

impl Fixture {
    /// `fixtures/NAME.npz`.
    pub fn open(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{name}.npz"));
        Self(format::open(&path).unwrap())
    }

    pub fn get(&mut self, name: &str) -> Vec<f64> {
        let shape =
            self.0.arrays().iter().find(|a| a.name == name).unwrap_or_else(|| panic!("{name}")).shape.clone();
        self.0.read(name, &vec![0; shape.len()], &shape).unwrap()
    }

    pub fn single(&mut self, name: &str) -> Vec<f32> {
        self.get(name).into_iter().map(|v| v as f32).collect()
    }
}
