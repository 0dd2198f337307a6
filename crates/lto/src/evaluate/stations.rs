//! Errors at stations: over times that were held out, and at stations that were.

use super::EvaluationData;
use super::statistics::ErrorStatistics;
use crate::data::stations::score::{BandScore, Score, Scoring};
use crate::data::stations::{Group, Span, StationData};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::experiment::Setting;
use crate::model::{Model, ModelConfig};
use lto_numerics::dataset::Mask;
use serde::Serialize;
use std::path::Path;

/// What to evaluate, and on which records.
#[derive(Clone, Debug)]
pub struct StationRequest<'a> {
    /// Folders of runs, files of models, or names of models that need no training.
    pub runs: &'a [String],
    /// The records; those of the first run if not given.
    pub data: Option<&'a Path>,
    /// The configuration that says how to read them; the first run's if not given.
    pub config: Option<&'a Path>,
    /// Settings of the data that override it.
    pub set: &'a [Setting],
    /// Leads, in intervals between frames.
    pub leads: &'a [usize],
    /// Every how many frames a forecast begins.
    pub every: usize,
    /// Other records at the same times to compare with, as a whole grid.
    pub truth: Option<&'a Path>,
    /// Shares of the stations that forecasts are made from, drawn anew for each; all of them if empty.
    pub fractions: &'a [f64],
    /// Only stations inside this mask are compared with: see [`Mask::open`].
    pub mask: Option<&'a str>,
    /// Whether the times to validate on are meant instead of those to test on.
    pub validation: bool,
    /// Where models compute.
    pub device: Device,
}

/// The errors of several models at stations.
#[derive(Clone, Debug, Serialize)]
pub struct StationEvaluation {
    /// The models, as they were named.
    pub models: Vec<String>,
    /// What was evaluated on.
    pub data: String,
    /// Names of the stations held out.
    pub held_out: Vec<String>,
    /// The tables.
    pub sections: Vec<StationSection>,
}

/// The errors at some stations over some times.
#[derive(Clone, Debug, Serialize)]
pub struct StationSection {
    /// Which stations and times.
    pub name: String,
    /// The rows: every variable at every lead.
    pub rows: Vec<StationRow>,
}

/// The errors of all models for one variable and lead.
#[derive(Clone, Debug, Serialize)]
pub struct StationRow {
    /// The variable.
    pub variable: String,
    /// Its unit, if known.
    pub unit: Option<String>,
    /// The lead, in the unit of the times.
    pub lead: f64,
    /// Number of forecasts.
    pub forecasts: usize,
    /// RMSE over the stations of a forecast, then the mean over the forecasts of a block of time; their mean over blocks, with its
    /// interval. `None` for a model that cannot be asked.
    pub rmse: Vec<Option<ErrorStatistics>>,
    /// The 90 % bands of calibrated models, in the same way.
    pub bands: Vec<Option<StationBands>>,
}

/// Bands of level 0.9 at stations: means over the stations of a forecast, then as the errors.
#[derive(Clone, Debug, Serialize)]
pub struct StationBands {
    /// Share of the observed values inside.
    pub covered: ErrorStatistics,
    /// Width.
    pub width: ErrorStatistics,
    /// Continuous ranked probability score.
    pub crps: ErrorStatistics,
}

impl StationEvaluation {
    /// Evaluates. `progress` is told how many of all tables' rows are done, and says whether to go on.
    ///
    /// # Errors
    /// Records or a model that cannot be read, [`Error::Interrupted`].
    pub fn new(
        request: &StationRequest,
        extrapolate: bool,
        progress: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Self> {
        let source = EvaluationData::find(request.runs, request.config, request.data, request.set)?;
        let longest = request.leads.iter().copied().max().unwrap_or(1);
        let data = StationData::open(&source.config, longest)?;
        let mut models = Vec::new();
        for run in request.runs {
            let model = load(run, &data)?.on(request.device)?;
            models.push(if extrapolate { model.extrapolating() } else { model });
        }
        let held = if request.validation { Span::Validation } else { Span::Test };
        let every = request.every;
        let mask = request.mask.map(|written| Mask::over(written, data.records().domain())).transpose()?;
        let mask = mask.as_ref();
        let own = |span, at, fraction| Scoring {
            data: &data,
            from: Group::Seen,
            fraction,
            span,
            truth: &data,
            at,
            every,
            mask,
        };
        let fractions = if request.fractions.is_empty() { &[1.0] } else { request.fractions };
        if let Some(wrong) = fractions.iter().find(|share| !(**share > 0.0 && **share <= 1.0)) {
            let requirement = "a share of the stations is above 0, at most 1".into();
            return Err(Error::Config { key: "fractions".into(), value: wrong.to_string(), requirement });
        }
        let times = if request.validation { "times to validate on" } else { "held-out times" };
        let inside = request.mask.map_or(String::new(), |mask| match mask.strip_prefix('!') {
            Some(mask) => format!(" outside {mask}"),
            None => format!(" inside {mask}"),
        });
        let new = data.n_inside(Group::New, mask);
        if let (0, Some(mask)) = (data.n_inside(Group::All, mask), request.mask) {
            let requirement = format!("has none of the {} stations inside", data.n_stations(Group::All));
            return Err(Error::Config { key: "mask".into(), value: mask.into(), requirement });
        }
        let truth = request.truth.map(|path| open_truth(path, &source, longest)).transpose()?;
        let mut wanted = Vec::new();
        for &fraction in fractions {
            let share = match fraction {
                1.0 => String::new(),
                share => format!(", from {} % of the stations", (1e4 * share).round() / 100.0),
            };
            let seen = data.n_inside(Group::Seen, mask);
            wanted.push((
                format!("{times}, stations trained on ({seen}{inside}){share}"),
                own(held, Group::Seen, fraction),
            ));
            if new > 0 {
                wanted.push((
                    format!("{times}, held-out stations ({new}{inside}){share}"),
                    own(held, Group::New, fraction),
                ));
            }
            if new > 0 && fraction == 1.0 && !data.span(Span::Train).is_empty() {
                wanted.push((
                    format!("training times, held-out stations ({new}{inside})"),
                    own(Span::Train, Group::New, fraction),
                ));
            }
            if let (Some(truth), Some(path)) = (&truth, request.truth) {
                let n = truth.n_inside(Group::All, mask);
                let name = format!("{times}, {n} places of {}{inside}{share}", path.display());
                let whole = own(held, Group::All, fraction);
                wanted.push((name, Scoring { from: Group::All, truth, ..whole }));
            }
        }
        let total = wanted.len() * request.leads.len() * models.len();
        let (mut done, mut sections) = (0, Vec::new());
        for (name, scoring) in wanted {
            let mut rows = Vec::new();
            for &lead in request.leads {
                let mut each = Vec::new();
                for model in &models {
                    if !progress(done, total) {
                        return Err(Error::Interrupted);
                    }
                    each.push(match scoring.scores(model, lead) {
                        Err(Error::Unsupported { .. } | Error::TimeOutsideRange { .. }) => None,
                        scores => Some(scores?),
                    });
                    done += 1;
                }
                rows.extend(rows_of(&data, lead, &each));
            }
            sections.push(StationSection { name, rows });
        }
        let stations = data.records().stations().iter().zip(0..);
        let new = stations.filter(|(_, number)| data.is_in(*number, Group::New));
        Ok(Self {
            models: request.runs.to_vec(),
            data: data.notes().join("; "),
            held_out: new.map(|(station, _)| station.name.clone()).collect(),
            sections,
        })
    }
}

fn load(run: &str, data: &StationData) -> Result<Model> {
    match serde_json::from_value::<ModelConfig>(serde_json::json!({ "kind": run })) {
        Ok(config) => data.untrained(config),
        Err(_) => Model::load(run),
    }
}

/// Other records, all of whose stations and times are compared with.
fn open_truth(path: &Path, source: &EvaluationData, longest: usize) -> Result<StationData> {
    let mut config = source.config.clone();
    config.path = Some(path.into());
    config.split = crate::data::config::SplitConfig::Test;
    StationData::open(&config, longest)
}

/// One row for each variable.
fn rows_of(data: &StationData, lead: usize, each: &[Option<Vec<Score>>]) -> Vec<StationRow> {
    let variables = data.records().variables().iter().enumerate();
    variables
        .map(|(c, variable)| StationRow {
            variable: variable.name.clone(),
            unit: variable.unit.clone(),
            lead: lead as f64 * data.interval(),
            forecasts: each.iter().flatten().map(Vec::len).max().unwrap_or(0),
            rmse: each.iter().map(|scores| statistics(data, scores.as_deref()?, |one| one.rmse[c])).collect(),
            bands: each.iter().map(|scores| bands(data, c, scores.as_deref()?)).collect(),
        })
        .collect()
}

/// The bands of a variable; `None` for a model without calibration.
fn bands(data: &StationData, variable: usize, scores: &[Score]) -> Option<StationBands> {
    let of = |part: fn(&BandScore) -> f64| {
        statistics(data, scores, |one| one.bands.as_ref().map_or(f64::NAN, |bands| part(&bands[variable])))
    };
    Some(StationBands {
        covered: of(|band| band.covered)?,
        width: of(|band| band.width)?,
        crps: of(|band| band.crps)?,
    })
}

/// Forecasts that begin within one period (or a tenth of the time) are one block: they are hardly independent.
fn statistics(data: &StationData, scores: &[Score], of: impl Fn(&Score) -> f64) -> Option<ErrorStatistics> {
    let first = scores.first()?.s;
    let length = data.period().unwrap_or((scores.last()?.s - first) / 10.0 + data.interval());
    let mut blocks: Vec<[f64; 2]> = Vec::new();
    for score in scores.iter().filter(|score| !of(score).is_nan()) {
        let block = ((score.s - first) / length) as usize;
        blocks.resize(blocks.len().max(block + 1), [0.0; 2]);
        blocks[block] = [blocks[block][0] + 1.0, blocks[block][1] + of(score)];
    }
    let means = blocks.iter().filter(|[n, _]| *n > 0.0).map(|[n, sum]| sum / n);
    ErrorStatistics::of(means.collect())
}
