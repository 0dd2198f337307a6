//! What to learn from: the `[data]` of a configuration file.

use super::window::WindowConfig;
use crate::error::{Error, Result};
use lto_numerics::Symmetry;
use lto_numerics::dataset::{LayoutKind, OpenOptions, Split};
use lto_numerics::pde::PdeConfig;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::str::FromStr;

/// A file, or a PDE to solve on the fly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataConfig {
    /// The file to read.
    pub path: Option<PathBuf>,
    /// The PDE to solve instead of reading a file: `{ pde = "heat", resolution = 64 }`.
    pub generate: Option<PdeConfig>,
    /// Number of samples: the first of a file (all if not given), or random ones of a PDE.
    pub samples: Option<usize>,
    /// Seed of generated samples and of random splits.
    pub seed: u64,
    /// Use every k-th frame.
    pub frame_stride: usize,
    /// Cut long records into windows, each a sample: `{ frames = 48, stride = 24 }`.
    pub window: Option<WindowConfig>,
    /// Number of frames in a source state, as channels: those before s, oldest first, then the one at s.
    pub history: usize,
    /// The file holds records of stations instead of fields on a grid: how to read them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<RecordsConfig>,
    /// Periods by whose phases a model sees times, in their unit: `[24]` for the hour of the day. Absolute times are then never
    /// outside the trained range; leads are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calendar: Vec<f64>,
    /// Fields that do not change, as elevation or land and sea: `{ path = "orography.nc", keys = ["z"] }`.
    #[serde(rename = "static", skip_serializing_if = "Option::is_none")]
    pub statics: Option<StaticConfig>,
    /// Which samples train, validate and test.
    pub split: SplitConfig,
    /// Megabytes of samples to keep in memory; others are read or solved again.
    pub cache_mb: usize,
    /// Symmetries of the data; if not given, the PDE's, or none for a file.
    pub symmetries: Option<Vec<Symmetry>>,
    /// Layout of the file.
    pub layout: Option<LayoutKind>,
    /// Arrays to read.
    pub keys: Vec<String>,
    /// Axes of the arrays: `n,t,x,y`.
    pub axes: Option<String>,
    /// Where the points lie: `left`, `center`, `vertex`, or names of coordinate arrays.
    pub grid: Option<String>,
    /// Bounds of the domain: `0:1` or `-1:1,0:2`.
    pub domain: Option<String>,
    /// Periodic axes: `all`, `none`, or their names.
    pub periodic: Option<String>,
    /// Time between frames, instead of the file's times.
    pub time_step: Option<f64>,
    /// The time after which the mean state repeats: 24 for hours of the day. Frames a whole number of periods apart then
    /// count as the same time in the mean course of the training samples.
    pub time_period: Option<f64>,
    /// Whether a model learns departures from the mean course of the training samples instead of the states themselves.
    pub anomalies: bool,
    /// Group `resolution_<n>` of a multi-resolution file to take as native.
    pub resolution: Option<usize>,
    /// Keep every k-th point along each axis.
    pub stride: usize,
}

impl Default for DataConfig {
    fn default() -> Self {
        Self {
            path: None,
            generate: None,
            samples: None,
            seed: 0,
            frame_stride: 1,
            window: None,
            history: 1,
            records: None,
            calendar: Vec::new(),
            statics: None,
            split: SplitConfig::default(),
            cache_mb: 1024,
            symmetries: None,
            layout: None,
            keys: Vec::new(),
            axes: None,
            grid: None,
            domain: None,
            periodic: None,
            time_step: None,
            time_period: None,
            anomalies: false,
            resolution: None,
            stride: 1,
        }
    }
}

/// How records of stations are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecordsConfig {
    /// Standard deviation of the sensors' noise, in the unit of each variable, where the file has no column of it; one number
    /// for all, or one for each.
    pub noise: Vec<f64>,
    /// A table of stations with their coordinates, for a file whose rows have none.
    pub stations: Option<PathBuf>,
    /// Unit of times that are numbers: `hours since 2019-03-01`.
    pub time_unit: Option<String>,
    /// Numbers that stand for a missing value.
    pub missing: Vec<f64>,
    /// Leave rows out that cannot be used, instead of refusing the file.
    pub skip_faults: bool,
    /// Points along each axis of the grid that the mean course is kept on and predictions are shown on; 32 along the longest
    /// axis if not given.
    pub points: Vec<usize>,
}

/// Where static fields are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticConfig {
    /// The file, on a grid that covers the domain.
    pub path: PathBuf,
    /// The arrays to read; all if empty.
    #[serde(default)]
    pub keys: Vec<String>,
}

/// Which samples train, validate and test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SplitConfig {
    /// The first tenth for tests, the rest for training.
    Pdebench,
    /// Random shares of the samples; the rest for training.
    Random {
        /// Share to validate on.
        validation: f64,
        /// Share to test on.
        test: f64,
    },
    /// Numbers of samples in the order of the data: first for training, then for validation, then for tests.
    Counts {
        /// Samples to train on.
        train: usize,
        /// Samples to validate on.
        validation: usize,
        /// Samples to test on.
        test: usize,
    },
    /// Of records, shares of the time in its order, the first for training, and of the stations, at random, that are never
    /// trained on.
    Records {
        /// Share of the time to validate on, before that of the tests.
        #[serde(default)]
        validation: f64,
        /// Share of the time to test on, the last.
        test: f64,
        /// Share of the stations held out.
        #[serde(default)]
        stations: f64,
    },
    /// All samples for tests: data not used for training.
    Test,
}

impl Default for SplitConfig {
    fn default() -> Self {
        SplitConfig::Random { validation: 0.1, test: 0.1 }
    }
}

impl SplitConfig {
    /// The split of `n` samples.
    ///
    /// # Errors
    /// Shares or counts that do not fit or, unless all samples are for tests, leave nothing to train on.
    pub fn split(&self, n: usize, seed: u64) -> Result<Split> {
        let split = match *self {
            SplitConfig::Pdebench => Split::pdebench(n),
            SplitConfig::Random { validation, test } => Split::random(n, validation, test, seed)?,
            SplitConfig::Counts { train, validation, test } => {
                let ends = [Some(train), train.checked_add(validation)];
                let total = ends[1].and_then(|sum| sum.checked_add(test)).filter(|&total| total <= n);
                let ([Some(a), Some(b)], Some(c)) = (ends, total) else {
                    let value = format!("{train} + {validation} + {test}");
                    return refuse("split.counts", value, &format!("there are {n} samples"));
                };
                Split { train: (0..a).collect(), validation: (a..b).collect(), test: (b..c).collect() }
            }
            SplitConfig::Records { .. } => {
                let requirement =
                    "is for records of stations; samples of fields are split by counts or shares";
                return refuse("split.records", format!("{self:?}"), requirement);
            }
            SplitConfig::Test => {
                return Ok(Split { train: Vec::new(), validation: Vec::new(), test: (0..n).collect() });
            }
        };
        if split.train.is_empty() {
            return refuse("split", format!("{self:?} of {n} samples"), "must leave samples to train on");
        }
        Ok(split)
    }
}

impl DataConfig {
    /// Checks everything that needs no data.
    ///
    /// # Errors
    /// Neither a file nor a PDE, or both; a count of zero; an option that is not understood, or not for a PDE.
    pub fn validate(&self) -> Result<()> {
        match (&self.path, &self.generate) {
            (None, None) => {
                return refuse(
                    "path",
                    "nothing".into(),
                    "give path = \"FILE\", or generate = { pde = \"heat\" }",
                );
            }
            (Some(path), Some(_)) => {
                return refuse("path", path.display().to_string(), "give either path or generate, not both");
            }
            (None, Some(_)) if self.samples.is_none() => {
                return refuse("samples", "nothing".into(), "give the number of samples to generate");
            }
            (None, Some(_)) => {
                let of_files: [(&str, bool); 9] = [
                    ("layout", self.layout.is_some()),
                    ("keys", !self.keys.is_empty()),
                    ("axes", self.axes.is_some()),
                    ("grid", self.grid.is_some()),
                    ("domain", self.domain.is_some()),
                    ("periodic", self.periodic.is_some()),
                    ("time_step", self.time_step.is_some()),
                    ("resolution", self.resolution.is_some()),
                    ("stride", self.stride != 1),
                ];
                if let Some((key, _)) = of_files.iter().find(|(_, given)| *given) {
                    return refuse(key, "given".into(), "is for files only; a PDE has its own parameters");
                }
            }
            _ => {}
        }
        for (key, value) in [
            ("samples", self.samples.unwrap_or(1)),
            ("frame_stride", self.frame_stride),
            ("history", self.history),
            ("stride", self.stride),
        ] {
            if value == 0 {
                return refuse(key, "0".into(), "must be at least 1");
            }
        }
        if let Some(bad) = self.calendar.iter().find(|period| !(**period > 0.0 && period.is_finite())) {
            return refuse("calendar", bad.to_string(), "periods must be positive");
        }
        if let Some(records) = &self.records {
            if let Some(bad) = records.noise.iter().find(|noise| !(**noise >= 0.0 && noise.is_finite())) {
                return refuse("records.noise", bad.to_string(), "must not be negative");
            }
            let fields_only = [
                ("window", self.window.is_some()),
                ("samples", self.samples.is_some()),
                ("generate", self.generate.is_some()),
            ];
            if let Some((key, _)) = fields_only.iter().find(|(_, given)| *given) {
                return refuse(
                    key,
                    "given".into(),
                    "is for fields on a grid; records are split by time and station",
                );
            }
        }
        if let Some(period) = self.time_period.filter(|period| !(*period > 0.0 && period.is_finite())) {
            return refuse("time_period", period.to_string(), "must be positive");
        }
        self.options().map(|_| ())
    }

    /// The options to open the file with.
    ///
    /// # Errors
    /// An option that is not understood.
    pub fn options(&self) -> Result<OpenOptions> {
        Ok(OpenOptions {
            layout: self.layout,
            keys: self.keys.clone(),
            axes: self.axes.clone(),
            grid: parsed(&self.grid)?,
            domain: parsed(&self.domain)?,
            periodic: parsed(&self.periodic)?,
            time_step: self.time_step,
            resolution: self.resolution,
            stride: self.stride,
            time_stride: self.frame_stride,
            allow_nan: false,
        })
    }
}

fn parsed<T: FromStr<Err = lto_numerics::Error>>(text: &Option<String>) -> Result<Option<T>> {
    Ok(text.as_deref().map(str::parse).transpose()?)
}

fn refuse<T>(key: &str, value: String, requirement: &str) -> Result<T> {
    Err(Error::Config { key: format!("data.{key}"), value, requirement: requirement.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_in_order_and_must_fit() {
        let counts = |train, validation, test| SplitConfig::Counts { train, validation, test };
        let split = counts(3, 1, 2).split(8, 0).unwrap();
        assert_eq!((split.train, split.validation, split.test), (vec![0, 1, 2], vec![3], vec![4, 5]));
        assert!(counts(6, 1, 2).split(8, 0).unwrap_err().to_string().contains("8 samples"));
        assert!(counts(usize::MAX, 1, 2).split(8, 0).is_err());
        assert!(counts(0, 1, 2).split(8, 0).is_err());
        let parsed: DataConfig = toml::from_str("path = 'a'\nsplit = 'pdebench'").unwrap();
        assert_eq!(parsed.split.split(30, 0).unwrap().test, [0, 1, 2]);
        let parsed: DataConfig =
            toml::from_str("path = 'a'\nsplit = { counts = { train = 2, validation = 0, test = 1 } }")
                .unwrap();
        assert_eq!(parsed.split, counts(2, 0, 1));
    }

    #[test]
    fn options_of_files_are_refused_for_a_pde() {
        let text = "generate = { pde = 'heat' }\nsamples = 3\n";
        let config: DataConfig = toml::from_str(text).unwrap();
        config.validate().unwrap();
        for extra in ["periodic = 'all'", "stride = 2", "frame_stride = 0", "time_period = 0.0", "path = 'x'"]
        {
            let config: DataConfig = toml::from_str(&format!("{text}{extra}")).unwrap();
            let key = extra.split(' ').next().unwrap();
            let message = config.validate().unwrap_err().to_string();
            assert!(message.contains(key), "{message}");
        }
        let config: DataConfig = toml::from_str("path = 'x'\ndomain = '0-1'").unwrap();
        assert!(config.validate().unwrap_err().to_string().contains("0-1"));
    }
}
