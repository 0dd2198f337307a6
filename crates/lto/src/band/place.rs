//! What the spread of an error depends on: how far ahead it is, how dense and how near the sensors are, how strong the observed
//! state is, and how much the readings disagree.

use crate::error::Result;
use crate::problem::Problem;
use lto_numerics::dataset::Context;
use lto_numerics::geometry::{local_spacing, nearest};
use lto_numerics::setconv::disagreement;
use lto_numerics::{PointStructure, Points};
use serde::{Deserialize, Serialize};

/// The most sensors that are asked whether they agree with their neighbors.
const ASKED: usize = 256;
/// Points along each axis of the grid on which the layout as a whole is judged, for one axis and for two.
const EVERYWHERE: [usize; 2] = [256, 24];
/// log₂(1 + distance) to the nearest sensor below which a point is at it.
const AT_SENSOR: f64 = 1e-6;
/// The least amplitude of an observed state, in deviations of the training data.
const LEAST_AMPLITUDE: f64 = 0.01;

/// Gaps of random sensors ÷ their mean spacing, by the number of axes: √E r² of the distance r to the 2D-th nearest of random
/// points, whose density times the volume of the ball of radius r is a gamma variable of shape 2D.
const RANDOM_GAP: [f64; 3] = [1.22, 1.13, 1.12];
/// Gaps so many times larger than those are uneven.
const UNEVEN: f64 = 1.15;

/// How evenly sensors lie: errors of one spacing differ between these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evenness {
    /// A whole grid.
    Grid,
    /// About as evenly as random points, or more.
    Scattered,
    /// With holes, or clustered.
    Uneven,
}

impl Evenness {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Grid, Self::Scattered, Self::Uneven];

    /// Of a layout whose local spacing has a root mean square of `gap`.
    fn of(observed: &Points, gap: f64) -> Self {
        let usual = RANDOM_GAP[observed.dim().min(3) - 1] * observed.mean_spacing();
        match observed.structure() {
            PointStructure::Grid(_) => Self::Grid,
            _ if gap > UNEVEN * usual => Self::Uneven,
            _ => Self::Scattered,
        }
    }
}

/// Sensors as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// How evenly they lie.
    pub evenness: Evenness,
    /// log₂ of their mean spacing, in spacings of the training grid.
    pub mean_spacing: f64,
}

/// Where query points lie among the observations, in units of the spacing of the training grid, so that neither the
/// resolution of the query nor that of the observations matters.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// log₂ of the [local spacing](local_spacing) of the observations around each point.
    pub spacing: Vec<f64>,
    /// log₂(1 + the distance to the nearest observation).
    pub distance: Vec<f64>,
    /// log₂ of the root mean square of the local spacing over the whole domain: a hole in the layout makes forecasts worse
    /// elsewhere too.
    pub gap: f64,
    /// The observations as a whole.
    pub layout: Layout,
}

impl Places {
    /// The places of a query.
    ///
    /// # Errors
    /// A query in another domain.
    pub fn new(problem: &Problem, observed: &Points, query: &Points) -> Result<Self> {
        let (dim, unit) = (problem.domain.dim(), unit(problem));
        let spacing = local_spacing(observed, query)?;
        let nearest = nearest(observed, query)?;
        let (mut here, mut there) = (vec![0.0; dim], vec![0.0; dim]);
        let distance = nearest.iter().enumerate().map(|(i, &j)| {
            query.write_point(i, &mut here);
            observed.write_point(j, &mut there);
            (problem.domain.distance(&here, &there) / unit).ln_1p() / std::f64::consts::LN_2
        });
        let everywhere = Points::grid(problem.query_grid(&[EVERYWHERE[dim.min(2) - 1]])?);
        let all = local_spacing(observed, &everywhere)?;
        let gap = (all.iter().map(|spacing| spacing * spacing).sum::<f64>() / all.len() as f64).sqrt();
        Ok(Self {
            gap: Self::log_spacing(problem, gap),
            layout: Layout {
                evenness: Evenness::of(observed, gap),
                mean_spacing: Self::log_spacing(problem, observed.mean_spacing()),
            },
            distance: distance.collect(),
            spacing: spacing.iter().map(|s| Self::log_spacing(problem, *s)).collect(),
        })
    }

    /// log₂ of a spacing in spacings of the training grid.
    pub fn log_spacing(problem: &Problem, spacing: f64) -> f64 {
        (spacing / unit(problem)).max(f64::MIN_POSITIVE).log2()
    }

    /// The distance to the nearest observation, in spacings of the training grid.
    pub fn distance(&self, index: usize) -> f64 {
        self.distance[index].exp2() - 1.0
    }

    /// Whether there is an observation at a point of this distance, as [`Places::distance`] counts it.
    pub fn is_at_sensor(distance: f64) -> bool {
        distance < AT_SENSOR
    }

    /// The local spacing of the observations, in spacings of the training grid.
    pub fn spacing(&self, index: usize) -> f64 {
        self.spacing[index].exp2()
    }
}

/// The spacing of the training grid, the geometric mean over the axes.
fn unit(problem: &Problem) -> f64 {
    let dim = problem.domain.dim();
    (0..dim).map(|d| problem.native_spacing(d)).product::<f64>().powf(1.0 / dim as f64)
}

/// How leads are counted: log(1 + lead / native interval), 0 for a steady problem.
pub fn lead_feature(lead: f64, interval: Option<f64>) -> f64 {
    interval.map_or(0.0, |interval| (lead.max(0.0) / interval).ln_1p())
}

/// What the observations of one channel say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The deviation of the observed values, in deviations of the training data.
    pub amplitude: f64,
    /// [How noisy](disagreement) they look, a deviation in the same units; `None` with too few of them.
    pub disagreement: Option<f64>,
}

/// What the observations say, channel by channel of the target; nothing for a steady problem, whose source is another
/// quantity. Several frames of history count by their newest.
///
/// # Errors
/// None for a sound context.
pub fn readings(problem: &Problem, scale: &[f64], context: &Context) -> Result<Option<Vec<Reading>>> {
    let (n, q) = (context.points.len(), problem.target_channels);
    let Some(first) = context.n_channels.checked_sub(q).filter(|_| problem.times.is_some()) else {
        return Ok(None);
    };
    let values = context.values[first * n..].chunks_exact(n);
    let of = |(values, scale): (&[f64], &f64)| {
        let known: Vec<usize> = (0..n).filter(|&i| values[i].is_finite()).collect();
        let values: Vec<f64> = known.iter().map(|&i| values[i]).collect();
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
        let noise = match known.len() {
            0 => None,
            all if all == n => disagreement(&context.points, &values, ASKED)?,
            _ => disagreement(&context.points.select(&known)?, &values, ASKED)?,
        };
        Ok(Reading {
            amplitude: (deviation / scale).max(LEAST_AMPLITUDE),
            disagreement: noise.map(|noise| noise / scale),
        })
    };
    values.zip(scale.iter().take(q)).map(of).collect::<Result<Vec<_>>>().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::pde::sample_rng;
    use lto_numerics::{Domain, Grid, Placement};
    use rand::RngExt;

    fn problem() -> Problem {
        Problem {
            domain: Domain::unit(2, true).unwrap(),
            source_channels: 1,
            target_channels: 1,
            native: vec![32, 32],
            times: Some([0.0, 1.0]),
            changes: Vec::new(),
            measured: Default::default(),
        }
    }

    fn grid(n: usize) -> Points {
        Points::grid(Grid::cubic(Domain::unit(2, true).unwrap(), n, Placement::Left).unwrap())
    }

    /// On and between the points of grids, and after a loss: farther and sparser, never nearer or denser.
    #[test]
    fn places_are_in_native_spacings_and_lost_sensors_only_raise_them() {
        let (problem, query) = (problem(), grid(32));
        let near = Places::new(&problem, &grid(32), &query).unwrap();
        assert!(near.spacing.iter().chain(&near.distance).chain([&near.gap]).all(|x| x.abs() < 1e-12));
        let coarse = Places::new(&problem, &grid(16), &query).unwrap();
        assert!((coarse.spacing(0) - 2.0).abs() < 1e-12 && coarse.distance(0).abs() < 1e-12);
        assert!(
            (coarse.distance(1) - 1.0).abs() < 1e-12 && (coarse.distance(33) - 2f64.sqrt()).abs() < 1e-12
        );
        let all = grid(16).to_scattered();
        let kept: Vec<f64> = all.coordinates().chunks(2).filter(|x| x[0] > 0.3).flatten().copied().collect();
        let lost =
            Places::new(&problem, &Points::scattered(all.domain().clone(), kept).unwrap(), &query).unwrap();
        let before = Places::new(&problem, &all, &query).unwrap();
        let grows = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| b >= a);
        assert!(grows(&before.spacing, &lost.spacing) && grows(&before.distance, &lost.distance));
        assert!(lost.distance(0) > before.distance(0) && lost.gap > before.gap + 0.1);
    }

    /// Grids, random points and random points with a hole, in one and two dimensions.
    #[test]
    fn holes_are_uneven_and_random_points_are_not() {
        for dim in [1, 2] {
            let domain = Domain::unit(dim, true).unwrap();
            let problem = Problem { domain: domain.clone(), native: vec![32; dim], ..problem() };
            let query = Points::grid(Grid::cubic(domain.clone(), 4, Placement::Left).unwrap());
            let of = |points: &Points| Places::new(&problem, points, &query).unwrap().layout.evenness;
            assert_eq!(of(&query), Evenness::Grid);
            let mut rng = sample_rng(2, 0);
            let all: Vec<f64> = (0..200 * dim).map(|_| rng.random()).collect();
            assert_eq!(of(&Points::scattered(domain.clone(), all.clone()).unwrap()), Evenness::Scattered);
            let kept = all.chunks(dim).filter(|x| (x[0] - 0.5).abs() > 0.15).flatten().copied().collect();
            assert_eq!(of(&Points::scattered(domain, kept).unwrap()), Evenness::Uneven);
        }
    }

    /// Noise on a plane is what its sensors disagree by; a plane itself has none, and its amplitude is known by hand.
    #[test]
    fn readings_show_amplitude_and_noise() {
        let domain = Domain::unit(2, false).unwrap();
        let problem = Problem { domain: domain.clone(), ..problem() };
        let points = Points::grid(Grid::cubic(domain, 32, Placement::Center).unwrap());
        let x: Vec<f64> = points.coordinates().chunks(2).map(|x| 3.0 * x[0] - 1.0).collect();
        let mut context = Context { points, n_channels: 1, values: x, deviations: None };
        let of = |context: &Context| readings(&problem, &[1.5], context).unwrap().unwrap()[0];
        let smooth = of(&context);
        assert!((smooth.amplitude - 3.0 / 12f64.sqrt() / 1.5).abs() < 1e-3, "{smooth:?}");
        assert!(smooth.disagreement.unwrap() < 1e-6, "{smooth:?}");
        context.add_noise(&[0.3], &mut sample_rng(3, 0));
        let noise = of(&context).disagreement.unwrap() * 1.5 / 0.3;
        assert!((0.85..1.15).contains(&noise), "{noise}");
        // Missing readings do not count.
        context.values.iter_mut().step_by(3).for_each(|value| *value = f64::NAN);
        let noise = of(&context).disagreement.unwrap() * 1.5 / 0.3;
        assert!((0.8..1.2).contains(&noise), "{noise}");
        let steady = Problem { times: None, ..problem.clone() };
        assert_eq!(readings(&steady, &[1.5], &context).unwrap(), None);
    }
}
