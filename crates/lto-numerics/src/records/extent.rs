//! The box of the places of a record; on the circle of longitudes, the shortest arc that holds them.

use super::catalog::{MAX_DIM, RecordAxis};
use crate::dataset::options::{DomainOption, PeriodicOption};
use crate::domain::{Axis, Domain};
use crate::error::Result;

/// Bins of one degree.
const BINS: usize = 360;
/// Longitudes that leave no gap this wide, in degrees, surround the Earth.
const OPEN_GAP: usize = 90;

/// The smallest and largest coordinate along each axis, and in each degree of the circle.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    bounds: [(f64, f64); MAX_DIM],
    degrees: [Vec<(f64, f64)>; MAX_DIM],
}

const EMPTY: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

fn grow(bounds: &mut (f64, f64), x: f64) {
    *bounds = (bounds.0.min(x), bounds.1.max(x));
}

impl Default for Extent {
    fn default() -> Self {
        Self { bounds: [EMPTY; MAX_DIM], degrees: std::array::from_fn(|_| vec![EMPTY; BINS]) }
    }
}

impl Extent {
    pub(super) fn add(&mut self, place: &[f64]) {
        for ((bounds, degrees), &x) in self.bounds.iter_mut().zip(&mut self.degrees).zip(place) {
            grow(bounds, x);
            let turned = x.rem_euclid(360.0);
            grow(&mut degrees[(turned as usize).min(BINS - 1)], turned);
        }
    }

    /// The domain: as given, else the box of all places. A single coordinate gets half a unit on both sides.
    pub(super) fn domain(
        &self,
        axes: &[RecordAxis],
        given: Option<&DomainOption>,
        periodic: Option<&PeriodicOption>,
    ) -> Result<Domain> {
        let names: Vec<String> = axes.iter().map(|axis| axis.name.clone()).collect();
        if let Some(given) = given {
            let domain = given.domain(periodic, &names)?;
            let close = |axis: &Axis| {
                let circle = axis.name == "lon" && axis.length() == 360.0;
                Axis::new(axis.name.clone(), axis.lower, axis.upper, axis.periodic || circle)
            };
            return Domain::new(domain.axes().iter().map(close).collect());
        }
        let along = |(d, name): (usize, &String)| {
            let wraps = periodic.is_some_and(|option| option.includes(name));
            let (lower, upper, circle) = match name.as_str() {
                "lon" => arc(&self.degrees[d]),
                _ => (self.bounds[d].0, self.bounds[d].1, false),
            };
            let margin = if lower < upper { 0.0 } else { 0.5 };
            Axis::new(name.clone(), lower - margin, upper + margin, wraps || circle)
        };
        Domain::new(names.iter().enumerate().map(along).collect())
    }
}

/// The shortest arc that holds all longitudes, and whether it is the whole circle.
fn arc(degrees: &[(f64, f64)]) -> (f64, f64, bool) {
    let held: Vec<usize> = (0..BINS).filter(|&bin| degrees[bin].0 <= degrees[bin].1).collect();
    let gap = |i: usize| (held[(i + 1) % held.len()] + BINS - held[i] - 1) % BINS;
    // A single bin leaves all others empty.
    let widest = (0..held.len()).max_by_key(|&i| if held.len() == 1 { BINS - 1 } else { gap(i) });
    let Some(last) = widest else { return (0.0, 0.0, false) };
    if held.len() > 1 && gap(last) < OPEN_GAP {
        return (-180.0, 180.0, true);
    }
    let (lower, upper) = (degrees[held[(last + 1) % held.len()]].0, degrees[held[last]].1);
    let upper = if upper < lower { upper + 360.0 } else { upper };
    let turn = if lower >= 180.0 { 360.0 } else { 0.0 };
    (lower - turn, upper - turn, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(places: &[[f64; 2]], names: [&str; 2]) -> Domain {
        let axes = names.map(|name| RecordAxis::of(name, None));
        let mut extent = Extent::default();
        places.iter().for_each(|place| extent.add(place));
        extent.domain(&axes, None, None).unwrap()
    }

    #[test]
    fn longitudes_take_the_shortest_arc() {
        let bounds = |lons: &[f64]| {
            let places: Vec<[f64; 2]> = lons.iter().map(|&lon| [lon.abs() / 10.0, lon]).collect();
            let axis = domain(&places, ["lat", "lon"]).axes()[1].clone();
            (axis.lower, axis.upper, axis.periodic)
        };
        assert_eq!(bounds(&[-10.5, 2.25, 0.0]), (-10.5, 2.25, false));
        assert_eq!(bounds(&[170.0, -175.0, 179.5]), (170.0, 185.0, false));
        assert_eq!(bounds(&[350.0, 5.0]), (-10.0, 5.0, false));
        assert_eq!(bounds(&[7.0]), (6.5, 7.5, false));
        assert_eq!(bounds(&[7.25, 7.75]), (7.25, 7.75, false));
        let around: Vec<f64> = (0..12).map(|i| f64::from(i) * 30.0).collect();
        assert_eq!(bounds(&around), (-180.0, 180.0, true));
    }

    #[test]
    fn plain_axes_have_the_box_of_their_places() {
        let found = domain(&[[500.0, -3.0], [100.0, -3.0]], ["x", "y"]);
        assert_eq!(found.to_string(), "x in [100, 500], y in [-3.5, -2.5]");
    }
}
