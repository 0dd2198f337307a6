//! Damaged HDF5 files: an error or some values, but no panic, no absurd allocation, no endless loop.

use lto_numerics::dataset::format::hdf5::Hdf5Store;
use lto_numerics::dataset::format::{ArrayStore, ElementType};
use rust_hdf5::format::checksum::checksum_metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[path = "common/allocation.rs"]
mod allocation;
#[path = "common/mutate.rs"]
mod mutate;

#[global_allocator]
static ALLOCATOR: allocation::Watched = allocation::Watched;

/// Files are at most 14 kB: nothing in them justifies more than the 64 MiB that unwritten parts may claim, read
/// and widened to `f64`.
const MEMORY_LIMIT: usize = 512 << 20;
const TIME_LIMIT: Duration = Duration::from_secs(5);

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hdf5");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|suffix| suffix != "py"));
    files.sort();
    assert!(files.len() > 10);
    files
}

/// Opens a file of these bytes and reads all it lists, whatever comes of it.
fn exercise(bytes: &[u8], path: &Path, what: &str) {
    // Anew each time: overwriting makes some file systems wait for the disk.
    let _ = std::fs::remove_file(path);
    std::fs::write(path, bytes).unwrap();
    let begin = Instant::now();
    if let Ok(mut store) = Hdf5Store::open(path) {
        for info in store.arrays().to_vec() {
            let shape = &info.shape;
            let _ = store.read(&info.name, &vec![0; shape.len()], shape);
            let last: Vec<_> = shape.iter().map(|n| n.saturating_sub(1)).collect();
            let read = store.read(&info.name, &last, &vec![1; shape.len()]);
            if info.element == ElementType::Other {
                assert!(read.is_err(), "{what}: {}", info.name);
            }
        }
    }
    assert!(begin.elapsed() < TIME_LIMIT, "{what}: {:?}", begin.elapsed());
    assert!(allocation::largest() < MEMORY_LIMIT, "{what}: {} bytes", allocation::largest());
}

/// A float of 2^29 + 4 bytes: eight times that overflows 32 bits.
#[test]
fn absurd_float_sizes_are_survived() {
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hdf5/types.hdf5");
    let mut bytes = std::fs::read(path).unwrap();
    // Class 1 version 1, bit field of a little-endian float, size 4.
    let float = [0x11, 0x20, 0x1f, 0, 4, 0, 0, 0];
    let places: Vec<_> = (0..bytes.len() - 8).filter(|&at| bytes[at..at + 8] == float).collect();
    assert_eq!(places.len(), 1);
    bytes[places[0] + 7] = 0x20;
    let path = folder.path().join("float.hdf5");
    std::fs::write(&path, bytes).unwrap();
    let mut store = Hdf5Store::open(&path).unwrap();
    let info = store.arrays().iter().find(|a| a.name == "le_f4").unwrap().clone();
    assert_eq!(info.element, ElementType::Other);
    assert_eq!(store.read("le_f8", &[0, 0], &[1, 2]).unwrap(), [-25.0, -6.5]);
}

/// `growing` (5, 3, 4) may grow to (∞, 3, `most`), in chunks of (2, 2, 3): its index has an entry for each of those chunks.
#[test]
fn an_index_costs_no_more_than_the_file_can_list() {
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hdf5/chunked_plain_latest.hdf5");
    let sound = std::fs::read(path).unwrap();
    let largest: Vec<u8> = [u64::MAX, 3, 4].iter().flat_map(|n| n.to_le_bytes()).collect();
    let places: Vec<_> = (0..sound.len()).filter(|&at| sound[at..].starts_with(&largest)).collect();
    assert_eq!(places.len(), 1);
    // The header around it, which ends in its checksum.
    let start = (0..places[0]).rev().find(|&at| sound[at..].starts_with(b"OHDR")).unwrap();
    let end = (places[0] + 24..sound.len() - 4)
        .find(|&end| sound[end..].starts_with(&checksum_metadata(&sound[start..end]).to_le_bytes()))
        .unwrap();
    for (most, refused) in
        [(4u64, false), (400, false), (4_194_308, true), (1_000_000_000, true), (u64::MAX - 1, true)]
    {
        let mut bytes = sound.clone();
        bytes[places[0] + 16..places[0] + 24].copy_from_slice(&most.to_le_bytes());
        let sum = checksum_metadata(&bytes[start..end]);
        bytes[end..end + 4].copy_from_slice(&sum.to_le_bytes());
        let path = folder.path().join("growing.hdf5");
        std::fs::write(&path, bytes).unwrap();
        let mut store = Hdf5Store::open(&path).unwrap();
        let read = store.read("growing", &[0, 0, 0], &[5, 3, 4]);
        match read {
            Ok(_) => assert!(!refused, "{most}"),
            Err(error) => {
                let text = error.to_string();
                assert!(refused && text.contains("smaller maximum shape"), "{most}: {text}");
            }
        }
        assert!(store.read("plain", &[0, 0, 0], &[5, 3, 4]).is_ok());
        assert!(allocation::largest() < MEMORY_LIMIT, "{most}: {} bytes", allocation::largest());
    }
}

/// Whatever the version of the superblock, and behind MATLAB's banner too.
#[test]
fn files_cut_short_by_a_byte_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.hdf5");
    for fixture in fixtures() {
        let bytes = std::fs::read(&fixture).unwrap();
        let n = bytes.len();
        std::fs::write(&path, &bytes[..n - 1]).unwrap();
        let error = Hdf5Store::open(&path).err().map(|e| e.to_string()).unwrap_or_default();
        let text = format!("truncated: the file is {} bytes, its header says {n}", n - 1);
        assert!(error.contains(&text), "{}: {error}", fixture.display());
    }
}

#[test]
fn truncated_files_are_survived() {
    let folder = tempfile::tempdir().unwrap();
    for fixture in fixtures() {
        let bytes = std::fs::read(&fixture).unwrap();
        for cut in mutate::truncations(&bytes, 23) {
            let what = format!("{} cut to {}", fixture.display(), cut.len());
            exercise(cut, &folder.path().join("cut.hdf5"), &what);
        }
    }
}

#[test]
fn mutated_files_are_survived() {
    // More by hand: LTO_MUTATIONS=20000 LTO_FIRST_SEED=1000000 cargo test --release --test hdf5_hostile
    let setting = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (n, first) = (setting("LTO_MUTATIONS").unwrap_or(300), setting("LTO_FIRST_SEED").unwrap_or(0));
    let folder = tempfile::tempdir().unwrap();
    for fixture in fixtures() {
        let bytes = std::fs::read(&fixture).unwrap();
        for (seed, mutation) in mutate::mutations(&bytes, first, n) {
            let what = format!("{} with seed {seed}", fixture.display());
            exercise(&mutation, &folder.path().join("mutated.hdf5"), &what);
        }
    }
}
