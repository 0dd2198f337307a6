//! The length that a file claims. A truncated download may keep its whole structure and lose samples at the
//! end, which would read as unwritten values.

use rust_hdf5::format::superblock::{SuperblockV0V1, SuperblockV2V3, detect_superblock_version};
use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom};
use std::path::Path;

const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
/// Larger than any superblock.
const PROBE: u64 = 1024;

/// Where HDF5 begins in a file, possibly after a user block: at 0, 512, 1024, 2048, …
pub(super) fn signature(file: &mut File) -> Result<Option<u64>> {
    let len = file.metadata()?.len();
    let mut at = 0;
    while at < len {
        let mut found = Vec::new();
        file.seek(SeekFrom::Start(at))?;
        file.by_ref().take(8).read_to_end(&mut found)?;
        if found == SIGNATURE {
            return Ok(Some(at));
        }
        at = (2 * at).max(512);
    }
    Ok(None)
}

/// The least number of bytes the file should have; `None` if no valid superblock says so.
pub(super) fn stated_length(path: &Path) -> Result<Option<u64>> {
    let mut file = File::open(path)?;
    let Some(at) = signature(&mut file)? else { return Ok(None) };
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
