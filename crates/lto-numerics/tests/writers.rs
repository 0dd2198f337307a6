//! Files of samples: read back equal, equal bytes for equal samples, whole or not there.

use lto_numerics::dataset::format::{self, Attribute};
use lto_numerics::dataset::write::{Header, create};
use lto_numerics::{Error, Field, Sample, Trajectory};
use std::path::Path;

#[path = "common/samples.rs"]
mod samples;
use samples::{evolution, steady, value};

/// Every suffix that can be written.
const SUFFIXES: [&str; 3] = ["hdf5", "h5", "npz"];

fn write(path: &Path, (header, samples): &(Header, Vec<Vec<Sample>>)) {
    let mut writer = create(path, header).unwrap();
    for sample in samples {
        writer.append(sample).unwrap();
    }
    writer.finish().unwrap();
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn hdf5_reads_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.hdf5");
    let (header, samples) = evolution();
    write(&path, &(header.clone(), samples));
    let mut store = format::open(&path).unwrap();
    let mut shapes: Vec<_> = store.arrays().iter().map(|a| (a.name.clone(), a.shape.clone())).collect();
    shapes.sort();
    let wanted = [
        ("resolution_8/tensor", vec![3, 4, 8, 6]),
        ("resolution_8/x-coordinate", vec![8]),
        ("resolution_8/y-coordinate", vec![6]),
        ("t-coordinate", vec![4]),
        ("tensor", vec![3, 4, 4, 3]),
        ("x-coordinate", vec![4]),
        ("y-coordinate", vec![3]),
    ];
    assert_eq!(shapes, wanted.map(|(name, shape)| (name.to_string(), shape)));
    assert_eq!(store.read("t-coordinate", &[0], &[4]).unwrap(), header.times);
    for (group, grid) in ["", "resolution_8/"].iter().zip(&header.grids) {
        for (d, axis) in ["x", "y"].iter().enumerate() {
            let name = format!("{group}{axis}-coordinate");
            let read = store.read(&name, &[0], &[grid.shape()[d]]).unwrap();
            assert_eq!(read, grid.coordinates(d), "{name}");
        }
        // The second sample alone.
        let shape = [&[1, 4], grid.shape().as_slice()].concat();
        let n = 4 * grid.len();
        let wanted: Vec<f64> = (n..2 * n).map(value).collect();
        assert_eq!(store.read(&format!("{group}tensor"), &[1, 0, 0, 0], &shape).unwrap(), wanted);
    }
    let attribute = |name: &str| {
        let found = store.attributes().iter().find(|(owner, n, _)| owner.is_empty() && n == name);
        found.map(|(_, _, value)| value.clone())
    };
    assert_eq!(attribute("Nu"), Some(Attribute::Numbers(vec![0.001])));
    assert_eq!(attribute("pde"), Some(Attribute::Texts(vec!["Bürgers".into()])));
    assert_eq!(attribute("domain_lower"), Some(Attribute::Numbers(vec![-1.0, 0.0])));
    assert_eq!(attribute("domain_upper"), Some(Attribute::Numbers(vec![1.0, std::f64::consts::TAU])));
    assert_eq!(attribute("periodic"), Some(Attribute::Numbers(vec![1.0, 0.0])));
}

#[test]
fn steady_problems_have_pdebenchs_axes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.h5");
    write(&path, &steady());
    let mut store = format::open(&path).unwrap();
    let wanted: Vec<f64> = (0..75).map(value).collect();
    assert_eq!(store.read("nu", &[0; 3], &[3, 5, 5]).unwrap(), wanted);
    assert_eq!(store.read("tensor", &[0; 4], &[3, 1, 5, 5]).unwrap(), wanted);
    assert!(store.arrays().iter().all(|a| a.name != "t-coordinate"));
}

/// Against an independent reader.
#[test]
fn npz_reads_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.npz");
    write(&path, &evolution());
    let mut archive = npyz::npz::NpzArchive::open(&path).unwrap();
    let array = archive.by_name("resolution_8/tensor").unwrap().unwrap();
    assert_eq!(array.shape(), [3, 4, 8, 6]);
    let values: Vec<f32> = array.into_vec().unwrap();
    assert_eq!(values, (0..576).map(|i| value(i) as f32).collect::<Vec<_>>());
    let viscosity = archive.by_name("Nu").unwrap().unwrap();
    assert!(viscosity.shape().is_empty());
    assert_eq!(viscosity.into_vec::<f64>().unwrap(), [0.001]);
    let upper = archive.by_name("domain_upper").unwrap().unwrap();
    assert_eq!(upper.into_vec::<f64>().unwrap(), [1.0, std::f64::consts::TAU]);
}

#[test]
fn equal_samples_give_equal_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for suffix in SUFFIXES {
        for problem in [evolution(), steady()] {
            let bytes = ["a", "another"].map(|name| {
                let path = folder.path().join(name).with_extension(suffix);
                write(&path, &problem);
                std::fs::read(path).unwrap()
            });
            assert!(bytes[0] == bytes[1], "{suffix}");
        }
    }
}

#[test]
fn unfinished_files_leave_nothing_behind() {
    for suffix in SUFFIXES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data").with_extension(suffix);
        let (header, samples) = evolution();
        let mut writer = create(&path, &header).unwrap();
        writer.append(&samples[0]).unwrap();
        assert!(!path.exists());
        drop(writer);
        assert_eq!(entries(folder.path()), 0, "{suffix}");

        std::fs::write(&path, "the old file").unwrap();
        let mut writer = create(&path, &header).unwrap();
        writer.append(&samples[0]).unwrap();
        let error = writer.finish().unwrap_err();
        assert!(matches!(error, Error::Mismatch { expected: 3, got: 1, .. }), "{error}");
        assert_eq!(entries(folder.path()), 1, "{suffix}");
        assert_eq!(std::fs::read(&path).unwrap(), b"the old file");
    }
}

#[cfg(unix)]
#[test]
fn finished_files_have_the_mode_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
    std::fs::write(folder.path().join("plain"), "").unwrap();
    for suffix in SUFFIXES {
        let name = format!("data.{suffix}");
        write(&folder.path().join(&name), &steady());
        assert_eq!(mode(&name), mode("plain"), "{suffix}");
    }
}

#[test]
fn what_does_not_belong_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (header, samples) = evolution();
    for name in ["data", "data.mat", "data.HDF"] {
        let error = create(&folder.path().join(name), &header).err().unwrap();
        assert!(error.to_string().contains(".hdf5"), "{error}");
    }
    let missing = create(&folder.path().join("no/such/data.hdf5"), &header);
    assert!(matches!(missing.err(), Some(Error::Io { .. })));
    let none = Header { n_samples: 0, ..header.clone() };
    assert!(matches!(create(&folder.path().join("a.npz"), &none).err(), Some(Error::Parameter { .. })));

    let grid = header.grids[0].clone();
    let with = |times: Vec<f64>, channels: usize, value: f64| {
        let values = vec![value; times.len() * channels * grid.len()];
        let first = Sample::Evolution(Trajectory::new(grid.clone(), times, channels, values).unwrap());
        vec![first, samples[0][1].clone()]
    };
    let times = header.times.clone();
    let field = Field::new(grid.clone(), 1, vec![0.0; grid.len()]).unwrap();
    let unsteady = Sample::Steady { source: field.clone(), target: field };
    let bad = [
        (vec![samples[0][0].clone()], "number of grids"),
        (vec![samples[0][1].clone(), samples[0][0].clone()], "grid of a sample"),
        (with(vec![0.0, 1.0], 1, 0.0), "times"),
        (with(times.clone(), 2, 0.0), "number of values"),
        (with(times.clone(), 1, f64::NAN), "finite"),
        (with(times, 1, 1e39), "single precision"),
        (vec![unsteady, samples[0][1].clone()], "times"),
    ];
    for suffix in SUFFIXES {
        let mut writer = create(&folder.path().join("data").with_extension(suffix), &header).unwrap();
        for (sample, problem) in &bad {
            let error = writer.append(sample).unwrap_err().to_string();
            assert!(error.contains(problem), "{problem}: {error}");
        }
        // None of them spoils the file.
        for sample in &samples {
            writer.append(sample).unwrap();
        }
        assert!(matches!(writer.append(&samples[0]), Err(Error::Mismatch { expected: 3, got: 4, .. })));
        writer.finish().unwrap();
    }
}
