//! Moving the new sensors as long as the objective falls.

use super::ledger::Ledger;
use super::sites::is_free;
use super::{PlaceGrid, SensorObjective, SensorRequest};
use crate::error::Result;
use crate::point_tree::PointTree;
use crate::points::Points;
use rayon::prelude::*;

/// Most rounds of moving all sensors.
const ROUNDS: usize = 40;
/// Rounds without a better layout before giving up.
const PATIENCE: usize = 6;
/// Steps towards the center of a ball; the error falls as one over their number.
const STEPS: usize = 200;
/// Most layouts tried by [`towards_worst`].
const TRIALS: usize = 240;

/// Moves each new sensor to the center of the smallest ball around the places nearest to it (no sensor can
/// cover these better), and returns the layout with the least fill distance seen.
pub(super) fn center(request: &SensorRequest, places: &PlaceGrid, start: &Points) -> Result<Points> {
    let n_fixed = start.len() - request.n_new;
    let mut least = SensorObjective::FillDistance.evaluate(start, places)?.value;
    let (mut best, mut current) = (start.clone(), start.clone());
    let mut since = 0;
    for _ in 0..ROUNDS {
        let cells = cells(&current, places);
        let mut coordinates = current.coordinates();
        let dim = current.dim();
        let moves: Vec<[f64; 3]> = cells[n_fixed..].par_iter().map(|cell| ball_center(cell)).collect();
        for (sensor, step) in coordinates.chunks_exact_mut(dim).skip(n_fixed).zip(moves) {
            shift(request, sensor, &step);
        }
        // Two sensors may have met, which makes this layout invalid.
        let Ok(next) = Points::scattered(request.domain.clone(), coordinates) else { break };
        current = next;
        let found = SensorObjective::FillDistance.evaluate(&current, places)?.value;
        since += 1;
        if found < least * (1.0 - 1e-9) {
            (best, least, since) = (current.clone(), found, 0);
        }
        if since >= PATIENCE {
            break;
        }
    }
    Ok(best)
}

/// For each sensor, the shortest displacements to the places nearest to it.
fn cells(sensors: &Points, places: &PlaceGrid) -> Vec<Vec<[f64; 3]>> {
    let tree = PointTree::new(sensors);
    let nearest: Vec<_> = places.positions().par_iter().map(|x| tree.nearest(x, None)).collect();
    let mut cells = vec![Vec::new(); sensors.len()];
    for (x, nearest) in places.positions().iter().zip(nearest) {
        let Some(nearest) = nearest else { continue };
        let at = tree.position(nearest.place);
        let mut displacement = [0.0; 3];
        for (d, axis) in sensors.domain().axes().iter().enumerate() {
            displacement[d] = axis.displacement(at[d], x[d]);
        }
        cells[tree.order()[nearest.place]].push(displacement);
    }
    cells
}

/// Moves a sensor. A move into a region to avoid is shortened, or dropped; one out of the domain ends on the
/// boundary.
fn shift(request: &SensorRequest, sensor: &mut [f64], step: &[f64; 3]) {
    for part in [1.0, 0.5, 0.25] {
        let mut moved = sensor.to_vec();
        for ((x, axis), step) in moved.iter_mut().zip(request.domain.axes()).zip(step) {
            *x = axis.wrap(*x + part * step).clamp(axis.lower, axis.upper);
        }
        if is_free(request.domain, request.avoid, &moved) {
            return sensor.copy_from_slice(&moved);
        }
    }
}

/// Moves the new sensors nearest to the worst place towards it or away from it, by steps that shrink when
/// nothing helps.
pub(super) fn towards_worst(request: &SensorRequest, ledger: &mut Ledger) -> Result<()> {
    let n_fixed = ledger.sensors.len() - request.n_new;
    let (dim, axes) = (ledger.sensors.dim(), request.domain.axes());
    let (mut part, mut trials) = (0.5, 0);
    while part > 0.02 && trials < TRIALS {
        let worst = ledger.worst();
        let coordinates = ledger.sensors.coordinates();
        let sensor = |index: usize| &coordinates[index * dim..(index + 1) * dim];
        let distance = |index: usize| request.domain.distance_squared(sensor(index), &worst.at);
        let nearer = |a: &usize, b: &usize| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b));
        let mut near: Vec<usize> = (n_fixed..ledger.sensors.len()).collect();
        let few = 2 * dim + 1;
        if near.len() > few {
            near.select_nth_unstable_by(few, nearer);
            near.truncate(few);
        }
        near.sort_by(nearer);
        let moves = near.iter().flat_map(|&index| [part, -part].map(|part| (index, part)));
        let mut better = None;
        for (index, part) in moves {
            let mut step = [0.0; 3];
            for (d, axis) in axes.iter().enumerate() {
                step[d] = part * axis.displacement(sensor(index)[d], worst.at[d]);
            }
            let mut moved = coordinates.clone();
            let at = index * dim..(index + 1) * dim;
            shift(request, &mut moved[at.clone()], &step);
            let to = moved[at].to_vec();
            let Ok(candidate) = Points::scattered(request.domain.clone(), moved) else { continue };
            trials += 1;
            let trial = ledger.attempt(candidate, &[sensor(index), &to])?;
            if trial.value < worst.value * (1.0 - 1e-9) {
                better = Some(trial);
                break;
            }
        }
        match better {
            Some(trial) => ledger.accept(trial)?,
            None => part *= 0.5,
        }
    }
    Ok(())
}

/// The approximate center of the smallest ball around displacements, by Bădoiu and Clarkson's steps towards
/// the furthest.
fn ball_center(displacements: &[[f64; 3]]) -> [f64; 3] {
    let mut center = [0.0; 3];
    for step in 1..=STEPS {
        let squared = |p: &[f64; 3]| (0..3).map(|d| (p[d] - center[d]).powi(2)).sum::<f64>();
        let Some(furthest) = displacements.iter().max_by(|a, b| squared(a).total_cmp(&squared(b))) else {
            return center;
        };
        let part = 1.0 / (step + 1) as f64;
        center = std::array::from_fn(|d| center[d] + part * (furthest[d] - center[d]));
    }
    center
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ball_around_a_triangle_is_its_circumcircle() {
        let triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 0.0]];
        let found = ball_center(&triangle);
        assert!((found[0] - 2.0).abs() < 0.05 && (found[1] - 1.5).abs() < 0.05, "{found:?}");
        assert_eq!(ball_center(&[]), [0.0; 3]);
    }
}
