//! Random streams with random access: what a step draws depends only on the seed and the step.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The purpose of a stream; streams of different purposes are independent.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// The order of the samples in an epoch.
    Order,
    /// The batch of a step.
    Batch,
    /// The validation examples.
    Validation,
    /// The noise on the contexts of an example.
    Noise,
    /// The layouts, starts and noise of a calibration.
    Calibration,
    /// The points at which an example is observed.
    Context,
}

/// Stream number `index` of a purpose under a seed.
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8] = purpose as u8 + 1;
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(index);
    rng
}
