//! The device that `--device` names.

use crate::args::{DeviceArgs, GlobalArgs};
use crate::output;
use lto::{Device, Result};

/// Looks for the device before anything else is done; says what it is unless it is the processor.
///
/// # Errors
/// A device that is not there, or that this program was not built for.
pub fn find(args: DeviceArgs, global: &GlobalArgs) -> Result<Device> {
    let (device, found) = (args.device, args.device.describe()?);
    if device != Device::Cpu && !global.quiet {
        output::say(format_args!("device {}: {found}", device.name()));
    }
    Ok(device)
}
