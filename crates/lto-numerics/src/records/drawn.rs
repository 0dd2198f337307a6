//! A table of stations drawn from gridded data: what a network would have recorded.

use super::clock::Clock;
use crate::dataset::write::csv_field;
use crate::dataset::{Dataset, DatasetKind, SensorPlacement};
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::points::Points;
use crate::resample::at_points;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::Serialize;
use std::io::{self, Write};

/// What is recorded of a sample, and by which stations.
#[derive(Clone, Debug)]
pub struct StationDraw {
    /// The sample; all its frames are recorded.
    pub sample: usize,
    /// Number of stations.
    pub n: usize,
    /// Where they are.
    pub placement: SensorPlacement,
    /// How many of them go into a table of their own.
    pub held_out: usize,
    /// Standard deviation of the noise in the unit of the values: one for all channels, or one for each.
    pub noise: Vec<f64>,
    /// Share of the readings that are missing.
    pub gaps: f64,
    /// The unit of the data's times: `hours since 2019-03-01` makes them dates. The file's own if not given.
    pub time_unit: Option<String>,
    /// Seed of places, gaps and noise.
    pub seed: u64,
}

/// What was written.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnStations {
    /// Number of rows in the table, and in that of the stations held out.
    pub rows: [u64; 2],
    /// The first and the last time, as written.
    pub times: [String; 2],
    /// Number of frames.
    pub frames: usize,
    /// Names of the channels.
    pub channels: Vec<String>,
}

impl StationDraw {
    /// Writes rows `time,station,axes…,channels…`, in the order of time, to `out`, and those of the stations held out to
    /// `apart`; `failed` is the error of a table that cannot be written. Stations at grid points are named after the flat index of their point. Memory
    /// is that of a frame.
    ///
    /// # Errors
    /// Data without times, more stations than grid points, shares that make no sense, or a table that cannot be written.
    pub fn write(
        &self,
        data: &mut Dataset,
        out: &mut dyn Write,
        apart: &mut dyn Write,
        failed: &dyn Fn(io::Error) -> Error,
    ) -> Result<DrawnStations> {
        let info = data.info().clone();
        let (Some(DatasetKind::Evolution { channels }), Some(grid)) = (&info.kind, data.grid().cloned())
        else {
            let problem =
                info.problem.unwrap_or_else(|| "has no times, so stations have nothing to record".into());
            return Err(Error::Unsupported { path: info.path, array: None, problem });
        };
        if self.sample >= info.n_samples {
            let problem =
                format!("there is no sample {}: there are {}, numbered from 0", self.sample, info.n_samples);
            return Err(Error::Unsupported { path: info.path, array: None, problem });
        }
        let noise = self.noise_of(channels.len())?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let (points, names) = self.places(&grid, &mut rng)?;
        let unit = self.time_unit.clone().or_else(|| info.time_units.as_ref().map(ToString::to_string));
        let clock = Clock::of_unit(&unit.unwrap_or_default());
        let time = |number: f64| match &clock {
            Clock::Calendar { .. } => clock.show(clock.of_number(number)),
            Clock::Plain { .. } => number.to_string(),
        };
        let axes = points.domain().axes().iter().map(|axis| axis.name.clone());
        let head: Vec<String> =
            ["time".into(), "station".into()].into_iter().chain(axes).chain(channels.clone()).collect();
        let head = head.iter().map(|name| csv_field(name)).collect::<Vec<_>>().join(",");
        writeln!(out, "{head}").and_then(|()| writeln!(apart, "{head}")).map_err(failed)?;
        let (mut place, mut rows) = (vec![0.0; points.dim()], [0; 2]);
        for (frame, number) in info.times.iter().enumerate() {
            let when = time(*number);
            let values = at_points(&data.read_frames(self.sample, frame..frame + 1)?.field(0), &points);
            for (i, name) in names.iter().enumerate() {
                let readings: Vec<String> = (0..channels.len())
                    .map(|c| {
                        // Both are always drawn, so that neither depends on the other's size.
                        let (there, z): (f64, f64) = (rng.random(), StandardNormal.sample(&mut rng));
                        let value = values[c * names.len() + i] + noise[c] * z;
                        if there < self.gaps || !value.is_finite() {
                            String::new()
                        } else {
                            (value as f32).to_string()
                        }
                    })
                    .collect();
                if readings.iter().all(String::is_empty) {
                    continue;
                }
                points.write_point(i, &mut place);
                let place = place.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
                let held = i + self.held_out >= names.len();
                let to: &mut dyn Write = if held { apart } else { out };
                writeln!(to, "{when},{name},{place},{}", readings.join(",")).map_err(failed)?;
                rows[usize::from(held)] += 1;
            }
        }
        let ends =
            [info.times.first(), info.times.last()].map(|end| end.map_or(String::new(), |end| time(*end)));
        Ok(DrawnStations { rows, times: ends, frames: info.times.len(), channels: channels.clone() })
    }

    /// Places and names, in random order: the last ones are held out.
    fn places(&self, grid: &Grid, rng: &mut ChaCha8Rng) -> Result<(Points, Vec<String>)> {
        let refuse = |name, value: usize, requirement| {
            Err(Error::Parameter { name, value: value.to_string(), requirement })
        };
        if self.held_out >= self.n {
            return refuse("held_out", self.held_out, "must be less than the number of stations");
        }
        let domain = grid.domain();
        match self.placement {
            SensorPlacement::Random if !(1..=grid.len()).contains(&self.n) => refuse(
                "n",
                self.n,
                "must be from 1 to the number of grid points; other designs put sensors between them",
            ),
            SensorPlacement::Random => {
                let chosen = rand::seq::index::sample(rng, grid.len(), self.n).into_vec();
                let all = Points::grid(grid.clone());
                let mut coordinates = vec![0.0; self.n * domain.dim()];
                for (place, &i) in coordinates.chunks_exact_mut(domain.dim()).zip(&chosen) {
                    all.write_point(i, place);
                }
                let names = chosen.iter().map(|i| format!("s{i}")).collect();
                Ok((Points::scattered(domain.clone(), coordinates)?, names))
            }
            SensorPlacement::Designed(design) => {
                let points = design.points(domain, self.n, rng)?;
                let names = (0..points.len()).map(|i| format!("s{i}")).collect();
                Ok((points, names))
            }
        }
    }

    /// The noise of every channel.
    fn noise_of(&self, channels: usize) -> Result<Vec<f64>> {
        let refuse = |name, value: String, requirement| Err(Error::Parameter { name, value, requirement });
        if !(0.0..1.0).contains(&self.gaps) {
            return refuse("gaps", self.gaps.to_string(), "must be at least 0 and below 1");
        }
        match self.noise[..] {
            _ if self.noise.iter().any(|noise| !(*noise >= 0.0 && noise.is_finite())) => {
                refuse("noise_sd", format!("{:?}", self.noise), "must not be negative")
            }
            [] => Ok(vec![0.0; channels]),
            [one] => Ok(vec![one; channels]),
            _ if self.noise.len() == channels => Ok(self.noise.clone()),
            _ => {
                refuse("noise_sd", format!("{:?}", self.noise), "must be one number, or one for each channel")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::OpenOptions;
    use crate::dataset::write::NpzArchive;
    use crate::design::PointDesign;
    use crate::records::{RecordOptions, Records};
    use std::path::Path;

    const FRAMES: usize = 50;

    fn value(t: usize, i: usize) -> f64 {
        280.0 + (0.1 * t as f64).sin() + i as f64 / 8.0
    }

    /// u on 3 × 4 points, lat and lon, at 50 hours.
    fn data(folder: &Path) -> Dataset {
        let path = folder.join("u.npz");
        let mut archive = NpzArchive::create(&path).unwrap();
        let hours: Vec<f64> = (0..FRAMES).map(|t| t as f64).collect();
        archive.numbers("t", &[FRAMES], &hours).unwrap();
        archive.numbers("lat", &[3], &[50.0, 51.0, 52.0]).unwrap();
        archive.numbers("lon", &[4], &[-3.0, -2.0, -1.0, 0.0]).unwrap();
        let values: Vec<f64> = (0..FRAMES).flat_map(|t| (0..12).map(move |i| value(t, i))).collect();
        archive.numbers("u", &[FRAMES, 3, 4], &values).unwrap();
        archive.finish().unwrap();
        let options =
            OpenOptions { axes: Some("t,lat,lon".into()), keys: vec!["u".into()], ..OpenOptions::default() };
        Dataset::open(&path, &options).unwrap()
    }

    const DRAW: StationDraw = StationDraw {
        sample: 0,
        n: 12,
        placement: SensorPlacement::Random,
        held_out: 0,
        noise: Vec::new(),
        gaps: 0.0,
        time_unit: None,
        seed: 1,
    };

    fn written(draw: &StationDraw) -> Result<(Vec<Records>, DrawnStations)> {
        let folder = tempfile::tempdir().unwrap();
        let (mut out, mut apart) = (Vec::new(), Vec::new());
        let failed = |source| Error::Io { path: "r.csv".into(), source };
        let drawn = draw.write(&mut data(folder.path()), &mut out, &mut apart, &failed)?;
        let open = |bytes: Vec<u8>| {
            let path = folder.path().join("r.csv");
            std::fs::write(&path, bytes).unwrap();
            Records::open(&path, &RecordOptions::default())
        };
        Ok(([out, apart].into_iter().filter_map(|bytes| open(bytes).ok()).collect(), drawn))
    }

    #[test]
    fn every_grid_point_is_recorded_exactly() {
        let draw = StationDraw { time_unit: Some("hours since 2019-03-01".into()), ..DRAW };
        let (records, drawn) = written(&draw).unwrap();
        assert_eq!((records.len(), drawn.rows), (1, [12 * FRAMES as u64, 0]));
        assert_eq!(drawn.times, ["2019-03-01T00:00Z", "2019-03-03T01:00Z"]);
        let records = &records[0];
        assert!(records.has_calendar() && records.times().len() == FRAMES);
        let frame = records.frame(7).unwrap();
        for (k, &station) in frame.stations.iter().enumerate() {
            let i: usize = records.stations()[station as usize].name[1..].parse().unwrap();
            assert!((frame.values[k] - value(7, i)).abs() < 1e-4);
            assert_eq!(frame.coordinates[2 * k..2 * k + 2], [50.0 + (i / 4) as f64, -3.0 + (i % 4) as f64]);
        }
    }

    /// Gaps and noise are as large as told, and stations are in one table only.
    #[test]
    fn gaps_noise_and_held_out_stations() {
        let draw = StationDraw { gaps: 0.3, noise: vec![0.5], held_out: 4, ..DRAW };
        let (records, drawn) = written(&draw).unwrap();
        let share = (drawn.rows[0] + drawn.rows[1]) as f64 / (12 * FRAMES) as f64;
        assert!((share - 0.7).abs() < 0.06, "{share}");
        let (mut squares, mut n, mut names) = (0.0, 0.0, Vec::new());
        for records in &records {
            names.extend(records.stations().iter().map(|station| station.name.clone()));
            for t in 0..records.times().len() {
                let frame = records.frame(t).unwrap();
                for (k, &station) in frame.stations.iter().enumerate() {
                    let i: usize = records.stations()[station as usize].name[1..].parse().unwrap();
                    squares += (frame.values[k] - value(records.times()[t] as usize, i)).powi(2);
                    n += 1.0;
                }
            }
        }
        assert!((squares / n / 0.25 - 1.0).abs() < 0.2, "{}", squares / n);
        assert_eq!((records[0].stations().len(), records[1].stations().len()), (8, 4));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 12);
    }

    #[test]
    fn what_cannot_be_drawn_is_named() {
        for (draw, part) in [
            (StationDraw { n: 13, ..DRAW }, "n = 13"),
            (StationDraw { held_out: 12, ..DRAW }, "held_out"),
            (StationDraw { gaps: 1.0, ..DRAW }, "gaps"),
            (StationDraw { noise: vec![0.1, 0.2], ..DRAW }, "noise_sd"),
            (StationDraw { noise: vec![-0.1], ..DRAW }, "noise_sd"),
            (StationDraw { sample: 1, ..DRAW }, "no sample 1"),
        ] {
            let message = written(&draw).map(|_| ()).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        let between =
            StationDraw { n: 30, placement: SensorPlacement::Designed(PointDesign::Halton), ..DRAW };
        assert_eq!(written(&between).unwrap().0[0].stations().len(), 30);
    }
}
