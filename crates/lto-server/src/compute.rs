//! From the numbers of a request to the libraries' types, and back.

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::served::Loaded;
use crate::wire::{FieldAnswer, Query, Rows, Tolerance};
use lto::Model;
use lto::model::{Encoded, ModelCard, Prediction};
use lto::observations::{ObservationOptions, Observations};
use lto::problem::Problem;
use lto_numerics::dataset::{Columns, Readings};
use lto_numerics::{Grid, Points};
use std::sync::Arc;

/// Readings as a model takes them, by the checks that files of sensors go through.
///
/// # Errors
/// Shapes that do not fit each other or the model, and what [`Observations::new`] refuses.
pub fn observations(
    card: &ModelCard,
    sensors: Rows,
    values: &Rows,
    s: Option<f64>,
    tolerance: Tolerance,
) -> Result<Observations> {
    let problem = &card.problem;
    check_width("sensors", &sensors, problem.domain.dim(), "axis")?;
    check_width("values", values, problem.source_channels, "source channel")?;
    if sensors.n != values.n {
        let message = format!("there are {} sensors and {} rows of values", sensors.n, values.n);
        return Err(Error::unfit("data", message));
    }
    if problem.times.is_some() && s.is_none() {
        return Err(Error::unfit("data", "s is missing: the time of the readings"));
    }
    // Channels in the model's order, named as the columns of an array.
    let names = match values.width {
        0 | 1 => vec!["values".into()],
        n => (0..n).map(|c| format!("values[:, {c}]")).collect(),
    };
    let columns = (0..values.width).map(|c| values.column(c)).collect();
    let columns = Columns { times: None, names, values: columns };
    let readings = Readings::scattered("sensors", &problem.domain, sensors.numbers, columns)?;
    let Tolerance { force, skip_missing, merge_duplicates } = tolerance;
    let options =
        ObservationOptions { time: s, columns: Vec::new(), skip_missing, merge_duplicates, allow_far: force };
    Ok(Observations::new(&readings, card, &options)?)
}

/// Encodes readings; with `force`, the state also goes to times outside the training data's.
///
/// # Errors
/// Readings or a time that the model does not take.
pub fn encode(loaded: &Loaded, observations: &Observations, force: bool) -> Result<Encoded> {
    Ok(model(loaded, force).encode(&observations.context, time(observations))?)
}

/// The model; with `force`, one that also goes to times outside the training data's.
pub fn model(loaded: &Loaded, force: bool) -> Model {
    if force { loaded.model.clone().extrapolating() } else { loaded.model.clone() }
}

/// The time of readings; a steady model has none and ignores it.
pub fn time(observations: &Observations) -> f64 {
    observations.time.unwrap_or(0.0)
}

/// The estimated bytes of an encoded state.
pub fn bytes(loaded: &Loaded, observations: &Observations) -> usize {
    let context = &observations.context;
    // The readings are kept as they came and as the network sees them.
    16 * context.points.len() * (context.points.dim() + context.n_channels) + loaded.state_bytes
}

/// The points of a query; without one, the training grid. Also their shape.
///
/// # Errors
/// More than the limit, or points that are not in the domain.
pub fn query(query: Option<Query>, problem: &Problem, limits: &Limits) -> Result<(Arc<Points>, Vec<usize>)> {
    match query {
        Some(Query::Points(rows)) => {
            limits.check_points(rows.n as u64)?;
            check_width("points", &rows, problem.domain.dim(), "axis")?;
            let shape = vec![rows.n];
            Ok((Arc::new(Points::scattered(problem.domain.clone(), rows.numbers)?), shape))
        }
        Some(Query::Grid(shape)) => on_grid(&shape, problem, limits),
        None => on_grid(&problem.native, problem, limits),
    }
}

fn on_grid(shape: &[usize], problem: &Problem, limits: &Limits) -> Result<(Arc<Points>, Vec<usize>)> {
    let grid = grid(shape, problem, limits)?;
    let shape = grid.shape();
    Ok((Arc::new(Points::grid(grid)), shape))
}

/// A grid over the domain.
///
/// # Errors
/// Another number of axes, or more points than the limit.
pub fn grid(shape: &[usize], problem: &Problem, limits: &Limits) -> Result<Grid> {
    let axes = match shape {
        [n] => vec![*n; problem.domain.dim()],
        shape => shape.to_vec(),
    };
    limits.check_points(axes.iter().map(|&n| n as u64).fold(1, u64::saturating_mul))?;
    Ok(problem.query_grid(&axes)?)
}

/// What is wanted of a state: the field at these times and points, with a band if there is a level.
pub struct Wanted {
    /// The times; of a steady model none.
    pub times: Vec<f64>,
    /// The points.
    pub query: Arc<Points>,
    /// The probability of a band.
    pub band: Option<f64>,
    /// Shape of the values.
    shape: Vec<usize>,
}

impl Wanted {
    /// What a request wants of the state that a model has at time `s`.
    ///
    /// # Errors
    /// Times or points that the model does not take, more of them than the limits, or a band that it does not have.
    pub fn new(
        model: &Model,
        s: f64,
        times: Vec<f64>,
        wanted: Option<Query>,
        band: Option<f64>,
        limits: &Limits,
    ) -> Result<Self> {
        let (card, problem) = (model.card(), &model.card().problem);
        let steady = problem.times.is_none();
        match problem.times {
            Some([first, last]) if times.is_empty() => {
                let message = format!("times is missing: the model knows {first} to {last}");
                return Err(Error::unfit("data", message));
            }
            None if !times.is_empty() => {
                return Err(Error::unfit("data", "the model is steady and takes no times"));
            }
            _ => {}
        }
        if band.is_some() && card.calibration.is_none() {
            let message = "the model is not calibrated, so it gives no bands; leave band out, or calibrate it: lto calibrate";
            return Err(Error::unfit("no_band", message));
        }
        // Whoever forces times outside the training data's must not force any number of steps.
        model.check_times(&times)?;
        let (query, points) = query(wanted, problem, limits)?;
        limits.check_answer(times.len(), problem.target_channels, query.len())?;
        limits.check_steps(s, &times, card.native_interval)?;
        let shape = [&[if steady { 1 } else { times.len() }, problem.target_channels][..], &points].concat();
        Ok(Self { times, query, band, shape })
    }

    /// The field of a state.
    ///
    /// # Errors
    /// Times before the state's own, or what the model cannot do.
    pub fn of(self, encoded: &Encoded) -> Result<FieldAnswer> {
        let card = encoded.model().card();
        match self.band {
            Some(level) => {
                let field = banded(encoded, &self.times, &self.query, level)?;
                Ok(self.answer(card, field))
            }
            None => {
                let prediction = encoded.forecast(&self.times, &self.query)?;
                Ok(self.predicted(card, prediction))
            }
        }
    }

    /// A prediction as the answer.
    pub fn predicted(self, card: &ModelCard, prediction: Prediction) -> FieldAnswer {
        let ways = prediction.ways.iter().map(|way| way.name()).collect();
        self.answer(card, FieldAnswer { values: prediction.values, ways, ..FieldAnswer::default() })
    }

    fn answer(self, card: &ModelCard, field: FieldAnswer) -> FieldAnswer {
        let Self { times, query, shape, .. } = self;
        let ways = if times.is_empty() { Vec::new() } else { field.ways };
        let channels = card.channel_names.clone();
        FieldAnswer { times, shape, ways, places: Some(query), channels, ..field }
    }
}

/// The field with a band of a level, time by time.
fn banded(encoded: &Encoded, times: &[f64], query: &Points, level: f64) -> Result<FieldAnswer> {
    let (mut values, mut lower, mut upper, mut ways) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let at = encoded.time();
    for evolved in encoded.at_all(if times.is_empty() { std::slice::from_ref(&at) } else { times })? {
        let (prediction, band) = evolved.decode_band(query, level)?;
        values.extend(prediction.values);
        ways.extend(prediction.ways.iter().map(|way| way.name()));
        lower.extend(band.lower);
        upper.extend(band.upper);
    }
    Ok(FieldAnswer { values, ways, lower: Some(lower), upper: Some(upper), ..FieldAnswer::default() })
}

/// Sensors as distinct points of the domain.
///
/// # Errors
/// None, or some that are not.
pub fn sensors(rows: Rows, problem: &Problem) -> Result<Points> {
    check_width("sensors", &rows, problem.domain.dim(), "axis")?;
    Ok(Points::scattered(problem.domain.clone(), rows.numbers)?)
}

fn check_width(name: &str, rows: &Rows, wanted: usize, each: &str) -> Result<()> {
    if rows.n == 0 || rows.width == wanted {
        return Ok(());
    }
    let message =
        format!("{name} has {} numbers in a row, but must have {wanted}: one for each {each}", rows.width);
    Err(Error::unfit("data", message))
}
