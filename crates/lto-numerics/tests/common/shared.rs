//! Real files of others, where they are at hand.

use std::path::{Path, PathBuf};

/// A file of the folder `LTO_SHARED_DATA`, else of the one beside the repository; `None`, and a message, where it is absent.
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("LTO_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}
