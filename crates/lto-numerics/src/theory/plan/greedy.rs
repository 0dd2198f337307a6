//! Each new sensor at the place furthest from all so far.

use super::cover::Cover;
use super::{Places, Request};
use crate::error::{Error, Result};
use crate::points::Points;

/// The existing sensors and the new ones.
pub(super) fn place(request: &Request, places: &Places) -> Result<Points> {
    let (domain, dim) = (request.domain, request.domain.dim());
    let allowed = |x: &[f64]| !request.avoid.iter().any(|region| region.contains(domain, x));
    let mut cover = Cover::new(domain, places, request.existing, allowed);
    let mut coordinates = request.existing.map(Points::coordinates).unwrap_or_default();
    for _ in 0..request.n_new {
        // The first of all stands in the middle.
        let next = if coordinates.is_empty() { cover.central() } else { cover.furthest() };
        let Some(index) = next else {
            return Err(Error::Parameter {
                name: "number of sensors to add",
                value: request.n_new.to_string(),
                requirement: "must be less than the number of places that are not to be avoided",
            });
        };
        coordinates.extend_from_slice(&places.positions()[index][..dim]);
        cover.add(index);
    }
    Points::scattered(domain.clone(), coordinates)
}
