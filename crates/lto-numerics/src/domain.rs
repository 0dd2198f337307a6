//! Boxes Ω ⊂ R^D, D = 1, 2 or 3, each axis periodic or not, and the distance d_Ω on them.

use crate::error::{Error, Result};
use crate::geography::{is_latitude, is_longitude};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Default axis names, in array order.
pub const AXIS_NAMES: [&str; 3] = ["x", "y", "z"];

/// Two coordinates are the same place if they differ by less than this fraction of the axis, which is what
/// single-precision files can resolve.
pub(crate) const COORDINATE_TOLERANCE: f64 = 1e-6;

/// One axis of a [`Domain`]: an interval, closed into a circle if `periodic`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Name shown in messages, tables and pictures.
    pub name: String,
    /// Lower bound.
    pub lower: f64,
    /// Upper bound; on a periodic axis the same place as the lower one.
    pub upper: f64,
    /// Whether the two ends are joined.
    pub periodic: bool,
    /// Distance of one unit of the coordinate: cos of the latitude on an axis of longitudes that knows where it is, so
    /// that distances are in degrees of a great circle; else 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub scale: f64,
}

fn one() -> f64 {
    1.0
}

fn is_one(scale: &f64) -> bool {
    *scale == 1.0
}

impl Axis {
    /// An axis over `[lower, upper]`.
    pub fn new(name: impl Into<String>, lower: f64, upper: f64, periodic: bool) -> Self {
        Self { name: name.into(), lower, upper, periodic, scale: 1.0 }
    }

    /// The same axis with another distance of one unit.
    pub fn scaled(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    /// Whether two axes are the same but for their names: bounds equal to a millionth of the length, and both
    /// periodic or neither.
    pub fn same_place(&self, other: &Axis) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= COORDINATE_TOLERANCE * self.length();
        self.periodic == other.periodic && near(self.lower, other.lower) && near(self.upper, other.upper)
    }

    /// `upper − lower`.
    pub fn length(&self) -> f64 {
        self.upper - self.lower
    }

    /// The length as a distance: `scale · (upper − lower)`.
    pub fn extent(&self) -> f64 {
        self.scale * self.length()
    }

    /// The shortest signed displacement from `from` to `to`, as a distance: in `[−L/2, L/2]` on a periodic axis of
    /// extent `L`.
    #[inline]
    pub fn displacement(&self, from: f64, to: f64) -> f64 {
        let d = to - from;
        self.scale * if self.periodic { d - self.length() * (d / self.length()).round() } else { d }
    }

    /// Whether `x` lies in `[lower, upper]`.
    pub fn contains(&self, x: f64) -> bool {
        (self.lower..=self.upper).contains(&x)
    }

    /// `x` itself if it lies in `[lower, upper]`; else `x` wrapped into it, if the axis is periodic and `x`
    /// at most one period away: −10 on the longitudes `[0, 360)`. Anything further away is probably in other
    /// units. A longitude is also turned by 360 degrees into part of the circle: −178 on `[179, 183]`.
    pub fn bring_in(&self, x: f64) -> f64 {
        if self.contains(x) {
            return x;
        }
        if !self.periodic && is_longitude(&self.name) {
            return [x - 360.0, x + 360.0].into_iter().find(|&turned| self.contains(turned)).unwrap_or(x);
        }
        let near = x >= self.lower - self.length() && x <= self.upper + self.length();
        if near { self.wrap(x) } else { x }
    }

    /// The representative of `x` in `[lower, upper)` on a periodic axis; `x` itself otherwise.
    pub fn wrap(&self, x: f64) -> f64 {
        if !self.periodic {
            return x;
        }
        let wrapped = self.lower + (x - self.lower).rem_euclid(self.length());
        // `rem_euclid` of a tiny negative number rounds up to the length itself.
        if wrapped < self.upper { wrapped } else { self.lower }
    }
}

/// `x in [0, 1]`, followed by `periodic` if it is.
impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.periodic { " periodic" } else { "" };
        write!(f, "{} in [{}, {}]{kind}", self.name, self.lower, self.upper)
    }
}

/// A box with one to three axes. Coordinates are in array order: `point[d]` belongs to array axis `d`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Domain {
    axes: Vec<Axis>,
}

/// A [`Domain`] as written in a file, not yet checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    axes: Vec<Axis>,
}

impl TryFrom<Stored> for Domain {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        Self::new(stored.axes)
    }
}

/// The axes, comma-separated.
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (d, axis) in self.axes.iter().enumerate() {
            let separator = if d == 0 { "" } else { ", " };
            write!(f, "{separator}{axis}")?;
        }
        Ok(())
    }
}

impl Domain {
    /// A domain from its axes.
    ///
    /// # Errors
    /// Not one to three axes, or bounds that are not finite and increasing.
    pub fn new(axes: Vec<Axis>) -> Result<Self> {
        if !(1..=3).contains(&axes.len()) {
            return Err(Error::DomainDimension { got: axes.len() });
        }
        for axis in &axes {
            let ordered = axis.lower < axis.upper && axis.length().is_finite() && axis.scale > 0.0;
            if !(axis.lower.is_finite() && axis.upper.is_finite() && ordered) {
                return Err(Error::AxisBounds {
                    axis: axis.name.clone(),
                    lower: axis.lower,
                    upper: axis.upper,
                });
            }
        }
        Ok(Self { axes })
    }

    /// The unit box `[0, 1]^dim` with axes named x, y, z, all periodic or none.
    ///
    /// # Errors
    /// `dim` is not 1, 2 or 3.
    pub fn unit(dim: usize, periodic: bool) -> Result<Self> {
        if dim > AXIS_NAMES.len() {
            return Err(Error::DomainDimension { got: dim });
        }
        Self::new(AXIS_NAMES[..dim].iter().map(|name| Axis::new(*name, 0.0, 1.0, periodic)).collect())
    }

    /// The axes, in array order.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Spatial dimension D.
    pub fn dim(&self) -> usize {
        self.axes.len()
    }

    /// Whether two domains are the same but for the names of their axes; see [`Axis::same_place`].
    pub fn same_place(&self, other: &Domain) -> bool {
        self.dim() == other.dim() && self.axes.iter().zip(&other.axes).all(|(a, b)| a.same_place(b))
    }

    /// The domain with the local metric of the Earth, if it has latitudes and longitudes: a degree of longitude counts
    /// cos φ of a degree of latitude, with φ the middle of the latitudes. Distances are then those of great circles up to
    /// a relative error of about tan φ · Δφ/2 for latitudes φ ± Δφ/2, and (Δλ cos φ)²/24 over wide boxes.
    pub fn on_earth(mut self) -> Self {
        let latitude = self.axes.iter().find(|axis| is_latitude(&axis.name));
        let Some(middle) = latitude.map(|axis| 0.5 * (axis.lower + axis.upper)) else { return self };
        for axis in self.axes.iter_mut().filter(|axis| is_longitude(&axis.name)) {
            // A domain around a pole still needs some distance between its longitudes.
            axis.scale = middle.to_radians().cos().max(1e-3);
        }
        self
    }

    /// Takes over the distances of another domain at the same place.
    pub(crate) fn measure_as(&mut self, other: &Self) {
        for (axis, other) in self.axes.iter_mut().zip(&other.axes) {
            axis.scale = other.scale;
        }
    }

    /// Whether distances are those of another domain at the same place.
    pub fn same_metric(&self, other: &Self) -> bool {
        self.axes.iter().zip(&other.axes).all(|(axis, other)| axis.scale == other.scale)
    }

    /// Whether all axes count as their coordinates do.
    pub fn is_flat(&self) -> bool {
        self.axes.iter().all(|axis| axis.scale == 1.0)
    }

    /// The domain in coordinates that are distances: those of each axis times its scale.
    pub fn flat(&self) -> Self {
        let flat = |axis: &Axis| match axis.scale {
            1.0 => axis.clone(),
            scale => Axis::new(
                format!("{} × {scale:.3}", axis.name),
                scale * axis.lower,
                scale * axis.upper,
                axis.periodic,
            ),
        };
        Self { axes: self.axes.iter().map(flat).collect() }
    }

    /// Takes a place of [`Domain::flat`] back to this domain's coordinates.
    pub(crate) fn take_back(&self, place: &mut [f64]) {
        for (axis, x) in self.axes.iter().zip(place).filter(|(axis, _)| axis.scale != 1.0) {
            *x = (*x / axis.scale).clamp(axis.lower, axis.upper);
        }
    }

    /// |Ω|.
    pub fn volume(&self) -> f64 {
        self.axes.iter().map(Axis::extent).product()
    }

    /// Whether every axis is periodic.
    pub fn is_periodic(&self) -> bool {
        self.axes.iter().all(|a| a.periodic)
    }

    /// The largest distance between two points of the domain.
    pub fn diameter(&self) -> f64 {
        let reach = |a: &Axis| if a.periodic { 0.5 * a.extent() } else { a.extent() };
        self.axes.iter().map(|a| reach(a).powi(2)).sum::<f64>().sqrt()
    }

    /// d_Ω(a, b)², the Euclidean distance with each periodic axis taken the shorter way round.
    #[inline]
    pub fn distance_squared(&self, a: &[f64], b: &[f64]) -> f64 {
        self.axes.iter().zip(a.iter().zip(b)).map(|(axis, (&a, &b))| axis.displacement(a, b).powi(2)).sum()
    }

    /// d_Ω(a, b).
    #[inline]
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        self.distance_squared(a, b).sqrt()
    }

    /// Refuses a point (number `index` of its set) that is not finite or lies outside the domain.
    pub(crate) fn check_point(&self, index: usize, point: &[f64]) -> Result<()> {
        for (axis, &value) in self.axes.iter().zip(point) {
            let name = || axis.name.clone();
            if !value.is_finite() {
                return Err(Error::NonFinitePoint { index, axis: name(), value });
            }
            if !axis.contains(value) {
                let (lower, upper) = (axis.lower, axis.upper);
                return Err(Error::PointOutsideDomain { index, axis: name(), value, lower, upper });
            }
        }
        Ok(())
    }
}

/// Halves the largest cell count until there are at most `most` cells: in a very flat domain, cells of the
/// right volume would be far too many along the long axes.
pub(crate) fn limit_cells(counts: &mut [usize], most: usize) {
    while counts.iter().copied().fold(1, usize::saturating_mul) > most.max(1) {
        let Some(largest) = counts.iter_mut().max() else { return };
        *largest = largest.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periodic_axes_take_the_shorter_way_round() {
        let axis = Axis::new("x", -1.0, 1.0, true);
        assert!((axis.displacement(0.9, -0.9) - 0.2).abs() < 1e-15);
        assert!((axis.displacement(-0.9, 0.9) + 0.2).abs() < 1e-15);
        assert_eq!(Axis::new("x", -1.0, 1.0, false).displacement(0.9, -0.9), -1.8);
        assert_eq!(axis.wrap(1.0), -1.0);
        assert_eq!(axis.wrap(-1.0 - 1e-18), -1.0);
        let longitude = Axis::new("lon", 0.0, 360.0, true);
        assert_eq!([-10.0, 0.0, 360.0, 365.0].map(|x| longitude.bring_in(x)), [350.0, 0.0, 360.0, 5.0]);
        assert_eq!(longitude.bring_in(3.6e5), 3.6e5, "hardly degrees");
        assert_eq!(Axis::new("lat", 0.0, 90.0, false).bring_in(-10.0), -10.0);
        let pacific = Axis::new("lon", 170.0, 190.0, false);
        assert_eq!([-178.0, 175.0, 535.0, 0.0].map(|x| pacific.bring_in(x)), [182.0, 175.0, 175.0, 0.0]);
    }

    #[test]
    fn distance_mixes_periodic_and_plain_axes() {
        let domain =
            Domain::new(vec![Axis::new("x", 0.0, 1.0, true), Axis::new("y", 0.0, 4.0, false)]).unwrap();
        assert!((domain.distance(&[0.05, 0.0], &[0.95, 4.0]) - (0.01f64 + 16.0).sqrt()).abs() < 1e-12);
        assert_eq!(domain.volume(), 4.0);
        assert!((domain.diameter() - (0.25f64 + 16.0).sqrt()).abs() < 1e-15);
    }

    /// Great circles by the haversine formula, in degrees.
    fn great_circle(a: &[f64], b: &[f64]) -> f64 {
        let [p, q] = [a[0], b[0]].map(f64::to_radians);
        let haversine = |x: f64| (0.5 * x).sin().powi(2);
        let h = haversine(q - p) + p.cos() * q.cos() * haversine((b[1] - a[1]).to_radians());
        (2.0 * h.sqrt().asin()).to_degrees()
    }

    #[test]
    fn distances_on_the_earth_are_those_of_great_circles() {
        let axes = vec![Axis::new("Latitude", 50.0, 58.0, false), Axis::new("lng", -8.0, 4.0, false)];
        let plain = Domain::new(axes).unwrap();
        let earth = plain.clone().on_earth();
        let (mut worst, mut worst_plain) = (0.0f64, 0.0f64);
        for i in 0..40 {
            let at = |k: u32| vec![50.0 + f64::from(k * 7 % 9), -8.0 + f64::from(k * 5 % 13)];
            let (a, b) = (at(i), at(i * 3 + 1));
            let exact = great_circle(&a, &b);
            if exact > 0.0 {
                worst = worst.max((earth.distance(&a, &b) / exact - 1.0).abs());
                worst_plain = worst_plain.max((plain.distance(&a, &b) / exact - 1.0).abs());
            }
        }
        // tan 54° · 4° in radians is 9.6 %.
        assert!(worst < 0.1 && worst_plain > 0.5, "{worst} {worst_plain}");
        let flat = earth.flat();
        assert!((flat.diameter() - earth.diameter()).abs() < 1e-12 && flat.is_flat() && !earth.is_flat());
        assert!((flat.volume() / earth.volume() - 1.0).abs() < 1e-12);
        let text = serde_json::to_string(&earth).unwrap();
        assert_eq!(serde_json::from_str::<Domain>(&text).unwrap(), earth);
        assert!(!serde_json::to_string(&plain).unwrap().contains("scale"), "as before");
        assert_eq!(Domain::unit(2, true).unwrap().on_earth(), Domain::unit(2, true).unwrap());
    }

    #[test]
    fn bad_domains_are_refused() {
        assert!(matches!(Domain::unit(0, true), Err(Error::DomainDimension { got: 0 })));
        assert!(matches!(Domain::unit(4, true), Err(Error::DomainDimension { got: 4 })));
        for (lower, upper) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            let axis = Axis::new("x", lower, upper, false);
            assert!(matches!(Domain::new(vec![axis]), Err(Error::AxisBounds { .. })), "{lower} {upper}");
        }
        assert!(serde_json::from_str::<Domain>(r#"{"axes": []}"#).is_err());
        let backwards = r#"{"axes": [{"name": "x", "lower": 1.0, "upper": 0.0, "periodic": false}]}"#;
        assert!(serde_json::from_str::<Domain>(backwards).is_err());
        let unit = Domain::unit(2, true).unwrap();
        let text = serde_json::to_string(&unit).unwrap();
        assert_eq!(serde_json::from_str::<Domain>(&text).unwrap(), unit);
    }

    #[test]
    fn the_same_place_is_so_in_single_precision() {
        let domain = |upper: f64, periodic| Domain::new(vec![Axis::new("x", 0.0, upper, periodic)]).unwrap();
        let tau = std::f64::consts::TAU;
        let single = f64::from(tau as f32);
        assert!(domain(tau, true).same_place(&domain(single, true)));
        assert!(!domain(tau, true).same_place(&domain(tau, false)));
        assert!(!domain(tau, true).same_place(&domain(tau * (1.0 + 1e-5), true)));
        assert!(!domain(1.0, true).same_place(&Domain::unit(2, true).unwrap()));
        assert_eq!(Domain::unit(2, true).unwrap().to_string(), "x in [0, 1] periodic, y in [0, 1] periodic");
    }

    #[test]
    fn cells_are_limited() {
        for (mut counts, most) in [([1000, 1000, 1], 8000), ([usize::MAX, usize::MAX, 3], 7), ([5, 1, 1], 0)]
        {
            limit_cells(&mut counts, most);
            assert!(counts.iter().product::<usize>() <= most.max(1) && !counts.contains(&0), "{counts:?}");
        }
        let mut few = [10, 10, 10];
        limit_cells(&mut few, 1000);
        assert_eq!(few, [10, 10, 10]);
    }
}
