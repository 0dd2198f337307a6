//! Files of results.

use crate::error::{Result, config};
use lto_numerics::dataset::write::{folder_of, write_whole};
use std::path::Path;

/// Writes a file whose name ends in `suffix`, whole or not at all; `what` it is, for messages.
///
/// # Errors
/// Another suffix, or a folder that does not exist or cannot be written.
pub fn write(path: &Path, what: &str, suffix: &str, content: impl FnOnce() -> Result<Vec<u8>>) -> Result<()> {
    if path.extension().is_none_or(|found| !found.eq_ignore_ascii_case(suffix)) {
        return Err(config(format!("{}: {what} is written as .{suffix}", path.display())));
    }
    folder_of(path)?;
    Ok(write_whole(path, &content()?)?)
}
