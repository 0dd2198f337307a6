//! Forecasts that follow the sensors: readings come in one by one, and each time that is complete gives a forecast,
//! with alarms for stations that disagree with their neighbors or fall silent. Memory does not grow with time.

mod draft;
mod neighbors;
mod source;

pub use neighbors::{Disagreement, Watch};
pub use source::{Message, Source};

use crate::band::Band;
use crate::data::stations::context_of;
use crate::error::Result;
use crate::model::{Forecast, Model, Prediction};
use draft::Draft;
use lto_numerics::Points;
use lto_numerics::dataset::{Context, DomainOption};
use lto_numerics::records::{FaultKind, FaultPolicy, Frame, RecordOptions, Row};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// Times closer than this share of the interval between frames are the same.
const SAME_TIME: f64 = 0.01;

/// What a forecast is asked for.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// How far ahead, in the unit of time.
    pub leads: Vec<f64>,
    /// The points of every forecast.
    pub query: Arc<Points>,
    /// A station that disagrees with its neighbors by so many deviations raises an alarm and is left out.
    pub alarm: f64,
    /// Leave such stations in.
    pub keep_alarmed: bool,
    /// The level of the bands around forecasts, if they are wanted; needs a calibrated model.
    pub band: Option<f64>,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A row that was not used, or only in part.
    Fault {
        /// What is wrong.
        kind: FaultKind,
        /// Where, which value, what to do.
        text: String,
    },
    /// A station that disagrees with its neighbors.
    Alarm(Alarm),
    /// A station that reported before and no longer does.
    Silent {
        /// The station.
        station: String,
        /// The first time without it.
        time: f64,
    },
    /// A silent station that reports again.
    Back {
        /// The station.
        station: String,
        /// When.
        time: f64,
    },
    /// The forecast of a time.
    Forecast {
        /// Time of the newest readings.
        time: f64,
        /// What was observed, and used.
        context: Box<Context>,
        /// The fields at the leads.
        prediction: Prediction,
        /// The band around them, if one was wanted.
        band: Option<Band>,
    },
    /// A time from which nothing can be forecast.
    Nothing {
        /// The time.
        time: f64,
        /// Why.
        reason: String,
    },
}

/// A station that disagrees with its neighbors.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    /// The station.
    pub station: String,
    /// When.
    pub time: f64,
    /// Which variable.
    pub variable: String,
    /// What it says, and by how much that leaves what its neighbors say.
    pub disagreement: Disagreement,
}

/// A model that follows readings.
pub struct Live {
    model: Model,
    options: LiveOptions,
    noise: Vec<f64>,
    names: Vec<String>,
    draft: Option<Draft>,
    /// The last frames, the newest first; as many as the model sees.
    frames: VecDeque<Arc<Frame>>,
    watches: Vec<Watch>,
    /// Stations of the last time.
    reporting: HashSet<u32>,
    /// Stations that ever reported, but not at the last time.
    silent: HashSet<u32>,
}

impl Live {
    /// Follows with a model.
    pub fn new(model: Model, options: LiveOptions) -> Self {
        let problem = &model.card().problem;
        let p = problem.target_channels;
        let known = &problem.measured.noise;
        let noise = if known.len() == p { known.clone() } else { vec![0.0; p] };
        let watches = (0..p).map(|_| Watch::new(options.alarm)).collect();
        Self {
            model,
            options,
            noise,
            names: Vec::new(),
            draft: None,
            frames: VecDeque::new(),
            watches,
            reporting: HashSet::new(),
            silent: HashSet::new(),
        }
    }

    /// How the model's readings are read: its variables, inside its domain; what is wrong with rows is reported.
    pub fn record_options(model: &Model, base: RecordOptions) -> RecordOptions {
        let card = model.card();
        let axes = card.problem.domain.axes();
        RecordOptions {
            variables: card.channel_names.clone(),
            domain: Some(DomainOption(axes.iter().map(|axis| (axis.lower, axis.upper)).collect())),
            faults: FaultPolicy::Skip,
            ..base
        }
    }

    /// Tells the name of a station; stations are numbered in the order in which they are told.
    pub fn add_station(&mut self, name: String) {
        self.names.push(name);
    }

    /// Adds a row at its place. A row of a later time completes the one before, which is then forecast from if `forecast`.
    ///
    /// # Errors
    /// A model that cannot compute; what `emit` returns.
    pub fn push(
        &mut self,
        row: &Row,
        place: &[f64],
        forecast: bool,
        emit: &mut dyn FnMut(Event) -> Result<()>,
    ) -> Result<()> {
        let last = self.frames.front().map(|frame| frame.time);
        if last.is_some_and(|last| row.time <= last) {
            let text = format!("line {}: a row of a time that is already over; not used", row.line);
            return emit(Event::Fault { kind: FaultKind::Late, text });
        }
        match &self.draft {
            Some(draft) if row.time < draft.time => {
                let text = format!("line {}: a row of a time before the newest one; not used", row.line);
                return emit(Event::Fault { kind: FaultKind::Late, text });
            }
            Some(draft) if row.time > draft.time => self.complete(forecast, emit)?,
            _ => {}
        }
        let p = self.noise.len();
        let draft = self.draft.get_or_insert_with(|| Draft::new(row.time, p));
        match draft.add(row, place) {
            None => Ok(()),
            Some((kind, text)) => emit(Event::Fault { kind, text }),
        }
    }

    /// Whether readings of a time wait for it to be over.
    pub fn is_open(&self) -> bool {
        self.draft.is_some()
    }

    /// Ends the time that is being read: alarms, and a forecast from it if `forecast`.
    ///
    /// # Errors
    /// As [`Live::push`].
    pub fn complete(&mut self, forecast: bool, emit: &mut dyn FnMut(Event) -> Result<()>) -> Result<()> {
        let Some(draft) = self.draft.take() else { return Ok(()) };
        let mut frame = draft.frame();
        let time = frame.time;
        self.tell_silence(&frame, forecast, emit)?;
        let domain = self.model.card().problem.domain.clone();
        for (variable, watch) in self.watches.iter_mut().enumerate() {
            let n = frame.stations.len();
            for found in watch.check(&frame, variable, &domain)? {
                let j = found.index;
                if !self.options.keep_alarmed {
                    frame.values[variable * n + j] = f64::NAN;
                }
                let station = self.names.get(frame.stations[j] as usize).cloned().unwrap_or_default();
                let variable = self.model.card().channel_names.get(variable).cloned().unwrap_or_default();
                if forecast {
                    emit(Event::Alarm(Alarm { station, time, variable, disagreement: found }))?;
                }
            }
        }
        self.frames.push_front(Arc::new(frame));
        self.frames.truncate(self.model.card().problem.history());
        if forecast {
            let event = self.forecast(time)?;
            emit(event)?;
        }
        Ok(())
    }

    fn tell_silence(
        &mut self,
        frame: &Frame,
        tell: bool,
        emit: &mut dyn FnMut(Event) -> Result<()>,
    ) -> Result<()> {
        let now: HashSet<u32> = frame.stations.iter().copied().collect();
        let name = |station: &u32| self.names.get(*station as usize).cloned().unwrap_or_default();
        let mut gone: Vec<u32> = self.reporting.difference(&now).copied().collect();
        let mut back: Vec<u32> = self.silent.intersection(&now).copied().collect();
        gone.sort_unstable();
        back.sort_unstable();
        if tell {
            for station in &gone {
                emit(Event::Silent { station: name(station), time: frame.time })?;
            }
            for station in &back {
                emit(Event::Back { station: name(station), time: frame.time })?;
            }
        }
        back.iter().for_each(|station| _ = self.silent.remove(station));
        self.silent.extend(gone);
        self.reporting = now;
        Ok(())
    }

    /// The frames that the model sees at a time, the newest first.
    fn history(&self, time: f64) -> Vec<Option<Arc<Frame>>> {
        let interval = self.model.card().native_interval.unwrap_or(1.0);
        let at = |wanted: f64| {
            let near = |frame: &&Arc<Frame>| (frame.time - wanted).abs() <= SAME_TIME * interval;
            self.frames.iter().find(near).cloned()
        };
        (0..self.model.card().problem.history()).map(|back| at(time - back as f64 * interval)).collect()
    }

    fn forecast(&self, time: f64) -> Result<Event> {
        let problem = &self.model.card().problem;
        let context = context_of(&self.history(time), &problem.domain, &self.noise, |_| true)?;
        let Some(context) = context else {
            return Ok(Event::Nothing { time, reason: "no usable readings".into() });
        };
        let times: Vec<f64> = self.options.leads.iter().map(|lead| time + lead).collect();
        Ok(match self.predict(&context, time, &times) {
            Ok((prediction, band)) => Event::Forecast { time, context: Box::new(context), prediction, band },
            Err(error) => Event::Nothing { time, reason: error.to_string() },
        })
    }

    fn predict(&self, context: &Context, s: f64, times: &[f64]) -> Result<(Prediction, Option<Band>)> {
        let query = &self.options.query;
        let Some(level) = self.options.band else {
            return Ok((self.model.predict(context, s, times, query)?, None));
        };
        let (prediction, spread) = self.model.predict_spread(&Forecast { context, s, times }, None, query)?;
        Ok((prediction, Some(spread.band(level)?)))
    }
}
