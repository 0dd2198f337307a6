//! States at resolutions other than the native one, by honest means.

use super::shape::{at_shape, shape_at, strided};
use crate::data::config::DataConfig;
use crate::data::{Data, State, Wanted};
use crate::error::{Error, Result};
use lto_numerics::resample::{Method, resample};
use lto_numerics::{Field, Grid};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where the values at a resolution come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResolutionOrigin {
    /// The data themselves.
    #[serde(rename = "native")]
    Native,
    /// Some points of the data.
    #[serde(rename = "subsampled")]
    Subsampled,
    /// Finer data of the same file or solve.
    #[serde(rename = "finer data")]
    FinerData,
    /// The same random problems, solved at that resolution.
    #[serde(rename = "generated")]
    Generated,
    /// Interpolated from the data: spectrally on uniform periodic axes, else by cubic splines; a field of
    /// only two values, such as a piecewise constant coefficient, by the nearest point, since it would ring.
    #[serde(rename = "resampled")]
    Resampled,
}

impl ResolutionOrigin {
    /// Name as written in reports.
    pub fn name(self) -> &'static str {
        match self {
            ResolutionOrigin::Native => "native",
            ResolutionOrigin::Subsampled => "subsampled",
            ResolutionOrigin::FinerData => "finer data",
            ResolutionOrigin::Generated => "generated",
            ResolutionOrigin::Resampled => "resampled",
        }
    }
}

/// The note on resampled values.
pub const RESAMPLED: &str = "resampled values are interpolated: spectrally on uniform periodic axes, else by \
                             cubic splines; fields of only two values take the nearest point's";

/// The data at one resolution.
#[derive(Clone)]
pub struct Level {
    /// Where its points lie.
    pub grid: Arc<Grid>,
    /// Where its values come from.
    pub origin: ResolutionOrigin,
    data: Arc<Data>,
    finer: bool,
}

impl Level {
    /// The same grid with the values of another level.
    fn from(&self, other: &Level) -> Result<Level> {
        let subset = Method::for_grids(&other.grid, &self.grid)? == Method::Stride;
        let origin = if subset { ResolutionOrigin::Subsampled } else { ResolutionOrigin::Resampled };
        Ok(Level { grid: self.grid.clone(), origin, ..other.clone() })
    }

    /// States on the grid of this level.
    ///
    /// # Errors
    /// Data that cannot be read or solved.
    pub fn fields(&self, wanted: &[(usize, State)]) -> Result<Vec<Field>> {
        let wanted: Vec<Wanted> =
            wanted.iter().map(|&(sample, state)| Wanted { sample, state, finer: self.finer }).collect();
        let fields = self.data.fields(&wanted)?;
        let carry = |field: Field| {
            if field.grid() == &self.grid {
                return Ok(field);
            }
            let method = match Method::for_grids(field.grid(), &self.grid)? {
                Method::Spectral | Method::Cubic if is_two_valued(&field) => Method::Nearest,
                other => other,
            };
            Ok(resample(&field, &self.grid, method)?)
        };
        fields.into_iter().map(carry).collect()
    }
}

/// A dataset at every wanted resolution.
pub struct Levels {
    native: Level,
    others: Vec<(usize, Level)>,
    notes: Vec<String>,
}

impl Levels {
    /// Opens the data and what is needed of them at other resolutions, given as points along the first axis;
    /// other axes follow in proportion, to the nearest whole interval. Below native, grid points are left out
    /// if that gives the resolution. Above native, finer data of the file or solve are used, else a generator
    /// solves the same problems again. Otherwise fields are interpolated.
    ///
    /// # Errors
    /// Data that cannot be opened, or a resolution that no grid has.
    pub fn open(config: &DataConfig, resolutions: &[usize]) -> Result<Self> {
        let native = Data::open(config, 1.0)?;
        let mut notes = native.notes().to_vec();
        let grid = native.layout().grid.clone();
        let n = grid.shape()[0];
        let finest = resolutions.iter().copied().max().unwrap_or(n);
        let data = if finest > n {
            let fraction = (finest as f64 / n as f64).powi(grid.dim() as i32);
            Arc::new(Data::open(config, fraction)?)
        } else {
            Arc::new(native)
        };
        let mut others: Vec<(usize, Level)> = Vec::new();
        for &resolution in resolutions.iter().filter(|&&r| r != n) {
            if others.iter().all(|(other, _)| *other != resolution) {
                others.push((resolution, level(config, &data, resolution)?));
            }
        }
        if others.iter().any(|(_, level)| level.origin == ResolutionOrigin::Resampled) {
            notes.push(RESAMPLED.into());
        }
        let native = Level { grid, origin: ResolutionOrigin::Native, data, finer: false };
        Ok(Self { native, others, notes })
    }

    /// The data themselves.
    pub fn data(&self) -> &Arc<Data> {
        &self.native.data
    }

    /// What was opened, and every assumption about it, as text.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Points of the native grid along the first axis.
    pub fn native_resolution(&self) -> usize {
        self.native.grid.shape()[0]
    }

    /// The data at an opened resolution; `None` is the native one.
    ///
    /// # Errors
    /// A resolution that was not opened.
    pub fn at(&self, resolution: Option<usize>) -> Result<&Level> {
        let native = self.native_resolution();
        match resolution.filter(|r| *r != native) {
            None => Ok(&self.native),
            Some(wanted) => {
                let found = self.others.iter().find(|(r, _)| *r == wanted).map(|(_, level)| level);
                found.ok_or_else(|| refuse(wanted, "was not opened with the data"))
            }
        }
    }

    /// The data at two resolutions, for context and query. A generator that solves again at another
    /// resolution may not solve exactly the same problem (PDEBench's initial states depend on their grid), so
    /// both then come from the same solve.
    ///
    /// # Errors
    /// As [`Levels::at`].
    pub fn pair(&self, context: Option<usize>, query: Option<usize>) -> Result<(Level, Level)> {
        let (context, query) = (self.at(context)?.clone(), self.at(query)?.clone());
        Ok(match (context.origin, query.origin) {
            _ if context.grid == query.grid => (context, query),
            (ResolutionOrigin::Generated, other) if other != ResolutionOrigin::Generated => {
                let query = query.from(&context)?;
                (context, query)
            }
            (_, ResolutionOrigin::Generated) => {
                let context = context.from(&query)?;
                (context, query)
            }
            _ => (context, query),
        })
    }
}

/// Whether each channel has at most two values.
fn is_two_valued(field: &Field) -> bool {
    (0..field.n_channels()).all(|c| {
        let values = field.channel(c);
        let first = values.first();
        let second = values.iter().find(|v| Some(*v) != first);
        values.iter().all(|v| Some(v) == first || Some(v) == second)
    })
}

pub(super) fn refuse(resolution: usize, requirement: &str) -> Error {
    let (key, value) = ("resolutions".into(), resolution.to_string());
    Error::Config { key, value, requirement: requirement.into() }
}

fn level(config: &DataConfig, data: &Arc<Data>, resolution: usize) -> Result<Level> {
    let layout = data.layout();
    let shape = shape_at(&layout.grid, resolution)?;
    if let Some(grid) = strided(&layout.grid, &shape) {
        let grid = grid?;
        return Ok(Level { grid, origin: ResolutionOrigin::Subsampled, data: data.clone(), finer: false });
    }
    if let Some(finer) = &layout.finer
        && let Some(grid) = strided(finer, &shape)
    {
        let grid = grid?;
        return Ok(Level { grid, origin: ResolutionOrigin::FinerData, data: data.clone(), finer: true });
    }
    if resolution > layout.grid.shape()[0]
        && let Some(pde) = config.generate.as_ref().and_then(|pde| pde.at_resolution(resolution))
    {
        let again = Data::open(&DataConfig { generate: Some(pde), ..config.clone() }, 1.0)?;
        let grid = again.layout().grid.clone();
        if grid.shape() == shape {
            return Ok(Level {
                grid,
                origin: ResolutionOrigin::Generated,
                data: Arc::new(again),
                finer: false,
            });
        }
    }
    let grid = at_shape(&layout.grid, &shape)
        .ok_or_else(|| refuse(resolution, "unequally spaced points have no other resolution"))?;
    let grid = Arc::new(grid?);
    let finer = layout.finer.is_some() && resolution > layout.grid.shape()[0];
    Ok(Level { grid, origin: ResolutionOrigin::Resampled, data: data.clone(), finer })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each way to a resolution is taken if possible, and gives the values of the fields.
    #[test]
    fn every_level_says_where_its_values_come_from() {
        let text =
            "generate = { pde = 'heat', dim = 1, resolution = 16, n_frames = 3 }\nsamples = 20\nseed = 4";
        let config: DataConfig = toml::from_str(text).unwrap();
        let levels = Levels::open(&config, &[8, 12, 16, 32]).unwrap();
        let expected = [
            (8, ResolutionOrigin::Subsampled),
            (12, ResolutionOrigin::Resampled),
            (16, ResolutionOrigin::Native),
            (32, ResolutionOrigin::Generated),
        ];
        let native = levels.at(None).unwrap().fields(&[(3, State::Frame(2))]).unwrap().remove(0);
        for (n, origin) in expected {
            let level = levels.at(Some(n)).unwrap();
            assert_eq!((level.origin, level.grid.shape()), (origin, vec![n]));
            let field = level.fields(&[(3, State::Frame(2))]).unwrap().remove(0);
            // The smooth state after two frames is the same function on every grid.
            let back =
                resample(&field, native.grid(), Method::for_grids(field.grid(), native.grid()).unwrap());
            let largest = native.values().iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let off = back
                .unwrap()
                .values()
                .iter()
                .zip(native.values())
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f64::max);
            assert!(off < 0.02 * largest, "{n}: {off} of {largest}");
        }
        assert!(levels.at(Some(64)).is_err());
    }

    /// The coefficient of Darcy's equation has two values on every grid, its solution has more.
    #[test]
    fn two_values_stay_two_values() {
        let text = "generate = { pde = 'darcy', resolution = 9 }\nsamples = 2";
        let levels = Levels::open(&toml::from_str(text).unwrap(), &[8]).unwrap();
        assert!(levels.notes().iter().any(|note| note == RESAMPLED));
        let level = levels.at(Some(8)).unwrap();
        assert_eq!(level.origin, ResolutionOrigin::Resampled);
        let states = level.fields(&[(0, State::Source), (0, State::Target)]).unwrap();
        let native = levels.at(None).unwrap().fields(&[(0, State::Source)]).unwrap().remove(0);
        assert!(is_two_valued(&states[0]) && !is_two_valued(&states[1]));
        assert!(states[0].values().iter().all(|v| native.values().contains(v)));
    }
}
