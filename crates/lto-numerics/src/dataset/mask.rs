//! Where something is: land, sea, the inside of a body.

use super::{Dataset, OpenOptions, format};
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::points::Points;
use crate::sample::Sample;
use std::path::Path;
use std::sync::Arc;

/// The cells of a grid that lie inside.
#[derive(Clone, Debug)]
pub struct Mask {
    grid: Arc<Grid>,
    inside: Vec<bool>,
}

impl Mask {
    /// Reads `FILE` or `FILE:array`; `!FILE` means what is outside. A mask along one axis is an array beside its coordinates, an
    /// array `x`. Inside are the values of at least ½ or, if some are
    /// missing, those that are not.
    ///
    /// # Errors
    /// A file that cannot be read, or holds no field on a grid.
    pub fn open(written: &str) -> Result<Self> {
        let (turned, written) = written.strip_prefix('!').map_or((false, written), |rest| (true, rest));
        let (path, keys) = match written.rsplit_once(':') {
            Some((path, array)) if !Path::new(written).exists() => (path, vec![array.to_string()]),
            _ => (written, Vec::new()),
        };
        let path = Path::new(path);
        let mut options = OpenOptions { keys, allow_nan: true, ..OpenOptions::default() };
        if let Some(key) = along_one_axis(path, &options.keys)? {
            (options.keys, options.axes) = (vec![key], Some(AXIS.into()));
        }
        let mut data = Dataset::open(path, &options)?;
        if let Some(problem) = &data.info().problem {
            return Err(Error::unsupported(path, None, format!("holds no field for a mask: {problem}")));
        }
        let none = || Error::unsupported(path, None, "holds no field for a mask");
        let (grid, values) = match data.read(0..1)?.into_iter().next().ok_or_else(none)? {
            Sample::Evolution(trajectory) => (trajectory.grid().clone(), trajectory.frame(0).to_vec()),
            Sample::Steady { source, .. } => (source.grid().clone(), source.values().to_vec()),
        };
        let values = &values[..grid.len().min(values.len())];
        let gaps = values.iter().any(|value| value.is_nan());
        let is_inside = |value: &f64| if gaps { !value.is_nan() } else { *value >= 0.5 };
        Ok(Self { grid, inside: values.iter().map(|value| is_inside(value) != turned).collect() })
    }

    /// As [`Mask::open`], for places of a domain.
    ///
    /// # Errors
    /// Also a mask of another dimension than the domain's.
    pub fn over(written: &str, domain: &Domain) -> Result<Self> {
        let mask = Self::open(written)?;
        let (expected, got) = (domain.dim(), mask.grid.dim());
        if expected != got {
            return Err(Error::Mismatch { what: format!("axes of the mask {written}"), expected, got });
        }
        Ok(mask)
    }

    /// Whether a place of a domain lies inside: whether the nearest cell does.
    pub fn contains(&self, place: &[f64]) -> bool {
        let mut index = 0;
        for (d, (&x, axis)) in place.iter().zip(self.grid.domain().axes()).enumerate() {
            let along = self.grid.coordinates(d);
            let x = axis.bring_in(x);
            let away = |i: &usize| axis.displacement(along[*i], x).abs();
            let after = along.partition_point(|c| *c < x);
            let near = [after.saturating_sub(1), after.min(along.len() - 1), 0, along.len() - 1];
            let nearest = near.into_iter().min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0);
            index = index * along.len() + nearest;
        }
        self.inside.get(index).copied().unwrap_or(false)
    }

    /// As [`Mask::apply`], unless nothing is left.
    ///
    /// # Errors
    /// No point is inside.
    pub fn restrict(&self, points: &Points, values: &mut [f64]) -> Result<()> {
        self.apply(points, values);
        if values.iter().all(|value| value.is_nan()) {
            let (name, value) = ("mask", format!("{:?} cells", self.grid.shape()));
            let requirement = "has no point of the data inside; is it of another place, or turned (!FILE)?";
            return Err(Error::Parameter { name, value, requirement });
        }
        Ok(())
    }

    /// Makes values `[…, point]` outside NaN.
    pub fn apply(&self, points: &Points, values: &mut [f64]) {
        let mut place = vec![0.0; points.dim()];
        for i in 0..points.len() {
            points.write_point(i, &mut place);
            if !self.contains(&place) {
                values.iter_mut().skip(i).step_by(points.len()).for_each(|value| *value = f64::NAN);
            }
        }
    }
}

/// The coordinates of a mask along one axis.
const AXIS: &str = "x";

/// The array of a mask along one axis, which no layout knows: the named one, or the only one beside its coordinates.
///
/// # Errors
/// A file that cannot be read, or an array of one axis without coordinates.
fn along_one_axis(path: &Path, keys: &[String]) -> Result<Option<String>> {
    let store = format::open(path)?;
    let found: Vec<_> = match keys {
        [] => store.arrays().iter().filter(|info| info.name != AXIS).collect(),
        keys => store.arrays().iter().filter(|info| keys.contains(&info.name)).collect(),
    };
    let &[mask] = &found[..] else { return Ok(None) };
    if mask.shape.len() != 1 {
        return Ok(None);
    }
    if store.arrays().iter().any(|info| info.name == AXIS && info.shape == mask.shape) {
        return Ok(Some(mask.name.clone()));
    }
    let problem =
        format!("a mask along one axis needs its {} coordinates, in an array {AXIS:?}", mask.shape[0]);
    Err(Error::unsupported(path, Some(&mask.name), problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::write::NpzArchive;
    use crate::{Axis, Placement};

    fn mask(values: &[f64], written: impl Fn(&str) -> String) -> Mask {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.npz");
        let mut archive = NpzArchive::create(&path).unwrap();
        archive.numbers("lat", &[2], &[50.0, 52.0]).unwrap();
        archive.numbers("lon", &[3], &[350.0, 355.0, 360.0]).unwrap();
        archive.numbers("lsm", &[2, 3], values).unwrap();
        archive.finish().unwrap();
        Mask::open(&written(path.to_str().unwrap())).unwrap()
    }

    #[test]
    fn the_nearest_cell_decides() {
        let land = mask(&[0.0, 0.2, 0.9, 1.0, 0.5, 0.0], |path| format!("{path}:lsm"));
        assert!(
            land.contains(&[50.4, 359.0]) && land.contains(&[51.5, -10.0]) && !land.contains(&[50.0, -6.0])
        );
        let sea = mask(&[0.0, 0.2, 0.9, 1.0, 0.5, 0.0], |path| format!("!{path}"));
        assert!(!sea.contains(&[50.4, 359.0]) && sea.contains(&[50.0, -6.0]));
        let gaps = mask(&[f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0], str::to_string);
        assert!(!gaps.contains(&[50.0, 350.0]) && gaps.contains(&[50.0, 355.0]));
        let axes = vec![Axis::new("lat", 50.0, 52.0, false), Axis::new("lon", -10.0, 0.0, false)];
        let domain = Domain::new(axes).unwrap();
        let grid = Grid::uniform(domain, &[(2, Placement::Vertex), (3, Placement::Vertex)]).unwrap();
        let mut values: Vec<f64> = (0..12).map(f64::from).collect();
        land.apply(&Points::grid(grid), &mut values);
        let kept: Vec<usize> = (0..12).filter(|&i| !values[i].is_nan()).collect();
        assert_eq!(kept, [2, 3, 4, 8, 9, 10]);
    }
    #[test]
    fn masks_may_have_one_axis() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.npz");
        let write = |arrays: &[(&str, &[f64])]| {
            let mut archive = NpzArchive::create(&path).unwrap();
            arrays.iter().for_each(|(name, values)| archive.numbers(name, &[values.len()], values).unwrap());
            archive.finish().unwrap();
        };
        write(&[("x", &[0.0, 0.5, 1.0, 1.5]), ("wet", &[1.0, 1.0, 0.0, 0.0])]);
        let line = Domain::new(vec![Axis::new("x", 0.0, 2.0, true)]).unwrap();
        for written in [path.display().to_string(), format!("{}:wet", path.display())] {
            let wet = Mask::over(&written, &line).unwrap();
            assert!(wet.contains(&[0.7]) && !wet.contains(&[0.8]) && !wet.contains(&[1.9]));
        }
        assert!(Mask::over(path.to_str().unwrap(), &Domain::unit(2, true).unwrap()).is_err());
        write(&[("wet", &[1.0, 0.0])]);
        let refused = Mask::open(path.to_str().unwrap()).unwrap_err().to_string();
        assert!(refused.contains("wet") && refused.contains("coordinates"), "{refused}");
    }
}
