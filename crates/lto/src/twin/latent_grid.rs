//! The fixed grid that carries the channels of the set convolution and the latent state.

use super::config::LatentPlacement;
use crate::device::table;
use crate::error::Result;
use crate::nn::coarsen::GridAxis;
use burn::tensor::{Device, Tensor};
use lto_numerics::{Axis, Domain, Grid, Placement, PointStructure, Points};
use std::f64::consts::TAU;

/// The latent grid, as two axes: one-dimensional states have a first axis with one point.
#[derive(Clone, Debug)]
pub struct LatentGrid {
    grid: Grid,
}

impl LatentGrid {
    /// `n` points along every axis: as `placed` on periodic axes, vertices (boundary included) on others.
    ///
    /// # Errors
    /// As [`Grid::uniform`].
    pub fn new(domain: &Domain, n: usize, placed: LatentPlacement) -> Result<Self> {
        let placement = |axis: &Axis| match placed {
            _ if !axis.periodic => Placement::Vertex,
            LatentPlacement::Left => Placement::Left,
            LatentPlacement::Center => Placement::Center,
        };
        let axes: Vec<_> = domain.axes().iter().map(|axis| (n, placement(axis))).collect();
        Ok(Self { grid: Grid::uniform(domain.clone(), &axes)? })
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Its mean spacing.
    pub fn spacing(&self) -> f64 {
        Points::grid(self.grid.clone()).mean_spacing()
    }

    /// Whether a query is the points of this grid, up to rounding.
    pub fn has_points(&self, query: &Points) -> bool {
        let PointStructure::Grid(other) = query.structure() else { return false };
        let same = |d: usize| {
            let (a, b) = (self.grid.coordinates(d), other.coordinates(d));
            let slack = 1e-6 * self.grid.domain().axes()[d].length() / a.len() as f64;
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= slack)
        };
        (0..self.grid.dim()).all(same)
    }

    /// `[n0, n1]`, with `n0 = 1` in one dimension.
    pub fn shape(&self) -> [usize; 2] {
        match self.grid.shape()[..] {
            [n0, n1] => [n0, n1],
            _ => [1, self.grid.len()],
        }
    }

    /// Where its points are, ξ from 0 to 1 along each axis: sin 2πξ and cos 2πξ on periodic axes, 2ξ − 1 on others.
    ///
    /// # Shapes
    /// `[1, c, n0, n1]` with [`position_channels`] c.
    pub fn position(&self, device: &Device) -> Tensor<4> {
        let (points, axes) = (Points::grid(self.grid.clone()), self.grid.domain().axes());
        let (coordinates, [n0, n1]) = (points.coordinates(), self.shape());
        let mut values: Vec<f32> = Vec::new();
        for (d, axis) in axes.iter().enumerate() {
            let shares = || {
                let along = coordinates.iter().skip(d).step_by(axes.len());
                along.map(|x| (x - axis.lower) / axis.length())
            };
            if axis.periodic {
                values.extend(shares().map(|share| (TAU * share).sin() as f32));
                values.extend(shares().map(|share| (TAU * share).cos() as f32));
            } else {
                values.extend(shares().map(|share| (2.0 * share - 1.0) as f32));
            }
        }
        let channels = position_channels(self.grid.domain());
        table(values, [1, channels, n0, n1], device)
    }

    /// Its axes, the first with one point in one dimension.
    pub fn axes(&self) -> [GridAxis; 2] {
        let axes = self.grid.domain().axes();
        let [first, last] = self.shape();
        let axis = |points, of: &Axis| GridAxis { points, periodic: of.periodic };
        [axis(first, &axes[0]), axis(last, &axes[axes.len() - 1])]
    }
}

/// Number of channels of a [position](LatentGrid::position).
pub fn position_channels(domain: &Domain) -> usize {
    domain.axes().iter().map(|axis| if axis.periodic { 2 } else { 1 }).sum()
}
