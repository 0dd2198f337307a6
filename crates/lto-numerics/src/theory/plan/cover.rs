//! Greedy placement: each new sensor goes to the place furthest from all others. Every place's distance to
//! its nearest sensor is kept up to date.

use super::sites::Sites;
use super::{PlaceGrid, SensorRequest};
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::point_tree::PointTree;
use crate::points::Points;
use rayon::prelude::*;

/// Places per block. Each block keeps its largest distance, so finding the furthest place looks at one number
/// per block.
const BLOCK: usize = 512;

/// The existing sensors, the first new ones (coordinates `[k, D]`), then the ones still missing.
pub(super) fn place(
    request: &SensorRequest,
    places: &PlaceGrid,
    sites: &Sites,
    first: &[f64],
) -> Result<Points> {
    let (domain, dim) = (request.domain, request.domain.dim());
    let mut coordinates = request.existing.map(Points::coordinates).unwrap_or_default();
    coordinates.extend_from_slice(first);
    let standing = match coordinates.is_empty() {
        true => None,
        false => Some(Points::scattered(domain.clone(), coordinates.clone())?),
    };
    let mut cover = Cover::new(domain, places, sites, standing.as_ref());
    for _ in first.len() / dim..request.n_new {
        // The very first sensor stands in the middle.
        let next = if coordinates.is_empty() { cover.central() } else { cover.next() };
        let Some(index) = next else {
            return Err(Error::Parameter {
                name: "n_new",
                value: request.n_new.to_string(),
                requirement: "must be at most the number of free places outside the regions to avoid",
            });
        };
        coordinates.extend_from_slice(&places.positions()[index][..dim]);
        cover.add(index);
    }
    Points::scattered(domain.clone(), coordinates)
}

/// Squared distances of the places from their nearest sensor.
pub(super) struct Cover<'a> {
    domain: &'a Domain,
    places: &'a PlaceGrid,
    sites: &'a Sites<'a>,
    /// Never NaN; minus infinity where no sensor can help.
    squared: Vec<f64>,
    largest: Vec<f64>,
    /// No layout brings every place nearer than this.
    unavoidable: f64,
}

impl<'a> Cover<'a> {
    pub fn new(
        domain: &'a Domain,
        places: &'a PlaceGrid,
        sites: &'a Sites<'a>,
        sensors: Option<&Points>,
    ) -> Self {
        let tree = sensors.map(PointTree::new);
        let of = |x: &[f64; 3]| {
            let nearest = tree.as_ref().and_then(|tree| tree.nearest(x, None));
            nearest.map_or(f64::INFINITY, |nearest| nearest.squared_distance)
        };
        let squared: Vec<f64> = places.positions().par_iter().map(of).collect();
        let largest = squared.chunks(BLOCK).map(maximum).collect();
        // Rounding must not make a place look improvable.
        let unavoidable = sites.unavoidable() * (1.0 + 1e-9);
        Self { domain, places, sites, squared, largest, unavoidable }
    }

    /// The allowed place nearest to the middle of the domain.
    pub fn central(&self) -> Option<usize> {
        let axes = self.domain.axes();
        let middle: Vec<f64> = axes.iter().map(|axis| 0.5 * (axis.lower + axis.upper)).collect();
        let distance = |i: usize| self.domain.distance_squared(&self.places.positions()[i], &middle);
        self.sites.indices().into_iter().min_by(|&i, &j| distance(i).total_cmp(&distance(j)))
    }

    /// Where the next sensor goes: to the place furthest from all, or the allowed place nearest to it; `None`
    /// if all allowed places hold a sensor.
    pub fn next(&mut self) -> Option<usize> {
        loop {
            let index = self.furthest()?;
            if self.sites.allows(index) {
                return Some(index);
            }
            // Places inside a region that are as close as the innermost one can ever be need nothing more.
            if self.squared[index] > self.unavoidable {
                return Some(self.sites.nearest(index).0);
            }
            self.squared[index] = f64::NEG_INFINITY;
            let block = index / BLOCK;
            let end = ((block + 1) * BLOCK).min(self.squared.len());
            self.largest[block] = maximum(&self.squared[block * BLOCK..end]);
        }
    }

    /// The place furthest from all sensors, the first if tied; `None` if every place holds one.
    fn furthest(&self) -> Option<usize> {
        let (block, &most) =
            self.largest.iter().enumerate().max_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i)))?;
        let start = block * BLOCK;
        let at = self.squared[start..].iter().position(|&squared| squared == most)?;
        (most > 0.0).then_some(start + at)
    }

    /// Puts a sensor at a place. Only places within the largest distance so far can get closer.
    pub fn add(&mut self, index: usize) {
        let sensor = self.places.positions()[index];
        let most = maximum(&self.largest);
        let grid = self.places.lattice();
        // For each axis, the grid lines within reach and their distances.
        let mut lines = [vec![(0, 0.0)], vec![(0, 0.0)], vec![(0, 0.0)]];
        let shape = grid.shape();
        for (d, axis) in self.domain.axes().iter().enumerate() {
            let stride: usize = shape[d + 1..].iter().product();
            let along = grid.coordinates(d).iter().enumerate();
            let near = along.map(|(i, &x)| (i * stride, axis.displacement(sensor[d], x).powi(2)));
            lines[d] = near.filter(|(_, squared)| *squared <= most).collect();
        }
        for &(i, a) in &lines[0] {
            for &(j, b) in &lines[1] {
                for &(k, c) in &lines[2] {
                    let least = &mut self.squared[i + j + k];
                    *least = least.min(a + b + c);
                }
            }
        }
        let touched = |(block, largest): (usize, &mut f64)| {
            let end = ((block + 1) * BLOCK).min(self.squared.len());
            *largest = maximum(&self.squared[block * BLOCK..end]);
        };
        let first = lines[0].iter().map(|line| line.0 / BLOCK).min().unwrap_or(0);
        let row = shape[1..].iter().product::<usize>();
        let last = lines[0].iter().map(|line| (line.0 + row - 1) / BLOCK).max().unwrap_or(0);
        self.largest.iter_mut().enumerate().skip(first).take(last + 1 - first).for_each(touched);
    }
}

fn maximum(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
