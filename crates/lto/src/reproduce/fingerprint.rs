//! The contents of a file in a few bytes: tells whether results were made from the same file.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Size and checksum of a file, not its time or place: a copy is as good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    bytes: u64,
    crc32: u32,
}

impl Fingerprint {
    /// Reads the whole file once.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn of(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(Error::io(path))?;
        let (mut checksum, mut bytes, mut piece) = (crc32fast::Hasher::new(), 0, vec![0; 1 << 20]);
        loop {
            match file.read(&mut piece).map_err(Error::io(path))? {
                0 => return Ok(Self { bytes, crc32: checksum.finalize() }),
                n => {
                    checksum.update(&piece[..n]);
                    bytes += n as u64;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_the_same_and_another_byte_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            Fingerprint::of(&path).unwrap()
        };
        let long = vec![7; (1 << 20) + 3];
        let mut other = long.clone();
        other[1 << 20] = 8;
        assert_eq!(of("a", &long), of("b", &long));
        assert_ne!(of("a", &long), of("a", &other));
        // The standard's check value.
        assert_eq!(of("c", b"123456789"), Fingerprint { bytes: 9, crc32: 0xCBF4_3926 });
        assert!(Fingerprint::of(&folder.path().join("none")).unwrap_err().to_string().contains("none"));
    }
}
