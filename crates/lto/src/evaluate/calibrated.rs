//! The calibration of a run: its model, and samples that it was not trained on.

use super::{EvaluationConfig, EvaluationData, Part};
use crate::calibrate::{CalibrationConfig, calibrate, calibrate_stations};
use crate::data::Data;
use crate::data::stations::{Span, StationData};
use crate::error::{Error, Result};
use crate::experiment::Setting;
use crate::model::Model;
use std::path::Path;

/// What to calibrate, on which data.
#[derive(Clone, Debug)]
pub struct CalibrationRequest<'a> {
    /// The folder of a run, or a model's file.
    pub run: &'a str,
    /// The file to calibrate on; the run's own data if not given.
    pub data: Option<&'a Path>,
    /// The configuration that says how to read the data; the run's if not given.
    pub config: Option<&'a Path>,
    /// Settings of the data that override that configuration.
    pub set: &'a [Setting],
    /// Which samples: those held out for validation if not given, or all of a file that the model was not trained on.
    pub split: Option<Part>,
    /// At most this many samples, evenly spread.
    pub samples: Option<usize>,
    /// Layouts, leads and seed.
    pub protocol: CalibrationConfig,
}

impl CalibrationRequest<'_> {
    /// The model with its calibration. `progress` gets `(done, all)` samples and says whether to go on.
    ///
    /// # Errors
    /// A model or data that cannot be read, samples that the model was trained on, too few samples, or
    /// [`Error::Interrupted`].
    pub fn run(&self, progress: &mut dyn FnMut(usize, usize) -> bool) -> Result<Model> {
        let source = EvaluationData::find(&[self.run.into()], self.config, self.data, self.set)?;
        let own = source.part != Part::All;
        let split = self.split.unwrap_or(if own { Part::Validation } else { Part::All });
        if own && split == Part::All {
            return Err(Error::Config {
                key: "split".into(),
                value: split.name().into(),
                requirement:
                    "would calibrate on training samples, whose errors are too small; give another file, \
                              or the validation or test part"
                        .into(),
            });
        }
        let model = Model::load(self.run)?;
        if source.config.records.is_some() {
            let longest = self.protocol.leads.iter().copied().max().unwrap_or(1);
            let data = StationData::open(&source.config, longest)?;
            let span = if split == Part::Validation { Span::Validation } else { Span::Test };
            let calibration = calibrate_stations(&model, &data, span, &self.protocol, progress)?;
            return model.calibrated(calibration);
        }
        let data = Data::open(&source.config, self.protocol.context.largest_fraction())?;
        let samples = EvaluationConfig { split, samples: self.samples, ..EvaluationConfig::default() };
        let calibration =
            calibrate(&model, &data, &samples.chosen_samples(&data)?, &self.protocol, progress)?;
        model.calibrated(calibration)
    }
}
