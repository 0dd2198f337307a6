//! Where models compute.

use burn::tensor::Device as TensorDevice;

/// Where a model's tensors live and are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Device {
    /// The processor, on all its cores.
    #[default]
    Cpu,
}

impl Device {
    /// The processor.
    pub fn cpu() -> Self {
        Device::Cpu
    }

    /// The tensor library's device.
    pub(crate) fn tensors(self) -> TensorDevice {
        match self {
            Device::Cpu => TensorDevice::flex(),
        }
    }
}
