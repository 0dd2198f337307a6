//! An in-memory file for every layout, whose values tell where and when they belong.

use super::super::*;
use crate::dataset::format::Attribute;
use crate::dataset::testing::MemoryStore;
use crate::dataset::{Dataset, GridOption, OpenOptions};
use crate::{Error, Placement, Sample};

/// Distinct for every sample, time, channel and point; no axis can be mistaken for another.
pub(super) fn f(sample: usize, t: f64, channel: usize, x: &[f64]) -> f64 {
    let at = |d: usize| x.get(d).copied().unwrap_or(0.0);
    sample as f64 + 10.0 * t + 1000.0 * channel as f64 + 0.3 * at(0) + 0.07 * at(1) + 0.011 * at(2)
}

pub(super) fn cell(i: usize, n: usize, lower: f64, upper: f64) -> f64 {
    lower + (i as f64 + 0.5) * (upper - lower) / n as f64
}

pub(super) fn cells(n: usize, lower: f64, upper: f64) -> Vec<f64> {
    (0..n).map(|i| cell(i, n, lower, upper)).collect()
}

pub(super) fn left(i: usize, n: usize) -> f64 {
    i as f64 / n as f64
}

/// `0, 0.5, 1, …`.
pub(super) fn frames(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.5 * i as f64).collect()
}

pub(super) fn pdebench() -> MemoryStore {
    MemoryStore::new("1D_Burgers_Sols_Nu0.001.hdf5")
        .with("tensor", &[3, 4, 8], |i| f(i[0], 0.5 * i[1] as f64, 0, &[cell(i[2], 8, -1.0, 1.0)]))
        .list("x-coordinate", &cells(8, -1.0, 1.0))
        .list("t-coordinate", &frames(5))
        .attribute("", "Nu", Attribute::Numbers(vec![0.001]))
}

/// Scalar, constant-in-time scalar, vector; x periodic, y not and stored in reverse.
pub(super) fn the_well() -> MemoryStore {
    let point = |i: usize, j: usize| [left(i, 4), 2.0 - j as f64];
    let texts = |names: &[&str]| Attribute::Texts(names.iter().map(|n| n.to_string()).collect());
    MemoryStore::new("shear_flow.hdf5")
        .attribute("", "n_trajectories", Attribute::Numbers(vec![2.0]))
        .attribute("dimensions", "spatial_dims", texts(&["x", "y"]))
        .attribute("t0_fields", "field_names", texts(&["tracer", "mask"]))
        .attribute("boundary_conditions/x_periodic", "bc_type", texts(&["PERIODIC"]))
        .attribute("boundary_conditions/x_periodic", "associated_dims", texts(&["x"]))
        .attribute("boundary_conditions/y_wall", "bc_type", texts(&["WALL"]))
        .attribute("boundary_conditions/y_wall", "associated_dims", texts(&["y"]))
        .with("boundary_conditions/x_periodic/mask", &[4], |_| 1.0)
        .with("boundary_conditions/y_wall/mask", &[3], |_| 1.0)
        .with("dimensions/time", &[2, 5], |i| 0.5 * i[1] as f64)
        .list("dimensions/x", &[0.0, 0.25, 0.5, 0.75])
        .list("dimensions/y", &[2.0, 1.0, 0.0])
        .with("t0_fields/mask", &[2, 4, 3], move |i| f(i[0], 0.0, 1, &point(i[1], i[2])))
        .with("t0_fields/tracer", &[2, 5, 4, 3], move |i| f(i[0], 0.5 * i[1] as f64, 0, &point(i[2], i[3])))
        .with("t1_fields/velocity", &[2, 5, 4, 3, 2], move |i| {
            f(i[0], 0.5 * i[1] as f64, 2 + i[4], &point(i[2], i[3]))
        })
}

/// A file of each layout.
pub(super) fn example(kind: LayoutKind) -> MemoryStore {
    match kind {
        LayoutKind::Pdebench => pdebench(),
        LayoutKind::PdebenchDarcy => {
            let point = |i: &[usize]| [cell(i[0], 4, 0.0, 1.0), cell(i[1], 5, 0.0, 1.0)];
            MemoryStore::new("2D_DarcyFlow_beta1.0_Train.hdf5")
                .with("nu", &[3, 4, 5], |i| f(i[0], 0.0, 0, &point(&i[1..])))
                .with("tensor", &[3, 1, 4, 5], |i| f(i[0], 0.0, 1, &point(&i[2..])))
                .list("x-coordinate", &cells(4, 0.0, 1.0))
                .list("y-coordinate", &cells(5, 0.0, 1.0))
        }
        LayoutKind::PdebenchCompressible => {
            let value = |c| {
                move |i: &[usize]| {
                    let x = [cell(i[2], 4, 0.0, 1.0), cell(i[3], 6, 0.0, 1.0)];
                    f(i[0], 0.5 * i[1] as f64, c, &x)
                }
            };
            let mut store = MemoryStore::new("2D_CFD_Rand_M0.1_Eta0.01_Zeta0.01_periodic_128_Train.hdf5");
            // HDF5 lists members by name; the channel order is the layout's.
            for (key, c) in [("Vx", 2), ("Vy", 3), ("density", 0), ("pressure", 1)] {
                store = store.with(key, &[2, 3, 4, 6], value(c));
            }
            store
                .list("x-coordinate", &cells(4, 0.0, 1.0))
                .list("y-coordinate", &cells(6, 0.0, 1.0))
                .list("t-coordinate", &frames(4))
        }
        LayoutKind::PdebenchGrouped => {
            let mut store = MemoryStore::new("2D_diff-react_NA_NA.h5");
            for s in [2, 0, 1] {
                store = store
                    .with(&format!("{s:04}/data"), &[3, 4, 5, 2], move |i| {
                        let x = [cell(i[1], 4, -1.0, 1.0), cell(i[2], 5, -2.5, 2.5)];
                        f(s, 0.5 * i[0] as f64, i[3], &x)
                    })
                    .list(&format!("{s:04}/grid/x"), &cells(4, -1.0, 1.0))
                    .list(&format!("{s:04}/grid/y"), &cells(5, -2.5, 2.5))
                    .list(&format!("{s:04}/grid/t"), &frames(3));
            }
            store
        }
        LayoutKind::PdebenchIncompressible => {
            let point = |i: usize, j: usize| [cell(i, 4, 0.0, 1.0), cell(j, 4, 0.0, 1.0)];
            MemoryStore::new("ns_incom_inhom_2d_512-0.h5")
                .with("force", &[2, 4, 4, 2], move |i| f(i[0], 0.0, 3 + i[3], &point(i[1], i[2])))
                .with("particles", &[2, 3, 4, 4, 1], move |i| {
                    f(i[0], 0.5 * i[1] as f64, 2, &point(i[2], i[3]))
                })
                .with("t", &[2, 3], |i| 0.5 * i[1] as f64)
                .with("velocity", &[2, 3, 4, 4, 2], move |i| {
                    f(i[0], 0.5 * i[1] as f64, i[4], &point(i[2], i[3]))
                })
        }
        LayoutKind::FnoNavierStokes => MemoryStore::new("NavierStokes_V1e-5_N1200_T20.mat")
            .with("a", &[3, 4, 5], |_| 0.0)
            .with("t", &[1, 6], |i| 1.0 + i[1] as f64)
            .with("u", &[3, 4, 5, 6], |i| f(i[0], 1.0 + i[3] as f64, 0, &[left(i[1], 4), left(i[2], 5)])),
        LayoutKind::FnoBurgers => MemoryStore::new("burgers_data_R10.mat")
            .with("a", &[3, 8], |i| f(i[0], 0.0, 0, &[left(i[1], 8)]))
            .with("u", &[3, 8], |i| f(i[0], 0.0, 1, &[left(i[1], 8)])),
        LayoutKind::FnoDarcy => {
            let x = |i: &[usize]| [i[1] as f64 / 84.0, i[2] as f64 / 84.0];
            MemoryStore::new("piececonst_r421_N1024_smooth1.mat")
                .with("Kcoeff", &[2, 85, 85], |_| 0.0)
                .with("coeff", &[2, 85, 85], move |i| f(i[0], 0.0, 0, &x(i)))
                .with("sol", &[2, 85, 85], move |i| f(i[0], 0.0, 1, &x(i)))
        }
        LayoutKind::Neuraloperator => {
            let x = |i: &[usize]| [left(i[1], 16), left(i[2], 16)];
            MemoryStore::new("darcy_train_16.npz")
                .with("coeff", &[2, 16, 16], move |i| f(i[0], 0.0, 0, &x(i)))
                .with("sol", &[2, 16, 16], move |i| f(i[0], 0.0, 1, &x(i)))
        }
        LayoutKind::PinnMat => MemoryStore::new("burgers_shock.mat")
            .with("x", &[9, 1], |i| -1.0 + 0.25 * i[0] as f64)
            .with("t", &[4, 1], |i| 0.5 * i[0] as f64)
            .with("usol", &[9, 4], |i| f(0, 0.5 * i[1] as f64, 0, &[-1.0 + 0.25 * i[0] as f64])),
        LayoutKind::TheWell => the_well(),
        LayoutKind::Labelled => MemoryStore::new("era5.npz")
            .with("t2m", &[6, 4, 5], |i| {
                f(0, 0.5 * i[0] as f64, 0, &[58.0 - i[1] as f64, -10.0 + i[2] as f64])
            })
            .list("lat", &[58.0, 57.0, 56.0, 55.0])
            .list("lon", &[-10.0, -9.0, -8.0, -7.0, -6.0])
            .list("hours", &frames(6)),
        LayoutKind::PointCloud => MemoryStore::new("stations.csv").list("x", &[0.0]).list("value", &[1.0]),
        LayoutKind::Generic => MemoryStore::new("custom.npy")
            .with("array", &[4, 2, 3, 1, 2], |i| f(i[1], i[2] as f64, i[4], &[left(i[0], 4)])),
    }
}

pub(super) fn open(store: MemoryStore, options: &OpenOptions) -> Dataset {
    Dataset::from_store(Box::new(store), options).unwrap()
}

pub(super) fn fail(store: MemoryStore, options: &OpenOptions) -> Error {
    Dataset::from_store(Box::new(store), options).err().expect("must be refused")
}

/// Options under which the example opens: layouts that are never detected must be named.
pub(super) fn options_for(kind: LayoutKind) -> OpenOptions {
    match kind {
        LayoutKind::Neuraloperator | LayoutKind::PointCloud => {
            OpenOptions { layout: Some(kind), ..OpenOptions::default() }
        }
        LayoutKind::Generic => OpenOptions {
            axes: Some("x,n,t,1,c".into()),
            grid: Some(GridOption::Placement(Placement::Left)),
            ..OpenOptions::default()
        },
        _ => OpenOptions::default(),
    }
}

/// Checks every value of every sample against `f` at the claimed times and points.
pub(super) fn assert_reads_f(data: &mut Dataset, case: &str) {
    let grid = data.grid().unwrap_or_else(|| panic!("{case}: {:?}", data.info().problem)).clone();
    let mut point = vec![0.0; grid.dim()];
    let mut check = |values: &[f64], sample: usize, t: f64, channel: usize, timeless: bool| {
        for (index, &got) in values.iter().enumerate() {
            grid.write_point(index, &mut point);
            let want = f(sample, if timeless { 0.0 } else { t }, channel, &point);
            assert!(
                (got - want).abs() < 1e-9,
                "{case}: sample {sample}, t {t}, channel {channel}, {point:?}: {got} {want}"
            );
        }
    };
    let n = data.len();
    assert!(n > 0, "{case}");
    // Not from 0 if there are several, so that an ignored start shows.
    let first = usize::from(n > 1);
    for (s, sample) in data.read(first..n).unwrap().into_iter().enumerate() {
        match sample {
            Sample::Evolution(trajectory) => {
                for (i, &t) in trajectory.times().iter().enumerate() {
                    for c in 0..trajectory.n_channels() {
                        check(trajectory.field(i).channel(c), first + s, t, c, constant(case, c));
                    }
                }
            }
            Sample::Steady { source, target } => {
                check(source.values(), first + s, 0.0, 0, true);
                check(target.values(), first + s, 0.0, 1, true);
            }
        }
    }
}

/// Channels that the examples repeat in time.
pub(super) fn constant(case: &str, channel: usize) -> bool {
    (case.contains("incompressible") && channel > 2) || (case.contains("well") && channel == 1)
}

/// The layouts that hold samples on a grid.
pub(super) fn gridded() -> impl Iterator<Item = LayoutKind> {
    LayoutKind::ALL.into_iter().filter(|kind| *kind != LayoutKind::PointCloud)
}
