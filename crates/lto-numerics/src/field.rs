//! States on a grid: [`Field`] at one time, [`Trajectory`] at several.

use crate::error::{Error, Result};
use crate::grid::{Grid, expect};
use std::sync::Arc;

/// A p-channel state on a grid: values `[channel, axis 0, axis 1, …]`, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    grid: Arc<Grid>,
    n_channels: usize,
    values: Vec<f64>,
}

impl Field {
    /// A field from its values.
    ///
    /// # Errors
    /// No channel, or a number of values that is not `channels × points`.
    pub fn new(grid: Arc<Grid>, n_channels: usize, values: Vec<f64>) -> Result<Self> {
        check_channels(n_channels)?;
        expect("number of field values", n_channels * grid.len(), values.len())?;
        Ok(Self { grid, n_channels, values })
    }

    /// A one-channel field from a function of the point.
    pub fn from_fn(grid: Arc<Grid>, f: impl Fn(&[f64]) -> f64) -> Self {
        let mut point = vec![0.0; grid.dim()];
        let values = (0..grid.len())
            .map(|index| {
                grid.write_point(index, &mut point);
                f(&point)
            })
            .collect();
        Self { grid, n_channels: 1, values }
    }

    /// The grid.
    pub fn grid(&self) -> &Arc<Grid> {
        &self.grid
    }

    /// Number of channels p.
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// All values `[channel, axis 0, …]`.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values, by value.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// The values of one channel, row-major.
    pub fn channel(&self, channel: usize) -> &[f64] {
        let n = self.grid.len();
        &self.values[channel * n..(channel + 1) * n]
    }
}

/// Fields on one grid at increasing times: values `[time, channel, axis 0, …]`, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    grid: Arc<Grid>,
    times: Vec<f64>,
    n_channels: usize,
    values: Vec<f64>,
}

impl Trajectory {
    /// A trajectory from its values.
    ///
    /// # Errors
    /// No time, times that are not finite and increasing, no channel, or the wrong number of values.
    pub fn new(grid: Arc<Grid>, times: Vec<f64>, n_channels: usize, values: Vec<f64>) -> Result<Self> {
        check_channels(n_channels)?;
        check_times(&times)?;
        expect("number of trajectory values", times.len() * n_channels * grid.len(), values.len())?;
        Ok(Self { grid, times, n_channels, values })
    }

    /// The grid.
    pub fn grid(&self) -> &Arc<Grid> {
        &self.grid
    }

    /// The times, increasing.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Number of channels p.
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// All values `[time, channel, axis 0, …]`.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values at time number `index`, `[channel, axis 0, …]`.
    pub fn frame(&self, index: usize) -> &[f64] {
        let n = self.n_channels * self.grid.len();
        &self.values[index * n..(index + 1) * n]
    }

    /// The field at time number `index`.
    pub fn field(&self, index: usize) -> Field {
        Field { grid: self.grid.clone(), n_channels: self.n_channels, values: self.frame(index).to_vec() }
    }
}

/// Refuses an empty list of times, and times that are not finite or not increasing.
pub fn check_times(times: &[f64]) -> Result<()> {
    if times.is_empty() {
        return Err(Error::Mismatch { what: "number of times (at least)".into(), expected: 1, got: 0 });
    }
    for (index, &value) in times.iter().enumerate() {
        if !value.is_finite() {
            return Err(Error::NonFiniteValue { what: "times".into(), index: vec![index], value });
        }
        if index > 0 && value <= times[index - 1] {
            return Err(Error::UnsortedTimes { index, value, previous: times[index - 1] });
        }
    }
    Ok(())
}

fn check_channels(n_channels: usize) -> Result<()> {
    if n_channels > 0 {
        return Ok(());
    }
    Err(Error::Parameter { name: "channels", value: "0".into(), requirement: "must be at least 1" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Domain, Placement};

    #[test]
    fn frames_and_channels_are_where_the_shapes_say() {
        let grid = Arc::new(Grid::cubic(Domain::unit(1, true).unwrap(), 2, Placement::Left).unwrap());
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        let trajectory = Trajectory::new(grid.clone(), vec![0.0, 0.5, 2.0], 2, values).unwrap();
        assert_eq!(trajectory.frame(1), [4.0, 5.0, 6.0, 7.0]);
        assert_eq!(trajectory.field(2).channel(1), [10.0, 11.0]);
        assert!(matches!(Field::new(grid.clone(), 1, vec![0.0; 3]), Err(Error::Mismatch { .. })));
        let err = Trajectory::new(grid, vec![0.0, 0.0], 1, vec![0.0; 4]).unwrap_err();
        assert!(matches!(err, Error::UnsortedTimes { index: 1, .. }), "{err}");
    }
}
