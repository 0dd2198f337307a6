//! What the spread of an error depends on: how far ahead it is, how dense and how near the sensors are, how strong the observed
//! state is, and how much the readings disagree.

use crate::error::Result;
use crate::problem::Problem;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use lto_numerics::geometry::{local_spacing, nearest};
use lto_numerics::setconv::nearest_linear;

/// The most sensors that are asked whether they agree with their neighbors.
const ASKED: usize = 256;
/// One sensor in so many is asked.
const EVERY: usize = 4;
/// Points along each axis of the grid on which the layout as a whole is judged, for one axis and for two.
const EVERYWHERE: [usize; 2] = [256, 24];
/// The least amplitude of an observed state, in deviations of the training data.
const LEAST_AMPLITUDE: f64 = 0.01;
/// The least disagreement, in the same units: what is smoother is as good.
const LEAST_DISAGREEMENT: f64 = 1e-4;

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
        let square = all.iter().map(|spacing| spacing * spacing).sum::<f64>() / all.len() as f64;
        Ok(Self {
            gap: Self::log_spacing(problem, square.sqrt()),
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
    /// log₂ of how far readings are from what their neighbors say (a median, as a deviation), in the same units; `None` with
    /// too few of them.
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
    let values = &context.values[first * n..];
    let disagreements = disagreements(&context.points, values)?;
    let of = |(c, scale): (usize, &f64)| {
        let known = || values[c * n..(c + 1) * n].iter().filter(|value| value.is_finite());
        let count = known().count().max(1) as f64;
        let mean = known().sum::<f64>() / count;
        let deviation = (known().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
        Reading {
            amplitude: (deviation / scale).max(LEAST_AMPLITUDE),
            disagreement: disagreements.as_ref().map(|all| (all[c] / scale).max(LEAST_DISAGREEMENT).log2()),
        }
    };
    Ok(Some(scale.iter().take(q).enumerate().map(of).collect()))
}

/// 1.48 times the median of |reading − local line through its neighbors| of each channel, over every fourth sensor, none of
/// which is a neighbor: the deviation, were it normal. `None` with fewer than eight sensors.
fn disagreements(points: &Points, values: &[f64]) -> Result<Option<Vec<f64>>> {
    let (n, dim) = (points.len(), points.dim());
    if n < 2 * EVERY || values.iter().any(|value| !value.is_finite()) {
        return Ok(None);
    }
    // An odd stride, so that on a grid it is not always the same column that is asked.
    let stride = n.div_ceil(ASKED).max(EVERY) | 1;
    let asked = |i: &usize| i.is_multiple_of(stride);
    let (mut here, mut position) = ([Vec::new(), Vec::new()], vec![0.0; dim]);
    for i in 0..n {
        points.write_point(i, &mut position);
        here[usize::from(asked(&i))].extend_from_slice(&position);
    }
    let [others, those] = here.map(|flat| Points::scattered(points.domain().clone(), flat));
    let (others, those) = (others?, those?);
    let kept: Vec<f64> = values
        .chunks_exact(n)
        .flat_map(|channel| channel.iter().enumerate().filter(|(i, _)| !asked(i)).map(|(_, value)| *value))
        .collect();
    let expected = nearest_linear(&others, &kept, &those)?;
    let median = |(channel, expected): (&[f64], &[f64])| {
        let mut off: Vec<f64> = channel
            .iter()
            .step_by(stride)
            .zip(expected)
            .map(|(value, expected)| (value - expected).abs())
            .collect();
        off.sort_by(f64::total_cmp);
        1.4826 * off[off.len() / 2]
    };
    Ok(Some(values.chunks_exact(n).zip(expected.chunks_exact(those.len())).map(median).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::pde::sample_rng;
    use lto_numerics::{Domain, Grid, Placement};

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
        assert!(smooth.disagreement.unwrap() < -9.0, "{smooth:?}");
        context.add_noise(&[0.3], &mut sample_rng(3, 0));
        // A reading and the line through about three of its neighbors: √(1 + 1/3) of the noise, more or less.
        let noise = of(&context).disagreement.unwrap().exp2() * 1.5 / 0.3;
        assert!((0.9..1.5).contains(&noise), "{noise}");
        let steady = Problem { times: None, ..problem.clone() };
        assert_eq!(readings(&steady, &[1.5], &context).unwrap(), None);
    }
}
