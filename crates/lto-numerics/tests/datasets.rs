//! Samples written to a file and read back through the layouts: same values, same points, same times.

use lto_numerics::dataset::write::{Header, create};
use lto_numerics::dataset::{Dataset, DatasetKind, LayoutKind, OpenOptions};
use lto_numerics::{Axis, Domain, Field, Grid, Placement, Sample, Trajectory};
use std::path::Path;
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

fn fixture(name: &str) -> Dataset {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/layouts").join(name);
    Dataset::open(path, &OpenOptions::default()).unwrap()
}

/// The formula of `make.py`; `lacks` says which channels do not depend on (sample, time, x).
fn assert_formula(data: &mut Dataset, lacks: &[[bool; 3]]) {
    let grid = data.grid().unwrap().clone();
    let mut point = [0.0; 2];
    for (s, sample) in data.read(0..data.len()).unwrap().into_iter().enumerate() {
        let Sample::Evolution(trajectory) = sample else { panic!("not an evolution") };
        for (i, &t) in trajectory.times().iter().enumerate() {
            for (c, &[no_s, no_t, no_x]) in lacks.iter().enumerate() {
                for (index, got) in trajectory.field(i).channel(c).iter().enumerate() {
                    grid.write_point(index, &mut point);
                    let keep = |no: bool, v: f64| if no { 0.0 } else { v };
                    let want = keep(no_s, 100.0 * s as f64)
                        + keep(no_t, 10.0 * t)
                        + 1000.0 * c as f64
                        + keep(no_x, point[0])
                        + 0.1 * point[1];
                    assert!((got - want).abs() < 1e-3, "sample {s}, frame {i}, channel {c}: {got} {want}");
                }
            }
        }
    }
}

#[test]
fn a_well_file_of_h5py_is_read_by_its_attributes() {
    let mut data = fixture("the_well.hdf5");
    let info = data.info();
    assert_eq!(info.layout, LayoutKind::TheWell);
    let axes: Vec<_> =
        info.grid.as_ref().unwrap().domain.axes().iter().map(|a| (a.upper, a.periodic)).collect();
    assert_eq!(axes, [(1.0, true), (1.0, false)]);
    let Some(DatasetKind::Evolution { channels }) = &info.kind else { panic!() };
    assert_eq!(channels, &["tracer", "mask", "forcing", "velocity_x", "velocity_y"]);
    let full = [false; 3];
    assert_formula(&mut data, &[full, [false, true, false], [true, false, true], full, full]);
}

#[test]
fn an_incompressible_file_of_h5py_is_read() {
    let mut data = fixture("ns_incom.h5");
    assert_eq!(data.info().layout, LayoutKind::PdebenchIncompressible);
    let (full, constant) = ([false; 3], [false, true, false]);
    assert_formula(&mut data, &[full, full, full, constant, constant]);
}

#[test]
fn a_csv_is_a_point_cloud_and_its_columns_can_be_inspected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stations.csv");
    std::fs::write(&path, "x,y,u\n0.1,0.2,1\n0.3,0.4,2\n0.5,0.6,3\n").unwrap();
    let mut data = Dataset::open(path, &OpenOptions::default()).unwrap();
    assert_eq!(data.info().layout, LayoutKind::PointCloud);
    assert!(!data.info().arrays.is_empty());
    assert!(data.read(0..0).unwrap_err().to_string().contains("point cloud"));
}
