//! The length that a file claims. A truncated download may keep its whole structure and lose samples at the
//! end, which would read as unwritten values.

use crate::dataset::format::detect::hdf5_signature;
use rust_hdf5::format::superblock::{SuperblockV0V1, SuperblockV2V3, detect_superblock_version};
use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom};
use std::path::Path;

/// Larger than any superblock.
const PROBE: u64 = 1024;

/// The least number of bytes the file should have; `None` if no valid superblock says so.
pub(super) fn stated_length(path: &Path) -> Result<Option<u64>> {
    let mut file = File::open(path)?;
    let Some(at) = hdf5_signature(&mut file)? else { return Ok(None) };
    let mut block = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.take(PROBE).read_to_end(&mut block)?;
    let addresses = match detect_superblock_version(&block) {
        Ok(0 | 1) => SuperblockV0V1::decode(&block).map(|s| (s.base_address, s.end_of_file_address)).ok(),
        Ok(_) => SuperblockV2V3::decode(&block).map(|s| (s.base_address, s.end_of_file_address)).ok(),
        Err(_) => None,
    };
    // The end counts from the start of the file; a block prepended later shifts it.
    Ok(addresses
        .filter(|&(_, end)| end != u64::MAX)
        .map(|(base, end)| end.saturating_add(at.saturating_sub(base))))
}
