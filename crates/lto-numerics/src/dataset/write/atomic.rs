//! Files that appear under their name whole or not at all.

use crate::error::{Error, Result};
use std::ffi::OsString;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file being written beside its final place, as `.NAME.writing`; removed again when dropped unfinished. What a killed
/// process left under that name is replaced.
pub struct AtomicFile {
    file: NamedTempFile,
    target: PathBuf,
}

impl AtomicFile {
    /// Starts a file that is to become `target`; a file of that name stays until [`AtomicFile::finish`].
    ///
    /// # Errors
    /// A name without a last part, or a folder that cannot be written.
    pub fn create(target: &Path) -> Result<Self> {
        let folder = folder(target);
        let error = |source| Error::Io { path: target.into(), source };
        let name = target.file_name().ok_or_else(|| error(ErrorKind::InvalidFilename.into()))?;
        let mut meanwhile = OsString::from(".");
        meanwhile.push(name);
        meanwhile.push(".writing");
        match std::fs::remove_file(folder.join(&meanwhile)) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(error(e)),
            _ => {}
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(&meanwhile).rand_bytes(0);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file, less what the umask takes; the default of temporary files is the owner only.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(error)?;
        Ok(Self { file, target: target.into() })
    }

    /// Where it lies meanwhile.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The file itself.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// An error of the operating system, on the name the user knows.
    pub(super) fn error(&self, source: std::io::Error) -> Error {
        Error::Io { path: self.target.clone(), source }
    }

    /// Makes the contents durable, then gives the file its name, then makes that durable.
    ///
    /// # Errors
    /// A failing disk, or another process that writes a file of the same name; the file does not appear then.
    pub fn finish(self) -> Result<()> {
        let target = self.target;
        let error = |source| Error::Io { path: target.clone(), source };
        if !is_same_file(self.file.as_file(), self.file.path()).map_err(error)? {
            // What lies there is not ours to remove.
            let _ = self.file.keep();
            return Err(error(std::io::Error::other("another process is writing a file of this name")));
        }
        self.file.as_file().sync_all().map_err(error)?;
        self.file.persist(&target).map_err(|e| error(e.error))?;
        // Folders cannot be opened everywhere; where they can, the new name is in it for good.
        if cfg!(unix) {
            File::open(folder(&target)).and_then(|folder| folder.sync_all()).map_err(error)?;
        }
        Ok(())
    }
}

/// Whether `path` still leads to the open file, and not to one that another process put there.
#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (open, found) = (file.metadata()?, std::fs::metadata(path)?);
    Ok((open.dev(), open.ino()) == (found.dev(), found.ino()))
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_same_file(_: &File, _: &Path) -> std::io::Result<bool> {
    Ok(true)
}

fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_a_killed_process_left_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("u.npz");
        let names = || {
            let entries = std::fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        std::fs::write(folder.path().join(".u.npz.writing"), "half a file").unwrap();
        let mut file = AtomicFile::create(&target).unwrap();
        assert_eq!(names(), [".u.npz.writing"]);
        file.file().write_all(b"whole").unwrap();
        file.finish().unwrap();
        assert_eq!(names(), ["u.npz"]);
        assert_eq!(std::fs::read(&target).unwrap(), b"whole");
        drop(AtomicFile::create(&target).unwrap());
        assert_eq!(names(), ["u.npz"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_second_writer_of_the_same_name_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("u.npz");
        let first = AtomicFile::create(&target).unwrap();
        let mut second = AtomicFile::create(&target).unwrap();
        second.file().write_all(b"second").unwrap();
        assert!(first.finish().unwrap_err().to_string().contains("another process"));
        second.finish().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"second");
    }
}
