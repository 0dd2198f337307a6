//! `lto predict` on the command line.

use super::DeviceArgs;
use super::number::{positive, positive_number, whole};
use super::time::{TimeArg, time};
use clap::Args;
use lto::model::Way;
use lto_report::picture::colormap::Colormap;
use std::path::PathBuf;
use std::str::FromStr;

/// `lto predict`.
#[derive(Debug, Args)]
#[command(after_help = "\
The observations: a CSV file with columns named after the model's axes (x,y or lat,lon, …) and
channels; --column gives other channel names. If there is a column t or time, the rows at --from
are used. Or an .npz file with the arrays points (n, D) and values (n,) or (n, channels), or
with one array (n,) for each column of such a CSV file.

A model of station records takes records as it was trained on: the stations that report at
--from, the last time of the file if not given, and at the times before it that the model sees.
Any variable may be missing anywhere.

Values more than 8 standard deviations from the training data's mean are refused, as are times
outside its range: they usually mean wrong units or a marker for missing values. --force accepts
them.

The suffix of -o chooses the format:
  .npz  times, values (time, channel, points…), channels; x, y, … along the axes of a grid, else points (n, D)
  .csv  one line for each time and point: t, the coordinates, the channels
  .png  the observations, then the field at some times; .gif the field over the times
  .vti  VTK image data of a grid, for ParaView; several times are out_000.vti, out_001.vti, … with out.pvd beside

--band 0.9 adds the lower and upper ends of a band that holds nine values in ten, if the model is
calibrated (lto calibrate): arrays lower and upper, columns u_lower and u_upper, maps of the width,
thin lines. --samples 20 adds fields that the state may be.

Examples:
  lto predict --model runs/heat --context sensors.csv --from 0 --to 0.008 --band 0.9 -o field.png
  lto predict --model runs/heat --context sensors.csv --from 0 --to 0.008 --query grid:128x128 -o field.png
  lto predict --model runs/heat --context sensors.csv --from 0 --to 0.004,0.008,0.016 -o field.vti
  lto predict --model runs/stations --context today.csv --to +6,+12,+24 -o forecast.png
  lto predict --model darcy.safetensors --context wells.npz --query where.csv -o pressure.csv")]
pub struct PredictArgs {
    /// The folder of a run, or its model.safetensors [default: the twin of the heat equation that is part of the
    /// program, as `lto serve` has it]
    #[arg(long, short, value_name = "RUN|FILE")]
    pub model: Option<PathBuf>,
    /// The observations: .csv or .npz
    #[arg(long, short, value_name = "FILE")]
    pub context: PathBuf,
    /// Time of the observations; not for steady models. A date as 2019-03-20T06:00Z for a model of dated records
    #[arg(long, value_name = "S", value_parser = time, allow_negative_numbers = true)]
    pub from: Option<TimeArg>,
    /// Times to predict, comma-separated; not for steady models. Dates as above, or +6 for six units of time later
    #[arg(long, value_name = "T,…", value_parser = time, value_delimiter = ',', allow_negative_numbers = true)]
    pub to: Vec<TimeArg>,
    /// How to reach later times [default: the way that was best on held-out data, by lead]
    #[arg(long, value_name = "WAY")]
    pub way: Option<Way>,
    /// Where to predict: grid:128x128, grid:128 for all axes, or a .csv or .npz file of points [default: a
    /// grid with as many points as the training data]
    ///
    /// A grid begins at the lower bound of each axis; it ends one spacing before the upper bound of a periodic axis,
    /// and at the upper bound of any other.
    #[arg(long, value_name = "GRID|FILE")]
    pub query: Option<QueryArg>,
    /// Add a band that holds this share of the values; needs a calibrated model
    #[arg(long, value_name = "LEVEL", value_parser = positive_number)]
    pub band: Option<f64>,
    /// Add N fields that the state may be, drawn at random; needs a calibrated model
    #[arg(long, value_name = "N", value_parser = positive)]
    pub samples: Option<usize>,
    /// Seed of the samples
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>, requires = "samples")]
    pub seed: u64,
    /// Predict only inside a mask: a field on a grid that is 1 inside, or missing outside; !FILE for its outside
    #[arg(long, value_name = "FILE[:ARRAY]")]
    pub mask: Option<String>,
    /// File to write: .npz, .csv, .png, .gif or .vti
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Columns that hold the model's channels, in its order [default: those with the channels' names]
    #[arg(long = "column", alias = "channels", value_name = "NAME,…", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Leave out observations with a missing value
    #[arg(long)]
    pub skip_missing: bool,
    /// Average observations at the same place
    #[arg(long)]
    pub merge_duplicates: bool,
    /// Also predict at times outside the training data's
    #[arg(long)]
    pub allow_extrapolation: bool,
    /// Channel to draw, by name or number from 0
    #[arg(long, value_name = "CHANNEL", default_value = "0")]
    pub channel: String,
    /// Color map of pictures [default: red-blue for signed fields, else viridis]
    #[arg(long, value_name = "MAP")]
    pub colormap: Option<Colormap>,
    /// Overwrite existing files; accept values and times unlike the training data's
    #[arg(long)]
    pub force: bool,
    /// Where it computes.
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

/// Where to predict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryArg {
    /// A grid: points along each axis, or one number for all.
    Grid(Vec<usize>),
    /// The points of a file.
    File(PathBuf),
}

impl FromStr for QueryArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(shape) = text.strip_prefix("grid:") else { return Ok(Self::File(text.into())) };
        let sizes = shape.split(['x', '×']).map(|n| n.parse().ok().filter(|&n: &usize| n > 0));
        sizes
            .collect::<Option<_>>()
            .map(Self::Grid)
            .ok_or_else(|| "a grid is written grid:128x128 or grid:128".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_grids_or_files() {
        let parse = |text: &str| text.parse::<QueryArg>();
        assert_eq!(parse("grid:128x64"), Ok(QueryArg::Grid(vec![128, 64])));
        assert_eq!(parse("grid:9"), Ok(QueryArg::Grid(vec![9])));
        assert_eq!(parse("points.csv"), Ok(QueryArg::File("points.csv".into())));
        for wrong in ["grid:", "grid:0", "grid:4x", "grid:-3", "grid:axb"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
