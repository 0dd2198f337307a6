//! The fixed grid that carries the channels of the set convolution and the latent state.

use crate::error::Result;
use lto_numerics::{Axis, Domain, Grid, Placement};

/// The latent grid, as two axes: one-dimensional states have a first axis with one point.
#[derive(Clone, Debug)]
pub struct LatentGrid {
    grid: Grid,
}

impl LatentGrid {
    /// `n` points along every axis: left-aligned on periodic axes, vertices (boundary included) on others.
    ///
    /// # Errors
    /// As [`Grid::uniform`].
    pub fn new(domain: &Domain, n: usize) -> Result<Self> {
        let placement = |axis: &Axis| if axis.periodic { Placement::Left } else { Placement::Vertex };
        let axes: Vec<_> = domain.axes().iter().map(|axis| (n, placement(axis))).collect();
        Ok(Self { grid: Grid::uniform(domain.clone(), &axes)? })
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// `[n0, n1]`, with `n0 = 1` in one dimension.
    pub fn shape(&self) -> [usize; 2] {
        match self.grid.shape()[..] {
            [n0, n1] => [n0, n1],
            _ => [1, self.grid.len()],
        }
    }
}
