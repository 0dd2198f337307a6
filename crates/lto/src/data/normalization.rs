//! Mean and scale of the training samples, in bounded memory.

use super::Data;
use super::source::Key;
use crate::error::{Error, Result};
use lto_numerics::dataset::{Normalizer, NormalizerFit};

/// The normalization is fitted to at most this many samples, spread over the training samples, ...
const FIT_SAMPLES: usize = 1024;
/// ... and at most this many values.
const FIT_VALUES: usize = 1 << 27;
/// Samples loaded at a time.
pub(super) const FIT_CHUNK: usize = 8;

impl Data {
    /// The training samples that means are taken over.
    pub(super) fn fit_samples(&self) -> Vec<usize> {
        let train = &self.split.train;
        let most = (FIT_VALUES / self.layout().sample_len().max(1)).clamp(1, FIT_SAMPLES).min(train.len());
        (0..most).map(|i| train[i * train.len() / most]).collect()
    }

    /// Mean and scale of the sources and of the targets of the training samples. `progress` gets
    /// `(done, total)` samples and returns whether to continue.
    ///
    /// # Errors
    /// Data that cannot be read or solved, or values that are not finite; [`Error::Interrupted`].
    pub fn fit_normalizers(
        &self,
        progress: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<(Normalizer, Normalizer, Option<String>)> {
        let (layout, train, chosen) = (self.layout(), &self.split.train, self.fit_samples());
        let (points, most) = (layout.grid.len(), chosen.len());
        let mut source = NormalizerFit::new(layout.source_channels.len());
        let mut target = NormalizerFit::new(layout.target_channels.len());
        for (chunk, samples) in chosen.chunks(FIT_CHUNK).enumerate() {
            if !progress(chunk * FIT_CHUNK, most) {
                return Err(Error::Interrupted);
            }
            let frames = if self.source.by_frame() { layout.times.len() } else { 1 };
            let keys = |&sample: &usize| {
                let frame = |f| self.source.by_frame().then_some(f);
                (0..frames).map(move |f| Key { sample, frame: frame(f), finer: false })
            };
            let keys: Vec<Key> = samples.iter().flat_map(keys).collect();
            // A frame at a time if samples are large, to bound memory.
            let at_once = if self.source.by_frame() { 1 } else { keys.len() };
            for keys in keys.chunks(at_once.max(1)) {
                let loaded = self.load(keys)?;
                for key in keys {
                    let values: Vec<f64> =
                        loaded.get(key).into_iter().flat_map(|v| v.iter()).map(|&v| f64::from(v)).collect();
                    if layout.is_steady() {
                        let (given, sought) =
                            values.split_at(values.len().min(layout.source_channels.len() * points));
                        source.add(given, points)?;
                        target.add(sought, points)?;
                    } else {
                        source.add(&values, points)?;
                    }
                }
            }
        }
        let note = (most < train.len())
            .then(|| format!("normalization fitted to {most} of {} training samples", train.len()));
        let source = source.finish()?;
        if layout.is_steady() {
            return Ok((source, target.finish()?, note));
        }
        Ok((source.repeated(self.history), source, note))
    }
}
