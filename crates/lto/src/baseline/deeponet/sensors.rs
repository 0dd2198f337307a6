//! The values at fixed sensors, picked from contexts that contain them.

use crate::error::{Error, Result};
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Grid, Points};
use std::collections::HashMap;

/// Points closer than this share of each axis are the same.
const SAME: f64 = 1e-6;

/// Fixed sensors.
#[derive(Clone, Debug)]
pub struct Sensors {
    points: Points,
}

impl Sensors {
    /// At all points of a grid.
    pub fn new(grid: Grid) -> Self {
        Self { points: Points::grid(grid) }
    }

    /// Number of sensors.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Values `[channel, sensor]` from a context of any layout.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if a sensor is not a point of the context.
    pub fn read(&self, context: &Context) -> Result<Vec<f64>> {
        let order = if context.points == self.points { None } else { Some(self.places(&context.points)?) };
        let channels = context.values.chunks_exact(context.points.len());
        Ok(match order {
            None => context.values.clone(),
            Some(order) => channels.flat_map(|values| order.iter().map(|&i| values[i])).collect(),
        })
    }

    /// The index of each sensor among the points of the context.
    fn places(&self, points: &Points) -> Result<Vec<usize>> {
        let domain = points.domain();
        let mut x = vec![0.0; points.dim()];
        let mut known: HashMap<Vec<i64>, usize> = HashMap::with_capacity(points.len());
        for i in 0..points.len() {
            points.write_point(i, &mut x);
            known.insert(cell(domain, &x, &[]), i);
        }
        let mut y = x.clone();
        (0..self.len())
            .map(|sensor| {
                self.points.write_point(sensor, &mut x);
                // A point this near may have been rounded to a neighboring cell.
                let found = neighbors(x.len()).find_map(|shift| {
                    let &i = known.get(&cell(domain, &x, &shift))?;
                    points.write_point(i, &mut y);
                    (domain.distance(&x, &y) <= SAME * longest(domain)).then_some(i)
                });
                found.ok_or_else(|| Error::Unsupported {
                    model: super::NAME,
                    reason: format!(
                        "its {} sensors must be among the points of the context, but the one at {x:?} is not",
                        self.len()
                    ),
                })
            })
            .collect()
    }
}

fn longest(domain: &Domain) -> f64 {
    domain.axes().iter().map(|axis| axis.length()).fold(0.0, f64::max)
}

/// The cell of a point in a lattice of [`SAME`], moved by `shift` cells; a periodic axis closes.
fn cell(domain: &Domain, x: &[f64], shift: &[i64]) -> Vec<i64> {
    let around = (1.0 / SAME).round() as i64;
    let along = |(d, axis): (usize, &lto_numerics::Axis)| {
        let share = (axis.wrap(x[d]) - axis.lower) / axis.length();
        let index = (share / SAME).round() as i64 + shift.get(d).copied().unwrap_or(0);
        if axis.periodic { index.rem_euclid(around) } else { index }
    };
    domain.axes().iter().enumerate().map(along).collect()
}

/// All shifts by −1, 0 or 1 along each axis, none first.
fn neighbors(dim: usize) -> impl Iterator<Item = Vec<i64>> {
    let digit = |i: usize, d: u32| [0, 1, -1][i / 3usize.pow(d) % 3];
    (0..3usize.pow(dim as u32)).map(move |i| (0..dim as u32).map(|d| digit(i, d)).collect())
}
