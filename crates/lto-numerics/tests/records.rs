//! Records and fields in files of other tools: NetCDF with discrete sampling geometries, Zarr, GRIB, NumPy.

#[path = "common/mutate.rs"]
mod mutate;

use lto_numerics::dataset::format::{Attribute, ElementType, Format, open};
use lto_numerics::dataset::write::NpzArchive;
use lto_numerics::dataset::{Dataset, OpenOptions};
use lto_numerics::records::{FaultPolicy, RecordOptions, Records};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn records(path: &Path) -> Records {
    Records::open(path, &RecordOptions::default()).unwrap()
}

/// Every array holds 0.25 k − 3, integers k, except those named otherwise; slices are parts of the whole.
#[test]
fn zarr_arrays_are_what_was_written() {
    for (name, least) in [("zarr/version2.zarr", 17), ("zarr/version3.zarr", 6)] {
        let mut store = open(&fixture(name)).unwrap();
        assert_eq!(store.format(), Format::Zarr);
        let infos = store.arrays().to_vec();
        assert!(infos.len() >= least);
        for info in infos.iter().filter(|info| !["packed", "hole"].contains(&info.name.as_str())) {
            let whole = store.read(&info.name, &vec![0; info.shape.len()], &info.shape).unwrap();
            let wanted = |k: usize| {
                if info.element == ElementType::Integer { k as f64 } else { 0.25 * k as f64 - 3.0 }
            };
            let right = whole.iter().enumerate().all(|(k, value)| *value == wanted(k));
            assert!(right, "{name}: {} {:?}", info.name, &whole[..4]);
            let (start, count): (Vec<usize>, Vec<usize>) =
                info.shape.iter().map(|&n| (n / 3, n - n / 3 - 1)).unzip();
            let part = store.read(&info.name, &start, &count).unwrap();
            let index = |mut flat: usize| {
                let (mut k, mut stride) = (0, 1);
                for d in (0..count.len()).rev() {
                    k += (start[d] + flat % count[d]) * stride;
                    stride *= info.shape[d];
                    flat /= count[d];
                }
                k
            };
            assert!(part.iter().enumerate().all(|(i, value)| *value == wanted(index(i))), "{}", info.name);
        }
    }
    let mut store = open(&fixture("zarr/version2.zarr")).unwrap();
    let packed = store.read("packed", &[0, 0], &[2, 2]).unwrap();
    assert!(packed[..2] == [10.5, 7.5] && packed[2].is_nan() && packed[3] == 11.5);
    // Where fills mark what is missing, chunks that were never written are.
    let hole = store.read("hole", &[0], &[4]).unwrap();
    assert!(hole[..2].iter().all(|value| value.is_nan()) && hole[2..] == [1.0, 2.0]);
    let title = ("".to_string(), "title".to_string(), Attribute::Texts(vec!["two".into()]));
    assert!(store.attributes().contains(&title));
    let mut array = open(&fixture("zarr/version2.zarr/zlib")).unwrap();
    assert_eq!(array.read("zlib", &[0, 0, 1], &[1, 1, 2]).unwrap(), [-2.75, -2.5]);
}

#[test]
fn damaged_zarr_folders_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    for (array, file) in [("blosc_lz4_1", "0.0"), ("zstd", "0.0.0"), ("gzip", "0.0.0"), ("zlib", "1.1.1")] {
        let from = fixture("zarr/version2.zarr").join(array);
        let to = folder.path().join(array);
        std::fs::create_dir(&to).unwrap();
        let meta = std::fs::read(from.join(".zarray")).unwrap();
        std::fs::write(to.join(".zarray"), &meta).unwrap();
        let bytes = std::fs::read(from.join(file)).unwrap();
        for cut in [0, 5, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(to.join(file), &bytes[..cut]).unwrap();
            let mut store = open(&to).unwrap();
            let shape = store.arrays()[0].shape.clone();
            assert!(store.read(array, &vec![0; shape.len()], &shape).is_err(), "{array} cut to {cut}");
        }
        for byte in 0..bytes.len().min(200) {
            let mut changed = bytes.clone();
            changed[byte] ^= 0x5a;
            std::fs::write(to.join(file), &changed).unwrap();
            let mut store = open(&to).unwrap();
            let shape = store.arrays()[0].shape.clone();
            // Right or wrong, but never a panic.
            let _ = store.read(array, &vec![0; shape.len()], &shape);
        }
        for (old, new) in [("\"zarr_format\"", "{"), ("\"chunks\"", "\"chunkz\""), ("<f4", "<M8[h]")] {
            let text = String::from_utf8(meta.clone()).unwrap().replace(old, new);
            std::fs::write(to.join(".zarray"), text).unwrap();
            let failed = open(&to).map_or(true, |mut store| {
                let shape = store.arrays()[0].shape.clone();
                store.read(array, &vec![0; shape.len()], &shape).is_err()
            });
            assert!(failed, "{array}: {new}");
        }
    }
    let error = open(folder.path()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("no Zarr store"), "{error}");
}

#[test]
fn grib_messages_are_fields_over_times() {
    let mut store = open(&fixture("grib/two.grib2")).unwrap();
    let names: Vec<&str> = store.arrays().iter().map(|array| array.name.as_str()).collect();
    assert_eq!((store.format(), &names[..3]), (Format::Grib, &["time", "lat", "lon"][..]));
    let name = names[3].to_string();
    assert_eq!(store.arrays()[3].shape, [2, 3, 4]);
    assert_eq!(store.read("lat", &[0], &[3]).unwrap(), [52.0, 51.0, 50.0]);
    assert_eq!(store.read("lon", &[0], &[4]).unwrap(), [358.0, 359.0, 360.0, 361.0]);
    let times = store.read("time", &[0], &[2]).unwrap();
    assert_eq!((times[1] - times[0], times[0]), (6.0, 430_956.0)); // 2019-03-01T12:00Z
    let first = store.read(&name, &[0, 0, 0], &[1, 3, 4]).unwrap();
    assert_eq!(first, (0..12).map(|k| 0.25 * f64::from(k) - 3.0).collect::<Vec<_>>());
    let second = store.read(&name, &[1, 1, 1], &[1, 1, 3]).unwrap();
    assert!(second[0] == 1.25 && second[1].is_nan() && second[2] == 1.75);
    let mut data =
        Dataset::open(fixture("grib/two.grib2"), &OpenOptions { allow_nan: true, ..OpenOptions::default() });
    let data = data.as_mut().unwrap();
    assert_eq!(data.info().shape, [3, 4]);
    // The missing cell is a missing observation: a record has one report less.
    let records = records(&fixture("grib/two.grib2"));
    assert_eq!(records.frame(0).unwrap().values.len(), 12);
    assert_eq!(records.frame(1).unwrap().values.len(), 11);
    assert_eq!(records.domain().axes()[1].lower, -2.0);
}

#[test]
fn truncated_grib_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(fixture("grib/two.grib2")).unwrap();
    let path = folder.path().join("cut.grib2");
    for cut in mutate::truncations(&bytes, 3) {
        std::fs::write(&path, cut).unwrap();
        if let Ok(mut store) = open(&path) {
            for info in store.arrays().to_vec() {
                let _ = store.read(&info.name, &vec![0; info.shape.len()], &info.shape);
            }
        }
    }
}

#[test]
fn series_of_stations_are_read_from_netcdf() {
    let series = records(&fixture("records/series.nc"));
    assert!(series.has_calendar());
    assert_eq!(series.variables()[0].unit.as_deref(), Some("K"));
    assert_eq!(series.stations().iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["100", "101", "102"]);
    let (first, second) = (series.frame(0).unwrap(), series.frame(1).unwrap());
    assert_eq!((first.values.as_slice(), first.coordinates[2]), (&[280.0, 282.5, 284.0][..], 51.0));
    assert_eq!((second.stations, second.values), (vec![0, 2], vec![281.0, 285.0]));
}

#[test]
fn ragged_arrays_know_their_stations() {
    for name in ["records/indexed.nc", "records/contiguous.nc"] {
        let ragged = records(&fixture(name));
        assert_eq!((ragged.times().len(), ragged.times()[1] - ragged.times()[0]), (2, 12.0), "{name}");
        for i in 0..2 {
            let frame = ragged.frame(i).unwrap();
            assert_eq!((frame.stations, frame.values), (vec![0, 1], vec![280.0, 281.0, 3.0, 4.0]), "{name}");
        }
    }
}

/// Names as texts of any length, of a fixed width, in bytes, or as rows of characters.
#[test]
fn stations_keep_their_names_in_every_format() {
    let folders =
        ["U12_2", "S12_2", "any_2", "U12_3", "S12_3", "any_3"].map(|kind| format!("names_{kind}.zarr"));
    let files = ["names_characters.nc", "names_texts.nc", "names.npz"].map(String::from);
    for name in folders.into_iter().chain(files) {
        let records = records(&fixture("records").join(&name));
        let names: Vec<&str> = records.stations().iter().map(|station| station.name.as_str()).collect();
        assert_eq!(names, ["New York", "Köln", "Oslo"], "{name}");
        let second = records.frame(1).unwrap();
        assert_eq!((second.stations, second.values), (vec![0, 2], vec![283.0, 285.0]), "{name}");
    }
}

/// Cut and changed names: an error or some texts, never a panic.
#[test]
fn damaged_names_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    for (name, chunk) in [("names_any_2.zarr", "0"), ("names_any_3.zarr", "c/0"), ("names_U12_3.zarr", "c/1")]
    {
        let from = fixture("records").join(name).join("station_name");
        let to = folder.path().join(name);
        std::fs::create_dir_all(to.join(chunk).parent().unwrap()).unwrap();
        for file in [".zarray", "zarr.json"].iter().filter(|file| from.join(file).exists()) {
            std::fs::copy(from.join(file), to.join(file)).unwrap();
        }
        let bytes = std::fs::read(from.join(chunk)).unwrap();
        for cut in 0..bytes.len() {
            std::fs::write(to.join(chunk), &bytes[..cut]).unwrap();
            let mut store = open(&to).unwrap();
            let array = store.arrays()[0].name.clone();
            assert!(store.texts(&array, 0..usize::MAX).is_err(), "{name} cut to {cut}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0xa5;
            std::fs::write(to.join(chunk), &changed).unwrap();
            let mut store = open(&to).unwrap();
            let array = store.arrays()[0].name.clone();
            let _ = store.texts(&array, 0..usize::MAX);
        }
    }
}

#[test]
fn numpy_archives_hold_records_in_rows_or_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.npz");
    let mut archive = NpzArchive::create(&path).unwrap();
    for (name, shape, values) in [
        ("t", &[2][..], &[0.0, 1.0][..]),
        ("x", &[3], &[0.0, 0.5, 1.0]),
        ("u", &[2, 3], &[1.0, 2.0, 3.0, 4.0, f64::NAN, 6.0]),
        ("u_sd", &[2, 3], &[0.1, 0.1, 0.1, 0.2, 0.2, 0.2]),
    ] {
        archive.numbers(name, shape, values).unwrap();
    }
    archive.finish().unwrap();
    let table = records(&path);
    assert_eq!(table.variables().len(), 1);
    let second = table.frame(1).unwrap();
    assert_eq!((second.coordinates, second.values), (vec![0.0, 1.0], vec![4.0, 6.0]));
    assert_eq!(second.deviations.unwrap(), [0.2, 0.2]);
    let mut archive = NpzArchive::create(&path).unwrap();
    for (name, values) in [("time", [1.0, 0.0, 0.0]), ("x", [0.5, 0.5, 1.0]), ("u", [3.0, -9999.0, 2.0])] {
        archive.numbers(name, &[3], &values).unwrap();
    }
    archive.finish().unwrap();
    let error = Records::open(&path, &RecordOptions::default()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("row 2: u = -9999: does it stand for a missing value?"), "{error}");
    let skip = RecordOptions { faults: FaultPolicy::Skip, ..RecordOptions::default() };
    let rows = Records::open(&path, &skip).unwrap();
    assert_eq!((rows.times(), rows.frame(0).unwrap().values), (&[0.0, 1.0][..], vec![2.0]));
}

/// More readings than are read at once, one after the other, each with its own time, place and name: the same frames as from a
/// table of stations. A reading without a time, or at an impossible place, is told by its row.
#[test]
fn lists_of_readings_are_read_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.npz");
    let (stations, hours) = (7, 30_000);
    let n = stations * hours;
    let of = |f: &dyn Fn(usize, usize) -> f64| (0..n).map(|i| f(i / hours, i % hours)).collect::<Vec<_>>();
    let write = |time: &[f64], lat: &[f64]| {
        let mut archive = NpzArchive::create(&path).unwrap();
        archive.numbers("time", &[n], time).unwrap();
        archive.numbers("lat", &[n], lat).unwrap();
        archive.numbers("lon", &[n], &of(&|j, _| 2.0 * j as f64)).unwrap();
        archive.numbers("u", &[n], &of(&|j, t| (100 * t + j) as f64)).unwrap();
        let names: Vec<String> = (0..n).map(|i| format!("s{}", i / hours)).collect();
        archive.texts("station", &[n], &names).unwrap();
        archive.finish().unwrap();
    };
    let (mut time, mut lat) = (of(&|_, t| t as f64), of(&|j, _| 50.0 + j as f64));
    write(&time, &lat);
    let list = records(&path);
    assert_eq!((list.times().len(), list.stations().len(), list.n_rows()), (hours, stations, n as u64));
    assert_eq!(
        (list.stations()[6].name.as_str(), &list.stations()[6].coordinates[..]),
        ("s6", &[56.0, 12.0][..])
    );
    for t in [0, 9_999, 29_999] {
        let values: Vec<f64> = (0..stations).map(|j| (100 * t + j) as f64).collect();
        assert_eq!(list.frame(t).unwrap().values, values);
    }
    let refused = || Records::open(&path, &RecordOptions::default()).map(|_| ()).unwrap_err().to_string();
    lat[150_000] = 95.0;
    write(&time, &lat);
    assert!(refused().contains("row 150001: lat = 95 is not in [-90, 90] degrees"), "{}", refused());
    time[140_000] = f64::NAN;
    write(&time, &lat);
    assert!(refused().contains("row 140001: time = NaN: no time"), "{}", refused());
    let skip = RecordOptions { faults: FaultPolicy::Skip, ..RecordOptions::default() };
    assert_eq!(Records::open(&path, &skip).unwrap().n_rows(), n as u64 - 2);
}

/// Mutations of tables and NetCDF files: an error or a record, never a panic.
#[test]
fn mutated_records_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "wide.csv",
        "long.csv",
        "series.nc",
        "indexed.nc",
        "contiguous.nc",
        "names_characters.nc",
        "names_texts.nc",
        "names.npz",
    ] {
        let bytes = std::fs::read(fixture("records").join(name)).unwrap();
        assert!(Records::open(&fixture("records").join(name), &RecordOptions::default()).is_ok(), "{name}");
        let path = folder.path().join(name);
        let cut = mutate::truncations(&bytes, bytes.len() / 20).map(<[u8]>::to_vec);
        for mutant in mutate::mutations(&bytes, 0, 150).map(|(_, mutant)| mutant).chain(cut) {
            std::fs::write(&path, mutant).unwrap();
            for faults in [FaultPolicy::Refuse, FaultPolicy::Skip] {
                let Ok(records) = Records::open(&path, &RecordOptions { faults, ..RecordOptions::default() })
                else {
                    continue;
                };
                for i in 0..records.times().len() {
                    let frame = records.frame(i).unwrap();
                    assert_eq!(frame.values.len(), frame.stations.len() * records.variables().len());
                }
            }
        }
    }
}
