//! A served model: loaded once, exchanged as a whole, with the readings that come in for it.

use crate::error::{Error, Result};
use crate::source::{Origin, Source};
use crate::truth::Truth;
use crate::twin;
use crate::wire::{ModelSummary, Rows};
use lto::Model;
use lto::description::Description;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::watch;

/// A model under its name.
pub struct Served {
    source: Source,
    current: RwLock<Arc<Loaded>>,
    newest: watch::Sender<Option<Arc<Newest>>>,
}

/// A model as it was loaded. Requests keep the one they began with.
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// What clients are told about it.
    pub summary: ModelSummary,
    /// The true course of the example, if known.
    pub truth: Option<Truth>,
    /// Bytes of an encoded state, apart from its readings.
    pub state_bytes: usize,
}

/// The newest readings.
#[derive(Debug, PartialEq)]
pub struct Newest {
    /// When.
    pub time: f64,
    /// The places of the sensors, one row each.
    pub sensors: Rows,
    /// What.
    pub values: Rows,
}

impl Served {
    /// Loads a model.
    ///
    /// # Errors
    /// A model, or data given for it, that cannot be read.
    pub fn load(source: Source) -> lto::Result<Self> {
        let loaded = Loaded::of(&source)?;
        Ok(Self { source, current: RwLock::new(Arc::new(loaded)), newest: watch::Sender::new(None) })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// The model as it is now.
    pub fn now(&self) -> Arc<Loaded> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the model again; requests under way keep the one they have.
    ///
    /// # Errors
    /// A model that cannot be read; the old one goes on.
    pub fn reload(&self) -> Result<()> {
        let loaded = Loaded::of(&self.source).map_err(|error| {
            Error::conflict("reload", format!("{}: {error}; the model as it was goes on", self.name()))
        })?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(loaded);
        tracing::info!(model = self.name(), "reloaded");
        Ok(())
    }

    /// Everything that `lto info` says.
    pub fn card(&self) -> Description {
        let path = match &self.source.origin {
            Origin::Embedded => Path::new(""),
            Origin::Path(path) => path,
        };
        Description::of_model(path, &self.now().model)
    }

    /// The newest readings, and those that will come.
    pub fn newest(&self) -> watch::Receiver<Option<Arc<Newest>>> {
        self.newest.subscribe()
    }

    /// Takes readings: those of a newer time replace the older ones, those of the same time are added and replace earlier
    /// ones at the same place. Gives the number of sensors then.
    ///
    /// # Errors
    /// Readings older than the newest; more sensors than `most`.
    pub fn observe(&self, readings: Newest, most: u64) -> Result<usize> {
        let mut outcome = Ok(readings.sensors.n);
        self.newest.send_if_modified(|newest| {
            let merged = match newest {
                Some(known) if readings.time < known.time => {
                    let message =
                        format!("readings of {} are older than the newest, of {}", readings.time, known.time);
                    outcome = Err(Error::conflict("older", message));
                    return false;
                }
                Some(known) if readings.time == known.time => known.with(&readings),
                _ => readings,
            };
            let n = merged.sensors.n;
            outcome = Ok(n);
            if n as u64 > most {
                outcome = Err(Error::too_many("too_many_sensors", "sensors of one time", n as u64, most));
                return false;
            }
            *newest = Some(Arc::new(merged));
            true
        });
        outcome
    }
}

impl Newest {
    /// These readings and further ones, which win where both are at the same place.
    fn with(&self, further: &Newest) -> Newest {
        let known = self.sensors.numbers.chunks_exact(self.sensors.width.max(1));
        let known = known.zip(self.values.numbers.chunks_exact(self.values.width.max(1)));
        let again = |place: &[f64]| {
            further.sensors.numbers.chunks_exact(further.sensors.width.max(1)).any(|p| p == place)
        };
        let (mut sensors, mut values) = (Vec::new(), Vec::new());
        for (place, reading) in known.filter(|(place, _)| !again(place)) {
            sensors.extend_from_slice(place);
            values.extend_from_slice(reading);
        }
        sensors.extend(&further.sensors.numbers);
        values.extend(&further.values.numbers);
        Newest {
            time: self.time,
            sensors: Rows::new(sensors, further.sensors.width),
            values: Rows::new(values, further.values.width),
        }
    }
}

impl Loaded {
    fn of(source: &Source) -> lto::Result<Self> {
        let model = match &source.origin {
            Origin::Embedded => twin::model()?,
            Origin::Path(path) => Model::load(path)?,
        };
        let card = model.card();
        let known = Truth::open(source, &card.problem).and_then(|truth| {
            let example = truth.as_ref().map(Truth::example).transpose()?;
            Ok(truth.zip(example))
        });
        let (truth, example) = match known {
            Ok(known) => known.unzip(),
            // Nobody asked for the data of the run, which may be elsewhere.
            Err(reason) if source.data.is_none() => {
                tracing::info!(model = source.name, %reason, "no data to compare with");
                (None, None)
            }
            Err(reason) => return Err(reason),
        };
        let state_bytes = 4 * card.model.size(&card.problem).state as usize;
        let summary = ModelSummary::new(source, &model, example);
        Ok(Self { model, summary, truth, state_bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(time: f64, sensors: &[f64], values: &[f64]) -> Newest {
        Newest { time, sensors: Rows::new(sensors.to_vec(), 2), values: Rows::new(values.to_vec(), 1) }
    }

    #[test]
    fn the_newest_readings_are_kept() {
        let served = Served::load(Source::embedded()).unwrap();
        let newest = served.newest();
        assert_eq!(served.observe(readings(1.0, &[0.1, 0.1, 0.2, 0.2], &[1.0, 2.0]), 3), Ok(2));
        assert_eq!(served.observe(readings(1.0, &[0.2, 0.2, 0.3, 0.3], &[5.0, 3.0]), 3), Ok(3));
        let kept = newest.borrow().clone().unwrap();
        assert_eq!(*kept, readings(1.0, &[0.1, 0.1, 0.2, 0.2, 0.3, 0.3], &[1.0, 5.0, 3.0]));
        let full = served.observe(readings(1.0, &[0.9, 0.9], &[0.0]), 3).unwrap_err();
        assert_eq!(full.status(), 413);
        assert_eq!(served.observe(readings(0.5, &[0.9, 0.9], &[0.0]), 3).unwrap_err().status(), 409);
        assert_eq!(served.observe(readings(2.0, &[0.9, 0.9], &[0.0]), 3), Ok(1));
    }
}
