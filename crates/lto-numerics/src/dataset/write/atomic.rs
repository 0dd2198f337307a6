//! Files that appear under their name whole or not at all.

use crate::error::{Error, Result};
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file being written beside its final place; removed again when dropped unfinished.
pub(super) struct AtomicFile {
    file: NamedTempFile,
    target: PathBuf,
}

impl AtomicFile {
    /// Starts a file that is to become `target`.
    pub(super) fn create(target: &Path) -> Result<Self> {
        let folder = folder(target);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".writing-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file, less what the umask takes; the default of temporary files is the owner only.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(|source| Error::Io { path: target.into(), source })?;
        Ok(Self { file, target: target.into() })
    }

    /// Where it lies meanwhile.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// The file itself.
    pub(super) fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// An error of the operating system, on the name the user knows.
    pub(super) fn error(&self, source: std::io::Error) -> Error {
        Error::Io { path: self.target.clone(), source }
    }

    /// Makes the contents durable, then gives the file its name, then makes that durable.
    pub(super) fn finish(self) -> Result<()> {
        let target = self.target;
        let error = |source| Error::Io { path: target.clone(), source };
        self.file.as_file().sync_all().map_err(error)?;
        self.file.persist(&target).map_err(|e| error(e.error))?;
        // Folders cannot be opened everywhere; where they can, the new name is in it for good.
        if cfg!(unix) {
            File::open(folder(&target)).and_then(|folder| folder.sync_all()).map_err(error)?;
        }
        Ok(())
    }
}

fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
