//! Where sensors may stand.

use super::{PlaceGrid, Region};
use crate::domain::Domain;
use crate::error::Result;
use crate::point_tree::PointTree;
use crate::points::Points;
use rayon::prelude::*;

/// The places outside the regions to avoid.
pub(super) struct Sites<'a> {
    places: &'a PlaceGrid,
    /// The allowed places and a tree of them; `None` if all are allowed.
    some: Option<(Vec<usize>, PointTree)>,
}

impl<'a> Sites<'a> {
    /// `None` if regions cover all places.
    pub fn new(domain: &Domain, places: &'a PlaceGrid, avoid: &[Region]) -> Result<Option<Self>> {
        if avoid.is_empty() {
            return Ok(Some(Self { places, some: None }));
        }
        let dim = domain.dim();
        let free = |&index: &usize| is_free(domain, avoid, &places.positions()[index][..dim]);
        let allowed: Vec<usize> = (0..places.positions().len()).into_par_iter().filter(free).collect();
        if allowed.is_empty() {
            return Ok(None);
        }
        let tree = PointTree::new(&Points::masked(places.lattice().clone(), allowed.clone())?);
        Ok(Some(Self { places, some: Some((allowed, tree)) }))
    }

    /// Whether a sensor may stand at a place.
    pub fn allows(&self, index: usize) -> bool {
        self.some.as_ref().is_none_or(|(allowed, _)| allowed.binary_search(&index).is_ok())
    }

    /// All places where a sensor may stand.
    pub fn indices(&self) -> Vec<usize> {
        match &self.some {
            Some((allowed, _)) => allowed.clone(),
            None => (0..self.places.positions().len()).collect(),
        }
    }

    /// The allowed place nearest to another place, and its squared distance.
    pub fn nearest(&self, index: usize) -> (usize, f64) {
        let found = self.some.as_ref().and_then(|(allowed, tree)| {
            let nearest = tree.nearest(&self.places.positions()[index], None)?;
            Some((allowed[tree.order()[nearest.place]], nearest.squared_distance))
        });
        found.unwrap_or((index, 0.0))
    }

    /// The squared distance that no layout can beat: that of the place furthest from all allowed ones.
    pub fn unavoidable(&self) -> f64 {
        let all = (0..self.places.positions().len()).into_par_iter();
        match self.some {
            None => 0.0,
            Some(_) => all.map(|index| self.nearest(index).1).reduce(|| 0.0, f64::max),
        }
    }
}

/// Whether a point lies outside all regions.
pub(super) fn is_free(domain: &Domain, avoid: &[Region], point: &[f64]) -> bool {
    !avoid.iter().any(|region| region.contains(domain, point))
}
