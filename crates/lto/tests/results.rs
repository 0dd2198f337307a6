//! The trained models of the project load, and do on new data what the documents say.

use lto::model::Model;
use lto_numerics::dataset::Context;
use lto_numerics::metric::relative_l2::relative_l2;
use lto_numerics::pde::{BurgersConfig, DarcyConfig, HeatConfig, PdeConfig, sample_rng};
use lto_numerics::{Points, Sample};
use rand::RngExt;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

fn result(name: &str) -> Model {
    Model::load(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results").join(name)).unwrap()
}

/// One native step (five frames) of trajectories that no training has seen, from another seed: the published network
/// trained our way, and our own within its number of parameters.
#[test]
fn the_burgers_twins_predict_one_step_of_new_trajectories() {
    let published = result("burgers_29k");
    assert_eq!(published.operator().n_parameters(), 29_395);
    let ours = result("burgers");
    assert!(ours.operator().n_parameters() <= 29_395);
    let [published, ours] = [published, ours].map(|model| burgers_error(&model));
    assert!(published < 0.057 && ours < 0.5 * published, "{published} {ours}");
}

fn burgers_error(model: &Model) -> f64 {
    let pde = PdeConfig::Burgers(BurgersConfig::default()).build().unwrap();
    let mut errors = Vec::new();
    for index in 0..6 {
        let Sample::Evolution(trajectory) = pde.sample(&mut sample_rng(4711, index)).unwrap().remove(0)
        else {
            panic!("Burgers evolves");
        };
        let points = Points::grid(trajectory.grid().as_ref().clone());
        let times = trajectory.times();
        for start in [20, 100] {
            let context = Context {
                points: points.clone(),
                n_channels: 1,
                values: trajectory.frame(start).to_vec(),
                deviations: None,
            };
            let query = Arc::new(points.clone());
            let predicted = model.predict(&context, times[start], &[times[start + 5]], &query).unwrap();
            errors.push(relative_l2(&predicted.values, trajectory.frame(start + 5)).unwrap());
        }
    }
    errors.iter().sum::<f64>() / errors.len() as f64
}

/// Darcy fields that no training has seen, on a grid that none had either, from all points and from a tenth of them.
#[test]
fn the_darcy_twin_solves_new_fields() {
    let model = result("darcy");
    assert!(model.operator().n_parameters() <= 29_139);
    let pde = PdeConfig::Darcy(DarcyConfig { resolution: 141, ..DarcyConfig::default() }).build().unwrap();
    let mut errors = [0.0, 0.0];
    for index in 0..4 {
        let Sample::Steady { source, target } = pde.sample(&mut sample_rng(4711, index)).unwrap().remove(0)
        else {
            panic!("Darcy is steady");
        };
        let grid = source.grid().as_ref().clone();
        let query = Arc::new(Points::grid(grid.clone()));
        let tenth: Vec<usize> = (0..grid.len()).filter(|i| i * 7919 % 10 == 0).collect();
        for (error, seen) in errors.iter_mut().zip([(0..grid.len()).collect(), tenth]) {
            let values = seen.iter().map(|&i| source.values()[i]).collect();
            let points = Points::masked(grid.clone(), seen).unwrap();
            let context = Context { points, n_channels: 1, values, deviations: None };
            let predicted = model.predict(&context, 0.0, &[0.0], &query).unwrap();
            *error += relative_l2(&predicted.values, target.values()).unwrap() / 4.0;
        }
    }
    assert!(errors[0] < 0.04 && errors[1] < 0.06, "{errors:?}");
}

/// States of the heat equation that no training has seen, over the whole trained range at once: from a grid twice as fine as
/// that of training, from every second point of it as scattered sensors, and from 64 of its points at random.
#[test]
fn the_heat_twin_forecasts_new_states() {
    let model = result("heat");
    let mut errors = [0.0; 3];
    for index in 0..4 {
        let mut rng = sample_rng(4711, index);
        let pde = HeatConfig { resolution: 128, ..HeatConfig::default() };
        let Sample::Evolution(course) =
            PdeConfig::Heat(pde).build().unwrap().sample(&mut rng).unwrap().remove(0)
        else {
            panic!("heat evolves");
        };
        let (grid, times) = (course.grid().as_ref().clone(), course.times());
        let query = Arc::new(Points::grid(grid.clone()));
        let native = (0..grid.len()).filter(|i| i % 2 == 0 && i / 128 % 2 == 0).collect();
        let few = (0..64).map(|_| rng.random_range(0..grid.len())).collect::<BTreeSet<usize>>();
        let layouts = [(0..grid.len()).collect(), native, few.into_iter().collect()];
        for (error, seen) in errors.iter_mut().zip::<[Vec<usize>; 3]>(layouts) {
            let values = seen.iter().map(|&i| course.frame(0)[i]).collect();
            let points = match seen.len() == grid.len() {
                true => Points::grid(grid.clone()),
                false => Points::masked(grid.clone(), seen).unwrap(),
            };
            let context = Context { points, n_channels: 1, values, deviations: None };
            let last = times.len() - 1;
            let predicted = model.predict(&context, times[0], &[times[last]], &query).unwrap();
            *error += relative_l2(&predicted.values, course.frame(last)).unwrap() / 4.0;
        }
    }
    assert!(errors[0] < 1e-4 && errors[1] < 1e-3 && errors[2] < 0.02, "{errors:?}");
}
