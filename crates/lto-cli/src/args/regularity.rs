//! What is known about the states, on the command line.

use super::number::positive_number;
use clap::Args;

/// Bounds that hold for every state.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "What is known about the states")]
pub struct RegularityArgs {
    /// M: the largest second derivative along any direction
    #[arg(long, value_name = "M", value_parser = positive_number, allow_negative_numbers = true)]
    pub curvature: Option<f64>,
    /// The largest absolute value; needed with --curvature where an axis is not periodic (or --gradient)
    #[arg(long, value_name = "S", value_parser = positive_number, allow_negative_numbers = true)]
    pub sup: Option<f64>,
    /// The largest slope [default: derived from the others]
    #[arg(long, value_name = "G", value_parser = positive_number, allow_negative_numbers = true)]
    pub gradient: Option<f64>,
}
