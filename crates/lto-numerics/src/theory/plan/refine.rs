//! Moving the new sensors as long as the objective falls.

use super::{Objective, Places, Request, Worst, balls};
use crate::error::Result;
use crate::point_tree::PointTree;
use crate::points::Points;
use rayon::prelude::*;

/// Rounds of moving all sensors, at most.
const ROUNDS: usize = 40;
/// Rounds without a better layout before giving up.
const PATIENCE: usize = 6;
/// Layouts tried by [`towards_worst`], at most.
const TRIALS: usize = 240;

/// Moves each new sensor to the center of the smallest ball around the places nearest to it (which no sensor can cover
/// better); keeps the best layout seen.
pub(super) fn center(
    request: &Request,
    places: &Places,
    sensors: &mut Points,
    worst: &mut Worst,
) -> Result<()> {
    let n_fixed = sensors.len() - request.n_new;
    let mut current = sensors.clone();
    let mut since = 0;
    for _ in 0..ROUNDS {
        let cells = cells(&current, places);
        let mut coordinates = current.coordinates();
        let dim = current.dim();
        let moves: Vec<[f64; 3]> = cells[n_fixed..].par_iter().map(|cell| balls::center(cell)).collect();
        for (sensor, step) in coordinates.chunks_exact_mut(dim).skip(n_fixed).zip(moves) {
            shift(request, sensor, &step);
        }
        // Two sensors may have met; then this layout is none.
        let Ok(next) = Points::scattered(request.domain.clone(), coordinates) else { break };
        current = next;
        let found = request.objective.evaluate(&current, places)?;
        since += 1;
        if found.value < worst.value * (1.0 - 1e-9) {
            (*sensors, *worst, since) = (current.clone(), found, 0);
        }
        if since >= PATIENCE {
            break;
        }
    }
    Ok(())
}

/// For each sensor the shortest ways to the places nearest to it.
fn cells(sensors: &Points, places: &Places) -> Vec<Vec<[f64; 3]>> {
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

/// Moves a sensor, unless into a region to avoid; onto the boundary where it would leave the domain.
fn shift(request: &Request, sensor: &mut [f64], step: &[f64; 3]) {
    let mut moved = sensor.to_vec();
    for ((x, axis), step) in moved.iter_mut().zip(request.domain.axes()).zip(step) {
        *x = axis.wrap(*x + step).clamp(axis.lower, axis.upper);
    }
    if !request.avoid.iter().any(|region| region.contains(request.domain, &moved)) {
        sensor.copy_from_slice(&moved);
    }
}

/// Moves the new sensors nearest to the worst place towards it or away from it, by steps that shrink where nothing
/// helps.
pub(super) fn towards_worst(
    request: &Request,
    places: &Places,
    sensors: &mut Points,
    worst: &mut Worst,
) -> Result<()> {
    let n_fixed = sensors.len() - request.n_new;
    let (dim, axes) = (sensors.dim(), request.domain.axes());
    let (mut part, mut trials) = (0.5, 0);
    while part > 0.02 && trials < TRIALS {
        let coordinates = sensors.coordinates();
        let sensor = |index: usize| &coordinates[index * dim..(index + 1) * dim];
        let mut near: Vec<usize> = (n_fixed..sensors.len()).collect();
        let distance = |&index: &usize| request.domain.distance_squared(sensor(index), &worst.at);
        near.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        near.truncate(2 * dim + 1);
        let moves = near.iter().flat_map(|&index| [part, -part].map(|part| (index, part)));
        let mut better = None;
        for (index, part) in moves {
            let mut step = [0.0; 3];
            for (d, axis) in axes.iter().enumerate() {
                step[d] = part * axis.displacement(sensor(index)[d], worst.at[d]);
            }
            let mut moved = coordinates.clone();
            shift(request, &mut moved[index * dim..(index + 1) * dim], &step);
            let Ok(candidate) = Points::scattered(request.domain.clone(), moved) else { continue };
            let found = evaluate(&request.objective, &candidate, places, &mut trials)?;
            if found.value < worst.value * (1.0 - 1e-9) {
                better = Some((candidate, found));
                break;
            }
        }
        match better {
            Some(found) => (*sensors, *worst) = found,
            None => part *= 0.5,
        }
    }
    Ok(())
}

fn evaluate(objective: &Objective, sensors: &Points, places: &Places, trials: &mut usize) -> Result<Worst> {
    *trials += 1;
    objective.evaluate(sensors, places)
}
