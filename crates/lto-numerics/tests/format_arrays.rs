//! MATLAB 5, npy and npz: what numpy and scipy wrote is what is read, whole and in slices.

use lto_numerics::Error;
use lto_numerics::dataset::format::{ArrayStore, Attribute, ElementType, Format, open};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

#[path = "common/shared.rs"]
mod shared;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// The fixtures of a format are what its own tests, and those of hostile files, read.
#[test]
fn every_format_has_a_fixture() {
    let entries = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let folders = entries(&fixture("")).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| entries(&folder));
    let found: Vec<Format> = files.filter_map(|path| Some(open(&path).ok()?.format())).collect();
    for format in Format::ALL {
        assert!(found.contains(&format), "{format:?}");
    }
}

const SHAPE: [usize; 3] = [3, 4, 5];

const FILES: [&str; 11] = [
    "mat5/plain.mat",
    "mat5/compressed.mat",
    "mat5/narrow_little.mat",
    "mat5/narrow_big.mat",
    "npy/little_compressed.npz",
    "npy/big_compressed.npz",
    "npy/stored.npz",
    "npy/zip64.npz",
    "npy/row_major.npy",
    "npy/column_major.npy",
    "npy/version_2.npy",
];

/// Element k of an array of a NumPy kind, as `make_arrays.py` defines it.
fn number(k: usize, kind: &str) -> f64 {
    let value = (7 * k % 19) as f64;
    match kind.as_bytes()[0] {
        b'b' => value % 2.0,
        b'i' => value - 9.0,
        b'f' => value - 9.0 + 0.25,
        _ => value,
    }
}

fn numbers(n: usize, kind: &str) -> Vec<f64> {
    (0..n).map(|k| number(k, kind)).collect()
}

fn whole(store: &mut dyn ArrayStore, array: &str) -> Vec<f64> {
    let info = store.arrays().iter().find(|a| a.name == array).unwrap_or_else(|| panic!("no {array}"));
    let shape = info.shape.clone();
    store.read(array, &vec![0; shape.len()], &shape).unwrap()
}

fn shape<'a>(store: &'a dyn ArrayStore, array: &str) -> &'a [usize] {
    &store.arrays().iter().find(|a| a.name == array).unwrap().shape
}

#[test]
fn matlab_classes_are_read_compressed_and_not() {
    for file in ["mat5/plain.mat", "mat5/compressed.mat"] {
        let mut store = open(&fixture(file)).unwrap();
        assert_eq!(store.format(), Format::Mat5);
        for kind in ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "b1"] {
            let name = format!("k_{kind}");
            assert_eq!(shape(&*store, &name), SHAPE);
            assert_eq!(whole(&mut *store, &name), numbers(60, kind), "{file} {name}");
        }
        assert_eq!(whole(&mut *store, "scalar"), [2.5]);
        assert_eq!(shape(&*store, "row"), [1, 6]);
        assert_eq!(whole(&mut *store, "row"), numbers(6, "f8"));
        assert_eq!(shape(&*store, "empty"), [0, 3]);
        assert!(whole(&mut *store, "empty").is_empty());
        assert_eq!(shape(&*store, "many"), [2, 1, 3, 1, 2]);
        assert_eq!(whole(&mut *store, "many"), numbers(12, "f4"));
    }
}

#[test]
fn doubles_that_matlab_narrowed_are_doubles() {
    for file in ["mat5/narrow_little.mat", "mat5/narrow_big.mat"] {
        let mut store = open(&fixture(file)).unwrap();
        assert_eq!(store.arrays().len(), 14);
        assert!(store.arrays().iter().all(|a| a.element == ElementType::F64));
        for kind in ["i1", "u1", "i2", "u2", "i4", "f4", "f8"] {
            assert_eq!(whole(&mut *store, &format!("array_{kind}")), numbers(60, kind), "{file} {kind}");
            assert_eq!(whole(&mut *store, &format!("one_{kind}")), numbers(1, kind), "{file} {kind}");
        }
    }
}

#[test]
fn what_is_no_real_array_is_listed_and_refused_by_name() {
    let cases = [
        ("mat5/compressed.mat", "complex", "complex numbers"),
        ("mat5/compressed.mat", "text", "text"),
        ("mat5/compressed.mat", "cell", "cell array"),
        ("mat5/compressed.mat", "struct", "structure"),
        ("mat5/plain.mat", "sparse", "sparse matrix"),
        ("npy/little_compressed.npz", "complex", "complex numbers"),
        ("npy/little_compressed.npz", "text", "<U2"),
        ("npy/little_compressed.npz", "structured", "structured array"),
        ("npy/big_compressed.npz", "objects", "re-save with numpy.save(..., allow_pickle=False)"),
        ("npy/objects.npy", "objects", "pickled Python objects"),
    ];
    for (file, array, reason) in cases {
        let mut store = open(&fixture(file)).unwrap();
        let info = store.arrays().iter().find(|a| a.name == array).unwrap().clone();
        assert_eq!(info.element, ElementType::Other);
        let zeros = vec![0; info.shape.len()];
        let error = store.read(array, &zeros, &info.shape).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn numpy_kinds_orders_and_endians_are_read() {
    for file in ["npy/little_compressed.npz", "npy/big_compressed.npz"] {
        let mut store = open(&fixture(file)).unwrap();
        assert_eq!(store.format(), Format::Npz);
        for kind in ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "b1"] {
            for name in [kind.to_string(), format!("fortran_{kind}")] {
                assert_eq!(shape(&*store, &name), SHAPE);
                assert_eq!(whole(&mut *store, &name), numbers(60, kind), "{file} {name}");
            }
        }
        assert_eq!(store.read("zero_d", &[], &[]).unwrap(), [2.5]);
        assert_eq!(shape(&*store, "empty"), [0, 3]);
        assert!(whole(&mut *store, "empty").is_empty());
        assert_eq!(whole(&mut *store, "one_d"), numbers(6, "f8"));
    }
    for file in ["npy/stored.npz", "npy/zip64.npz"] {
        let mut store = open(&fixture(file)).unwrap();
        for (name, kind) in [("f8", "f8"), ("i2", "i2"), ("fortran_f4", "f4")] {
            assert_eq!(whole(&mut *store, name), numbers(60, kind), "{file} {name}");
        }
    }
    for (name, kind) in [("row_major", "f8"), ("column_major", "f4"), ("version_2", "i2")] {
        let mut store = open(&fixture(&format!("npy/{name}.npy"))).unwrap();
        assert_eq!(store.format(), Format::Npy);
        assert_eq!(whole(&mut *store, name), numbers(60, kind), "{name}");
    }
}

#[test]
fn elements_are_listed_as_they_are() {
    let store = open(&fixture("npy/big_compressed.npz")).unwrap();
    let info = |name: &str| store.arrays().iter().find(|a| a.name == name).unwrap();
    assert_eq!(info("f4").element, ElementType::F32);
    assert_eq!(info("i8").element, ElementType::Integer);
    assert_eq!(info("fortran_f8").storage, "float64, column-major, deflate, big-endian");
    let store = open(&fixture("mat5/plain.mat")).unwrap();
    let [(owner, name, Attribute::Texts(texts))] = store.attributes() else { panic!("one text") };
    assert!(owner.is_empty() && name == "header" && texts[0].starts_with("MATLAB 5.0 MAT-file"));
}

/// The slice of a row-major array, the plain way.
fn slice(all: &[f64], shape: &[usize], start: &[usize], count: &[usize]) -> Vec<f64> {
    let n: usize = count.iter().product();
    let position = |mut k: usize| {
        let (mut at, mut step) = (0, 1);
        for d in (0..shape.len()).rev() {
            at += (start[d] + k % count[d]) * step;
            k /= count[d];
            step *= shape[d];
        }
        at
    };
    (0..n).map(|k| all[position(k)]).collect()
}

proptest! {
    /// Slices in any order from one store, so that the decompressor goes back and forth.
    #[test]
    fn random_slices_are_slices_of_the_whole(
        file in 0..FILES.len(),
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<[u32; 10]>()), 1..8),
    ) {
        let mut store = open(&fixture(FILES[file])).unwrap();
        let readable: Vec<_> =
            store.arrays().iter().filter(|a| a.element != ElementType::Other).cloned().collect();
        for (array, random) in picks {
            let info = array.get(&readable);
            let start: Vec<usize> =
                info.shape.iter().zip(random).map(|(&n, r)| r as usize % (n + 1)).collect();
            let count: Vec<usize> = (0..info.shape.len())
                .map(|d| random[9 - d] as usize % (info.shape[d] - start[d] + 1))
                .collect();
            let part = store.read(&info.name, &start, &count).unwrap();
            let all = whole(&mut *store, &info.name);
            prop_assert_eq!(part, slice(&all, &info.shape, &start, &count), "{} {:?}", info.name, count);
        }
    }
}

/// One sample after the other, and blocks of samples, of arrays in both orders: the same as the whole, through
/// all that is kept between reads.
#[test]
fn samples_in_order_are_the_whole() {
    for file in FILES {
        let mut store = open(&fixture(file)).unwrap();
        for info in store.arrays().to_vec() {
            if info.element == ElementType::Other || info.shape.is_empty() {
                continue;
            }
            let all = whole(&mut *store, &info.name);
            let mut count = info.shape.clone();
            for block in [1, 2] {
                let mut samples = Vec::new();
                for i in (0..info.shape[0]).step_by(block) {
                    count[0] = block.min(info.shape[0] - i);
                    let mut start = vec![0; info.shape.len()];
                    start[0] = i;
                    samples.extend(store.read(&info.name, &start, &count).unwrap());
                }
                assert_eq!(samples, all, "{file} {}", info.name);
            }
        }
    }
}

/// A slice that spans many blocks, with gaps that are read through and gaps that are jumped over.
#[test]
fn large_strides_are_gathered_exactly() {
    let shape = [300usize, 70, 50];
    let n: usize = shape.iter().product();
    let folder = tempfile::tempdir().unwrap();
    for fortran in [false, true] {
        let path = folder.path().join("large.npy");
        let order = if fortran { "True" } else { "False" };
        let header = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': (300, 70, 50), }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        // Each element is its own row-major index.
        let indices = (0..n).map(|at| match fortran {
            false => at,
            true => (at % 300 * 70 + at / 300 % 70) * 50 + at / 21_000,
        });
        bytes.extend(indices.flat_map(|k| (k as f64).to_le_bytes()));
        std::fs::write(&path, bytes).unwrap();
        let all: Vec<f64> = (0..n).map(|k| k as f64).collect();
        let mut store = open(&path).unwrap();
        for (start, count) in [
            ([0, 0, 0], shape),
            ([7, 0, 0], [1, 70, 50]),
            ([299, 69, 49], [1, 1, 1]),
            ([0, 3, 7], [300, 1, 1]),
            ([5, 0, 11], [200, 70, 2]),
            ([10, 60, 0], [3, 10, 50]),
        ] {
            let part = store.read("large", &start, &count).unwrap();
            assert_eq!(part, slice(&all, &shape, &start, &count), "{fortran} {start:?} {count:?}");
        }
    }
}

#[test]
fn wrong_questions_are_answered_by_errors() {
    let mut store = open(&fixture("mat5/plain.mat")).unwrap();
    let text = |e: Error| e.to_string();
    assert!(text(store.read("u", &[0], &[1]).unwrap_err()).contains("it has k_i1, k_u1"));
    for (start, count) in
        [(vec![0, 0], vec![1, 1]), (vec![3, 0, 0], vec![1, 1, 1]), (vec![usize::MAX; 3], vec![2; 3])]
    {
        let error = store.read("k_f8", &start, &count).unwrap_err();
        assert!(matches!(error, Error::SliceOutOfBounds { .. }), "{error}");
    }
}

#[test]
fn files_of_other_formats_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(&str, &[u8], &str); 10] = [
        ("a.mat", b"", "empty file"),
        ("a.mat", b"\n<!DOCTYPE html><html>", "HTML"),
        ("a.csv", b"<html><body>404", "HTML"),
        ("a.npz", b"version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"),
        ("a.npz", b"\x1f\x8b\x08\0\0\0", "gunzip"),
        ("a.nc", b"CDF\x01\0\0\0\0", "nccopy"),
        ("a.pt", b"\x80\x02\x8a\x0a", "pickle"),
        ("a.mat", b"\0\0\0\0\x02\0\0\0\x03\0\0\0\0\0\0\0\x02\0\0\0u\0abcdefgh", "MATLAB version 4"),
        ("a.bin", b"\x01\x02\x03", "01 02 03"),
        ("a.csv", b"x,u\n\0\0\0", "unknown format"),
    ];
    for (name, bytes, expected) in cases {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = open(&path).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains(expected) && error.contains("Files that can be read"), "{name}: {error}");
    }
    let missing = open(&folder.path().join("none.mat")).err().unwrap();
    assert!(matches!(missing, Error::Io { .. }));
}

/// Third-party files; numbers from scipy and numpy.
#[test]
fn real_files_hold_what_numpy_sees() {
    let cases = [
        real("burgers_shock.mat", "usol", &[256, 100], &[3, 7], 0.06047446543444653, 1.653432946113753e-11),
        real(
            "burgers_shock.mat",
            "usol",
            &[256, 100],
            &[255, 99],
            1.1238879505933596e-16,
            1.653432946113753e-11,
        ),
        real("burgers_shock.mat", "t", &[100, 1], &[99, 0], 0.99, 49.5),
        real(
            "darcy16_train.npz",
            "sol",
            &[1000, 16, 16],
            &[0, 0, 0],
            1.1645014e-05f32.into(),
            98896.79700605004,
        ),
        real("darcy16_train.npz", "coeff", &[1000, 16, 16], &[0, 0, 0], 1.0, 127858.0),
        real("burgers16_train.npz", "viscosity", &[], &[], 0.01, 0.01),
        real(
            "era5_2t_uk_train.npz",
            "t2m",
            &[576, 33, 49],
            &[0, 0, 0],
            282.4248f32.into(),
            261404294.34228516,
        ),
    ];
    for case in cases {
        let Some(path) = shared::shared(case.file) else { continue };
        let mut store = open(&path).unwrap();
        assert_eq!(shape(&*store, case.array), case.shape, "{}", case.file);
        let value = store.read(case.array, case.index, &vec![1; case.index.len()]).unwrap();
        assert_eq!(value, [case.value], "{} {:?}", case.file, case.index);
        let all = whole(&mut *store, case.array);
        let scale: f64 = all.iter().map(|v| v.abs()).sum();
        assert!((all.iter().sum::<f64>() - case.sum).abs() < 1e-12 * scale, "{} {}", case.file, case.array);
    }
}

/// What numpy says about an array: its shape, its value at an index, its sum.
struct Real {
    file: &'static str,
    array: &'static str,
    shape: &'static [usize],
    index: &'static [usize],
    value: f64,
    sum: f64,
}

fn real(
    file: &'static str,
    array: &'static str,
    shape: &'static [usize],
    index: &'static [usize],
    value: f64,
    sum: f64,
) -> Real {
    Real { file, array, shape, index, value, sum }
}
