//! Samples whose values follow from their place in the file: entry i (row-major) of an output array is
//! ((37 i) mod 101 − 50) / 2, the rule of `fixtures/hdf5/make.py`.

use lto_numerics::dataset::format::Attribute;
use lto_numerics::dataset::write::Header;
use lto_numerics::{Axis, Domain, Field, Grid, Placement, Sample, Trajectory};
use std::sync::Arc;

/// The value at row-major index `i`.
pub fn value(i: usize) -> f64 {
    (((37 * i) % 101) as f64 - 50.0) / 2.0
}

fn values(sample: usize, n: usize) -> Vec<f64> {
    (sample * n..(sample + 1) * n).map(value).collect()
}

/// A 2-D evolution on two grids: 3 samples of 4 frames.
pub fn evolution() -> (Header, Vec<Vec<Sample>>) {
    let axes = vec![Axis::new("x", -1.0, 1.0, true), Axis::new("y", 0.0, std::f64::consts::TAU, false)];
    let domain = Domain::new(axes).unwrap();
    let grid = |n, m| {
        let axes = [(n, Placement::Center), (m, Placement::Vertex)];
        Arc::new(Grid::uniform(domain.clone(), &axes).unwrap())
    };
    let grids = vec![grid(4, 3), grid(8, 6)];
    let times = vec![0.0, 0.1, 0.25, 0.3];
    let sample = |i: usize, grid: &Arc<Grid>| {
        let values = values(i, 4 * grid.len());
        Sample::Evolution(Trajectory::new(grid.clone(), times.clone(), 1, values).unwrap())
    };
    let samples = (0..3).map(|i| grids.iter().map(|grid| sample(i, grid)).collect()).collect();
    (header(grids, times.clone()), samples)
}

/// A steady problem in 2-D: 3 samples.
pub fn steady() -> (Header, Vec<Vec<Sample>>) {
    let grid = Arc::new(Grid::cubic(Domain::unit(2, false).unwrap(), 5, Placement::Vertex).unwrap());
    let sample = |i: usize| {
        let field = || Field::new(grid.clone(), 1, values(i, 25)).unwrap();
        vec![Sample::Steady { source: field(), target: field() }]
    };
    let samples = (0..3).map(sample).collect();
    (header(vec![grid.clone()], vec![]), samples)
}

fn header(grids: Vec<Arc<Grid>>, times: Vec<f64>) -> Header {
    let attributes = vec![
        ("Nu".into(), Attribute::Numbers(vec![0.001])),
        ("pde".into(), Attribute::Texts(vec!["Bürgers".into()])),
    ];
    Header { grids, times, n_samples: 3, attributes }
}
