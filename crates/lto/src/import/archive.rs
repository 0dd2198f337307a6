//! Zip archives as `torch.save` writes them: nothing is compressed.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes of the last record of an archive, and the longest comment that may follow it.
const END: u64 = 22;
const LONGEST_COMMENT: u64 = 65_535;

/// Fixed bytes before the name of an entry: in the directory, and at the entry itself.
const LISTED: usize = 46;
const LOCAL: usize = 30;

/// An archive with the list of its entries.
pub struct Archive {
    file: File,
    length: u64,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    compressed: bool,
    crc: u32,
    size: u32,
    offset: u32,
}

impl Archive {
    /// Reads the list of entries.
    ///
    /// # Errors
    /// What is wrong with the file, in words.
    pub fn open(path: &Path) -> Result<Self, String> {
        let mut file = File::open(path).map_err(|e| e.to_string())?;
        let length = file.metadata().map_err(|e| e.to_string())?.len();
        let tail_begin = length.saturating_sub(END + LONGEST_COMMENT);
        let tail = bytes_at(&mut file, length, tail_begin, length - tail_begin)?;
        let end = tail.windows(4).rposition(|window| window == b"PK\x05\x06").and_then(|at| tail.get(at..));
        let end = end.filter(|end| end.len() as u64 >= END).ok_or(
            "not a whole file of torch.save (files of PyTorch before 1.6 have another form and must be saved again)",
        )?;
        let (count, size, offset) = (u16_at(end, 10), u32_at(end, 12), u32_at(end, 16));
        if count == u16::MAX || offset == u32::MAX {
            return Err("larger than 4 GB, or with too many tensors: such archives are not read".into());
        }
        let directory = bytes_at(&mut file, length, u64::from(offset), u64::from(size))?;
        let mut rest = &directory[..];
        let mut entries = Vec::new();
        for _ in 0..count {
            let damaged = "its list of entries is damaged";
            if rest.len() < LISTED || !rest.starts_with(b"PK\x01\x02") {
                return Err(damaged.into());
            }
            let n_name = usize::from(u16_at(rest, 28));
            let skipped = usize::from(u16_at(rest, 30)) + usize::from(u16_at(rest, 32));
            let name = rest.get(LISTED..LISTED + n_name).ok_or(damaged)?;
            entries.push(Entry {
                name: String::from_utf8_lossy(name).into_owned(),
                compressed: u16_at(rest, 10) != 0 || u32_at(rest, 20) != u32_at(rest, 24),
                crc: u32_at(rest, 16),
                size: u32_at(rest, 24),
                offset: u32_at(rest, 42),
            });
            rest = rest.get(LISTED + n_name + skipped..).ok_or(damaged)?;
        }
        Ok(Self { file, length, entries })
    }

    /// Bytes of the whole file.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Names of all entries.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// An entry, whole and unharmed, of at most `longest` bytes.
    ///
    /// # Errors
    /// One that is not there, compressed, longer, or damaged.
    pub fn read(&mut self, name: &str, longest: u64) -> Result<Vec<u8>, String> {
        let entry = self.entries.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| format!("{name} is missing in it"))?;
        if entry.compressed {
            return Err(format!("{name} is compressed, which torch.save never does"));
        }
        let (offset, size) = (u64::from(entry.offset), u64::from(entry.size));
        if size > longest {
            return Err(format!("{name} has {size} bytes, more than the {longest} expected"));
        }
        let local = bytes_at(&mut self.file, self.length, offset, LOCAL as u64)?;
        if !local.starts_with(b"PK\x03\x04") {
            return Err(format!("{name} is not where it should be"));
        }
        let begin = offset + LOCAL as u64 + u64::from(u16_at(&local, 26)) + u64::from(u16_at(&local, 28));
        let bytes = bytes_at(&mut self.file, self.length, begin, size)?;
        if crc32(&bytes) != entry.crc {
            return Err(format!("{name} is damaged: its checksum differs"));
        }
        Ok(bytes)
    }
}

/// Bytes of a file; none beyond its end are asked for, so that no more memory is taken than the file has bytes.
fn bytes_at(file: &mut File, length: u64, offset: u64, size: u64) -> Result<Vec<u8>, String> {
    if offset.checked_add(size).is_none_or(|end| end > length) {
        return Err("it is cut short, or damaged".into());
    }
    let mut bytes = vec![0; usize::try_from(size).map_err(|e| e.to_string())?];
    file.seek(SeekFrom::Start(offset))
        .and_then(|_| file.read_exact(&mut bytes))
        .map_err(|e| e.to_string())?;
    Ok(bytes)
}

/// Little-endian numbers; the caller has seen that they are there.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

/// The checksum of zip archives: the reflected polynomial 0xEDB88320, a byte at a time.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let (mut value, mut bit) = (i as u32, 0);
            while bit < 8 {
                value = if value & 1 == 1 { value >> 1 ^ 0xEDB8_8320 } else { value >> 1 };
                bit += 1;
            }
            table[i] = value;
            i += 1;
        }
        table
    };
    !bytes.iter().fold(u32::MAX, |crc, byte| crc >> 8 ^ TABLE[((crc ^ u32::from(*byte)) & 255) as usize])
}

#[cfg(test)]
mod tests {
    /// The check value of the standard.
    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(super::crc32(b"123456789"), 0xCBF4_3926);
    }
}
