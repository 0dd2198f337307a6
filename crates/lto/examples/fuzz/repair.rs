//! Checksums made right again after a mutation, so that it gets past them.

use flate2::Crc;
use rust_hdf5::format::checksum::checksum_metadata;
use std::ops::Range;

/// No checksummed block of the inputs is longer.
const LONGEST: usize = 4096;

/// What checksummed blocks of HDF5 begin with.
const SIGNATURES: [&[u8; 4]; 15] = [
    b"\x89HDF", b"OHDR", b"OCHK", b"BTHD", b"BTIN", b"BTLF", b"EADB", b"EAHD", b"EAIB", b"EASB", b"FADB",
    b"FAHD", b"FHDB", b"FHIB", b"FRHP",
];

/// A stretch of a file and where its checksum stands.
pub struct Sum {
    stretch: Range<usize>,
    places: Vec<usize>,
    sum: fn(&[u8]) -> u32,
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    Some(bytes.get(at..at + width)?.iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte)))
}

/// The checksums of a sound file: those of HDF5 blocks, which begin with four letters and end in their checksum, and of
/// stored zip members.
pub fn checksums(bytes: &[u8]) -> Vec<Sum> {
    let block = |start: usize| {
        let letters = bytes[start..].first_chunk::<4>()?;
        if !SIGNATURES.contains(&letters) {
            return None;
        }
        let mut ends = start + 8..(start + LONGEST).min(bytes.len().saturating_sub(3));
        let end = ends.find(|&end| {
            number(bytes, end, 4).is_some_and(|sum| sum == checksum_metadata(&bytes[start..end]) as usize)
        })?;
        Some(Sum { stretch: start..end, places: vec![end], sum: checksum_metadata })
    };
    let member = |entry: usize| {
        let stored = bytes[entry..].starts_with(b"PK\x01\x02") && number(bytes, entry + 10, 2)? == 0;
        let (size, header) = (number(bytes, entry + 20, 4)?, number(bytes, entry + 42, 4)?);
        let data = header + 30 + number(bytes, header + 26, 2)? + number(bytes, header + 28, 2)?;
        let fits = stored && data + size <= bytes.len();
        fits.then(|| Sum { stretch: data..data + size, places: vec![entry + 16, header + 14], sum: crc32 })
    };
    match bytes.get(..2) {
        Some(b"PK") => (0..bytes.len()).filter_map(member).collect(),
        _ if bytes.windows(4).take(1024).any(|w| w == b"\x89HDF") => {
            (0..bytes.len()).filter_map(block).collect()
        }
        _ => Vec::new(),
    }
}

/// Writes the checksums of what now stands in the stretches; in no format do these overlap.
pub fn repair(bytes: &mut [u8], sums: &[Sum]) {
    for sum in sums {
        let value = (sum.sum)(&bytes[sum.stretch.clone()]).to_le_bytes();
        for &at in &sum.places {
            bytes[at..at + 4].copy_from_slice(&value);
        }
    }
}
