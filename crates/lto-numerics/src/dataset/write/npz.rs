//! Samples as NumPy's `.npz`. Attributes are arrays too, single ones without axes.

use super::Sink;
use super::npz_archive::NpzArchive;
use super::plan::{Output, Plan};
use crate::dataset::format::Attribute;
use crate::error::Result;
use std::path::Path;

pub(super) struct NpzSink {
    archive: NpzArchive,
    /// The outputs among the members of the archive.
    outputs: Vec<usize>,
}

impl NpzSink {
    pub(super) fn create(path: &Path, plan: &Plan) -> Result<Self> {
        let mut archive = NpzArchive::create(path)?;
        let shape = |n: usize| if n == 1 { vec![] } else { vec![n] };
        for (name, value) in &plan.attributes {
            match value {
                Attribute::Numbers(numbers) => archive.numbers(name, &shape(numbers.len()), numbers)?,
                Attribute::Texts(texts) => archive.texts(name, &shape(texts.len()), texts)?,
            }
        }
        for coordinate in &plan.coordinates {
            archive.numbers(&coordinate.name, &[coordinate.values.len()], &coordinate.values)?;
        }
        let begin = |output: &Output| {
            let bytes = output.shape.iter().fold(4u64, |size, &n| size.saturating_mul(n as u64));
            archive.begin(&output.name, "<f4", &output.shape, bytes)
        };
        let outputs = plan.outputs.iter().map(begin).collect::<Result<_>>()?;
        Ok(Self { archive, outputs })
    }
}

impl Sink for NpzSink {
    fn put(&mut self, output: usize, _sample: usize, values: &[f32]) -> Result<()> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.archive.put_bytes(self.outputs[output], &bytes)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.archive.finish()
    }
}
