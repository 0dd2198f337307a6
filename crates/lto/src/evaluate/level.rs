//! States at other resolutions than the native one, by honest means.

use crate::data::config::DataConfig;
use crate::data::{Data, State, Wanted};
use crate::error::{Error, Result};
use lto_numerics::resample::{Method, resample};
use lto_numerics::{Field, Grid, Placement};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where the values at a resolution come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// The data as they are.
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
    /// Interpolated from the data: spectrally on uniform periodic axes, else by cubic splines.
    #[serde(rename = "resampled")]
    Resampled,
}

impl Origin {
    /// Name as written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Native => "native",
            Origin::Subsampled => "subsampled",
            Origin::FinerData => "finer data",
            Origin::Generated => "generated",
            Origin::Resampled => "resampled",
        }
    }
}

/// The data at one resolution.
#[derive(Clone)]
pub struct Level {
    /// Where its points lie.
    pub grid: Arc<Grid>,
    /// Where its values come from.
    pub origin: Origin,
    data: Arc<Data>,
    finer: bool,
}

impl Level {
    /// The same grid with the values of another level.
    fn from(&self, other: &Level) -> Result<Level> {
        let subset = Method::for_grids(&other.grid, &self.grid)? == Method::Stride;
        let origin = if subset { Origin::Subsampled } else { Origin::Resampled };
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
            let method = Method::for_grids(field.grid(), &self.grid)?;
            Ok(resample(&field, &self.grid, method)?)
        };
        fields.into_iter().map(carry).collect()
    }
}

/// A dataset at every resolution that is wanted.
pub struct Levels {
    native: Level,
    others: Vec<(usize, Level)>,
    notes: Vec<String>,
}

impl Levels {
    /// Opens the data, and what is needed of them at other resolutions: numbers of points along the first axis; other
    /// axes in proportion. Below native, points of the grid are left out where that leads there. Above native, finer data of
    /// the file or the solve are looked for, then a generator solves the same problems again. Else the fields are
    /// interpolated.
    ///
    /// # Errors
    /// Data that cannot be opened, or a resolution that no grid has.
    pub fn open(config: &DataConfig, resolutions: &[usize]) -> Result<Self> {
        let native = Data::open(config, 1.0)?;
        let notes = native.notes().to_vec();
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
        let native = Level { grid, origin: Origin::Native, data, finer: false };
        Ok(Self { native, others, notes })
    }

    /// The data themselves.
    pub fn data(&self) -> &Arc<Data> {
        &self.native.data
    }

    /// For people: what was opened, and every assumption about it.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Points of the native grid along the first axis.
    pub fn native_resolution(&self) -> usize {
        self.native.grid.shape()[0]
    }

    /// The data at a resolution that was opened; `None` is the native one.
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

    /// The data at two resolutions, for context and query. A generator that solves again at another resolution may not
    /// solve quite the same problem (PDEBench's initial states know their grid), so both then come from the same solve.
    ///
    /// # Errors
    /// As [`Levels::at`].
    pub fn pair(&self, context: Option<usize>, query: Option<usize>) -> Result<(Level, Level)> {
        let (context, query) = (self.at(context)?.clone(), self.at(query)?.clone());
        Ok(match (context.origin, query.origin) {
            _ if context.grid == query.grid => (context, query),
            (Origin::Generated, other) if other != Origin::Generated => {
                let query = query.from(&context)?;
                (context, query)
            }
            (_, Origin::Generated) => {
                let context = context.from(&query)?;
                (context, query)
            }
            _ => (context, query),
        })
    }
}

fn refuse(resolution: usize, requirement: &str) -> Error {
    let (key, value) = ("resolutions".into(), resolution.to_string());
    Error::Config { key, value, requirement: requirement.into() }
}

fn level(config: &DataConfig, data: &Arc<Data>, resolution: usize) -> Result<Level> {
    let layout = data.layout();
    let shape = shape_at(&layout.grid, resolution)?;
    if let Some(grid) = strided(&layout.grid, &shape) {
        let grid = Arc::new(grid?);
        return Ok(Level { grid, origin: Origin::Subsampled, data: data.clone(), finer: false });
    }
    if let Some(finer) = &layout.finer
        && let Some(grid) = strided(finer, &shape)
    {
        let grid = Arc::new(grid?);
        return Ok(Level { grid, origin: Origin::FinerData, data: data.clone(), finer: true });
    }
    if resolution > layout.grid.shape()[0]
        && let Some(pde) = config.generate.as_ref().and_then(|pde| pde.at_resolution(resolution))
    {
        let again = Data::open(&DataConfig { generate: Some(pde), ..config.clone() }, 1.0)?;
        let grid = again.layout().grid.clone();
        if grid.shape() == shape {
            return Ok(Level { grid, origin: Origin::Generated, data: Arc::new(again), finer: false });
        }
    }
    let axes: Option<Vec<(usize, Placement)>> =
        shape.iter().enumerate().map(|(d, &n)| Some((n, layout.grid.placement(d)?))).collect();
    let axes = axes
        .ok_or_else(|| refuse(resolution, "points that are not equally spaced have no other resolution"))?;
    let grid = Arc::new(Grid::uniform(layout.grid.domain().clone(), &axes)?);
    let finer = layout.finer.is_some() && resolution > layout.grid.shape()[0];
    Ok(Level { grid, origin: Origin::Resampled, data: data.clone(), finer })
}

/// Points along each axis: so many along the first, the others in proportion of their intervals.
fn shape_at(grid: &Grid, resolution: usize) -> Result<Vec<usize>> {
    let native = grid.shape();
    let vertex = |d: usize| usize::from(grid.placement(d) == Some(Placement::Vertex));
    let along = |d: usize| {
        let (wanted, had) = (resolution.checked_sub(vertex(0))?, native[0].checked_sub(vertex(0))?);
        let intervals = (native[d] - vertex(d)).checked_mul(wanted)?;
        (had > 0 && wanted > 0 && intervals.is_multiple_of(had)).then(|| intervals / had + vertex(d))
    };
    let shape: Option<Vec<usize>> = (0..native.len()).map(along).collect();
    shape.ok_or_else(|| {
        refuse(
            resolution,
            &format!("points along the first axis of {native:?}, the other axes in proportion"),
        )
    })
}

/// The grid of every so manieth point, where there is one of this shape; around a periodic axis all gaps are equal.
fn strided(grid: &Grid, shape: &[usize]) -> Option<Result<Grid>> {
    let native = grid.shape();
    let fits = |stride: usize| {
        let axes = grid.domain().axes().iter().zip(&native).zip(shape);
        axes.into_iter().all(|((axis, &n), &wanted)| {
            n.div_ceil(stride) == wanted && (!axis.periodic || n.is_multiple_of(stride))
        })
    };
    (1..=native[0]).find(|&stride| fits(stride)).map(|stride| Ok(grid.strided(stride)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::Domain;

    #[test]
    fn strides_lead_to_the_published_darcy_grids_and_to_halves_of_periodic_ones() {
        let vertices = Grid::cubic(Domain::unit(2, false).unwrap(), 421, Placement::Vertex).unwrap();
        for n in [85, 106, 141, 211, 421] {
            let grid = strided(&vertices, &shape_at(&vertices, n).unwrap()).unwrap().unwrap();
            assert_eq!((grid.shape(), grid.placement(0)), (vec![n, n], Some(Placement::Vertex)));
        }
        let periodic = Grid::cubic(Domain::unit(1, true).unwrap(), 48, Placement::Center).unwrap();
        assert_eq!(strided(&periodic, &[16]).unwrap().unwrap().coordinates(0)[1], 3.5 / 48.0);
        // Every 10th of 48 points would be 5 with unequal gaps around the end.
        assert!(strided(&periodic, &[5]).is_none());
        assert!(strided(&periodic, &[96]).is_none());
    }

    #[test]
    fn other_axes_keep_their_proportion() {
        let axes = [(64, Placement::Left), (32, Placement::Left)];
        let grid = Grid::uniform(Domain::unit(2, true).unwrap(), &axes).unwrap();
        assert_eq!(shape_at(&grid, 128).unwrap(), [128, 64]);
        assert_eq!(shape_at(&grid, 16).unwrap(), [16, 8]);
        assert!(shape_at(&grid, 15).unwrap_err().to_string().contains("15"));
        assert!(shape_at(&grid, 0).is_err());
    }

    /// Each way to a resolution is taken where it can be, and its values are those of the fields.
    #[test]
    fn every_level_says_where_its_values_come_from() {
        let text =
            "generate = { pde = 'heat', dim = 1, resolution = 16, n_frames = 3 }\nsamples = 20\nseed = 4";
        let config: DataConfig = toml::from_str(text).unwrap();
        let levels = Levels::open(&config, &[8, 12, 16, 32]).unwrap();
        let expected =
            [(8, Origin::Subsampled), (12, Origin::Resampled), (16, Origin::Native), (32, Origin::Generated)];
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
}
