//! The trained models of the project load, and do on new data what the documents say.

use lto::model::Model;
use lto_numerics::dataset::Context;
use lto_numerics::metric::relative_l2::relative_l2;
use lto_numerics::pde::{BurgersConfig, PdeConfig, sample_rng};
use lto_numerics::{Points, Sample};
use std::path::Path;
use std::sync::Arc;

/// One native step (five frames) of trajectories that no training has seen, from another seed.
#[test]
fn the_burgers_twin_predicts_one_step_of_new_trajectories() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/burgers_29k/model.safetensors");
    let model = Model::load(&path).unwrap();
    assert_eq!(model.operator().n_parameters(), 29_395);
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
            let context =
                Context { points: points.clone(), n_channels: 1, values: trajectory.frame(start).to_vec() };
            let query = Arc::new(points.clone());
            let predicted = model.predict(&context, times[start], &[times[start + 5]], &query).unwrap();
            errors.push(relative_l2(&predicted.values, trajectory.frame(start + 5)).unwrap());
        }
    }
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(mean < 0.057, "{mean} {errors:?}");
}
