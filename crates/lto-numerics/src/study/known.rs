//! What a data file says about the states: bounds on curvature, slope and range, and the domain in which they
//! hold.

use crate::dataset::{Dataset, DomainOption, OpenOptions, PeriodicOption};
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::field::Field;
use crate::grid::Grid;
use crate::resample::{Method, resample};
use crate::sample::{Sample, evenly_spaced};
use crate::theory::Regularity;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// Samples read, evenly spaced over the file.
const SAMPLES: usize = 16;
/// Frames read per sample.
const FRAMES: usize = 8;
/// Largest ratio of M from all points to M from every 2nd one. It is 2 at a kink, 4 at a jump or in noise:
/// then the grid does not resolve the curvature, or there is none to resolve.
const RESOLVED: f64 = 1.5;

/// Bounds estimated from data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimatedRegularity {
    /// The domain of the data.
    pub domain: Domain,
    /// The bounds, marked as estimates, times the margin.
    pub regularity: Regularity,
    /// Number of fields they come from.
    pub n_fields: usize,
    /// Number of fields in the file.
    pub n_available: usize,
    /// Points along each axis.
    pub shape: Vec<usize>,
    /// What the bounds were multiplied by.
    pub margin: f64,
    /// M from all points over M from every 2nd one along each axis; `null` if there are too few.
    pub curvature_growth: Option<f64>,
    /// Whether that is close enough to 1.
    pub resolved: Option<bool>,
}

impl EstimatedRegularity {
    /// Estimates the bounds by differences of neighbors, over some samples and frames. For a steady pair, the
    /// bounds are the source's, which is what sensors observe.
    ///
    /// # Errors
    /// A dataset without samples or without a grid; fields that are constant or hold NaN.
    pub fn of(dataset: &mut Dataset, margin: f64) -> Result<Self> {
        let (path, n) = (dataset.info().path.clone(), dataset.len());
        let refuse = |problem: String| Error::UnknownLayout { path: path.clone(), problem };
        if let Some(problem) = &dataset.info().problem {
            return Err(refuse(problem.clone()));
        }
        let Some(grid) = dataset.grid().cloned() else {
            return Err(refuse("holds points, not fields on a grid; give --curvature instead".into()));
        };
        if n == 0 {
            return Err(refuse("holds no samples".into()));
        }
        let mut fields = Vec::new();
        for sample in evenly_spaced(n, SAMPLES) {
            for sample in dataset.read(sample..sample + 1)? {
                fields.extend(states(sample)?);
            }
        }
        // Slopes and curvatures are those over distances.
        let on_earth = grid.domain().clone().on_earth();
        if !on_earth.is_flat() {
            let mut measured = grid.as_ref().clone();
            measured.measure_as(&on_earth);
            let grid = Arc::new(measured.flat()?);
            let flat = |field: Field| Field::new(grid.clone(), field.n_channels(), field.into_values());
            fields = fields.into_iter().map(flat).collect::<Result<_>>()?;
        }
        let mut regularity = Regularity::estimate(&fields).map_err(|problem| Error::In {
            path: path.clone(),
            array: None,
            problem: Box::new(problem),
        })?;
        let growth = growth(&fields, regularity.curvature_bound)?;
        regularity.curvature_bound *= margin;
        regularity.gradient_bound *= margin;
        regularity.oscillation *= margin;
        regularity.sup_bound = regularity.sup_bound.map(|sup| sup * margin);
        Ok(Self {
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

    /// The part of the data's domain within `bounds`, with axes named `names`. A cut axis is not periodic.
    ///
    /// # Errors
    /// Bounds of another dimension, or part of a period declared periodic.
    pub fn part(
        &self,
        bounds: &DomainOption,
        periodic: Option<&PeriodicOption>,
        names: &[String],
    ) -> Result<Domain> {
        let named = bounds.domain(None, names)?;
        let whole = &self.domain;
        if named.dim() != whole.dim() {
            return Err(Error::unfit("domain", bounds, format!("the data's domain is {whole}")));
        }
        let mut axes = named.axes().to_vec();
        for (axis, of_data) in axes.iter_mut().zip(whole.axes()) {
            axis.periodic = of_data.periodic;
            // Part of a period has two ends.
            axis.periodic &= axis.same_place(of_data);
            let told = periodic.is_some_and(|periodic| periodic.includes(&of_data.name));
            if told && of_data.periodic && !axis.periodic {
                let problem = format!("{named} is only part of the data's period, {whole}");
                return Err(Error::unfit("periodic", &of_data.name, problem));
            }
        }
        Domain::new(axes)
    }
}

/// The domain of sensors: the one given, else the data's; with both, the given part of the data's. `names` are the axes named
/// with the sensors; those of latitudes and longitudes have the distances of the Earth. `None` if neither is known.
///
/// # Errors
/// Bounds that do not increase, do not fit the data, or a periodic axis that does not exist.
pub fn sensor_domain(
    bounds: Option<&DomainOption>,
    periodic: Option<&PeriodicOption>,
    data: Option<&EstimatedRegularity>,
    names: &[String],
) -> Result<Option<Domain>> {
    let domain = match (bounds, data) {
        (Some(bounds), Some(data)) => Some(data.part(bounds, periodic, names)?),
        (Some(bounds), None) => Some(bounds.domain(periodic, names)?),
        (None, data) => data.map(|data| data.domain.clone()),
    };
    Ok(domain.map(Domain::on_earth))
}

/// Opens a file of fields. If the file has no coordinates, the bounds in the options place its points; if it
/// has, they must name a part of what it covers.
///
/// # Errors
/// As [`Dataset::open`], or bounds beyond what the file covers.
pub fn open_part(file: &Path, options: &OpenOptions) -> Result<Dataset> {
    let placed = Dataset::open(file, options);
    let Some(bounds) = &options.domain else { return placed };
    let own = Dataset::open(file, &OpenOptions { domain: None, ..options.clone() });
    let Some((grid, own)) = own.ok().and_then(|own| Some((own.grid().cloned()?, own))) else {
        return placed;
    };
    let coordinates = |grid: &Grid| (0..grid.dim()).map(|d| grid.coordinates(d).to_vec()).collect::<Vec<_>>();
    if let Ok(dataset) = placed
        && dataset.grid().is_some_and(|placed| coordinates(placed) != coordinates(&grid))
    {
        return Ok(dataset);
    }
    if covers(&grid, bounds) {
        return Ok(own);
    }
    let problem = format!(
        "{} covers only {}; leave out --domain, or give a part of that",
        file.display(),
        grid.domain()
    );
    Err(Error::unfit("domain", bounds, problem))
}

/// Whether the grid reaches the bounds, to within a spacing: points may be cell centers.
fn covers(grid: &Grid, bounds: &DomainOption) -> bool {
    let axes = grid.domain().axes();
    let bounds = bounds.along(axes.len());
    bounds.len() == axes.len()
        && axes.iter().enumerate().zip(bounds).all(|((d, axis), (lower, upper))| {
            let slack = 1.000_001 * axis.length() / grid.coordinates(d).len() as f64;
            lower >= axis.lower - slack && upper <= axis.upper + slack
        })
}

/// The states of a sample that sensors observe.
fn states(sample: Sample) -> Result<Vec<Field>> {
    let trajectory = match sample {
        Sample::Evolution(trajectory) => trajectory,
        Sample::Steady { source, .. } => return Ok(vec![source]),
    };
    let frame = |frame| {
        let values = trajectory.frame(frame).to_vec();
        Field::new(trajectory.grid().clone(), trajectory.n_channels(), values)
    };
    evenly_spaced(trajectory.times().len(), FRAMES).into_iter().map(frame).collect()
}

/// The curvature found over that from every 2nd point along each axis; `None` if that leaves too few points.
fn growth(fields: &[Field], curvature: f64) -> Result<Option<f64>> {
    if fields.iter().any(|field| field.grid().shape().iter().any(|&n| n < 5)) {
        return Ok(None);
    }
    let every_2nd = |field: &Field| resample(field, &Arc::new(field.grid().strided(2)?), Method::Stride);
    let coarse = fields.iter().map(every_2nd).collect::<Result<Vec<_>>>()?;
    // Fields with no curvature at every 2nd point have all of it between them.
    let found = Regularity::estimate(&coarse).map_or(0.0, |found| found.curvature_bound);
    Ok(Some((curvature / found).min(f64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Placement;
    use std::f64::consts::TAU;

    /// The second difference of a kink grows as the spacing falls; that of a wave does not.
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
