//! A prediction as files: each format is one source file and one entry of [`FORMATS`].

mod csv;
mod npz;
mod picture;
mod summary;
mod vti;

pub use picture::png;
pub use summary::PredictionSummary;

use crate::error::{Error, Result};
use crate::picture::colormap::Colormap;
use crate::picture::ticks::short;
use lto::band::Band;
use lto::model::ModelCard;
use lto::observations::Observations;
use lto_numerics::calendar::show_iso;
use lto_numerics::{Grid, PointStructure, Points};
use std::path::{Path, PathBuf};

/// The formats a prediction is written in.
pub const FORMATS: &[&dyn PredictionFormat] =
    &[&npz::Npz, &csv::Csv, &picture::Png, &picture::Gif, &vti::Vti];

/// A format of output files.
pub trait PredictionFormat: Sync {
    /// The suffix that asks for it.
    fn suffix(&self) -> &'static str;

    /// The files written for a number of times.
    fn files(&self, path: &Path, _n_times: usize) -> Vec<PathBuf> {
        vec![path.into()]
    }

    /// Why it cannot hold a prediction, if so; known before anything is computed.
    fn refusal(&self, _query: &Points, _n_times: usize) -> Option<&'static str> {
        None
    }

    /// Writes the files.
    ///
    /// # Errors
    /// A prediction it cannot hold, an unknown channel, or a file that cannot be written.
    fn write(&self, path: &Path, predicted: &Predicted) -> Result<()>;
}

/// The format of a file, by its suffix.
///
/// # Errors
/// An unknown suffix.
pub fn format_of(path: &Path) -> Result<&'static dyn PredictionFormat> {
    let suffix = path.extension().and_then(|s| s.to_str()).unwrap_or_default();
    let found = FORMATS.iter().copied().find(|format| format.suffix().eq_ignore_ascii_case(suffix));
    found.ok_or_else(|| {
        let suffixes: Vec<String> = FORMATS.iter().map(|format| format!(".{}", format.suffix())).collect();
        Error::bad_file(path, format!("must end in one of {}", suffixes.join(", ")))
    })
}

/// A prediction with its context.
pub struct Predicted<'a> {
    /// The model's card.
    pub card: &'a ModelCard,
    /// The observations it is based on.
    pub observations: &'a Observations,
    /// The predicted points.
    pub query: &'a Points,
    /// The times; empty for a steady model.
    pub times: &'a [f64],
    /// Values `[time, channel, point]`.
    pub values: &'a [f64],
    /// A band around them, if one was asked for.
    pub band: Option<&'a Band>,
    /// Fields that the state may be, each as the values; empty if none were asked for.
    pub samples: &'a [Vec<f64>],
    /// The channel that pictures show.
    pub shown_channel: usize,
    /// The color map of pictures; chosen from the values if `None`.
    pub colormap: Option<Colormap>,
}

impl<'a> Predicted<'a> {
    /// Number of predicted fields: the times, or one.
    pub fn n_frames(&self) -> usize {
        self.times.len().max(1)
    }

    /// A time in words: `t = 0.5`, or its date.
    fn when(&self, time: f64) -> String {
        match self.card.problem.measured.dated {
            true => show_iso(time),
            false => format!("t = {}", short(time)),
        }
    }

    /// The values of a channel in one of the predicted fields.
    pub fn channel(&self, frame: usize, channel: usize) -> &'a [f64] {
        self.part(self.values, frame, channel)
    }

    /// The ends of the band of a channel in one of the predicted fields.
    pub fn ends(&self, frame: usize, channel: usize) -> Option<[&'a [f64]; 2]> {
        self.band.map(|band| [&band.lower, &band.upper].map(|end| self.part(end, frame, channel)))
    }

    /// All arrays of one of the predicted fields with their names: the channels, then the ends of their bands, then their
    /// samples.
    pub fn arrays(&self, frame: usize) -> Vec<(String, &'a [f64])> {
        let names = self.channel_names();
        let of = |values: &'a [f64], suffix: String| {
            let named = names.iter().enumerate();
            named
                .map(move |(c, name)| (format!("{name}{suffix}"), self.part(values, frame, c)))
                .collect::<Vec<_>>()
        };
        let band = self.band.map(|band| {
            let ends = names.iter().enumerate().map(|(c, name)| {
                [(&band.lower, "lower"), (&band.upper, "upper")]
                    .map(|(end, which)| (format!("{name}_{which}"), self.part(end, frame, c)))
            });
            ends.flatten().collect::<Vec<_>>()
        });
        let samples = self.samples.iter().enumerate().flat_map(|(i, one)| of(one, format!("_sample_{i}")));
        of(self.values, String::new()).into_iter().chain(band.into_iter().flatten()).chain(samples).collect()
    }

    fn part(&self, values: &'a [f64], frame: usize, channel: usize) -> &'a [f64] {
        let n = self.query.len();
        let first = (frame * self.card.problem.target_channels + channel) * n;
        values.get(first..first + n).unwrap_or_default()
    }

    /// The names of the channels.
    pub fn channel_names(&self) -> Vec<String> {
        channel_names(self.card)
    }

    /// The grid of the query, if it is one.
    pub fn grid(&self) -> Option<&'a Grid> {
        match self.query.structure() {
            PointStructure::Grid(grid) => Some(grid),
            _ => None,
        }
    }
}

/// The names of the predicted channels; `channel_2` for one without a name.
pub fn channel_names(card: &ModelCard) -> Vec<String> {
    let name = |c: usize| card.channel_names.get(c).cloned().unwrap_or_else(|| format!("channel_{c}"));
    (0..card.problem.target_channels).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto::model::ModelConfig;
    use lto::problem::Problem;
    use lto_numerics::dataset::Context;
    use lto_numerics::{Domain, Placement};

    fn card(times: Option<[f64; 2]>) -> ModelCard {
        let problem = Problem {
            domain: Domain::unit(2, true).unwrap(),
            source_channels: 2,
            target_channels: 2,
            native: vec![4, 4],
            times,
            changes: Vec::new(),
            measured: Default::default(),
        };
        ModelCard {
            channel_names: vec!["u".into(), "v,w".into()],
            native_interval: times.map(|_| 0.5),
            ..ModelCard::untrained(problem, ModelConfig::Persistence)
        }
    }

    /// Every format writes exactly the files it announces, or says beforehand why it cannot.
    #[test]
    fn every_format_writes_what_it_announces() {
        let domain = Domain::unit(2, true).unwrap();
        let scattered = Points::scattered(domain.clone(), vec![0.1, 0.2, 0.3, 0.4, 0.8, 0.6]).unwrap();
        let grid = Points::grid(Grid::cubic(domain, 3, Placement::Left).unwrap());
        let observations = Observations {
            context: Context {
                points: scattered.clone(),
                n_channels: 2,
                values: vec![1.0; 6],
                deviations: None,
            },
            time: None,
            n_skipped: 0,
            n_merged: 0,
            doubt: None,
        };
        for format in FORMATS {
            let mut written = 0;
            for query in [&grid, &scattered] {
                for times in [&[][..], &[0.5], &[0.5, 1.0]] {
                    let folder = tempfile::tempdir().unwrap();
                    let path = folder.path().join(format!("out.{}", format.suffix()));
                    assert_eq!(format_of(&path).unwrap().suffix(), format.suffix());
                    let values: Vec<f64> =
                        (0..2 * query.len() * times.len().max(1)).map(|i| i as f64).collect();
                    let card = card((!times.is_empty()).then_some([0.0, 1.0]));
                    let off = |by: f64| values.iter().map(|v| v + by).collect::<Vec<f64>>();
                    let band = Band { level: 0.9, lower: off(-1.0), upper: off(2.0) };
                    let predicted = Predicted {
                        card: &card,
                        observations: &observations,
                        query,
                        times,
                        values: &values,
                        band: None,
                        samples: &[],
                        shown_channel: 1,
                        colormap: None,
                    };
                    let outcome = format.write(&path, &predicted);
                    let plain = format.files(&path, times.len()).first().map(std::fs::read);
                    // With a band every file holds or shows more.
                    let samples = [off(0.5)];
                    let banded = Predicted { band: Some(&band), samples: &samples, ..predicted };
                    if outcome.is_ok() {
                        format.write(&path, &banded).unwrap();
                        let with_band = format.files(&path, times.len()).first().map(std::fs::read);
                        let [plain, with_band] = [plain, with_band].map(|file| file.unwrap().unwrap().len());
                        assert!(with_band > plain, "{path:?}: {plain} {with_band}");
                        let names: Vec<String> = banded.arrays(0).into_iter().map(|(name, _)| name).collect();
                        let of = |c: &str| ["lower", "upper"].map(|end| format!("{c}_{end}"));
                        let expected =
                            [vec!["u".to_string(), "v,w".into()], of("u").into(), of("v,w").into()].concat();
                        assert_eq!(names[..6], expected);
                        assert_eq!(names[6..], ["u_sample_0", "v,w_sample_0"]);
                    }
                    let refused = format.refusal(query, times.len());
                    assert_eq!(outcome.is_err(), refused.is_some(), "{path:?} {times:?} {outcome:?}");
                    let mut expected = format.files(&path, times.len());
                    expected.retain(|_| refused.is_none());
                    let mut there: Vec<PathBuf> = std::fs::read_dir(folder.path())
                        .unwrap()
                        .map(|entry| entry.unwrap().path())
                        .collect();
                    expected.sort();
                    there.sort();
                    assert_eq!(there, expected);
                    assert!(there.iter().all(|file| std::fs::metadata(file).unwrap().len() > 20));
                    written += there.len();
                }
            }
            assert!(written > 0, "{} is never written", format.suffix());
        }
        let error = format_of(Path::new("out.txt")).err().unwrap().to_string();
        assert!(FORMATS.iter().all(|format| error.contains(format.suffix())), "{error}");
    }
}
