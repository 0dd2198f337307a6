//! The commands about data.

pub mod generate;
pub mod inspect;
pub mod open;
pub mod plot;
pub mod sensors;

use crate::args::{GenerateArgs, GlobalArgs, InspectArgs, PlotArgs, SensorsArgs};
use anyhow::Result;
use std::process::ExitCode;

commands! {
    /// The commands about data.
    DataCommand:
    /// Solve a PDE many times, with random problems, into one file
    Generate(GenerateArgs) => generate::run,
    /// Say what a file holds: layout, grid, times, ranges, spectrum
    Inspect(InspectArgs) => inspect::run,
    /// Draw a sample of a file: PNG, SVG or animated GIF
    Plot(PlotArgs) => plot::run,
    /// Draw sensors from a sample of a file: a table for `lto predict` and `lto certify`
    Sensors(SensorsArgs) => sensors::run,
}
