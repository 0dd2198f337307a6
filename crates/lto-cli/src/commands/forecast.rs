//! `lto forecast`: forecasts from the newest readings, and as they come in.

use super::predict;
use crate::args::{ForecastArgs, GlobalArgs};
use crate::{interrupt, output};
use anyhow::{Context as _, Result};
use lto::band::Band;
use lto::forecast::{Event, Live, LiveOptions, Message, Source};
use lto::model::{Model, ModelCard, Prediction};
use lto::observations::Observations;
use lto_numerics::Points;
use lto_numerics::dataset::{Context, Mask};
use lto_numerics::records::{FaultKind, show_iso};
use lto_report::prediction::{self, Predicted, PredictionFormat};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(200);

/// Follows the readings until they end, or Ctrl-C.
///
/// # Errors
/// A model or readings that cannot be read, a folder that cannot be written.
pub fn run(args: &ForecastArgs, _: &GlobalArgs) -> Result<ExitCode> {
    let model = Model::load(&args.model)?;
    let model = if args.allow_extrapolation { model.extrapolating() } else { model };
    let card = model.card().clone();
    let query = Arc::new(predict::query(args.query.as_ref(), &card.problem)?);
    let files = args.output.as_ref().map(|folder| Files::new(folder, &args.format)).transpose()?;
    let mask = args.mask.as_deref().map(|written| Mask::over(written, &card.problem.domain)).transpose()?;
    let mut printer = Printer { card: &card, query: &query, mask, files, faults: BTreeMap::new() };
    let options = LiveOptions {
        leads: args.leads.clone(),
        query: query.clone(),
        alarm: args.alarm,
        keep_alarmed: args.keep_alarmed,
        band: args.band,
    };
    if args.band.is_some() {
        card.calibration()?;
    }
    let reading = Live::record_options(&model, args.reading.options());
    let mut live = Live::new(model, options);
    interrupt::listen()?;
    let source = Source::open(&args.records, args.follow, reading)?;
    let wait = Duration::from_secs_f64(args.wait.max(0.0));
    let mut last = Instant::now();
    while !interrupt::requested() {
        match source.messages.recv_timeout(LOOK) {
            Ok(Message::Station(name)) => live.add_station(name),
            Ok(Message::Row { row, place, fresh }) => {
                last = Instant::now();
                let tell = args.all || args.follow && fresh;
                live.push(&row, &place, tell, &mut |event| printer.event(event, tell))?;
            }
            Ok(Message::Fault { kind, text, fresh }) => printer.fault(kind, &text, args.all || fresh)?,
            Ok(Message::Failed(error)) => return Err(error).context("the readings can no longer be read"),
            Err(RecvTimeoutError::Timeout) if args.follow && live.is_open() && last.elapsed() >= wait => {
                live.complete(true, &mut |event| printer.event(event, true))?;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                live.complete(true, &mut |event| printer.event(event, true))?;
                printer.tell_faults()?;
                break;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Where fields are written.
struct Files {
    folder: PathBuf,
    format: &'static dyn PredictionFormat,
}

impl Files {
    fn new(folder: &Path, suffix: &str) -> Result<Self> {
        let format = prediction::format_of(Path::new(&format!("forecast.{suffix}")))?;
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        Ok(Self { folder: folder.into(), format })
    }
}

/// Prints events as lines of JSON.
struct Printer<'a> {
    card: &'a ModelCard,
    query: &'a Arc<Points>,
    mask: Option<Mask>,
    files: Option<Files>,
    /// Faults of rows that were there before, which are only counted.
    faults: BTreeMap<FaultKind, (u64, String)>,
}

impl Printer<'_> {
    fn time(&self, time: f64) -> Value {
        if self.card.problem.measured.dated { json!(show_iso(time)) } else { json!(time) }
    }

    fn event(&mut self, event: Event, tell: bool) -> lto::Result<()> {
        let value = match event {
            Event::Fault { kind, text } => return self.fault(kind, &text, tell).map_err(io_error),
            Event::Alarm(alarm) => json!({
                "event": "alarm",
                "time": self.time(alarm.time),
                "station": alarm.station,
                "variable": alarm.variable,
                "value": alarm.disagreement.value,
                "expected": alarm.disagreement.expected,
                "deviations": alarm.disagreement.deviations,
                "text": format!(
                    "station {} disagrees with its neighbors by {:.1} deviations",
                    alarm.station, alarm.disagreement.deviations.abs()
                ),
            }),
            Event::Silent { station, time } => {
                json!({ "event": "silent", "time": self.time(time), "station": station })
            }
            Event::Back { station, time } => {
                json!({ "event": "back", "time": self.time(time), "station": station })
            }
            Event::Nothing { time, reason } => {
                json!({ "event": "nothing", "time": self.time(time), "reason": reason })
            }
            Event::Forecast { time, context, mut prediction, mut band } => {
                if let Some(mask) = &self.mask {
                    let ends = band.iter_mut().flat_map(|band| [&mut band.lower, &mut band.upper]);
                    let all = [&mut prediction.values].into_iter().chain(ends);
                    all.for_each(|values| mask.apply(self.query, values));
                }
                self.forecast(time, &context, &prediction, band.as_ref()).map_err(io_error)?
            }
        };
        line(&value).map_err(io_error)
    }

    fn forecast(
        &self,
        time: f64,
        context: &Context,
        prediction: &Prediction,
        band: Option<&Band>,
    ) -> Result<Value> {
        let times: Vec<Value> = prediction.times.iter().map(|&t| self.time(t)).collect();
        let channels = prediction::channel_names(self.card);
        let mut value = json!({
            "event": "forecast",
            "time": self.time(time),
            "observations": context.points.len(),
            "times": times,
            "channels": channels,
        });
        let Some(files) = &self.files else {
            let nested = |values: &[f64]| {
                let fields: Vec<&[f64]> = values.chunks(self.query.len()).collect();
                json!(fields.chunks(channels.len().max(1)).collect::<Vec<_>>())
            };
            value["values"] = nested(&prediction.values);
            if let Some(band) = band {
                (value["lower"], value["upper"]) = (nested(&band.lower), nested(&band.upper));
            }
            return Ok(value);
        };
        let name =
            if self.card.problem.measured.dated { show_iso(time).replace(':', "") } else { time.to_string() };
        let path = files.folder.join(format!("{name}.{}", files.format.suffix()));
        let shown = predict::shown(context, self.card.problem.target_channels, 0)?;
        let observations = Observations::of_context(shown, time, self.card, true)?;
        let predicted = Predicted {
            card: self.card,
            observations: &observations,
            query: self.query,
            times: &prediction.times,
            values: &prediction.values,
            band,
            samples: &[],
            shown_channel: 0,
            colormap: None,
        };
        files.format.write(&path, &predicted)?;
        value["file"] = json!(path);
        Ok(value)
    }

    fn fault(&mut self, kind: FaultKind, text: &str, tell: bool) -> Result<()> {
        if !tell {
            let (count, _) = self.faults.entry(kind).or_insert_with(|| (0, text.into()));
            *count += 1;
            return Ok(());
        }
        self.tell_faults()?;
        line(&json!({ "event": "fault", "kind": kind, "text": text }))
    }

    /// Tells the faults that were only counted.
    fn tell_faults(&mut self) -> Result<()> {
        for (kind, (count, first)) in std::mem::take(&mut self.faults) {
            line(&json!({ "event": "faults", "kind": kind, "count": count, "first": first }))?;
        }
        Ok(())
    }
}

/// One line of JSON, at once.
fn line(value: &Value) -> Result<()> {
    output::print(&format!("{value}\n"))
}

/// The error of an event that could not be told.
fn io_error(error: anyhow::Error) -> lto::Error {
    match error.downcast::<lto::Error>() {
        Ok(error) => error,
        Err(error) => {
            let source = std::io::Error::other(format!("{error:#}"));
            lto_numerics::Error::Io { path: "the forecast".into(), source }.into()
        }
    }
}
