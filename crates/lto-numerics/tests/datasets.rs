//! Samples written to a file and read back through the layouts: same values, same points, same times.

use lto_numerics::dataset::write::{Header, create};
use lto_numerics::dataset::{Dataset, DatasetKind, LayoutKind, OpenOptions};
use lto_numerics::{Axis, Domain, Field, Grid, Placement, Sample, Trajectory};
use std::sync::Arc;

/// x periodic and left-aligned, y not and with both ends: nothing that coordinates alone would tell.
fn grid(n: usize) -> Arc<Grid> {
    let axes = vec![Axis::new("x", -1.0, 1.0, true), Axis::new("y", 0.0, 3.0, false)];
    let domain = Domain::new(axes).unwrap();
    Arc::new(Grid::uniform(domain, &[(n, Placement::Left), (n + 1, Placement::Vertex)]).unwrap())
}

fn field(grid: &Arc<Grid>, sample: usize, t: f64) -> Field {
    Field::from_fn(grid.clone(), |x| sample as f64 + 0.1 * t + (3.0 * x[0]).sin() * x[1])
}

fn assert_close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    // Values are written in single precision.
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6 * (1.0 + b.abs())));
}

#[test]
fn evolutions_come_back_on_every_resolution() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.hdf5");
    let (grids, times) = (vec![grid(8), grid(16)], vec![0.0, 0.5, 2.0]);
    let sample = |grid: &Arc<Grid>, s: usize| {
        let values = times.iter().flat_map(|&t| field(grid, s, t).into_values()).collect();
        Sample::Evolution(Trajectory::new(grid.clone(), times.clone(), 1, values).unwrap())
    };
    let header = Header { grids: grids.clone(), times: times.clone(), n_samples: 3, attributes: Vec::new() };
    let mut writer = create(&path, &header).unwrap();
    for s in 0..3 {
        writer.append(&[sample(&grids[0], s), sample(&grids[1], s)]).unwrap();
    }
    writer.finish().unwrap();
    for (resolution, grid) in [None, Some(16)].into_iter().zip(&grids) {
        let options = OpenOptions { resolution, ..OpenOptions::default() };
        let mut data = Dataset::open(&path, &options).unwrap();
        assert_eq!(data.info().layout, LayoutKind::Pdebench);
        assert_eq!(data.info().finer.iter().map(|f| f.resolution).collect::<Vec<_>>(), [16]);
        assert_eq!(data.grid().unwrap(), grid);
        for (s, read) in (1..3).zip(data.read(1..3).unwrap()) {
            let (Sample::Evolution(read), Sample::Evolution(written)) = (read, sample(grid, s)) else {
                panic!()
            };
            assert_eq!(read.times(), times);
            assert_close(read.values(), written.values());
        }
    }
}

#[test]
fn steady_pairs_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.h5");
    let grid = grid(8);
    let sample = |s| Sample::Steady { source: field(&grid, s, 0.0), target: field(&grid, s, 5.0) };
    let header = Header { grids: vec![grid.clone()], times: vec![], n_samples: 2, attributes: Vec::new() };
    let mut writer = create(&path, &header).unwrap();
    (0..2).for_each(|s| writer.append(&[sample(s)]).unwrap());
    writer.finish().unwrap();
    let mut data = Dataset::open(&path, &OpenOptions::default()).unwrap();
    assert_eq!(data.info().layout, LayoutKind::PdebenchDarcy);
    assert!(matches!(data.info().kind, Some(DatasetKind::Steady { .. })));
    assert_eq!(data.grid().unwrap(), &grid);
    for (s, read) in data.read(0..2).unwrap().into_iter().enumerate() {
        let Sample::Steady { source, target } = read else { panic!() };
        assert_close(source.values(), field(&grid, s, 0.0).values());
        assert_close(target.values(), field(&grid, s, 5.0).values());
    }
}
