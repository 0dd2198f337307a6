//! Reading HDF5 files made by the reference implementation (`fixtures/hdf5/make.py`).

use lto_numerics::Error;
use lto_numerics::dataset::format::{self, ArrayStore, Attribute, ElementType, Format};
use std::path::PathBuf;

#[path = "common/hdf5_fixtures.rs"]
mod fixtures;
use fixtures::{assert_all_slices_equal, expected};

fn open(name: &str) -> Box<dyn ArrayStore> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hdf5").join(name);
    format::open(&path).unwrap()
}

fn storage<'a>(store: &'a dyn ArrayStore, name: &str) -> &'a str {
    &store.arrays().iter().find(|a| a.name == name).unwrap().storage
}

#[test]
fn every_number_type_reads_in_either_byte_order() {
    for file in ["types.hdf5", "types_latest.hdf5"] {
        let mut store = open(file);
        assert_eq!(store.format(), Format::Hdf5);
        assert_eq!(store.arrays().len(), 14);
        assert_all_slices_equal(&mut *store);
        let element = |name: &str| store.arrays().iter().find(|a| a.name == name).unwrap().element;
        assert_eq!(element("be_f4"), ElementType::F32);
        assert_eq!(element("le_f8"), ElementType::F64);
        assert_eq!(element("bool"), ElementType::Integer);
    }
}

#[test]
fn every_storage_reads_in_any_slices() {
    for kind in ["plain", "compressed", "other", "offset"] {
        for suffix in ["", "_latest"] {
            assert_all_slices_equal(&mut *open(&format!("chunked_{kind}{suffix}.hdf5")));
        }
    }
    let store = open("chunked_compressed.hdf5");
    assert_eq!(storage(&*store, "lzf"), "chunked [3, 3, 3], shuffle, lzf");
    assert_eq!(storage(&*store, "gzip"), "chunked [2, 2, 3], gzip");
    assert_eq!(storage(&*open("types.hdf5"), "le_f4"), "contiguous");
}

#[test]
fn attributes_of_file_groups_and_datasets_are_numbers_and_texts() {
    for file in ["attributes.hdf5", "attributes_latest.hdf5"] {
        let store = open(file);
        let get = |owner: &str, name: &str| {
            let found = store.attributes().iter().find(|(o, n, _)| o == owner && n == name);
            found.map(|(_, _, value)| value.clone())
        };
        let numbers = |values: &[f64]| Some(Attribute::Numbers(values.to_vec()));
        let texts = |values: &[&str]| Some(Attribute::Texts(values.iter().map(|v| v.to_string()).collect()));
        assert_eq!(get("", "Nu"), numbers(&[0.001]), "{file}");
        assert_eq!(get("", "count"), numbers(&[-7.0]));
        assert_eq!(get("", "sizes"), numbers(&[1.0, 2.0, 3.0]));
        assert_eq!(get("", "flag"), numbers(&[1.0]));
        assert_eq!(get("", "name"), texts(&["Bürgers"]));
        assert_eq!(get("", "names"), texts(&["density", "", "velocity_x"]));
        assert_eq!(get("", "fixed"), texts(&["fixed text"]));
        assert_eq!(get("", "pair"), None);
        assert_eq!(get("0000", "config"), texts(&["nu: 0.01"]));
        assert_eq!(get("0000", "alpha"), numbers(&[0.5, 0.25]));
        assert_eq!(get("0000/data", "unit"), texts(&["m/s"]));
        let names: Vec<_> = store.arrays().iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["0000/data", "0000/grid/x"]);
    }
    // More attributes and links than fit into an object header.
    let mut store = open("many.hdf5");
    assert_eq!(store.arrays().len(), 9);
    for i in 0..9 {
        let wanted = (String::new(), format!("parameter_{i}"), Attribute::Numbers(vec![i as f64]));
        assert!(store.attributes().contains(&wanted), "{i}");
    }
    assert_all_slices_equal(&mut *store);
}

#[test]
fn scalars_and_empty_datasets_read() {
    let mut store = open("empty.hdf5");
    assert_eq!(store.read("scalar", &[], &[]).unwrap(), [-25.0]);
    assert_eq!(store.read("none", &[0, 1], &[0, 2]).unwrap(), [0.0; 0]);
    assert_eq!(store.read("nothing", &[0], &[0]).unwrap(), [0.0; 0]);
    for name in ["text", "complex"] {
        let info = store.arrays().iter().find(|a| a.name == name).unwrap().clone();
        assert_eq!(info.element, ElementType::Other);
        let zero = vec![0; info.shape.len()];
        assert!(matches!(store.read(name, &zero, &zero), Err(Error::Unsupported { .. })));
    }
    assert!(matches!(store.read("absent", &[0], &[1]), Err(Error::NoSuchArray { .. })));
    assert!(matches!(store.read("none", &[0, 2], &[0, 2]), Err(Error::SliceOutOfBounds { .. })));
}

#[test]
fn matlab_arrays_have_matlabs_shape() {
    let mut store = open("matlab73.mat");
    assert_eq!(store.format(), Format::Mat73);
    let info = |name: &str| store.arrays().iter().find(|a| a.name == name).unwrap().clone();
    assert_eq!(info("u").shape, [6, 5, 4, 3]);
    assert_eq!(info("mask").element, ElementType::Integer);
    assert_eq!(info("params/nu").element, ElementType::F64);
    for name in ["title", "sparse/data", "#refs#/a"] {
        assert_eq!(info(name).element, ElementType::Other, "{name}");
    }
    let file_order = expected("u", &[3, 4, 5, 6]);
    let (start, count) = ([1, 0, 2, 1], [4, 5, 2, 1]);
    let mut wanted = Vec::new();
    for i in start[0]..start[0] + count[0] {
        for j in start[1]..start[1] + count[1] {
            for k in start[2]..start[2] + count[2] {
                for l in start[3]..start[3] + count[3] {
                    wanted.push(file_order[((l * 4 + k) * 5 + j) * 6 + i]);
                }
            }
        }
    }
    assert_eq!(store.read("u", &start, &count).unwrap(), wanted);
}

#[test]
fn cycles_and_links_are_listed_once() {
    let mut store = open("links.hdf5");
    let mut names: Vec<_> = store.arrays().iter().map(|a| a.name.as_str()).collect();
    names.sort();
    assert_eq!(names, ["a/b/data", "alias"]);
    assert_all_slices_equal(&mut *store);
}

#[test]
fn values_in_other_files_are_refused() {
    let mut store = open("elsewhere.hdf5");
    for name in ["virtual", "external"] {
        let error = store.read(name, &[0], &[1]).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains("other files"), "{error}");
    }
}
