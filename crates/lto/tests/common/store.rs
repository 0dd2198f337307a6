//! Files of closed-form states.

use lto_numerics::dataset::write::{Header, create};
use lto_numerics::{Field, Grid, Sample, Trajectory};
use std::path::Path;
use std::sync::Arc;

/// Writes `n` samples of u(sample, x, t) on some grids at some times.
pub fn store(path: &Path, grids: Vec<Grid>, times: &[f64], n: usize, u: impl Fn(usize, &[f64], f64) -> f64) {
    let header = Header {
        grids: grids.into_iter().map(Arc::new).collect(),
        times: times.to_vec(),
        n_samples: n,
        attributes: Vec::new(),
    };
    let mut writer = create(path, &header).unwrap();
    for sample in 0..n {
        let on = |grid: &Arc<Grid>| {
            let field = |&t: &f64| Field::from_fn(grid.clone(), |x| u(sample, x, t)).into_values();
            let values = times.iter().flat_map(field).collect();
            Sample::Evolution(Trajectory::new(grid.clone(), times.to_vec(), 1, values).unwrap())
        };
        writer.append(&header.grids.iter().map(on).collect::<Vec<_>>()).unwrap();
    }
    writer.finish().unwrap();
}
