//! Sensors drawn from a dataset: what a network would have measured of one of its states.

use super::{Context, ContextDesign, ContextSampler, Dataset, DatasetKind};
use crate::design::PointDesign;
use crate::error::{Error, Result};
use crate::field::Field;
use crate::resample::at_points;
use crate::sample::Sample;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Where sensors are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensorPlacement {
    /// At random grid points, with the data's own values.
    Random,
    /// Anywhere in the domain, by a design, with interpolated values.
    Designed(PointDesign),
}

impl SensorPlacement {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SensorPlacement::Random => "random",
            SensorPlacement::Designed(design) => design.name(),
        }
    }

    /// All placements.
    pub fn all() -> impl Iterator<Item = SensorPlacement> {
        [SensorPlacement::Random].into_iter().chain(PointDesign::ALL.map(SensorPlacement::Designed))
    }
}

/// Which state is observed, and how.
#[derive(Clone, Copy, Debug)]
pub struct SensorDraw {
    /// The sample.
    pub sample: usize,
    /// The frame; 0 for a steady problem, whose source is observed.
    pub frame: usize,
    /// Number of sensors.
    pub n: usize,
    /// Where they are.
    pub placement: SensorPlacement,
    /// Standard deviation of the noise, as a fraction of each channel's own over the frame.
    pub noise: f64,
    /// Seed of positions and noise.
    pub seed: u64,
}

/// Sensors and their measurements.
#[derive(Clone, Debug)]
pub struct DrawnSensors {
    /// Positions and values.
    pub context: Context,
    /// Time of the frame; `None` for a steady problem.
    pub time: Option<f64>,
    /// Names of the channels.
    pub channels: Vec<String>,
    /// Standard deviation of the noise in each channel.
    pub noise: Vec<f64>,
}

impl DrawnSensors {
    /// Draws sensors.
    ///
    /// # Errors
    /// A sample or frame that does not exist, a dataset that is not understood, no sensors, or more at
    /// random grid points than there are.
    pub fn draw(dataset: &mut Dataset, draw: &SensorDraw) -> Result<Self> {
        let (field, time, channels) = state(dataset, draw)?;
        let mut rng = ChaCha8Rng::seed_from_u64(draw.seed);
        let n_grid = field.grid().len();
        let mut context = match draw.placement {
            SensorPlacement::Random if (1..=n_grid).contains(&draw.n) => {
                let design = ContextDesign::Random { context_fraction: draw.n as f64 / n_grid as f64 };
                ContextSampler { design }.sample(&field, None, &mut rng)?
            }
            SensorPlacement::Random => {
                return Err(Error::Parameter {
                    name: "n",
                    value: draw.n.to_string(),
                    requirement: "must be from 1 to the number of grid points; other designs put sensors between them",
                });
            }
            SensorPlacement::Designed(design) => {
                let points = design.points(field.grid().domain(), draw.n, &mut rng)?;
                Context {
                    n_channels: field.n_channels(),
                    values: at_points(&field, &points),
                    points,
                    deviations: None,
                }
            }
        };
        let noise: Vec<f64> =
            (0..field.n_channels()).map(|c| draw.noise * deviation(field.channel(c))).collect();
        context.add_noise(&noise, &mut rng);
        Ok(Self { context, time, channels, noise })
    }

    /// A table with a column for each axis, `t` if there is a time, and a column for each channel; missing
    /// values are left empty. Numbers read back exactly.
    pub fn csv(&self) -> String {
        let points = &self.context.points;
        let axes = points.domain().axes();
        let time = self.time.map(|_| "t".to_string());
        let names = axes.iter().map(|axis| axis.name.clone()).chain(time).chain(self.channels.clone());
        let names: Vec<String> = names.map(|name| super::write::csv_field(&name)).collect();
        let mut text = names.join(",") + "\n";
        let mut point = vec![0.0; axes.len()];
        for index in 0..points.len() {
            points.write_point(index, &mut point);
            let values = self.context.values.iter().skip(index).step_by(points.len());
            let numbers = point.iter().chain(&self.time).chain(values);
            let fields: Vec<String> =
                numbers.map(|v| if v.is_finite() { v.to_string() } else { String::new() }).collect();
            text.push_str(&fields.join(","));
            text.push('\n');
        }
        text
    }
}

/// The observed state, its time, and the names of its channels.
fn state(dataset: &mut Dataset, draw: &SensorDraw) -> Result<(Field, Option<f64>, Vec<String>)> {
    let info = dataset.info();
    let refuse = |what: &str, number: usize, n: usize| {
        let problem = format!("there is no {what} {number}: there are {n}, numbered from 0");
        Err(Error::Unsupported { path: info.path.clone(), array: None, problem })
    };
    if info.kind.is_some() && draw.sample >= info.n_samples {
        return refuse("sample", draw.sample, info.n_samples);
    }
    match info.kind.clone() {
        None => {
            let problem = info.problem.clone().unwrap_or_default();
            Err(Error::UnknownLayout { path: info.path.clone(), problem })
        }
        Some(DatasetKind::Evolution { channels }) => {
            let Some(&time) = info.times.get(draw.frame) else {
                return refuse("frame", draw.frame, info.times.len());
            };
            let frame = dataset.read_frames(draw.sample, draw.frame..draw.frame + 1)?.field(0);
            Ok((frame, Some(time), channels))
        }
        Some(DatasetKind::Steady { .. }) if draw.frame > 0 => refuse("frame", draw.frame, 1),
        Some(DatasetKind::Steady { source: channels, .. }) => {
            match dataset.read(draw.sample..draw.sample + 1)?.pop() {
                Some(Sample::Steady { source, .. }) => Ok((source, None, channels)),
                _ => Err(Error::NoPoints),
            }
        }
    }
}

/// Standard deviation of the finite values.
fn deviation(values: &[f64]) -> f64 {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let n = finite().count().max(1) as f64;
    let mean = finite().sum::<f64>() / n;
    (finite().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{OpenOptions, Readings};
    use crate::generate::{Existing, Generation, Recipe};

    const DRAW: SensorDraw =
        SensorDraw { sample: 1, frame: 2, n: 4000, placement: SensorPlacement::Random, noise: 0.0, seed: 5 };

    fn dataset(pde: &str) -> (tempfile::TempDir, Dataset) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let config = serde_json::from_str(pde).unwrap();
        let mut generation =
            Generation::begin(Recipe::new(config, 1, 2), &path, Existing::default()).unwrap();
        assert!(generation.run(&mut |_| {}, &|| false).unwrap());
        let dataset = Dataset::open(&path, &OpenOptions::default()).unwrap();
        (folder, dataset)
    }

    #[test]
    fn random_sensors_have_the_values_of_the_grid_and_noise_its_share() {
        let (folder, mut dataset) = dataset(r#"{"pde": "heat", "resolution": 64, "n_frames": 3}"#);
        let exact = DrawnSensors::draw(&mut dataset, &DRAW).unwrap();
        let field = dataset.read_frames(1, 2..3).unwrap().field(0);
        assert_eq!(exact.time, Some(dataset.info().times[2]));
        assert_eq!(exact.context.values, at_points(&field, &exact.context.points));

        let noisy = DrawnSensors::draw(&mut dataset, &SensorDraw { noise: 0.1, ..DRAW }).unwrap();
        let errors: Vec<f64> =
            noisy.context.values.iter().zip(&exact.context.values).map(|(a, b)| a - b).collect();
        let expected = 0.1 * deviation(field.values());
        assert!((deviation(&errors) / expected - 1.0).abs() < 0.05, "{} {expected}", deviation(&errors));
        assert_eq!(noisy.noise, [expected]);

        // The output can be read back as a file of points.
        let path = folder.path().join("s.csv");
        std::fs::write(&path, noisy.csv()).unwrap();
        let readings = Readings::read(&path, field.grid().domain()).unwrap();
        assert_eq!((&readings.names, &readings.values[0]), (&noisy.channels, &noisy.context.values));
        assert_eq!(readings.coordinates, noisy.context.points.coordinates());
        assert_eq!(readings.times.unwrap()[0], noisy.time.unwrap());
    }

    #[test]
    fn every_placement_draws_its_number_and_the_source_of_steady_problems() {
        let (_folder, mut dataset) = dataset(r#"{"pde": "darcy", "resolution": 17}"#);
        for placement in SensorPlacement::all() {
            let draw = SensorDraw { n: 16, frame: 0, placement, ..DRAW };
            let drawn = DrawnSensors::draw(&mut dataset, &draw).unwrap();
            assert_eq!((drawn.context.points.len(), drawn.time), (16, None), "{}", placement.name());
            // Between 3 and 12, the two phases of the medium.
            assert!(drawn.context.values.iter().all(|v| (2.99..12.01).contains(v)), "{}", placement.name());
        }
        for wrong in [SensorDraw { frame: 1, n: 16, ..DRAW }, SensorDraw { frame: 0, ..DRAW }] {
            assert!(DrawnSensors::draw(&mut dataset, &wrong).is_err());
        }
    }
}
