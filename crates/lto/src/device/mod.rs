//! Where models compute, and the one way for numbers to get there and back.

mod table;
mod traffic;

pub use table::table;
pub use traffic::{Traffic, fetch, send, send_indices};

use crate::error::{Error, Result};
use burn::backend::DispatchDevice;
use burn::tensor::Device as TensorDevice;
use serde::{Deserialize, Serialize};
#[cfg(any(feature = "gpu", feature = "cuda"))]
use std::sync::OnceLock;

/// Where a model's tensors live and are computed. Weights and files are the same on every device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Device {
    /// The processor, on all its cores
    #[default]
    Cpu,
    /// A graphics card, by Vulkan, Metal or DirectX 12; needs the feature `gpu`
    Gpu,
    /// A card of NVIDIA's, by CUDA; needs the feature `cuda`
    Cuda,
}

/// A device that was found.
#[derive(Clone)]
struct Opened {
    tensors: TensorDevice,
    name: String,
}

impl Device {
    /// The processor.
    pub fn cpu() -> Self {
        Device::Cpu
    }

    /// Name as on the command line; also that of the feature that brings it.
    pub fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Gpu => "gpu",
            Device::Cuda => "cuda",
        }
    }

    /// What was found: the name of the card, how it is reached, and its driver.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if there is none, or this build cannot use it.
    pub fn describe(self) -> Result<String> {
        Ok(self.open()?.name)
    }

    /// The tensor library's device.
    ///
    /// # Errors
    /// As [`Device::describe`].
    pub(crate) fn tensors(self) -> Result<TensorDevice> {
        Ok(self.open()?.tensors)
    }

    fn open(self) -> Result<Opened> {
        let opened = match self {
            Device::Cpu => Ok(Opened { tensors: TensorDevice::flex(), name: "the processor".into() }),
            Device::Gpu => gpu(),
            Device::Cuda => cuda(),
        };
        opened.map_err(|problem| Error::NoDevice { device: self.name(), problem })
    }
}

/// Whether tensors of a device are in this process's memory.
pub fn is_processor(device: &TensorDevice) -> bool {
    matches!(device.clone().inner().as_dispatch(), DispatchDevice::Flex(_))
}

#[cfg(not(all(feature = "gpu", feature = "cuda")))]
fn not_built(feature: &str) -> Result<Opened, String> {
    Err(format!(
        "this program was built without it; build it with the feature {feature} (docs/gpu.md), or compute on the processor \
         (--device cpu)"
    ))
}

#[cfg(not(feature = "gpu"))]
fn gpu() -> Result<Opened, String> {
    not_built("gpu")
}

/// The adapter that wgpu prefers. A process sets it up once.
#[cfg(feature = "gpu")]
fn gpu() -> Result<Opened, String> {
    static FOUND: OnceLock<Result<Opened, String>> = OnceLock::new();
    let find = || {
        let (tensors, setup) = TensorDevice::wgpu_options().init_with_setup().map_err(|error| {
            format!(
                "no usable adapter (looked for drivers of Vulkan, Metal, DirectX 12 and OpenGL: {error}); install the driver of \
                 the card, and look with `vulkaninfo` (Debian: vulkan-tools; mesa-vulkan-drivers has one without a \
                 card), or compute on the processor (--device cpu)"
            )
        })?;
        let info = setup.adapter.get_info();
        let driver = [info.driver, info.driver_info].join(" ");
        let name = format!("{}, {:?}, {}", info.name, info.backend, driver.trim());
        Ok(Opened { tensors, name })
    };
    FOUND.get_or_init(find).clone()
}

#[cfg(not(feature = "cuda"))]
fn cuda() -> Result<Opened, String> {
    not_built("cuda")
}

/// The first card that the driver lists.
#[cfg(feature = "cuda")]
fn cuda() -> Result<Opened, String> {
    use burn::tensor::DeviceType;
    static FOUND: OnceLock<Result<Opened, String>> = OnceLock::new();
    let find = || {
        // Asked first: opening a card that is not there would panic.
        let tensors = TensorDevice::enumerate(DeviceType::Cuda).into_iter().next().ok_or(
            "no card found (looked for libcuda, and for cards it lists); install NVIDIA's driver and look with `nvidia-smi`, \
             or compute on the processor (--device cpu)",
        )?;
        let name = tensors.identity().map_or("a card".into(), |identity| identity.name);
        Ok(Opened { tensors, name: format!("{name}, CUDA") })
    };
    FOUND.get_or_init(find).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is not part of the build is an error that says how to have it.
    #[test]
    fn a_device_that_was_not_built_says_how_to_build_it() {
        assert!(Device::Cpu.describe().is_ok());
        for (device, built) in [(Device::Gpu, cfg!(feature = "gpu")), (Device::Cuda, cfg!(feature = "cuda"))]
        {
            if !built {
                let said = device.describe().unwrap_err().to_string();
                assert!(said.contains(&format!("the feature {}", device.name())), "{said}");
            }
        }
    }
}
