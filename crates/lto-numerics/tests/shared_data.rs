//! Real files of others, where they are at hand (`LTO_SHARED_DATA`, else beside the repository).

use lto_numerics::dataset::{Dataset, DatasetKind, DatasetSummary, LayoutKind, OpenOptions};
use lto_numerics::{Placement, Sample, Trajectory};

#[path = "common/shared.rs"]
mod shared_files;
use shared_files::shared;

fn only_trajectory(data: &mut Dataset) -> Trajectory {
    match data.read(0..1).unwrap().remove(0) {
        Sample::Evolution(trajectory) => trajectory,
        Sample::Steady { .. } => panic!("an evolution is expected"),
    }
}

#[test]
fn the_placement_of_darcy_16_must_be_given() {
    let Some(path) = shared("darcy16_train.npz") else { return };
    let mut data = Dataset::open(&path, &OpenOptions::default()).unwrap();
    assert_eq!((data.info().layout, data.len()), (LayoutKind::FnoDarcy, 1000));
    assert!(data.read(0..1).unwrap_err().to_string().contains("--grid"));
    let summary = DatasetSummary::of(&mut data, None).unwrap();
    assert_eq!((summary.channels[0].min, summary.channels[0].max), (Some(0.0), Some(1.0)));
    assert_eq!(summary.channels[1].n_finite, 256_000);

    let options = OpenOptions { layout: Some(LayoutKind::Neuraloperator), ..OpenOptions::default() };
    let mut data = Dataset::open(&path, &options).unwrap();
    assert_eq!(data.grid().unwrap().coordinates(0)[15], 15.0 / 16.0);
    // Index 0 lies on the boundary, where the solution vanishes; the last index does not.
    let (mut first, mut last) = (0.0, 0.0);
    for sample in data.read(0..100).unwrap() {
        let Sample::Steady { target, .. } = sample else { panic!("a steady pair is expected") };
        first += target.values()[..16].iter().sum::<f64>();
        last += target.values()[240..].iter().sum::<f64>();
    }
    assert!(first.abs() < 0.1 * last.abs(), "{first} {last}");
}

#[test]
fn burgers_16_is_read_once_its_axes_are_named() {
    let Some(path) = shared("burgers16_train.npz") else { return };
    let problem = Dataset::open(&path, &OpenOptions::default()).unwrap().info().problem.clone().unwrap();
    assert!(problem.contains("u [800, 17, 16]") && problem.contains("--axes"), "{problem}");
    let options = OpenOptions {
        keys: vec!["u".into()],
        axes: Some("n,t,x".into()),
        grid: Some("left".parse().unwrap()),
        periodic: Some("all".parse().unwrap()),
        ..OpenOptions::default()
    };
    let mut data = Dataset::open(&path, &options).unwrap();
    assert_eq!((data.len(), data.info().times.len()), (800, 17));
    // Periodic viscous Burgers keeps the mean.
    for sample in data.read(0..20).unwrap() {
        let Sample::Evolution(u) = sample else { panic!("an evolution is expected") };
        let mean = |i: usize| u.frame(i).iter().sum::<f64>() / 16.0;
        assert!((mean(16) - mean(0)).abs() < 0.02, "{} {}", mean(0), mean(16));
    }
    let options = OpenOptions { layout: Some(LayoutKind::Neuraloperator), ..OpenOptions::default() };
    assert_eq!(only_trajectory(&mut Dataset::open(&path, &options).unwrap()), only_trajectory(&mut data));
}

#[test]
fn burgers_shock_starts_as_its_formula() {
    let Some(path) = shared("burgers_shock.mat") else { return };
    let mut data = Dataset::open(path, &OpenOptions::default()).unwrap();
    assert_eq!(data.info().layout, LayoutKind::PinnMat);
    let grid = data.grid().unwrap().clone();
    assert_eq!(grid.placement(0), Some(Placement::Vertex));
    let u = only_trajectory(&mut data);
    assert_eq!((u.times().len(), u.times()[0]), (100, 0.0));
    for (u, x) in u.frame(0).iter().zip(grid.coordinates(0)) {
        assert!((u + (std::f64::consts::PI * x).sin()).abs() < 1e-12);
    }
    // Odd about 0 at all times: a flipped or shifted axis would show.
    let last = u.frame(99);
    assert!((0..256).all(|i| (last[i] + last[255 - i]).abs() < 1e-6));
}

#[test]
fn era5_is_one_long_trajectory_with_south_first() {
    let Some(path) = shared("era5_2t_uk_train.npz") else { return };
    let mut data = Dataset::open(path, &OpenOptions::default()).unwrap();
    let info = data.info();
    assert_eq!((info.layout, info.n_samples, info.times.len()), (LayoutKind::Labelled, 1, 576));
    assert_eq!(info.kind, Some(DatasetKind::Evolution { channels: vec!["t2m".into()] }));
    assert!(info.notes.iter().any(|n| n.contains("axis lat") && n.contains("reversed")), "{:?}", info.notes);
    let grid = data.grid().unwrap().clone();
    assert_eq!((grid.coordinates(0)[0], grid.coordinates(0)[32]), (50.0, 58.0));
    assert_eq!((grid.coordinates(1)[0], grid.coordinates(1)[48]), (-10.0, 2.0));
    // The south is warmer on average, so the flip is in the data too.
    let frames = data.read_frames(0, 0..576).unwrap();
    let row = |j: usize| -> f64 {
        (0..576).map(|i| frames.frame(i)[j * 49..(j + 1) * 49].iter().sum::<f64>()).sum()
    };
    assert!(row(0) > row(32));
    // The first value of the file is its north-west corner.
    assert!((frames.frame(0)[32 * 49] - 282.4248).abs() < 1e-3, "{}", frames.frame(0)[32 * 49]);
}
