//! Each new sensor at the place furthest from all so far.

use super::cover::Cover;
use super::sites::Sites;
use super::{PlaceGrid, SensorRequest};
use crate::error::{Error, Result};
use crate::points::Points;

/// The existing sensors, the first new ones (coordinates `[k, D]`), and those that are still missing.
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
        // The first of all stands in the middle.
        let next = if coordinates.is_empty() { cover.central() } else { cover.next() };
        let Some(index) = next else {
            return Err(Error::Parameter {
                name: "n_new",
                value: request.n_new.to_string(),
                requirement: "must be at most the number of places outside the regions to avoid that hold no sensor",
            });
        };
        coordinates.extend_from_slice(&places.positions()[index][..dim]);
        cover.add(index);
    }
    Points::scattered(domain.clone(), coordinates)
}
