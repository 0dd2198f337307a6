//! Zip archives of arbitrary content: whole members by name, verified against their checksums.

use super::strided::{Extent, file_error, read_at};
use super::zip;
use crate::error::{Error, Result};
use flate2::Crc;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// An archive and the list of its members, ZIP64 included.
pub struct Archive {
    path: PathBuf,
    file: File,
    names: Vec<String>,
    /// Where each member is, or why it cannot be read.
    extents: HashMap<String, Result<Extent, String>>,
}

impl Archive {
    /// Reads the list of members.
    ///
    /// # Errors
    /// A file that cannot be read, is damaged, or is not a zip archive.
    pub fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(|source| file_error(path, None, source))?;
        let members = zip::members(&mut file).map_err(|problem| Error::corrupt(path, None, problem))?;
        let names = members.iter().map(|member| member.name.clone()).collect();
        let extents = members.into_iter().map(|member| (member.name, member.extent)).collect();
        Ok(Self { path: path.into(), file, names, extents })
    }

    /// Names of all members, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// A stored (uncompressed) member of at most `most` bytes. Claimed sizes are checked against the file.
    ///
    /// # Errors
    /// A member that is missing, longer, compressed or damaged.
    pub fn read(&mut self, name: &str, most: u64) -> Result<Vec<u8>> {
        let refuse = |problem: String| Error::corrupt(&self.path, Some(name), problem);
        let extent = match self.extents.get(name) {
            None => return Err(refuse("is missing from the archive".into())),
            Some(Err(why)) => return Err(refuse(why.clone())),
            Some(Ok(extent)) => *extent,
        };
        let Extent { offset, len, stored_crc32: Some(expected), .. } = extent else {
            return Err(refuse("is compressed; it must be stored uncompressed".into()));
        };
        if len > most {
            return Err(refuse(format!("has {len} bytes, more than the {most} expected")));
        }
        let mut bytes = vec![0; usize::try_from(len).map_err(|e| refuse(e.to_string()))?];
        read_at(&mut self.file, offset, &mut bytes).map_err(|e| refuse(e.to_string()))?;
        let mut crc = Crc::new();
        crc.update(&bytes);
        if crc.sum() != expected {
            return Err(refuse("is damaged: its checksum does not match its bytes".into()));
        }
        Ok(bytes)
    }
}
