//! Every layout against files whose values are a function of sample, time, channel and true position: what is read
//! must be that function at the times and points the dataset claims.

mod examples;

use super::*;
use crate::dataset::format::Attribute;
use crate::dataset::testing::MemoryStore;
use crate::dataset::{DatasetKind, DomainOption, GridOption, OpenOptions, PeriodicOption};
use crate::{Error, Placement, Sample};
use examples::*;

#[test]
fn every_layout_is_detected_and_read_at_its_true_points() {
    for kind in gridded() {
        let mut data = open(example(kind), &options_for(kind));
        assert_eq!(data.info().layout, kind, "{}", kind.name());
        assert_eq!(kind.name().parse::<LayoutKind>().unwrap(), kind);
        assert!(!data.info().notes.is_empty());
        assert_reads_f(&mut data, kind.name());
        for (stride, time_stride) in [(2, 1), (1, 2), (3, 2)] {
            let options = OpenOptions { stride, time_stride, ..options_for(kind) };
            assert_reads_f(&mut open(example(kind), &options), &format!("{} by {stride}", kind.name()));
        }
    }
}

#[test]
fn every_layout_names_its_channels_and_reads_single_frames() {
    for kind in gridded() {
        let mut data = open(example(kind), &options_for(kind));
        match data.info().kind.clone().unwrap() {
            DatasetKind::Steady { source, target } => {
                assert!(!source.is_empty() && !target.is_empty());
                assert!(matches!(data.read_frames(0, 0..0), Err(Error::Unsupported { .. })));
            }
            DatasetKind::Evolution { channels } => {
                let last = data.len() - 1;
                let Sample::Evolution(all) = data.read(last..last + 1).unwrap().remove(0) else { panic!() };
                assert_eq!(all.n_channels(), channels.len());
                let some = data.read_frames(last, 1..3).unwrap();
                assert_eq!(some.times(), &all.times()[1..3]);
                assert_eq!([some.frame(0), some.frame(1)], [all.frame(1), all.frame(2)], "{}", kind.name());
            }
        }
        let n = data.len();
        assert!(matches!(data.read(n..n + 1), Err(Error::SliceOutOfBounds { .. })));
    }
}

#[test]
fn placements_domains_and_periodicity_are_those_of_the_sources() {
    use Placement::{Center, Left, Vertex};
    let unit = (0.0, 1.0);
    let expected = |kind| match kind {
        LayoutKind::Pdebench => (Center, vec![(-1.0, 1.0)], true),
        LayoutKind::PdebenchDarcy => (Center, vec![unit; 2], false),
        LayoutKind::PdebenchCompressible => (Center, vec![unit; 2], true),
        LayoutKind::PdebenchGrouped => (Center, vec![(-1.0, 1.0), (-2.5, 2.5)], false),
        LayoutKind::PdebenchIncompressible => (Center, vec![unit; 2], false),
        LayoutKind::FnoNavierStokes => (Left, vec![unit; 2], true),
        LayoutKind::FnoBurgers => (Left, vec![unit], true),
        LayoutKind::FnoDarcy => (Vertex, vec![unit; 2], false),
        LayoutKind::Neuraloperator => (Left, vec![unit; 2], false),
        LayoutKind::PinnMat => (Vertex, vec![(-1.0, 1.0)], false),
        LayoutKind::Labelled => (Vertex, vec![(55.0, 58.0), (-10.0, -6.0)], false),
        // Mixed placements have their own test; a point cloud has none.
        LayoutKind::TheWell | LayoutKind::PointCloud => (Left, Vec::new(), false),
        LayoutKind::Generic => (Left, vec![unit], false),
    };
    for kind in gridded() {
        let (placement, bounds, periodic) = expected(kind);
        let data = open(example(kind), &options_for(kind));
        let info = data.info().grid.clone().unwrap();
        for (d, axis) in info.domain.axes().iter().enumerate().take(bounds.len()) {
            assert_eq!(info.placements[d], Some(placement), "{}", kind.name());
            assert_eq!((axis.lower, axis.upper), bounds[d], "{}", kind.name());
            assert_eq!(axis.periodic, periodic, "{}", kind.name());
        }
    }
}

#[test]
fn a_block_of_samples_is_one_read_of_its_slice() {
    let store = pdebench();
    let (reads, values_read) = (store.reads.clone(), store.values_read.clone());
    let mut data = open(store, &OpenOptions::default());
    let order = std::sync::atomic::Ordering::Relaxed;
    let opened = (reads.load(order), values_read.load(order));
    assert_eq!(opened.1, 8 + 5, "opening reads coordinates only");
    data.read(1..3).unwrap();
    data.read_frames(0, 2..3).unwrap();
    assert_eq!((reads.load(order) - opened.0, values_read.load(order) - opened.1), (2, 2 * 4 * 8 + 8));
}

#[test]
fn the_extra_time_of_pdebench_is_dropped_with_a_note() {
    let data = open(pdebench(), &OpenOptions::default());
    assert_eq!(data.info().times, frames(4));
    assert!(
        data.info().notes.iter().any(|n| n.contains("5 entries for 4 frames")),
        "{:?}",
        data.info().notes
    );
}

#[test]
fn lengths_that_contradict_each_other_are_named() {
    let x = cells(8, 0.0, 1.0);
    let tensor = |x: &[f64], t: &[f64]| {
        MemoryStore::new("b.hdf5")
            .with("tensor", &[2, 4, 8], |_| 0.0)
            .list("x-coordinate", x)
            .list("t-coordinate", t)
    };
    let err = fail(tensor(&x, &frames(6)), &OpenOptions::default()).to_string();
    assert_eq!(err, "b.hdf5: entries of t-coordinate for the frames of tensor: expected 4, got 6");
    let err = fail(tensor(&x[1..], &frames(4)), &OpenOptions::default()).to_string();
    assert_eq!(err, "b.hdf5: entries of x-coordinate for the points of tensor: expected 8, got 7");
    let err = fail(tensor(&x, &[0.0, 1.0, 1.0, 2.0]), &OpenOptions::default()).to_string();
    assert_eq!(err, "b.hdf5: t-coordinate: times must increase, but entry 2 is 1 after 1");
    let given = OpenOptions { time_step: Some(0.5), ..OpenOptions::default() };
    assert_eq!(open(tensor(&x, &[0.0, 1.0, 1.0, 2.0]), &given).info().times, frames(4));
    let narrow = OpenOptions { domain: Some(DomainOption(vec![(0.0, 0.5)])), ..OpenOptions::default() };
    let err = fail(tensor(&x, &frames(4)), &narrow).to_string();
    assert!(err.starts_with("b.hdf5: x-coordinate: point 4 lies outside the domain"), "{err}");
    let store = example(LayoutKind::FnoDarcy);
    let named = OpenOptions { layout: Some(LayoutKind::Pdebench), ..OpenOptions::default() };
    assert!(matches!(fail(store, &named), Error::NoSuchArray { .. }));
    let mixed = MemoryStore::new("d.mat").with("coeff", &[2, 4, 4], |_| 0.0).with("sol", &[2, 4, 5], |_| 0.0);
    let err = fail(mixed, &OpenOptions::default()).to_string();
    assert_eq!(err, "d.mat: axis 2 of sol, points along y: expected 4, got 5");
}

#[test]
fn values_that_are_not_finite_are_named_by_position() {
    let store = || {
        MemoryStore::new("n.mat")
            .with("a", &[3, 8], |_| 0.0)
            .with("u", &[3, 8], |i| if i == [2, 5] { f64::NAN } else { 1.0 })
    };
    let mut data = open(store(), &OpenOptions::default());
    assert!(data.read(0..2).is_ok());
    let err = data.read(1..3).unwrap_err().to_string();
    assert_eq!(err, "n.mat: u holds NaN at index [2, 5]: values must be finite");
    let mut data = open(store(), &OpenOptions { allow_nan: true, ..OpenOptions::default() });
    let Sample::Steady { target, .. } = data.read(2..3).unwrap().remove(0) else { panic!() };
    assert!(target.values()[5].is_nan());
}

#[test]
fn a_grid_that_cannot_be_known_must_be_given() {
    let mut data = open(example(LayoutKind::Neuraloperator), &OpenOptions::default());
    assert_eq!(data.info().layout, LayoutKind::FnoDarcy);
    assert_eq!((data.info().grid.clone(), data.info().shape.clone()), (None, vec![16, 16]));
    let err = data.read(0..1).unwrap_err().to_string();
    assert!(err.contains("--grid left, center or vertex"), "{err}");
    let options =
        OpenOptions { grid: Some(GridOption::Placement(Placement::Left)), ..OpenOptions::default() };
    assert_reads_f(&mut open(example(LayoutKind::Neuraloperator), &options), "given grid");
}

#[test]
fn options_override_what_the_layout_says() {
    let options = OpenOptions {
        grid: Some("vertex".parse().unwrap()),
        domain: Some(DomainOption(vec![(0.0, 2.0)])),
        periodic: Some(PeriodicOption::None),
        time_step: Some(0.1),
        ..OpenOptions::default()
    };
    let data = open(pdebench(), &options);
    let grid = data.grid().unwrap();
    assert_eq!(grid.coordinates(0), Placement::Vertex.coordinates(8, 0.0, 2.0));
    assert!(!grid.domain().is_periodic());
    assert_eq!(data.info().times, [0.0, 0.1, 0.2, 0.1 * 3.0]);
    for (options, name) in [
        (OpenOptions { periodic: Some("q".parse().unwrap()), ..OpenOptions::default() }, "periodic"),
        (OpenOptions { time_step: Some(0.0), ..OpenOptions::default() }, "time step"),
    ] {
        let err = fail(pdebench(), &options);
        assert!(matches!(err, Error::Parameter { name: n, .. } if n == name), "{err}");
    }
    for options in [
        OpenOptions { domain: Some("0:1,0:1".parse().unwrap()), ..OpenOptions::default() },
        OpenOptions { grid: Some("x-coordinate,x-coordinate".parse().unwrap()), ..OpenOptions::default() },
    ] {
        assert!(matches!(fail(pdebench(), &options), Error::Mismatch { expected: 1, got: 2, .. }));
    }
}

/// A placement replaces the file's coordinates, but not the domain they imply or the direction they run in.
#[test]
fn a_given_placement_keeps_the_domain_of_the_coordinates() {
    let center = OpenOptions { grid: Some("center".parse().unwrap()), ..OpenOptions::default() };
    let mut data = open(pdebench(), &center);
    let axis = data.grid().unwrap().domain().axes()[0].clone();
    assert_eq!((axis.lower, axis.upper), (-1.0, 1.0));
    assert!(
        !data.info().notes.iter().any(|note| note.contains("not in the file")),
        "{:?}",
        data.info().notes
    );
    assert_reads_f(&mut data, "center");
    let mut x = cells(8, -1.0, 1.0);
    x.reverse();
    let turned = MemoryStore::new("b.hdf5")
        .with("tensor", &[2, 4, 8], |i| f(i[0], 0.5 * i[1] as f64, 0, &[cell(7 - i[2], 8, -1.0, 1.0)]))
        .list("x-coordinate", &x)
        .list("t-coordinate", &frames(4));
    assert_reads_f(&mut open(turned, &center), "turned round");
}

#[test]
fn shapes_that_no_data_has_are_named_and_not_believed() {
    let problem = |store: MemoryStore, options: &OpenOptions| {
        let data = open(store, options);
        assert_eq!((data.len(), data.info().kind.clone()), (0, None));
        data.info().problem.clone().unwrap()
    };
    let empty =
        MemoryStore::new("e.npz").with("a", &[0, 4, 4], |_| 0.0).with("u", &[0, 4, 4, 1 << 50], |_| 0.0);
    assert_eq!(
        problem(empty, &OpenOptions::default()),
        "u is empty: its shape is [0, 4, 4, 1125899906842624]"
    );
    let no_frames = MemoryStore::new("e.npz").with("u", &[2, 0, 4], |_| 0.0);
    let options = OpenOptions { axes: Some("n,t,x".into()), ..OpenOptions::default() };
    assert_eq!(problem(no_frames, &options), "u is empty: its shape is [2, 0, 4]");
    let channels = MemoryStore::new("e.npz").with("u", &[1, 1 << 17], |_| 0.0);
    let options = OpenOptions { axes: Some("x,c".into()), ..OpenOptions::default() };
    let text = problem(channels, &options);
    assert!(text.contains("u would have 131072 channels"), "{text}");
}

#[test]
fn a_number_of_trajectories_that_is_none_is_refused() {
    for n in [0.0, -3.0, 1.5, 1e300, f64::NAN] {
        let mut store = the_well();
        store.set_attribute("n_trajectories", Attribute::Numbers(vec![n]));
        let problem = open(store, &OpenOptions::default()).info().problem.clone().unwrap();
        assert!(problem.contains("n_trajectories"), "{problem}");
    }
}

#[test]
fn keys_choose_channels() {
    let options = OpenOptions { keys: vec!["Vx".into()], ..OpenOptions::default() };
    let mut data = open(example(LayoutKind::PdebenchCompressible), &options);
    assert_eq!(data.info().kind, Some(DatasetKind::Evolution { channels: vec!["Vx".into()] }));
    let Sample::Evolution(trajectory) = data.read(0..1).unwrap().remove(0) else { panic!() };
    assert_eq!(trajectory.n_channels(), 1);
    assert!((2000.0..2999.0).contains(&trajectory.values()[0]));
    let options = OpenOptions { keys: vec!["Vz".into()], ..OpenOptions::default() };
    assert!(matches!(fail(example(LayoutKind::PdebenchCompressible), &options), Error::NoSuchArray { .. }));
    let options = OpenOptions { keys: vec!["nu".into()], ..OpenOptions::default() };
    assert!(matches!(fail(example(LayoutKind::PdebenchDarcy), &options), Error::UnknownLayout { .. }));
}

#[test]
fn finer_groups_hold_the_same_samples_on_their_own_grid() {
    let store = || {
        pdebench()
            .with("resolution_16/tensor", &[3, 4, 16], |i| {
                f(i[0], 0.5 * i[1] as f64, 0, &[cell(i[2], 16, -1.0, 1.0)])
            })
            .list("resolution_16/x-coordinate", &cells(16, -1.0, 1.0))
    };
    let native = open(store(), &OpenOptions::default());
    assert_eq!(native.info().shape, [8]);
    assert_eq!(native.info().finer.iter().map(|f| f.resolution).collect::<Vec<_>>(), [16]);
    let options = OpenOptions { resolution: Some(16), ..OpenOptions::default() };
    let mut finer = open(store(), &options);
    assert_eq!(finer.info().shape, [16]);
    assert_eq!(finer.info().times, native.info().times);
    assert_reads_f(&mut finer, "finer");
    let err = fail(store(), &OpenOptions { resolution: Some(32), ..options }).to_string();
    assert!(err.contains("resolution 32") && err.ends_with("in the file: 16"), "{err}");
}

#[test]
fn attributes_of_our_own_files_fix_the_domain() {
    let x: Vec<f64> = (0..8).map(|i| left(i, 8)).collect();
    let store = MemoryStore::new("heat.hdf5")
        .with("tensor", &[2, 3, 8, 8], |i| f(i[0], 0.5 * i[1] as f64, 0, &[left(i[2], 8), left(i[3], 8)]))
        .list("x-coordinate", &x)
        .list("y-coordinate", &x)
        .list("t-coordinate", &frames(3))
        .attribute("", "domain_lower", Attribute::Numbers(vec![0.0, 0.0]))
        .attribute("", "domain_upper", Attribute::Numbers(vec![1.0, 1.0]))
        .attribute("", "periodic", Attribute::Numbers(vec![1.0, 0.0]));
    let mut data = open(store, &OpenOptions::default());
    let grid = data.grid().unwrap();
    assert_eq!(grid.placement(0), Some(Placement::Left));
    assert_eq!(grid.domain().axes().iter().map(|a| a.periodic).collect::<Vec<_>>(), [true, false]);
    assert_reads_f(&mut data, "own");
    // An npz has no attributes; lists of the same names replace them.
    let npz = pdebench().list("domain_lower", &[-1.5]).list("domain_upper", &[2.0]).list("periodic", &[0.0]);
    let axis = open(npz, &OpenOptions::default()).grid().unwrap().domain().axes()[0].clone();
    assert_eq!((axis.lower, axis.upper, axis.periodic), (-1.5, 2.0, false));
}

#[test]
fn unknown_files_open_for_inspection_only() {
    let store = MemoryStore::new("odd.npz").with("blob", &[3, 3], |_| 0.0);
    let mut data = open(store, &OpenOptions::default());
    assert_eq!(data.info().layout, LayoutKind::Generic);
    assert_eq!(data.info().arrays[0].shape, [3, 3]);
    assert!(matches!(data.read(0..0), Err(Error::UnknownLayout { .. })));
    let cloud = open(example(LayoutKind::PointCloud), &options_for(LayoutKind::PointCloud));
    assert_eq!((cloud.info().layout, cloud.len()), (LayoutKind::PointCloud, 0));
    assert!(cloud.info().problem.as_ref().unwrap().contains("one set of observations"));
}

#[test]
fn the_well_takes_periodic_axes_from_its_boundary_conditions() {
    let mut data = open(the_well(), &OpenOptions::default());
    let info = data.info().grid.clone().unwrap();
    let axes: Vec<_> = info.domain.axes().iter().map(|a| (a.lower, a.upper, a.periodic)).collect();
    assert_eq!(axes, [(0.0, 1.0, true), (0.0, 2.0, false)]);
    assert_eq!(info.placements, [Some(Placement::Left), Some(Placement::Vertex)]);
    let channels = ["tracer", "mask", "velocity_x", "velocity_y"].map(String::from).to_vec();
    assert_eq!(data.info().kind, Some(DatasetKind::Evolution { channels }));
    assert!(data.info().notes.iter().any(|n| n.contains("reversed")));
    assert!(data.read(0..2).is_ok());
    let odd = the_well().with("t2_fields/stress", &[2, 5, 4, 3, 2], |_| 0.0);
    let err = fail(odd, &OpenOptions::default()).to_string();
    assert!(err.contains("t2_fields/stress") && err.contains("in 0 ways"), "{err}");
}

#[test]
fn axes_that_lists_do_not_settle_must_be_named() {
    let store = || {
        MemoryStore::new("square.npz")
            .with("u", &[4, 4], |i| f(0, 0.0, 0, &[i[0] as f64, i[1] as f64]))
            .list("x", &[0.0, 1.0, 2.0, 3.0])
            .list("y", &[0.0, 1.0, 2.0, 3.0])
    };
    let mut data = open(store(), &OpenOptions::default());
    assert_eq!(data.info().layout, LayoutKind::Labelled);
    let err = data.read(0..0).unwrap_err().to_string();
    assert!(err.contains("--axes") && err.contains("x (4), y (4)"), "{err}");
    let options = OpenOptions { axes: Some("x,y".into()), ..OpenOptions::default() };
    let mut data = open(store(), &options);
    assert_reads_f(&mut data, "named axes");
}

#[test]
fn generic_arrays_without_time_are_a_pair() {
    let store =
        || {
            MemoryStore::new("pair.npz")
                .with("k", &[3, 4], |i| f(i[0], 0.0, 0, &[cell(i[1], 4, 0.0, 2.0)]))
                .with("p", &[3, 4], |i| f(i[0], 0.0, 1, &[cell(i[1], 4, 0.0, 2.0)]))
        };
    let options = OpenOptions {
        keys: vec!["k".into(), "p".into()],
        axes: Some("n,x".into()),
        grid: Some(GridOption::Placement(Placement::Center)),
        domain: Some(DomainOption(vec![(0.0, 2.0)])),
        ..OpenOptions::default()
    };
    let mut data = open(store(), &options);
    assert!(matches!(data.info().kind, Some(DatasetKind::Steady { .. })));
    assert_reads_f(&mut data, "pair");
    let unsaid = OpenOptions { keys: Vec::new(), ..options.clone() };
    let problem = open(store(), &unsaid).info().problem.clone().unwrap();
    assert!(problem.contains("2 arrays have 2 axes (k, p)"), "{problem}");
    for axes in ["n,x,x", "n,t", "x,y,z,w", "n,", "n,n"] {
        let options = OpenOptions { axes: Some(axes.into()), ..options.clone() };
        assert!(matches!(fail(store(), &options), Error::Parameter { name: "axes", .. }), "{axes}");
    }
    let options = OpenOptions { axes: Some("n,t,x".into()), ..options };
    assert!(matches!(fail(store(), &options), Error::Mismatch { expected: 3, got: 2, .. }));
}

/// u(x, t) = sin(2πx/L + t) on a circle of length L = 32π starting at `first`, in `n` steps around it, with
/// or without both ends.
fn circle(n: usize, both_ends: bool, first: f64) -> MemoryStore {
    let length = 32.0 * std::f64::consts::PI;
    let x = move |i: usize| first + length * i as f64 / n as f64;
    let points = if both_ends { n + 1 } else { n };
    MemoryStore::new("KS.mat")
        .with("tt", &[1, 5], |i| 0.4 * i[1] as f64)
        .with("x", &[points, 1], move |i| x(i[0]))
        .with("uu", &[points, 5], move |i| {
            (std::f64::consts::TAU * x(i[0]) / length + 0.4 * i[1] as f64).sin()
        })
}

#[test]
fn solutions_beside_x_and_tt_are_read_at_their_times() {
    let data = open(circle(64, false, 0.5), &OpenOptions::default());
    assert_eq!((data.info().layout, data.info().shape.as_slice()), (LayoutKind::PinnMat, &[64][..]));
    assert_eq!(data.info().times[4], 1.6);
    let notes = data.info().notes.join("\n");
    assert!(
        notes.contains("whether it is periodic: assumed not") && !notes.contains("the same values"),
        "{notes}"
    );
    assert!(!notes.contains("times not in the file"), "{notes}");
    let named = OpenOptions { axes: Some("x,t".into()), keys: vec!["uu".into()], ..OpenOptions::default() };
    assert_eq!(open(circle(64, false, 0.5), &named).info().times[4], 1.6);
}

#[test]
fn an_end_point_that_is_the_first_again_is_noticed_and_left_out() {
    let length = 32.0 * std::f64::consts::PI;
    let data = open(circle(64, true, 0.0), &OpenOptions::default());
    assert_eq!(data.info().shape, [65]);
    let notes = data.info().notes.join("\n");
    assert!(notes.contains("its first and last point hold the same values"), "{notes}");
    let periodic = || Some(PeriodicOption::All);
    let given = |domain| OpenOptions { periodic: periodic(), domain, ..OpenOptions::default() };
    let bounds = Some(DomainOption(vec![(0.0, length)]));
    for options in [given(None), given(bounds.clone()), OpenOptions { stride: 2, ..given(None) }] {
        let mut data = open(circle(64, true, 0.0), &options);
        let n = 64 / options.stride.max(1);
        let grid = data.grid().unwrap().clone();
        assert_eq!((data.info().shape.as_slice(), grid.shape().as_slice()), (&[n][..], &[n][..]));
        assert!((grid.domain().axes()[0].length() - length).abs() < 1e-9);
        assert_eq!(grid.placement(0), Some(Placement::Left));
        let notes = data.info().notes.join("\n");
        assert!(notes.contains("repeats the first"), "{notes}");
        let Sample::Evolution(read) = data.read(0..1).unwrap().remove(0) else { panic!() };
        for (i, &x) in grid.coordinates(0).iter().enumerate() {
            assert!((read.frame(3)[i] - (std::f64::consts::TAU * x / length + 1.2).sin()).abs() < 1e-12);
        }
    }
    // Without a repeated end point, nothing is left out.
    let data = open(circle(64, false, 0.0), &given(None));
    assert_eq!(data.info().shape, [64]);
    assert!((data.grid().unwrap().domain().axes()[0].length() - length).abs() < 1e-9);
    // Equal values prove nothing if all are equal.
    let still = MemoryStore::new("s.mat")
        .with("tt", &[1, 3], |i| i[1] as f64)
        .with("x", &[8, 1], |i| i[0] as f64)
        .with("uu", &[8, 3], |i| f64::from(u8::from(i[0] == 4)));
    assert_eq!(open(still, &given(None)).info().shape, [8]);
}

#[test]
fn a_periodic_axis_may_begin_anywhere() {
    let bounds = Some(DomainOption(vec![(0.0, 32.0 * std::f64::consts::PI)]));
    let options =
        OpenOptions { periodic: Some(PeriodicOption::All), domain: bounds.clone(), ..OpenOptions::default() };
    let data = open(circle(64, false, -20.0), &options);
    let axis = &data.info().grid.as_ref().unwrap().domain.axes()[0];
    assert!(axis.lower == -20.0 && (axis.length() - 32.0 * std::f64::consts::PI).abs() < 1e-9, "{axis}");
    assert!(data.info().notes.iter().any(|note| note.contains("the same circle")), "{:?}", data.info().notes);
    let plain = OpenOptions { domain: bounds, ..OpenOptions::default() };
    assert!(fail(circle(64, false, -20.0), &plain).to_string().contains("outside the domain"));
}
