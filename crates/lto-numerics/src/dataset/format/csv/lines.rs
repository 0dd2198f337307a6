//! Lines of a text file with their true numbers, and the fields of a line. Numbers need no more of CSV than
//! this; a field in quotes must end on its line.

use std::fs::File;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result};

/// A longer line belongs to no CSV file.
const LIMIT: u64 = 1 << 20;

/// The lines of a file that are neither empty nor comments.
pub(super) struct Lines {
    reader: BufReader<File>,
    buffer: Vec<u8>,
    number: u64,
}

impl Lines {
    pub fn new(file: File) -> Self {
        Lines { reader: BufReader::with_capacity(1 << 16, file), buffer: Vec::new(), number: 0 }
    }

    /// The next line and its number, counted from 1.
    pub fn next(&mut self) -> Result<Option<(u64, &[u8])>> {
        loop {
            self.buffer.clear();
            let n = self.reader.by_ref().take(LIMIT).read_until(b'\n', &mut self.buffer)?;
            self.number += 1;
            if n as u64 == LIMIT {
                let text = format!("line {} is too long for a CSV file", self.number);
                return Err(Error::new(ErrorKind::InvalidData, text));
            }
            if self.number == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
                self.buffer.drain(..3);
            }
            let line = self.buffer.trim_ascii();
            if n == 0 {
                return Ok(None);
            }
            if !line.is_empty() && !line.starts_with(b"#") {
                break;
            }
        }
        // Only the line end is no content: a tab or a space may delimit an empty field.
        let end = self.buffer.iter().rposition(|b| !matches!(b, b'\n' | b'\r')).map_or(0, |i| i + 1);
        Ok(Some((self.number, &self.buffer[..end])))
    }
}

/// The fields of a line, trimmed, without quotes around them.
pub(super) fn fields(line: &[u8], delimiter: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let mut quoted = false;
        let end = line.iter().position(|&b| {
            quoted ^= b == b'"';
            b == delimiter && !quoted
        });
        let (field, after) = match end {
            Some(end) => (&line[..end], Some(&line[end + 1..])),
            None => (line, None),
        };
        rest = after;
        let field = field.trim_ascii();
        let inner = field.strip_prefix(b"\"").and_then(|f| f.strip_suffix(b"\""));
        Some(inner.map_or(field, <[u8]>::trim_ascii))
    })
}
