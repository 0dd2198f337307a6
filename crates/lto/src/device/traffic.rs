//! Numbers on their way to a device other than the processor and back, and the kernels that it is told to run: counted, since a
//! training step should move no more than its batch and its losses.

use super::is_processor;
use burn::tensor::{Device, Int, Tensor, TensorData};
use serde::{Deserialize, Serialize};
use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering};

static SENT: AtomicU64 = AtomicU64::new(0);
static FETCHED: AtomicU64 = AtomicU64::new(0);
static READS: AtomicU64 = AtomicU64::new(0);

/// What went to and from devices. The processor's memory is no device: nothing of it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Numbers of four bytes sent.
    pub sent: u64,
    /// Numbers fetched.
    pub fetched: u64,
    /// How often something was fetched: each time the device has to finish its work first.
    pub reads: u64,
    /// Kernels started.
    pub launches: u64,
}

impl Sub for Traffic {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            sent: self.sent - before.sent,
            fetched: self.fetched - before.fetched,
            reads: self.reads - before.reads,
            launches: self.launches - before.launches,
        }
    }
}

impl Traffic {
    /// The mean of `n` runs.
    pub fn each_of(self, n: u64) -> Self {
        let Self { sent, fetched, reads, launches } = self;
        Self { sent: sent / n, fetched: fetched / n, reads: reads / n, launches: launches / n }
    }

    /// Everything since the program started; kernels since this was first asked for.
    pub fn so_far() -> Self {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Self { sent: count(&SENT), fetched: count(&FETCHED), reads: count(&READS), launches: launches() }
    }
}

#[cfg(not(any(feature = "gpu", feature = "cuda")))]
fn launches() -> u64 {
    0
}

/// Kernels started since this was first called.
#[cfg(any(feature = "gpu", feature = "cuda"))]
fn launches() -> u64 {
    use cubecl::logging::{LaunchObservation, LaunchObserver};
    use std::sync::{Arc, OnceLock};

    #[derive(Default)]
    struct Counter(AtomicU64);

    impl LaunchObserver for Counter {
        fn launched(&self, _kernel: &'static str) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    static COUNTED: OnceLock<(Arc<Counter>, LaunchObservation)> = OnceLock::new();
    let counted = COUNTED.get_or_init(|| {
        let counter = Arc::new(Counter::default());
        (counter.clone(), LaunchObservation::new(counter))
    });
    counted.0.0.load(Ordering::Relaxed)
}

/// `values` as a tensor on a device.
///
/// # Shapes
/// As `shape`, which `values` must fill.
pub fn send<const D: usize>(values: Vec<f32>, shape: [usize; D], device: &Device) -> Tensor<D> {
    if !is_processor(device) {
        SENT.fetch_add(values.len() as u64, Ordering::Relaxed);
    }
    Tensor::from_data(TensorData::new(values, shape), device)
}

/// Indices as a tensor on a device.
///
/// # Shapes
/// n indices → `[n]`.
pub fn send_indices(indices: Vec<usize>, device: &Device) -> Tensor<1, Int> {
    if !is_processor(device) {
        SENT.fetch_add(indices.len() as u64, Ordering::Relaxed);
    }
    let (n, indices) = (indices.len(), indices.into_iter().map(|i| i as i32).collect::<Vec<_>>());
    Tensor::from_data(TensorData::new(indices, [n]), device)
}

/// The numbers of a tensor, row-major.
pub fn fetch<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    let counts = !is_processor(&tensor.device());
    let data = tensor.into_data();
    // One copy of millions of numbers if they already have this type.
    let values: Vec<f32> = match data.as_slice::<f32>() {
        Ok(values) => values.to_vec(),
        Err(_) => data.iter::<f32>().collect(),
    };
    if counts {
        FETCHED.fetch_add(values.len() as u64, Ordering::Relaxed);
        READS.fetch_add(1, Ordering::Relaxed);
    }
    values
}
