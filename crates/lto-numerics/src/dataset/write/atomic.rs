//! Files that appear under their name complete or not at all.

use crate::error::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Random letters in the name of a file being written.
const LETTERS: usize = 6;

/// A file being written beside its destination, as `.NAME.writing-` and six letters; removed when dropped
/// unfinished. Concurrent writers of one name each have their own file, and the last to finish wins. Files
/// left by killed processes are removed: a live writer holds a lock on its file.
pub struct AtomicFile {
    file: NamedTempFile,
    target: PathBuf,
}

impl AtomicFile {
    /// Starts a file that is to become `target`; an existing file of that name stays until
    /// [`AtomicFile::finish`].
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
        if cfg!(unix) {
            remove_abandoned(folder, &meanwhile).map_err(error)?;
        }
        meanwhile.push("-");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&meanwhile).rand_bytes(LETTERS);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Permissions of any new file, subject to the umask; temporary files default to owner only.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        loop {
            let file = builder.tempfile_in(folder).map_err(error)?;
            // On other systems a lock would exclude a second handle of our own. Without locks, files of
            // killed processes stay.
            if cfg!(unix) {
                let _ = file.as_file().lock();
            }
            // Another writer may have considered it abandoned before it was locked.
            if is_same_file(file.as_file(), file.path()).map_err(error)? {
                return Ok(Self { file, target: target.into() });
            }
        }
    }

    /// Its temporary path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The file itself.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// An operating-system error, reported under the name the user knows.
    pub(super) fn error(&self, source: std::io::Error) -> Error {
        Error::Io { path: self.target.clone(), source }
    }

    /// Makes the contents durable, then renames the file, then makes the name durable.
    ///
    /// # Errors
    /// A failing disk, or the file was removed in the meantime; then it does not appear.
    pub fn finish(self) -> Result<()> {
        let target = self.target;
        let error = |source| Error::Io { path: target.clone(), source };
        if !is_same_file(self.file.as_file(), self.file.path()).map_err(error)? {
            let text = format!("{} was removed while being written", self.file.path().display());
            return Err(error(std::io::Error::new(ErrorKind::NotFound, text)));
        }
        self.file.as_file().sync_all().map_err(error)?;
        self.file.persist(&target).map_err(|e| error(e.error))?;
        // Not every system can open folders; where one can, syncing it makes the new name permanent.
        if cfg!(unix) {
            File::open(folder(&target)).and_then(|folder| folder.sync_all()).map_err(error)?;
        }
        Ok(())
    }
}

/// Removes the unlocked files of killed writers: those named `meanwhile`, optionally followed by a dash and
/// letters.
fn remove_abandoned(folder: &Path, meanwhile: &OsStr) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(rest) = name.as_encoded_bytes().strip_prefix(meanwhile.as_encoded_bytes()) else { continue };
        let letters = |rest: &[u8]| rest.len() == LETTERS && rest.iter().all(u8::is_ascii_alphanumeric);
        if rest.is_empty() || rest.strip_prefix(b"-").is_some_and(letters) {
            // What cannot be opened, locked or removed belongs to someone else, or is already gone.
            if let Ok(file) = File::open(entry.path())
                && file.try_lock().is_ok()
            {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
    Ok(())
}

/// Whether `path` still refers to the open file.
#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(found) => Ok((open.dev(), open.ino()) == (found.dev(), found.ino())),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

/// On other systems an open file cannot be removed.
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

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_process_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("u.npz");
        for left in [".u.npz.writing", ".u.npz.writing-a1B2c3", ".u.npz.writing-mine"] {
            std::fs::write(folder.path().join(left), "half a file").unwrap();
        }
        let mut file = AtomicFile::create(&target).unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        file.file().write_all(b"whole").unwrap();
        file.finish().unwrap();
        assert_eq!(names(folder.path()), [".u.npz.writing-mine", "u.npz"]);
        assert_eq!(std::fs::read(&target).unwrap(), b"whole");
        drop(AtomicFile::create(&target).unwrap());
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_removed_meanwhile_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = AtomicFile::create(&folder.path().join("u.npz")).unwrap();
        std::fs::remove_file(file.path()).unwrap();
        assert!(file.finish().unwrap_err().to_string().contains("was removed while being written"));
    }

    #[test]
    fn writers_of_one_name_each_publish_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("u.npz");
        let first = AtomicFile::create(&target).unwrap();
        let mut second = AtomicFile::create(&target).unwrap();
        second.file().write_all(b"second").unwrap();
        second.finish().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"second");
        first.finish().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"");
        let write = |writer: u8| {
            for _ in 0..50 {
                let mut file = AtomicFile::create(&target).unwrap();
                for _ in 0..8 {
                    file.file().write_all(&[writer; 1000]).unwrap();
                }
                file.finish().unwrap();
                let found = std::fs::read(&target).unwrap();
                assert_eq!(found.len(), 8000);
                assert!(found.iter().all(|&byte| byte == found[0]), "a mixture of two writers");
            }
        };
        std::thread::scope(|scope| {
            for writer in 1..=4 {
                scope.spawn(move || write(writer));
            }
        });
        assert_eq!(names(folder.path()), ["u.npz"]);
    }
}
