//! What to evaluate.

use crate::data::Data;
use crate::data::context::DesignKind;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Number of starts to average errors over by default.
const STARTS: usize = 6;
/// Default steps of the horizon, if the data have as many.
const HORIZON: usize = 10;

/// Which samples of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Part {
    /// Those held out for tests.
    #[default]
    Test,
    /// Those held out for validation.
    Validation,
    /// All.
    All,
}

impl Part {
    /// Name as written in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Part::Test => "test",
            Part::Validation => "validation",
            Part::All => "all",
        }
    }
}

/// A protocol: what to predict from what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationConfig {
    /// Which samples.
    pub split: Part,
    /// At most this many, evenly spread; all if not given.
    pub samples: Option<usize>,
    /// Seed of random contexts and of noise.
    pub seed: u64,
    /// Frames in the longest source of the compared models: default source frames let all of them start.
    pub history: usize,
    /// Source frames to average one-step errors over; six, evenly spread, if not given.
    pub starts: Option<Vec<usize>>,
    /// Native steps predicted at once in all sweeps.
    pub lead: usize,
    /// Resolutions of context and query together, as points along the first axis.
    pub resolutions: Vec<usize>,
    /// Resolutions of the context, the query being native.
    pub context_resolutions: Vec<usize>,
    /// Resolutions of the query, the context being native.
    pub query_resolutions: Vec<usize>,
    /// Observed points ÷ native points.
    pub fractions: Vec<f64>,
    /// How these points are chosen.
    pub designs: Vec<DesignKind>,
    /// Standard deviations of the noise on the observations, relative to the field's.
    pub noise: Vec<f64>,
    /// Native steps of the long forecast; at most ten if not given, 0 leaves it out.
    pub horizon: Option<usize>,
    /// Only the bands of calibrated models are measured.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bands_only: bool,
    /// Only what lies inside this mask is compared and shown: see [`lto_numerics::dataset::Mask::open`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// Source frame of the long forecast; the first that all models can start from if not given.
    pub start: Option<usize>,
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        Self {
            split: Part::Test,
            samples: None,
            seed: 0,
            history: 1,
            starts: None,
            lead: 1,
            resolutions: Vec::new(),
            context_resolutions: Vec::new(),
            query_resolutions: Vec::new(),
            fractions: vec![0.05, 0.1, 0.25, 1.0],
            designs: vec![
                DesignKind::Random,
                DesignKind::Strided,
                DesignKind::Clustered,
                DesignKind::FailedRegion,
            ],
            noise: vec![0.01, 0.05, 0.1],
            horizon: None,
            bands_only: false,
            mask: None,
            start: None,
        }
    }
}

/// A protocol resolved for the data.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Protocol {
    pub samples: Vec<usize>,
    /// Source frames; a dummy one for a steady problem.
    pub starts: Vec<usize>,
    /// First frame and steps of the long forecast.
    pub horizon: Option<(usize, usize)>,
}

impl EvaluationConfig {
    /// All resolutions asked for.
    pub fn all_resolutions(&self) -> Vec<usize> {
        [&self.resolutions[..], &self.context_resolutions, &self.query_resolutions].concat()
    }

    /// The samples to evaluate.
    ///
    /// # Errors
    /// There are none.
    pub fn chosen_samples(&self, data: &Data) -> Result<Vec<usize>> {
        let split = data.split();
        let all: Vec<usize> = (0..data.layout().n_samples).collect();
        let part = match self.split {
            Part::Test => &split.test,
            Part::Validation => &split.validation,
            Part::All => &all,
        };
        if part.is_empty() || self.samples == Some(0) {
            let requirement = "has no samples to evaluate; choose another part, or all".into();
            return refuse("split", self.split.name().into(), requirement);
        }
        let n = self.samples.map_or(part.len(), |n| n.min(part.len()));
        Ok((0..n).map(|i| part[i * part.len() / n]).collect())
    }

    /// Resolves what depends on the data. `history` is the number of frames in a source of the model. Given
    /// frames may be too early for it: it then cannot start there, though others can.
    ///
    /// # Errors
    /// Frames beyond the data, values that make no sense, or no sample.
    pub(super) fn protocol(&self, data: &Data, history: usize) -> Result<Protocol> {
        let layout = data.layout();
        let samples = self.chosen_samples(data)?;
        if let Some(level) = self.noise.iter().find(|level| !(**level >= 0.0 && level.is_finite())) {
            return refuse("noise", level.to_string(), "must not be negative".into());
        }
        if let Some(fraction) = self.fractions.iter().find(|f| !(**f > 0.0 && f.is_finite())) {
            return refuse("fractions", fraction.to_string(), "must be positive".into());
        }
        if layout.is_steady() {
            return Ok(Protocol { samples, starts: vec![0], horizon: None });
        }
        let n_frames = layout.times.len();
        let first = self.history.max(history).max(1) - 1;
        let earliest = if self.starts.is_some() { 0 } else { first };
        if self.lead == 0 || earliest.saturating_add(self.lead) >= n_frames {
            let most = n_frames.saturating_sub(earliest + 1);
            return refuse("lead", self.lead.to_string(), format!("must be 1 to {most} native steps"));
        }
        let last = n_frames - 1 - self.lead;
        let starts = match &self.starts {
            None => spread(first, last, STARTS),
            Some(starts) if starts.is_empty() => {
                return refuse("starts", "[]".into(), "must name a frame".into());
            }
            Some(starts) => match starts.iter().find(|s| **s > last) {
                Some(bad) => {
                    let requirement = format!("the frames to start from are 0 to {last}");
                    return refuse("starts", bad.to_string(), requirement);
                }
                None => starts.clone(),
            },
        };
        let start = self.start.unwrap_or(first);
        let most = (n_frames - 1).saturating_sub(start);
        if most == 0 {
            let requirement = format!("the frames to start from are 0 to {}", n_frames - 2);
            return refuse("start", start.to_string(), requirement);
        }
        let steps = self.horizon.unwrap_or(HORIZON.min(most));
        if steps > most {
            return refuse(
                "horizon",
                steps.to_string(),
                format!("from frame {start} the data have {most} steps"),
            );
        }
        Ok(Protocol { samples, starts, horizon: (steps > 0).then_some((start, steps)) })
    }
}

/// At most `n` whole numbers from `first` to `last`, evenly spread, including both if more than one.
fn spread(first: usize, last: usize, n: usize) -> Vec<usize> {
    let n = n.min(last - first + 1);
    (0..n).map(|i| first + if n > 1 { i * (last - first) / (n - 1) } else { 0 }).collect()
}

fn refuse<T>(key: &str, value: String, requirement: String) -> Result<T> {
    Err(Error::Config { key: key.into(), value, requirement })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::config::DataConfig;

    fn protocol(change: impl FnOnce(&mut EvaluationConfig), history: usize) -> Result<Protocol> {
        let text = "generate = { pde = 'heat', resolution = 8, n_frames = 11 }\nsamples = 40\n\
                    split = { counts = { train = 10, validation = 0, test = 30 } }";
        let data = Data::open(&toml::from_str::<DataConfig>(text).unwrap(), 1.0).unwrap();
        let mut config = EvaluationConfig::default();
        change(&mut config);
        config.protocol(&data, history)
    }

    #[test]
    fn what_is_not_given_follows_from_the_data() {
        let decided = protocol(|_| {}, 1).unwrap();
        assert_eq!(decided.starts, [0, 1, 3, 5, 7, 9]);
        assert_eq!((decided.samples.len(), decided.samples[0]), (30, 10));
        assert_eq!(decided.horizon, Some((0, 10)));
        let decided = protocol(|c| (c.samples, c.lead) = (Some(3), 4), 3).unwrap();
        assert_eq!(decided.samples, [10, 20, 30]);
        assert_eq!(decided.starts, [2, 3, 4, 5, 6]);
        assert_eq!(decided.horizon, Some((2, 8)));
    }

    /// By default all models start where the one with the longest source can.
    #[test]
    fn all_models_start_where_the_longest_source_does() {
        let [short, long] = [1, 4].map(|history| protocol(|c| c.history = 4, history).unwrap());
        assert_eq!(short, long);
        assert_eq!((short.starts[0], short.horizon), (3, Some((3, 7))));
        let told = protocol(|c| (c.starts, c.start) = (Some(vec![0, 9]), Some(1)), 4).unwrap();
        assert_eq!((told.starts, told.horizon), (vec![0, 9], Some((1, 9))));
    }

    #[test]
    fn what_the_data_do_not_have_is_told() {
        type Change = fn(&mut EvaluationConfig);
        let cases: [(Change, &str); 7] = [
            (|c| c.starts = Some(vec![0, 10]), "starts = 10"),
            (|c| c.start = Some(10), "start = 10"),
            (|c| (c.start, c.horizon) = (Some(6), Some(5)), "4 steps"),
            (|c| c.lead = 11, "lead"),
            (|c| c.split = Part::Validation, "validation"),
            (|c| c.noise = vec![-0.1], "noise"),
            (|c| c.fractions = vec![0.0], "fractions"),
        ];
        for (change, part) in cases {
            let message = protocol(change, 1).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
