//! The places at which a layout is judged.

use crate::domain::{Domain, limit_cells};
use crate::error::Result;
use crate::grid::{Grid, Placement};
use crate::memory;
use crate::points::Points;

/// Bytes per place: its position, twice, and the state kept about it while sensors are placed.
const BYTES_A_PLACE: u128 = 96;

/// A fine grid over a domain; it includes both ends of open axes.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceGrid {
    points: Points,
    grid: Grid,
    positions: Vec<[f64; 3]>,
}

impl PlaceGrid {
    /// About `n` places, equally far apart along all axes.
    ///
    /// # Errors
    /// More places than fit into memory.
    pub fn new(domain: &Domain, n: usize) -> Result<Self> {
        let side = (domain.volume() / n.max(1) as f64).powf(1.0 / domain.dim() as f64);
        let along =
            domain.axes().iter().map(|axis| (axis.length() / side).round().clamp(2.0, n.max(2) as f64));
        let mut counts: Vec<usize> = along.map(|count| count as usize).collect();
        limit_cells(&mut counts, n.saturating_mul(4).max(16));
        let places = counts.iter().map(|&count| count as u128).product::<u128>();
        memory::require(&format!("a layout judged at {places} places"), places * BYTES_A_PLACE)?;
        let placement = |periodic| if periodic { Placement::Left } else { Placement::Vertex };
        let axes: Vec<_> =
            domain.axes().iter().zip(counts).map(|(axis, count)| (count, placement(axis.periodic))).collect();
        Self::on(Grid::uniform(domain.clone(), &axes)?)
    }

    /// As many places over another domain, in the same order.
    ///
    /// # Errors
    /// None for a domain of the same dimension.
    pub(crate) fn over(&self, domain: &Domain) -> Result<Self> {
        let placement = |(d, n)| (n, self.grid.placement(d).unwrap_or(Placement::Vertex));
        let axes: Vec<_> = self.grid.shape().into_iter().enumerate().map(placement).collect();
        Self::on(Grid::uniform(domain.clone(), &axes)?)
    }

    fn on(grid: Grid) -> Result<Self> {
        let points = Points::grid(grid.clone());
        let dim = grid.dim();
        let pad = |x: &[f64]| {
            let mut position = [0.0; 3];
            position[..dim].copy_from_slice(x);
            position
        };
        let positions = points.coordinates().chunks_exact(dim).map(pad).collect();
        Ok(Self { points, grid, positions })
    }

    /// The places as points.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The places as a grid.
    pub fn lattice(&self) -> &Grid {
        &self.grid
    }

    /// The places, padded with zeros to three axes.
    pub(super) fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }
}

/// A number of places that resolves a layout of `n` sensors: two hundred each, at least 2000 and at most
/// 50,000, but never fewer than eight each.
pub fn spread(n: usize) -> usize {
    n.saturating_mul(200).clamp(2000, 50_000).max(n.saturating_mul(8))
}
