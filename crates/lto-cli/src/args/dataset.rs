//! Options for reading a data file, shared by every command that reads one.

use super::named;
use super::number::{finite, positive, whole};
use lto_numerics::dataset::{DomainOption, GridOption, LayoutKind, OpenOptions, PeriodicOption};

/// How to read a file, where it does not say or says something else.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "How to read the file")]
pub struct DatasetArgs {
    /// Layout of the file
    #[arg(long, value_name = "LAYOUT", value_parser = named(LayoutKind::ALL, LayoutKind::name))]
    pub layout: Option<LayoutKind>,
    /// Arrays to read: the channels of a state, or a source and a target
    #[arg(long = "key", value_name = "ARRAY", value_delimiter = ',')]
    pub keys: Vec<String>,
    /// Axes of the arrays: n samples, t time, c channels, any other name space: n,t,x,y
    #[arg(long, value_name = "NAMES")]
    pub axes: Option<String>,
    /// Where the points lie: left, center or vertex of their cells, or the arrays with the coordinates
    #[arg(long, value_name = "PLACEMENT|ARRAYS")]
    pub grid: Option<GridOption>,
    /// Domain bounds: 0:1 for all axes, or a pair for each: -1:1,0:2
    #[arg(long, value_name = "LOWER:UPPER", allow_hyphen_values = true)]
    pub domain: Option<DomainOption>,
    /// Periodic axes: all, none, or their names
    #[arg(long, value_name = "AXES")]
    pub periodic: Option<PeriodicOption>,
    /// Time between frames, instead of the file's times
    #[arg(long, value_name = "DT", value_parser = finite, allow_negative_numbers = true)]
    pub time_step: Option<f64>,
    /// Resolution to read, of a file that holds several [default: the native one]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub resolution: Option<usize>,
    /// Keep every Nth point along each axis
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive, allow_negative_numbers = true)]
    pub stride: usize,
}

impl DatasetArgs {
    /// The options for opening the file.
    pub fn options(&self, allow_nan: bool) -> OpenOptions {
        OpenOptions {
            layout: self.layout,
            keys: self.keys.clone(),
            axes: self.axes.clone(),
            grid: self.grid.clone(),
            domain: self.domain.clone(),
            periodic: self.periodic.clone(),
            time_step: self.time_step,
            resolution: self.resolution,
            stride: self.stride,
            allow_nan,
            ..OpenOptions::default()
        }
    }
}
