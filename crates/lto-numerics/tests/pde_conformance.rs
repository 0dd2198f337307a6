//! What every PDE must do, looped over all of them: a new one joins by one line in `small_configs`.

use lto_numerics::pde::{
    AdvectionConfig, BurgersConfig, DarcyConfig, HeatConfig, NavierStokesConfig, PdeConfig, sample_rng,
};
use lto_numerics::{Grid, Sample};
use std::sync::Arc;

/// Every PDE, small enough for a test.
fn small_configs() -> Vec<PdeConfig> {
    let navier_stokes = NavierStokesConfig {
        solve_resolution: 32,
        resolutions: vec![16, 32],
        n_frames: 3,
        t_end: 1.5,
        ..Default::default()
    };
    vec![
        PdeConfig::Heat(HeatConfig { resolution: 16, n_frames: 5, ..Default::default() }),
        PdeConfig::Advection(AdvectionConfig { resolution: 32, n_frames: 5, ..Default::default() }),
        PdeConfig::Burgers(BurgersConfig { resolution: 32, n_frames: 5, ..Default::default() }),
        PdeConfig::NavierStokes(navier_stokes),
        PdeConfig::Darcy(DarcyConfig { resolution: 25, strides: vec![3, 1], ..Default::default() }),
    ]
}

/// Grid and values of every field of a sample.
fn contents(sample: &Sample) -> Vec<(&Arc<Grid>, &[f64])> {
    match sample {
        Sample::Evolution(trajectory) => vec![(trajectory.grid(), trajectory.values())],
        Sample::Steady { source, target } => {
            vec![(source.grid(), source.values()), (target.grid(), target.values())]
        }
    }
}

/// Every value's bits, so that equality means equality.
fn bits(samples: &[Sample]) -> Vec<u64> {
    let fields = samples.iter().flat_map(contents);
    fields.flat_map(|(_, values)| values.iter().map(|u| u.to_bits())).collect()
}

#[test]
fn the_list_is_complete_and_names_are_distinct() {
    let names: Vec<_> = small_configs().iter().map(PdeConfig::name).collect();
    let all: Vec<_> = PdeConfig::all().iter().map(PdeConfig::name).collect();
    assert_eq!(names, all, "add the new PDE to `small_configs`");
    let mut distinct = names.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), names.len());
}

#[test]
fn samples_live_on_the_stated_grids_at_the_stated_times() {
    for config in small_configs() {
        let (name, pde) = (config.name(), config.build().unwrap());
        let samples = pde.sample(&mut sample_rng(0, 0)).unwrap();
        assert!(!pde.grids().is_empty(), "{name}");
        assert_eq!(samples.len(), pde.grids().len(), "{name}");
        for (sample, grid) in samples.iter().zip(pde.grids()) {
            assert_eq!(sample.grid(), grid, "{name}");
            match sample {
                Sample::Evolution(trajectory) => assert_eq!(trajectory.times(), pde.times(), "{name}"),
                Sample::Steady { .. } => assert!(pde.times().is_empty(), "{name}"),
            }
            for (grid, values) in contents(sample) {
                assert_eq!(values.len() % grid.len(), 0, "{name}");
                assert!(values.iter().all(|u| u.is_finite()), "{name}");
                let constant = values.iter().all(|u| u == &values[0]);
                assert!(!constant, "{name} makes constant fields");
            }
        }
    }
}

#[test]
fn the_seed_and_the_index_decide_every_bit() {
    for config in small_configs() {
        let name = config.name();
        let draw = |seed, index| bits(&config.build().unwrap().sample(&mut sample_rng(seed, index)).unwrap());
        assert!(draw(5, 1) == draw(5, 1), "{name}: the same seed gave different samples");
        assert!(draw(5, 1) != draw(6, 1), "{name}: the seed does not matter");
        assert!(draw(5, 1) != draw(5, 2), "{name}: the index does not matter");
        // Whatever was drawn before from the same solver must not matter.
        let pde = config.build().unwrap();
        pde.sample(&mut sample_rng(5, 0)).unwrap();
        assert!(bits(&pde.sample(&mut sample_rng(5, 1)).unwrap()) == draw(5, 1), "{name} keeps state");
    }
}
