//! Each new sensor at the place furthest from all so far.

use super::{Places, Request};
use crate::error::{Error, Result};
use crate::points::Points;

/// The existing sensors and the new ones.
pub(super) fn place(request: &Request, places: &Places) -> Result<Points> {
    let (domain, dim) = (request.domain, request.domain.dim());
    let allowed: Vec<&[f64]> = places
        .positions()
        .iter()
        .map(|position| &position[..dim])
        .filter(|x| !request.avoid.iter().any(|region| region.contains(domain, x)))
        .collect();
    let mut coordinates = request.existing.map(Points::coordinates).unwrap_or_default();
    let mut squared = vec![f64::INFINITY; allowed.len()];
    let add = |sensor: &[f64], squared: &mut Vec<f64>| {
        for (least, x) in squared.iter_mut().zip(&allowed) {
            *least = least.min(domain.distance_squared(x, sensor));
        }
    };
    coordinates.chunks_exact(dim).for_each(|sensor| add(sensor, &mut squared));
    // The first of all stands in the middle.
    let middle: Vec<f64> = domain.axes().iter().map(|axis| 0.5 * (axis.lower + axis.upper)).collect();
    let mut next = if coordinates.is_empty() {
        let central = |i: usize| domain.distance_squared(allowed[i], &middle);
        (0..allowed.len()).min_by(|&i, &j| central(i).total_cmp(&central(j)))
    } else {
        furthest(&squared)
    };
    for _ in 0..request.n_new {
        let Some(index) = next.filter(|&index| squared[index] > 0.0) else {
            return Err(Error::Parameter {
                name: "number of sensors to add",
                value: request.n_new.to_string(),
                requirement: "must be less than the number of places that are not to be avoided",
            });
        };
        coordinates.extend_from_slice(allowed[index]);
        add(allowed[index], &mut squared);
        next = furthest(&squared);
    }
    Points::scattered(domain.clone(), coordinates)
}

fn furthest(squared: &[f64]) -> Option<usize> {
    (0..squared.len()).max_by(|&i, &j| squared[i].total_cmp(&squared[j]).then(j.cmp(&i)))
}
