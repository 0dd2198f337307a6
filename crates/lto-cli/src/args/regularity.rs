//! What is known about the states, on the command line.

use super::number::positive_number;
use clap::Args;
use std::path::PathBuf;

/// Bounds that hold for every state.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "What is known about the states")]
pub struct RegularityArgs {
    /// M: the largest second derivative along any direction
    #[arg(long, value_name = "M", value_parser = positive_number, allow_negative_numbers = true)]
    pub curvature: Option<f64>,
    /// The largest absolute value; unless all axes are periodic, averages of sensors have a bound only with this or --gradient
    #[arg(long, value_name = "S", value_parser = positive_number, allow_negative_numbers = true)]
    pub sup: Option<f64>,
    /// The largest slope [default: derived from the others]
    #[arg(long, value_name = "G", value_parser = positive_number, allow_negative_numbers = true)]
    pub gradient: Option<f64>,
    /// Estimate all of these from this file instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["curvature", "sup", "gradient"])]
    pub data: Option<PathBuf>,
    /// With --data: factor for the estimates, since a file shows only some of the states [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = at_least_one, allow_negative_numbers = true)]
    pub margin: Option<f64>,
}

fn at_least_one(text: &str) -> Result<f64, String> {
    positive_number(text)
        .ok()
        .filter(|&value| value >= 1.0)
        .ok_or_else(|| "must be a number, at least 1".into())
}
