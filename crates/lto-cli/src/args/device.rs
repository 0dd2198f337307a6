//! `--device`.

use clap::Args;
use lto::Device;

/// Where a command computes.
#[derive(Clone, Copy, Debug, Args)]
pub struct DeviceArgs {
    /// Where models compute; cards need a program that was built for them: docs/gpu.md
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: Device,
}
