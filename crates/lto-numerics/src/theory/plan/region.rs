//! Regions where no sensor may stand.

use crate::domain::{Axis, Domain};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A part of the domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Region {
    /// Between two corners. It wraps on periodic axes: with a period of 1, from 0.9 to 1.1 means from 0.9 to
    /// 0.1.
    Box {
        /// Lower corner.
        lower: Vec<f64>,
        /// Upper corner.
        upper: Vec<f64>,
    },
    /// Within a distance of a point, the shorter way round on periodic axes.
    Ball {
        /// The point.
        center: Vec<f64>,
        /// The distance.
        radius: f64,
    },
}

/// `box:0.2:0.4,0.1:0.3`, lower and upper bound along each axis, or `circle:x,y,r`, a center and a radius
/// (`ball:x,y,z,r` in three dimensions).
impl FromStr for Region {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        let bounds = |part: &str| {
            let (lower, upper) = part.split_once(':')?;
            Some((number(lower)?, number(upper)?)).filter(|(lower, upper)| lower <= upper)
        };
        let parsed = match text.split_once(':') {
            Some(("box", numbers)) => {
                numbers.split(',').map(bounds).collect::<Option<Vec<_>>>().map(|bounds| {
                    let (lower, upper) = bounds.into_iter().unzip();
                    Region::Box { lower, upper }
                })
            }
            Some(("circle" | "ball", numbers)) => {
                let numbers = numbers.split(',').map(number).collect::<Option<Vec<f64>>>();
                numbers.and_then(|mut center| {
                    let radius = center.pop().filter(|radius| *radius >= 0.0)?;
                    (!center.is_empty()).then_some(Region::Ball { center, radius })
                })
            }
            _ => None,
        };
        parsed.ok_or_else(|| Error::Parameter {
            name: "avoid",
            value: text.into(),
            requirement: "must be box:LOWER:UPPER,… with bounds for each axis, or circle:X,Y,RADIUS",
        })
    }
}

impl Region {
    /// Whether a point lies in the region or on its boundary.
    pub fn contains(&self, domain: &Domain, point: &[f64]) -> bool {
        match self {
            Region::Box { lower, upper } => {
                let bounds = lower.iter().zip(upper);
                domain.axes().iter().zip(point).zip(bounds).all(|((axis, &x), (&low, &high))| {
                    (low..=high).contains(&x) || between_images(axis, low, high, x)
                })
            }
            Region::Ball { center, radius } => domain.distance(center, point) <= *radius,
        }
    }

    /// The same region in the coordinates of [`Domain::flat`].
    pub(crate) fn flat(&self, domain: &Domain) -> Self {
        let scaled =
            |place: &[f64]| place.iter().zip(domain.axes()).map(|(x, axis)| axis.scale * x).collect();
        match self {
            Region::Box { lower, upper } => Region::Box { lower: scaled(lower), upper: scaled(upper) },
            Region::Ball { center, radius } => Region::Ball { center: scaled(center), radius: *radius },
        }
    }

    /// Refuses a region whose dimension is not `dim`.
    ///
    /// # Errors
    /// Another number of coordinates.
    pub fn check(&self, dim: usize) -> Result<()> {
        let sizes = match self {
            Region::Box { lower, upper } => vec![lower.len(), upper.len()],
            Region::Ball { center, .. } => vec![center.len()],
        };
        match sizes.into_iter().find(|&size| size != dim) {
            None => Ok(()),
            Some(got) => {
                let what = format!("number of coordinates of the region {self}");
                Err(Error::Mismatch { what, expected: dim, got })
            }
        }
    }
}

/// As on the command line: `box:0:0.5,0:1` or `circle:0.5,0.5,0.1`.
impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Region::Box { lower, upper } => {
                let bounds: Vec<String> =
                    lower.iter().zip(upper).map(|(low, high)| format!("{low}:{high}")).collect();
                write!(f, "box:{}", bounds.join(","))
            }
            Region::Ball { center, radius } => {
                let center: Vec<String> = center.iter().map(f64::to_string).collect();
                write!(f, "circle:{},{radius}", center.join(","))
            }
        }
    }
}

/// Whether a periodic image of x lies between two bounds.
fn between_images(axis: &Axis, low: f64, high: f64, x: f64) -> bool {
    axis.periodic && (x - low).rem_euclid(axis.length()) <= high - low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_go_round_on_periodic_axes_only() {
        let region = Region::Box { lower: vec![0.9, 0.2], upper: vec![1.1, 0.4] };
        let (torus, square) = (Domain::unit(2, true).unwrap(), Domain::unit(2, false).unwrap());
        for (x, inside) in
            [([0.95, 0.3], true), ([0.05, 0.3], true), ([0.2, 0.3], false), ([0.05, 0.5], false)]
        {
            assert_eq!(region.contains(&torus, &x), inside, "{x:?}");
            assert_eq!(region.contains(&square, &x), inside && x[0] > 0.5, "{x:?}");
        }
        let whole = Region::Box { lower: vec![-3.0, 0.0], upper: vec![3.0, 1.0] };
        assert!(whole.contains(&torus, &[0.5, 0.5]) && whole.contains(&square, &[0.5, 0.5]));
        assert_eq!(region.to_string(), "box:0.9:1.1,0.2:0.4");
    }

    #[test]
    fn boxes_and_circles_are_understood_and_nothing_else() {
        let region = |text: &str| text.parse::<Region>();
        let cube = Region::Box { lower: vec![0.2, -1.0], upper: vec![0.4, 0.3] };
        assert_eq!(region("box:0.2:0.4,-1:0.3").unwrap(), cube);
        let ball = Region::Ball { center: vec![0.5, 0.25], radius: 0.1 };
        assert_eq!(region("circle:0.5,0.25,0.1").unwrap(), ball);
        assert_eq!(region("ball:0.5,0.25,0.1").unwrap(), ball);
        for wrong in [
            "",
            "box",
            "box:",
            "box:1",
            "box:0.4:0.2",
            "circle:0.1",
            "circle:a,b,c",
            "circle:1,2,-3",
            "square:0:1",
        ] {
            assert!(region(wrong).is_err(), "{wrong}");
        }
    }
}
