//! The lines and fields of CSV text, from a file or any stream of bytes.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];
/// No CSV file has longer lines.
const LINE_LIMIT: u64 = 1 << 20;

/// The delimiter of a header line: the most frequent candidate.
pub(crate) fn delimiter(header: &[u8]) -> u8 {
    let count = |d: u8| header.iter().filter(|&&b| b == d).count();
    DELIMITERS.into_iter().rev().max_by_key(|&d| count(d)).unwrap_or(b',')
}

/// Whether a field is one of the usual markers for a missing value.
pub(crate) fn is_missing(field: &[u8]) -> bool {
    field.is_empty() || [b"nan".as_slice(), b"na", b"null"].iter().any(|m| field.eq_ignore_ascii_case(m))
}

/// The finite number in a field, if it is one.
pub(crate) fn finite(field: &[u8]) -> Option<f64> {
    std::str::from_utf8(field).ok()?.parse().ok().filter(|v: &f64| v.is_finite())
}

/// Whether a field looks like a number at all, including infinities and decimal commas.
pub(crate) fn number_like(field: &[u8]) -> bool {
    let text = String::from_utf8_lossy(field).replace(',', ".");
    text.parse::<f64>().is_ok()
}

/// What is wrong with a field that should be a finite number, and where it is.
pub(crate) fn complaint(line: u64, column: &str, field: &[u8], delimiter: u8) -> String {
    let text: String = String::from_utf8_lossy(field).chars().take(40).collect();
    let decimal_comma = delimiter != b',' && number_like(field) && field.contains(&b',');
    let hint = if decimal_comma { "; write a decimal point, not a comma" } else { "" };
    format!("line {line}, column {column}: {text:?} is not a finite number{hint}")
}

/// The lines of a file that are neither empty nor comments.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    buffer: Vec<u8>,
    number: u64,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(bytes: R) -> Self {
        Lines { reader: BufReader::with_capacity(1 << 16, bytes), buffer: Vec::new(), number: 0 }
    }

    /// The next line and its number, counted from 1.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        loop {
            self.buffer.clear();
            let n = self.reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut self.buffer)?;
            self.number += 1;
            if n as u64 == LINE_LIMIT {
                let text = format!("line {} is too long for a CSV file", self.number);
                return Err(io::Error::new(ErrorKind::InvalidData, text));
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
        // Only the line end is stripped: a tab or a space may delimit an empty field.
        let end = self.buffer.iter().rposition(|b| !matches!(b, b'\n' | b'\r')).map_or(0, |i| i + 1);
        Ok(Some((self.number, &self.buffer[..end])))
    }
}

/// The fields of a line, trimmed and unquoted.
pub(crate) fn fields(line: &[u8], delimiter: u8) -> impl Iterator<Item = &[u8]> {
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
