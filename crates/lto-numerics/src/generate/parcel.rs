//! Solved samples on their way from one process to another: for each its length in bytes (`u64`, little-endian) and the bytes;
//! for those without any, a length that none has.

const LEFT_OUT: u64 = u64::MAX;
const FAILED: u64 = u64::MAX - 1;

/// What became of a sample.
#[derive(Clone, Debug, PartialEq)]
pub enum Solved {
    /// Its record.
    Done(Vec<u8>),
    /// It was not tried.
    LeftOut,
    /// It has no solution.
    Failed,
}

/// The samples one after the other.
pub fn pack(samples: &[Solved]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for sample in samples {
        let (length, record): (u64, &[u8]) = match sample {
            Solved::Done(record) => (record.len() as u64, record),
            Solved::LeftOut => (LEFT_OUT, &[]),
            Solved::Failed => (FAILED, &[]),
        };
        bytes.extend(length.to_le_bytes());
        bytes.extend(record);
    }
    bytes
}

/// The samples again.
pub fn unpack(mut bytes: &[u8]) -> impl Iterator<Item = Solved> {
    std::iter::from_fn(move || {
        let (length, rest) = bytes.split_first_chunk()?;
        let length = u64::from_le_bytes(*length);
        let (record, rest) = match length {
            LEFT_OUT | FAILED => (&[][..], rest),
            length => rest.split_at_checked(usize::try_from(length).ok()?)?,
        };
        bytes = rest;
        Some(match length {
            LEFT_OUT => Solved::LeftOut,
            FAILED => Solved::Failed,
            _ => Solved::Done(record.to_vec()),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_arrive_as_they_left() {
        let samples =
            [Solved::Done(vec![1, 2, 3]), Solved::LeftOut, Solved::Failed, Solved::Done(Vec::new())];
        assert_eq!(unpack(&pack(&samples)).collect::<Vec<_>>(), samples);
    }
}
