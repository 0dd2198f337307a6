//! Damaged and malicious MATLAB, NumPy and CSV files: an error or some numbers, never a panic, never absurd
//! memory, never without end.

mod common {
    pub mod allocation;
    pub mod mutate;
}

use common::{allocation, mutate};
use flate2::write::ZlibEncoder;
use lto_numerics::dataset::format::open;
use lto_numerics::dataset::{Dataset, DatasetSummary, LayoutKind, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

#[global_allocator]
static ALLOCATOR: allocation::Watched = allocation::Watched;

/// More than any read below asks for, far less than the sizes the files claim.
const MOST_MEMORY: usize = 32 << 20;
/// Elements read of arrays that claim more.
const MOST_ELEMENTS: usize = 1 << 20;

fn fixtures() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let entries = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // HDF5 has hostile files of its own; folders of Zarr are damaged in `records.rs`.
    let own = ["hdf5", "layouts", "records", "zarr"];
    let others = entries(&root).filter(|f| f.is_dir() && !own.iter().any(|own| f.ends_with(own)));
    let mut paths: Vec<PathBuf> = others.flat_map(|folder| entries(&folder)).collect();
    paths.sort();
    paths.into_iter().map(|p| (p.clone(), std::fs::read(p).unwrap())).collect()
}

/// Opens a file and reads of every array the whole, or the first and last elements where it is large. Returns
/// whether all of it could be read.
fn exercise(path: &Path) -> bool {
    let Ok(mut store) = open(path) else { return false };
    let mut good = true;
    for info in store.arrays().to_vec() {
        let zeros = vec![0; info.shape.len()];
        let small: Vec<usize> = info.shape.iter().map(|&n| n.min(2)).collect();
        let ends: Vec<usize> = info.shape.iter().zip(&small).map(|(n, s)| n - s).collect();
        let elements = info.shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        good &= store.read(&info.name, &zeros, &small).is_ok();
        good &= store.read(&info.name, &ends, &small).is_ok();
        if elements.is_some_and(|n| n <= MOST_ELEMENTS) {
            good &= store.read(&info.name, &zeros, &info.shape).is_ok();
        }
    }
    good
}

/// Exercises bytes under the name of the file they come from.
fn exercise_bytes(folder: &Path, like: &Path, bytes: &[u8]) -> bool {
    let path = folder.join(like.file_name().unwrap());
    std::fs::write(&path, bytes).unwrap();
    let good = exercise(&path);
    assert!(allocation::largest() < MOST_MEMORY, "{} bytes asked for", allocation::largest());
    good
}

#[test]
fn truncated_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in fixtures() {
        let text = path.parent().unwrap().ends_with("csv");
        for cut in mutate::truncations(&bytes, 7) {
            let good = exercise_bytes(folder.path(), &path, cut);
            // Between two variables a MAT-file, between two messages a GRIB file, and after a line a CSV file, is
            // whole without the rest.
            let parts = path.extension().is_some_and(|suffix| suffix == "mat" || suffix == "grib2");
            assert!(!good || text || parts, "{path:?} cut to {}", cut.len());
        }
    }
}

/// How many mutations of each fixture are tried; more by hand with `LTO_MUTATIONS=100000`.
fn n_mutations() -> u64 {
    std::env::var("LTO_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

#[test]
fn mutated_files_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in fixtures() {
        for (seed, mutant) in mutate::mutations(&bytes, 0, n_mutations()) {
            let run = || exercise_bytes(folder.path(), &path, &mutant);
            let outcome = std::panic::catch_unwind(run);
            assert!(outcome.is_ok(), "{path:?} with seed {seed}");
        }
    }
}

fn element(data_type: u32, data: &[u8]) -> Vec<u8> {
    let mut out = data_type.to_le_bytes().to_vec();
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out.resize(out.len().next_multiple_of(8), 0);
    out
}

/// The content of a matrix of doubles with the dimensions and the tag of data given.
fn matrix(dimensions: &[i32], data: &[u8]) -> Vec<u8> {
    named_matrix("u", dimensions, data)
}

fn named_matrix(name: &str, dimensions: &[i32], data: &[u8]) -> Vec<u8> {
    let mut out = element(6, &[6, 0, 0, 0, 0, 0, 0, 0]);
    out.extend(element(5, &dimensions.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>()));
    out.extend(element(1, name.as_bytes()));
    out.extend(data);
    out
}

fn mat_file(elements: &[u8]) -> Vec<u8> {
    let mut out = vec![b' '; 124];
    out[..10].copy_from_slice(b"MATLAB 5.0");
    out.extend(b"\x00\x01IM");
    out.extend(elements);
    out
}

fn compressed(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content).unwrap();
    let data = encoder.finish().unwrap();
    let mut out = 15u32.to_le_bytes().to_vec();
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out
}

fn error_of(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let mut store = match open(&path) {
        Ok(store) => store,
        Err(error) => return error.to_string(),
    };
    let info = store.arrays()[0].clone();
    let outcome = store.read(&info.name, &vec![0; info.shape.len()], &info.shape);
    outcome.err().map(|e| e.to_string()).unwrap_or_default()
}

#[test]
fn dimensions_beyond_the_file_are_refused() {
    let huge = matrix(&[i32::MAX, i32::MAX, i32::MAX], &element(9, &[0; 8]));
    let error = error_of("a.mat", &mat_file(&element(14, &huge)));
    assert!(error.contains("beyond any file"), "{error}");
    let large = matrix(&[1 << 20, 1 << 20], &element(9, &[0; 8]));
    let error = error_of("a.mat", &mat_file(&element(14, &large)));
    assert!(error.contains("only 8 are there"), "{error}");
    let negative = matrix(&[-1, 1], &element(9, &[0; 8]));
    let error = error_of("a.mat", &mat_file(&element(14, &negative)));
    assert!(error.contains("a dimension is -1"), "{error}");
    let zero_times_huge = matrix(&[0, i32::MAX, i32::MAX, i32::MAX], &element(9, &[]));
    let error = error_of("a.mat", &mat_file(&element(14, &zero_times_huge)));
    assert!(error.contains("beyond any file"), "{error}");
}

/// Nothing is kept for each of the frames and points that an array without entries claims.
#[test]
fn datasets_of_empty_arrays_cost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.mat");
    for (a, u) in [([0, 4, 4], [0, 4, 4, i32::MAX]), ([0, i32::MAX, 4], [0, i32::MAX, 4, 1])] {
        let variable = |name, shape: &[i32]| element(14, &named_matrix(name, shape, &element(9, &[])));
        std::fs::write(&path, mat_file(&[variable("a", &a), variable("u", &u)].concat())).unwrap();
        let mut data = Dataset::open(&path, &OpenOptions::default()).unwrap();
        assert_eq!(data.info().layout, LayoutKind::FnoNavierStokes);
        let error = DatasetSummary::of(&mut data, None).unwrap_err().to_string();
        assert!(
            error.contains("empty.mat: u is empty") || error.contains("empty.mat: a is empty"),
            "{error}"
        );
        assert!(data.read(0..data.len()).is_err());
    }
    assert!(allocation::largest() < MOST_MEMORY, "{} bytes asked for", allocation::largest());
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let error = open(folder.path()).err().unwrap().to_string();
    assert!(error.contains("a folder"), "{error}");
    if cfg!(unix) {
        let error = open(Path::new("/dev/null")).err().unwrap().to_string();
        assert!(error.contains("not a regular file"), "{error}");
    }
}

#[test]
fn damage_inside_stored_numbers_is_noticed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/npy/stored.npz");
    let good = std::fs::read(path).unwrap();
    assert_eq!(error_of("a.npz", &good), "");
    let mut damaged = good.clone();
    let at = good.windows(2).position(|w| w == b"}\n" || w == b" \n").unwrap() + 2;
    damaged[at] ^= 1;
    let error = error_of("a.npz", &damaged);
    assert!(error.contains("checksum"), "{error}");
    // Slices in order add up to the whole; those out of order are read, but cannot be checked.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    std::fs::write(&path, damaged).unwrap();
    let mut store = open(&path).unwrap();
    let info = store.arrays()[0].clone();
    let (n, mut start, mut count) = (info.shape[0], vec![0; info.shape.len()], info.shape.clone());
    assert!(n > 1);
    count[0] = 1;
    let outcomes: Vec<bool> = (0..n)
        .map(|i| {
            start[0] = i;
            store.read(&info.name, &start, &count).is_ok()
        })
        .collect();
    assert_eq!(outcomes.iter().position(|ok| !ok), Some(n - 1));
}

#[test]
fn compressed_elements_that_lie_about_their_size_are_refused() {
    // A tag that claims 4 GB in some compressed bytes.
    let mut lie = 14u32.to_le_bytes().to_vec();
    lie.extend(u32::MAX.to_le_bytes());
    lie.extend(matrix(&[1 << 29, 1], &[9, 0, 0, 0, 0, 0, 0, 0xf0]));
    let error = error_of("a.mat", &mat_file(&compressed(&lie)));
    assert!(error.contains("cannot hold"), "{error}");
    let nested = compressed(&compressed(&element(14, &matrix(&[1, 1], &element(9, &[0; 8])))));
    let error = error_of("a.mat", &mat_file(&nested));
    assert!(error.contains("holds type 15"), "{error}");
}

#[test]
fn a_deflate_bomb_costs_the_slice_that_is_read() {
    let n = 1 << 20;
    let zeros = |n: usize| element(9, &vec![0; 8 * n]);
    let bomb = compressed(&element(14, &matrix(&[n as i32, 1], &zeros(n))));
    assert!(bomb.len() < 10_000, "8 MB in {} bytes", bomb.len());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.mat");
    std::fs::write(&path, mat_file(&bomb)).unwrap();
    let mut store = open(&path).unwrap();
    assert_eq!(store.read("u", &[n - 1, 0], &[1, 1]).unwrap(), [0.0]);
    let lie = compressed(&element(14, &matrix(&[8 * n as i32, 1], &zeros(n))));
    let error = error_of("a.mat", &mat_file(&lie));
    assert!(error.contains("67108864 bytes, but only 8388608 are there"), "{error}");
}

#[test]
fn damage_inside_compressed_numbers_is_noticed() {
    let content = element(14, &matrix(&[64, 1], &element(9, &[1; 512])));
    let mut bytes = mat_file(&compressed(&content));
    assert_eq!(error_of("a.mat", &bytes), "");
    // The last four bytes are the checksum.
    *bytes.last_mut().unwrap() ^= 1;
    assert!(error_of("a.mat", &bytes).contains("damaged"));
}

#[test]
fn npy_headers_that_lie_are_refused() {
    let file = |version: u8, len: &[u8], header: &str| {
        [b"\x93NUMPY", [version, 0].as_slice(), len, header.as_bytes(), &[0; 8]].concat()
    };
    let v1 = |header: &str| file(1, &(header.len() as u16).to_le_bytes(), header);
    let cases = [
        (file(2, &u32::MAX.to_le_bytes(), "{}"), "the header claims"),
        (file(1, &[0xff, 0xff], "{}"), "ends inside its header"),
        (file(9, &[2, 0], "{}"), "version 9"),
        (
            v1("{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976,), }"),
            "beyond any file",
        ),
        (v1("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }"), "only 8 are there"),
        (v1("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }"), "shape (-1,)"),
        (v1("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,), }"), "neither True nor False"),
        (v1("{'descr': '<f8', 'shape': (1,), }"), "no \"fortran_order\""),
        (v1(&"(".repeat(60_000)), "no \"fortran_order\""),
        (v1("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"), "allow_pickle=False"),
    ];
    for (bytes, expected) in cases {
        let error = error_of("a.npy", &bytes);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

/// Overwrites the first occurrence of `old`.
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    let at = bytes.windows(old.len()).position(|w| w == old).unwrap();
    bytes[at..at + new.len()].copy_from_slice(new);
}

#[test]
fn zip_directories_that_lie_are_refused() {
    let fixture = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/npy").join(name);
        std::fs::read(path).unwrap()
    };
    let entry = |bytes: &[u8]| bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    let edited = |name: &str, offset: usize, value: &[u8]| {
        let mut bytes = fixture(name);
        let at = entry(&bytes) + offset;
        bytes[at..at + value.len()].copy_from_slice(value);
        bytes
    };
    let cases = [
        (edited("little_compressed.npz", 24, &[0xfe; 4]), "cannot hold"),
        (edited("little_compressed.npz", 20, &[0xfe; 4]), "outside the file"),
        (edited("little_compressed.npz", 42, &[0xfe; 4]), "outside the file"),
        (edited("little_compressed.npz", 42, &[1, 0, 0, 0]), "no member at 1"),
        (edited("little_compressed.npz", 20, &[0xff; 4]), "ZIP64 sizes are missing"),
        (edited("little_compressed.npz", 10, &[93, 0]), "zip compression 93"),
        (edited("little_compressed.npz", 8, &[1, 0]), "encrypted"),
        (edited("little_compressed.npz", 16, &[1, 2, 3, 4]), "damaged"),
        (edited("little_compressed.npz", 28, &[0xff, 0xff]), "cut short"),
        (edited("little_compressed.npz", 0, b"XXXX"), "of its directory"),
    ];
    for (bytes, expected) in cases {
        let error = error_of("a.npz", &bytes);
        assert!(error.contains(expected), "{expected}: {error}");
    }
    // Names stand before the members and again in the directory.
    let mut torch = fixture("stored.npz");
    for _ in 0..2 {
        replace(&mut torch, b"f8.npy", b"f8.bin");
        replace(&mut torch, b"i2.npy", b"i2.bin");
        replace(&mut torch, b"fortran_f4.npy", b"model/data.pkl");
    }
    let error = error_of("model.pt", &torch);
    assert!(error.contains("PyTorch"), "{error}");
}
