//! Where one more sensor helps most.

use super::ledger::{Ledger, Trial};
use super::sites::{Sites, is_free};
use super::{PlaceGrid, Region, SensorObjective};
use crate::error::Result;
use crate::point_tree::PointTree;
use crate::points::Points;
use rayon::prelude::*;
use serde::Serialize;

/// A place where a sensor is missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// Where to put a sensor.
    pub at: Vec<f64>,
    /// Where the objective is largest beforehand.
    pub hole: Vec<f64>,
    /// The objective there, beforehand.
    pub value: f64,
    /// The largest objective anywhere once this gap and those before it are filled.
    pub after: f64,
}

/// Most holes inside regions tried and given up for one gap.
const GIVEN_UP: usize = 40;

/// The gaps that matter most, filled one after the other: at each step the sensor that helps the worst place
/// most. Candidates are that place and places about halfway to the surrounding sensors, outside the regions
/// to avoid; the one with the least objective afterwards wins, first over all places, then around the worst
/// one. Places inside a region that no sensor outside can help are skipped.
///
/// # Errors
/// Places in another domain, or a region of another dimension.
pub fn gaps(
    objective: &SensorObjective,
    sensors: &Points,
    places: &PlaceGrid,
    avoid: &[Region],
    n_gaps: usize,
) -> Result<Vec<Gap>> {
    let domain = sensors.domain().clone();
    avoid.iter().try_for_each(|region| region.check(domain.dim()))?;
    let Some(sites) = Sites::new(&domain, places, avoid)? else { return Ok(Vec::new()) };
    let mut ledger = Ledger::new(objective, sensors.clone(), places)?;
    let mut hopeless = vec![false; ledger.values.len()];
    let (mut found, mut given_up) = (Vec::with_capacity(n_gaps), 0);
    while found.len() < n_gaps && given_up < GIVEN_UP {
        let open = (0..hopeless.len()).filter(|&index| !hopeless[index]);
        let worse = |i: &usize, j: &usize| ledger.values[*i].total_cmp(&ledger.values[*j]).then(j.cmp(i));
        let Some(hole) = open.max_by(worse) else { break };
        let surroundings = Surroundings::of(&ledger, places, hole);
        let mut best: Option<(Trial, f64, Vec<f64>)> = None;
        for at in surroundings.candidates(&ledger, places, &sites, avoid, hole) {
            let coordinates = [ledger.sensors.coordinates(), at.clone()].concat();
            // A sensor may already stand there.
            let Ok(filled) = Points::scattered(domain.clone(), coordinates) else { continue };
            let trial = ledger.attempt(filled, &[&at])?;
            let nearby = ledger.largest_among(&trial, &surroundings.places);
            let better = best.as_ref().is_none_or(|(least, least_nearby, _)| {
                let equal = (trial.value - least.value).abs() <= 1e-9 * least.value;
                if equal { nearby < least_nearby * (1.0 - 1e-9) } else { trial.value < least.value }
            });
            let helps = ledger.largest_among(&trial, &[hole]) < ledger.values[hole] * (1.0 - 1e-9);
            if helps && better {
                best = Some((trial, nearby, at));
            }
        }
        let Some((trial, _, at)) = best else {
            // Its neighbors inside the region are no better off.
            surroundings
                .inner
                .iter()
                .filter(|&&i| i == hole || !sites.allows(i))
                .for_each(|&i| hopeless[i] = true);
            given_up += 1;
            continue;
        };
        let hole_at = places.positions()[hole][..domain.dim()].to_vec();
        found.push(Gap { at, hole: hole_at, value: ledger.values[hole], after: trial.value });
        ledger.accept(trial)?;
        given_up = 0;
    }
    Ok(found)
}

/// The surroundings of a hole.
struct Surroundings {
    /// Distance to the nearest sensor.
    radius: f64,
    /// The places within twice that.
    places: Vec<usize>,
    /// The places within half of it, including the hole.
    inner: Vec<usize>,
}

impl Surroundings {
    fn of(ledger: &Ledger, places: &PlaceGrid, hole: usize) -> Self {
        let (domain, dim) = (ledger.sensors.domain(), ledger.sensors.dim());
        let center = &places.positions()[hole];
        let nearest = PointTree::new(&ledger.sensors).nearest(center, None);
        let squared = nearest.map_or(0.0, |nearest| nearest.squared_distance);
        let within = |most: f64| -> Vec<usize> {
            let near = |index: &usize| {
                domain.distance_squared(&places.positions()[*index][..dim], &center[..dim]) <= most
            };
            (0..ledger.values.len()).into_par_iter().filter(near).collect()
        };
        Self { radius: squared.sqrt(), places: within(4.0 * squared), inner: within(0.25 * squared) }
    }

    /// Where a sensor for the hole may go.
    fn candidates(
        &self,
        ledger: &Ledger,
        places: &PlaceGrid,
        sites: &Sites,
        avoid: &[Region],
        hole: usize,
    ) -> Vec<Vec<f64>> {
        let (domain, dim) = (ledger.sensors.domain(), ledger.sensors.dim());
        let mut candidates = vec![places.positions()[sites.nearest(hole).0][..dim].to_vec()];
        for (d, axis) in domain.axes().iter().enumerate() {
            for step in [0.5 * self.radius, -0.5 * self.radius] {
                let mut at = places.positions()[hole][..dim].to_vec();
                at[d] = axis.wrap(at[d] + step).clamp(axis.lower, axis.upper);
                if is_free(domain, avoid, &at) {
                    candidates.push(at);
                }
            }
        }
        candidates
    }
}
