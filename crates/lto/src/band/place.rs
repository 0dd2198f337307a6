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

/// Volume of the unit ball, by the number of axes.
const UNIT_BALL: [f64; 3] = [2.0, std::f64::consts::PI, 4.0 / 3.0 * std::f64::consts::PI];
/// N times the share of the domain in the largest ball without any of N random sensors exceeds ln N by so much in about one layout
/// of twenty in one dimension, since there are about N places for a ball that is empty with probability e^(−that product), and in
/// one of four in two, where such balls have more room to differ.
const RARE: f64 = 3.0;
/// An empty ball so many times larger than that is a hole.
const HOLE: f64 = 2.0;

/// How evenly sensors lie: errors of one spacing differ between these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evenness {
    /// A whole grid.
    Grid,
    /// About as evenly as random points, or more.
    Scattered,
    /// Less evenly than random points: with a larger ball without any, as clustered ones have.
    Uneven,
    /// With a hole: a region without any.
    Holed,
}

impl Evenness {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Grid, Self::Scattered, Self::Uneven, Self::Holed];

    /// Of a layout, whose holes are looked for at some places.
    fn of(observed: &Points, places: &Points) -> Result<Self> {
        if let PointStructure::Grid(_) = observed.structure() {
            return Ok(Self::Grid);
        }
        let (n, dim) = (observed.len() as f64, observed.dim().min(3));
        let radius = largest_empty_ball(observed, places)?;
        let share = UNIT_BALL[dim - 1] * radius.powi(dim as i32) / observed.domain().volume();
        Ok(match n * share / (n.ln() + RARE) {
            usual if usual <= 1.0 => Self::Scattered,
            uneven if uneven <= HOLE => Self::Uneven,
            _ => Self::Holed,
        })
    }
}

/// The radius of the largest ball around one of some places that holds no observation and no end of an open axis.
fn largest_empty_ball(observed: &Points, places: &Points) -> Result<f64> {
    let mut here = vec![0.0; places.dim()];
    let empty = distances(observed, places)?.into_iter().enumerate().map(|(i, nearest)| {
        places.write_point(i, &mut here);
        let open = observed.domain().axes().iter().zip(&here).filter(|(axis, _)| !axis.periodic);
        let ends =
            open.flat_map(|(axis, &x)| [axis.lower, axis.upper].map(|end| axis.displacement(x, end).abs()));
        ends.fold(nearest, f64::min)
    });
    Ok(empty.fold(0.0, f64::max))
}

/// The distance of each query point to the nearest observation.
fn distances(observed: &Points, query: &Points) -> Result<Vec<f64>> {
    let (mut here, mut there) = (vec![0.0; query.dim()], vec![0.0; query.dim()]);
    let each = nearest(observed, query)?.into_iter().enumerate().map(|(i, j)| {
        query.write_point(i, &mut here);
        observed.write_point(j, &mut there);
        query.domain().distance(&here, &there)
    });
    Ok(each.collect())
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
        let distance = distances(observed, query)?;
        let everywhere = Points::grid(problem.query_grid(&[EVERYWHERE[dim.min(2) - 1]])?);
        let all = local_spacing(observed, &everywhere)?;
        let gap = (all.iter().map(|spacing| spacing * spacing).sum::<f64>() / all.len() as f64).sqrt();
        Ok(Self {
            gap: Self::log_spacing(problem, gap),
            layout: Layout {
                evenness: Evenness::of(observed, &everywhere)?,
                mean_spacing: Self::log_spacing(problem, observed.mean_spacing()),
            },
            distance: distance.iter().map(|d| (d / unit).ln_1p() / std::f64::consts::LN_2).collect(),
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

    /// Grids, random points and random points without those of a box that holds a third of the domain, in one and two dimensions,
    /// periodic and not: of 40 random layouts few are uneven, of 40 with a gap nearly all are, and of more sensors it is a hole.
    #[test]
    fn gaps_are_uneven_and_random_points_are_not() {
        for (dim, periodic) in [(1, true), (2, true), (1, false), (2, false)] {
            let domain = Domain::unit(dim, periodic).unwrap();
            let problem = Problem { domain: domain.clone(), native: vec![32; dim], ..problem() };
            let query = Points::grid(Grid::cubic(domain.clone(), 4, Placement::Center).unwrap());
            let of = |points: &[f64]| {
                let points = Points::scattered(domain.clone(), points.to_vec()).unwrap();
                Places::new(&problem, &points, &query).unwrap().layout.evenness
            };
            let random = |n: usize, layout: u64| -> Vec<f64> {
                let mut rng = sample_rng(2, layout);
                (0..n * dim).map(|_| rng.random()).collect()
            };
            let half_width = 0.5 * (1.0 / 3.0f64).powf(1.0 / dim as f64);
            let outside = |x: &&[f64]| x.iter().any(|x| (x - 0.5).abs() > half_width);
            let with_gap =
                |all: &[f64]| all.chunks(dim).filter(outside).flatten().copied().collect::<Vec<_>>();
            let uneven = |layout: &dyn Fn(u64) -> Vec<f64>| {
                (0..40).filter(|&i| of(&layout(i)) > Evenness::Scattered).count()
            };
            let (usual, gaps) = (uneven(&|i| random(60, i)), uneven(&|i| with_gap(&random(60, i))));
            let most = [6, 14][dim - 1];
            assert!(usual <= most && gaps >= 35, "{dim}-D, periodic {periodic}: {usual}, {gaps} of 40");
            assert_eq!(of(&with_gap(&random(600, 0))), Evenness::Holed);
            assert_eq!(Places::new(&problem, &query, &query).unwrap().layout.evenness, Evenness::Grid);
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
