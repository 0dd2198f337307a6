//! What a data file says about the states.

use super::layout;
use crate::args::{DatasetArgs, RegularityArgs};
use crate::commands::data::open;
use crate::usage::UsageError;
use anyhow::{Context, Result, bail, ensure};
use lto_numerics::dataset::{Dataset, DomainOption};
use lto_numerics::theory::Regularity;
use lto_numerics::{Domain, Field, Grid, Sample};
use lto_report::words::count;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// Samples that are looked at, evenly spaced over the file.
const SAMPLES: usize = 16;
/// Frames of each.
const FRAMES: usize = 8;
/// Where M from all points is larger by this than M from every other one, the grid does not resolve the curvature, or
/// there is none to resolve: it grows by 2 at a kink, by 4 at a jump or in noise.
const RESOLVED: f64 = 1.5;

/// Bounds estimated from data.
#[derive(Clone, Serialize)]
pub struct Estimated {
    /// The domain of the data.
    pub domain: Domain,
    /// The bounds, marked as estimates, with the margin.
    pub regularity: Regularity,
    /// How many fields they come from.
    pub n_fields: usize,
    /// How many the file holds.
    pub n_available: usize,
    /// Points along each axis.
    pub shape: Vec<usize>,
    /// What the bounds were multiplied by.
    pub margin: f64,
    /// M from all points over M from every other one along each axis; `null` where there are too few.
    pub curvature_growth: Option<f64>,
    /// Whether that is near enough to 1.
    pub resolved: Option<bool>,
}

impl Estimated {
    /// In a few words: how many fields on which grid.
    pub fn source(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let fields = count(self.n_available, "field");
        format!("{} of {fields} on {} points", self.n_fields, shape.join(" × "))
    }

    /// Why the curvature found is not to be trusted, if so.
    pub fn doubt(&self) -> Option<String> {
        let growth = self.curvature_growth.filter(|_| self.resolved == Some(false))?;
        Some(format!(
            "M from all grid points is {growth:.1} times M from every other one: the grid does not resolve the states, or \
             they are not twice differentiable; the true M may be much larger"
        ))
    }
}

/// Estimates curvature, slope and range by differences of neighbors, over some samples and frames of the file that is named,
/// if one is. Of a steady pair, those of the source, which is what sensors observe.
///
/// # Errors
/// A margin without a file; a file that is not understood, without fields on a grid, of constant fields, or that does not
/// cover the domain asked for.
pub fn estimate(known: &RegularityArgs, args: &DatasetArgs) -> Result<Option<Estimated>> {
    match &known.data {
        Some(file) => Ok(Some(of_file(file, args, known.margin.unwrap_or(1.0))?)),
        None if known.margin.is_some() => Err(UsageError::idle("margin", "--data").into()),
        None => Ok(None),
    }
}

fn of_file(file: &Path, args: &DatasetArgs, margin: f64) -> Result<Estimated> {
    let (mut dataset, grid) = covering(file, args)?;
    let n = dataset.len();
    ensure!(n > 0, "{}: holds no samples", file.display());
    let mut fields = Vec::new();
    for sample in lto_report::picture::spread(n, SAMPLES) {
        for sample in dataset.read(sample..sample + 1)? {
            fields.extend(states(sample)?);
        }
    }
    let mut regularity = Regularity::estimate(&fields)
        .with_context(|| format!("{}: nothing can be estimated from it", file.display()))?;
    let growth = growth(&fields, regularity.curvature_bound)?;
    regularity.curvature_bound *= margin;
    regularity.gradient_bound *= margin;
    regularity.oscillation *= margin;
    regularity.sup_bound = regularity.sup_bound.map(|sup| sup * margin);
    Ok(Estimated {
        domain: grid.domain().clone(),
        regularity,
        n_fields: fields.len(),
        n_available: n * dataset.info().times.len().max(1),
        shape: grid.shape(),
        margin,
        curvature_growth: growth,
        resolved: growth.map(|growth| growth <= RESOLVED),
    })
}

/// The domain sensors stand in: as told, that of the data where nothing is told, and of what is told the part that the
/// data cover.
///
/// # Errors
/// Nothing is told and there are no data, bounds that are none, or a part of a period that is said to be periodic.
pub fn domain(args: &DatasetArgs, data: Option<&Estimated>, sensors: Option<&Path>) -> Result<Domain> {
    let (bounds, data) = match (&args.domain, data) {
        (Some(bounds), Some(data)) => (bounds, data),
        (Some(bounds), None) => return layout::domain(bounds, args.periodic.as_ref(), sensors),
        (None, Some(data)) => return Ok(data.domain.clone()),
        (None, None) => {
            return Err(UsageError::missing("domain", "bounds along each axis, as 0:1,0:1").into());
        }
    };
    let named = layout::domain(bounds, None, sensors)?;
    ensure!(
        named.dim() == data.domain.dim(),
        UsageError::new("domain", layout::bounds(bounds), format!("the data live in {}", data.domain))
    );
    let mut axes = named.axes().to_vec();
    for (axis, of_data) in axes.iter_mut().zip(data.domain.axes()) {
        axis.periodic = of_data.periodic;
        if !axis.same_place(of_data) {
            axis.periodic = false;
            if args.periodic.is_some() && of_data.periodic {
                let why = format!("{} is only a part of the period of the data, {}", named, data.domain);
                return Err(UsageError::new("periodic", &of_data.name, why).into());
            }
        }
    }
    Ok(Domain::new(axes)?)
}

type Opened = (Dataset, Arc<Grid>);

/// The file, understood as told. Bounds that are told give the points their places where the file does not; where it does,
/// they are a part of what it covers.
fn covering(file: &Path, args: &DatasetArgs) -> Result<Opened> {
    let told = open(file, args);
    let Some(bounds) = &args.domain else { return told };
    let Ok(own) = open(file, &DatasetArgs { domain: None, ..args.clone() }) else { return told };
    let coordinates = |grid: &Grid| (0..grid.dim()).map(|d| grid.coordinates(d).to_vec()).collect::<Vec<_>>();
    if let Ok(told) = told
        && coordinates(&told.1) != coordinates(&own.1)
    {
        return Ok(told);
    }
    ensure!(
        covers(&own.1, bounds),
        UsageError::new(
            "domain",
            layout::bounds(bounds),
            format!(
                "{} knows the states in {} only; leave --domain out, or name a part of that",
                file.display(),
                own.1.domain()
            )
        )
    );
    Ok(own)
}

fn open(file: &Path, args: &DatasetArgs) -> Result<Opened> {
    let (dataset, info) = open::open(file, args)?;
    if let Some(problem) = &info.problem {
        bail!("{}: {problem}", file.display());
    }
    let Some(grid) = dataset.grid().cloned() else {
        bail!("{}: holds points, not fields on a grid; give --curvature instead", file.display());
    };
    Ok((dataset, grid))
}

/// Whether the grid reaches the bounds, to a spacing: points may stand at the centers of cells.
fn covers(grid: &Grid, bounds: &DomainOption) -> bool {
    let axes = grid.domain().axes();
    let bounds = match bounds.0[..] {
        [all] => vec![all; axes.len()],
        _ => bounds.0.clone(),
    };
    bounds.len() == axes.len()
        && axes.iter().enumerate().zip(bounds).all(|((d, axis), (lower, upper))| {
            let slack = 1.000_001 * axis.length() / grid.coordinates(d).len() as f64;
            lower >= axis.lower - slack && upper <= axis.upper + slack
        })
}

fn states(sample: Sample) -> Result<Vec<Field>> {
    Ok(match sample {
        Sample::Evolution(trajectory) => lto_report::picture::spread(trajectory.times().len(), FRAMES)
            .into_iter()
            .map(|frame| {
                let values = trajectory.frame(frame).to_vec();
                Field::new(trajectory.grid().clone(), trajectory.n_channels(), values)
            })
            .collect::<Result<_, _>>()?,
        Sample::Steady { source, .. } => vec![source],
    })
}

/// The curvature found over that from every other point along each axis; `None` where that leaves too few points.
fn growth(fields: &[Field], curvature: f64) -> Result<Option<f64>> {
    if fields.iter().any(|field| field.grid().shape().iter().any(|&n| n < 5)) {
        return Ok(None);
    }
    let coarse = fields.iter().map(every_other).collect::<Result<Vec<_>>>()?;
    // Fields without any curvature at every other point have all of it between them.
    let found = Regularity::estimate(&coarse).map_or(0.0, |found| found.curvature_bound);
    Ok(Some((curvature / found).min(f64::MAX)))
}

fn every_other(field: &Field) -> Result<Field> {
    let shape = field.grid().shape();
    let kept = |&index: &usize| {
        let mut rest = index;
        shape.iter().rev().all(|&n| {
            let along = rest % n;
            rest /= n;
            along % 2 == 0
        })
    };
    let kept: Vec<usize> = (0..field.grid().len()).filter(kept).collect();
    let channels = (0..field.n_channels()).map(|channel| field.channel(channel));
    let values = channels.flat_map(|u| kept.iter().map(|&index| u[index])).collect();
    Ok(Field::new(Arc::new(field.grid().strided(2)?), field.n_channels(), values)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::Placement;
    use std::f64::consts::TAU;

    /// The second difference of a kink grows as the spacing falls, that of a wave does not.
    #[test]
    fn a_kink_is_told_from_a_wave() {
        let grid = |n| Arc::new(Grid::cubic(Domain::unit(2, true).unwrap(), n, Placement::Left).unwrap());
        let of = |n: usize, f: &dyn Fn(f64) -> f64| {
            let field = Field::from_fn(grid(n), |x| f(x[0]) + 0.1 * (TAU * x[1]).cos());
            let curvature = Regularity::estimate(std::slice::from_ref(&field)).unwrap().curvature_bound;
            growth(&[field], curvature).unwrap()
        };
        let wave = of(32, &|x| (TAU * x).sin()).unwrap();
        let kink = of(32, &|x| (x - 0.5).abs()).unwrap();
        let jump = of(32, &|x| f64::from(x > 0.5)).unwrap();
        assert!(
            (0.99..1.1).contains(&wave) && (1.8..2.2).contains(&kink) && jump > 3.5,
            "{wave} {kink} {jump}"
        );
        assert_eq!(of(4, &|x| x), None);
    }
}
