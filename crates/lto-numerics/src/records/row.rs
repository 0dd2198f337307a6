//! One row of a record, and its bytes in a temporary file.

use super::catalog::MAX_DIM;

/// One value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Which variable.
    pub variable: usize,
    /// Its value; finite.
    pub value: f64,
    /// Its known noise (a standard deviation); NaN if not given.
    pub deviation: f64,
}

/// What a station reported at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Line of the file, or row of its arrays, counted from 1.
    pub line: u64,
    /// When.
    pub time: f64,
    /// Who.
    pub station: u32,
    /// Where, if not at the place of the station's first report.
    pub moved: Option<[f64; MAX_DIM]>,
    /// What is not missing.
    pub entries: Vec<Entry>,
}

/// Bytes of a row before its place and its entries.
pub(super) const HEAD: usize = 8 + 8 + 4 + 1 + 3;
const ENTRY: usize = 4 + 8 + 8;

impl Row {
    /// Appends the bytes of the row.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.time.to_le_bytes());
        bytes.extend(self.line.to_le_bytes());
        bytes.extend(self.station.to_le_bytes());
        bytes.push(u8::from(self.moved.is_some()));
        bytes.extend(&(self.entries.len() as u32).to_le_bytes()[..3]);
        bytes.extend(self.moved.iter().flatten().flat_map(|x| x.to_le_bytes()));
        for entry in &self.entries {
            bytes.extend((entry.variable as u32).to_le_bytes());
            bytes.extend(entry.value.to_le_bytes());
            bytes.extend(entry.deviation.to_le_bytes());
        }
    }

    /// Bytes that follow the head.
    pub(super) fn tail(head: &[u8]) -> usize {
        let entries = u32::from_le_bytes([head[21], head[22], head[23], 0]) as usize;
        usize::from(head[20]) * MAX_DIM * 8 + entries * ENTRY
    }

    /// Reads a row from all of its bytes, as [`Row::write`] wrote them.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        self.time = f64::from_le_bytes(take(&mut rest));
        self.line = u64::from_le_bytes(take(&mut rest));
        self.station = u32::from_le_bytes(take(&mut rest));
        let [moved] = take(&mut rest);
        let _: [u8; 3] = take(&mut rest);
        self.moved = (moved == 1).then(|| std::array::from_fn(|_| f64::from_le_bytes(take(&mut rest))));
        self.entries.clear();
        while !rest.is_empty() {
            self.entries.push(Entry {
                variable: u32::from_le_bytes(take(&mut rest)) as usize,
                value: f64::from_le_bytes(take(&mut rest)),
                deviation: f64::from_le_bytes(take(&mut rest)),
            });
        }
    }
}

/// The first N of some bytes, which the writer put there.
pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (first, rest) = bytes.split_first_chunk().expect("as many bytes as were written");
    *bytes = rest;
    *first
}
