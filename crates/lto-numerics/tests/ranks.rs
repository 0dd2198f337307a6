//! Work that several processes share, with threads in their place: the same as one does alone.

use lto_numerics::PointDesign;
use lto_numerics::generate::{Existing, Generation, Recipe};
use lto_numerics::pde::{HeatConfig, PdeConfig};
use lto_numerics::ranks::{Alone, Ranks, Threads};
use lto_numerics::study::{RateStates, RatesRequest};
use lto_numerics::theory::Estimator;
use std::path::Path;
use std::sync::Arc;

/// Generates on several processes; the last one stops it after some samples of its own.
fn generate(output: &Path, size: usize, resume: bool, stop_after: usize) -> Vec<bool> {
    Threads::run(size, |ranks| {
        let config = HeatConfig { dim: 1, resolution: 16, n_frames: 3, ..HeatConfig::default() };
        let recipe = Recipe::new(PdeConfig::Heat(config), 7, 23);
        let existing = Existing { resume, replace: false };
        let last = ranks.rank() + 1 == ranks.size();
        let ranks = Arc::new(ranks.clone());
        let mut generation = Generation::begin_together(recipe, output, existing, ranks).unwrap();
        let tried = std::sync::atomic::AtomicUsize::new(0);
        let stop = || last && tried.fetch_add(1, std::sync::atomic::Ordering::SeqCst) >= stop_after;
        let mut solved = generation.solved();
        let finished = generation.run(&mut |now| solved = now, &stop).unwrap();
        assert_eq!((solved, finished), (generation.solved(), solved == 23));
        finished
    })
}

#[test]
fn files_have_the_same_bytes_however_many_generate_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    generate(&at("alone.hdf5"), 1, false, usize::MAX);
    let alone = std::fs::read(at("alone.hdf5")).unwrap();
    for size in [2, 3, 30] {
        let file = at(&format!("{size}.hdf5"));
        assert_eq!(generate(&file, size, false, usize::MAX), vec![true; size]);
        assert!(std::fs::read(&file).unwrap() == alone, "{size} processes");
    }
    // Stopped on three, continued on two.
    let file = at("parts.hdf5");
    assert_eq!(generate(&file, 3, false, 3), [false; 3]);
    assert!(!file.exists());
    assert_eq!(generate(&file, 2, true, usize::MAX), [true; 2]);
    assert!(std::fs::read(&file).unwrap() == alone);
}

#[test]
fn rates_are_the_same_however_many_measure_them() {
    let request = RatesRequest {
        dims: vec![1],
        designs: vec![PointDesign::Grid, PointDesign::Jittered],
        estimators: vec![Estimator::NadarayaWatson],
        states: RateStates::Wave,
        layouts: 1,
        seed: 3,
    };
    let measure = |ranks: &dyn Ranks| {
        let mut done = 0;
        let rates = request.measure(ranks, &mut |now| done = now).unwrap();
        (serde_json::to_string(&rates).unwrap(), done)
    };
    let alone = measure(&Alone);
    assert_eq!(alone.1, request.steps());
    for found in Threads::run(3, |ranks| measure(ranks)) {
        assert_eq!(found.0, alone.0);
    }
}
