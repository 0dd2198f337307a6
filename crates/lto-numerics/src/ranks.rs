//! Several processes on one task, each with its share. Everything that divides its work sees the trait [`Ranks`] only; the
//! processes of a cluster are behind the feature `mpi`.

#[cfg(feature = "mpi")]
pub mod mpi;
mod threads;

pub use threads::Threads;

use crate::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::ops::Range;

/// The processes that work together. All of them must make the same calls in the same order.
pub trait Ranks: Debug + Send + Sync {
    /// Which of them this one is, from 0. The first reads what is read once, writes and reports.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// What each of them gives, in their order, on all of them.
    fn exchange(&self, bytes: Vec<u8>) -> Vec<Vec<u8>>;

    /// What each of them gives, in their order, on the first; nothing on the others.
    fn collect(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        let all = self.exchange(bytes);
        if self.is_first() { all } else { Vec::new() }
    }

    /// Replaces values by their sums over all processes, equal to the last bit on all of them.
    fn sum(&self, values: &mut [f32]) {
        let own = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        values.fill(0.0);
        for bytes in self.exchange(own) {
            for (sum, value) in values.iter_mut().zip(bytes.as_chunks().0) {
                *sum += f32::from_le_bytes(*value);
            }
        }
    }

    /// Whether this is the first.
    fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// Whether this is the only one.
    fn is_alone(&self) -> bool {
        self.size() == 1
    }

    /// This one's share of `n` things: consecutive ones, as many as the others have or one more.
    fn share(&self, n: usize) -> Range<usize> {
        let begin = |rank: usize| rank * n / self.size();
        begin(self.rank())..begin(self.rank() + 1)
    }
}

/// A process on its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Ranks for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn exchange(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        vec![bytes]
    }

    fn sum(&self, _values: &mut [f32]) {}
}

/// What the first process makes, on all of them. If it cannot be made there, only the first knows: it must end the others.
///
/// # Errors
/// Those of `make`.
pub fn from_first<T: Serialize + DeserializeOwned, E: From<Error>>(
    ranks: &dyn Ranks,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    if ranks.is_alone() {
        return make();
    }
    let told = if ranks.is_first() { encode(&make()?)? } else { Vec::new() };
    Ok(decode(&ranks.exchange(told)[0])?)
}

/// The results of `n` independent pieces of work, dealt out in turn, in their order and on all processes.
///
/// # Errors
/// Those of `work`, on the process that had it: it must end the others.
pub fn dealt<T: Serialize + DeserializeOwned, E: From<Error>>(
    ranks: &dyn Ranks,
    n: usize,
    mut work: impl FnMut(usize) -> Result<T, E>,
) -> Result<Vec<T>, E> {
    if ranks.is_alone() {
        return (0..n).map(work).collect();
    }
    let own = (ranks.rank()..n).step_by(ranks.size()).map(&mut work).collect::<Result<Vec<T>, E>>()?;
    let all = ranks.exchange(encode(&own)?);
    let mut all =
        all.iter().map(|bytes| Ok(decode::<Vec<T>>(bytes)?.into_iter())).collect::<Result<Vec<_>>>()?;
    Ok((0..n).filter_map(|i| all[i % ranks.size()].next()).collect())
}

/// CBOR: numbers arrive as they were, also those that are not finite.
fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).map_err(|error| unreadable(&error))?;
    Ok(bytes)
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    ciborium::from_reader(bytes).map_err(|error| unreadable(&error))
}

/// Only if processes of different versions work together.
fn unreadable(error: &dyn std::error::Error) -> Error {
    Error::Parameter {
        name: "processes",
        value: error.to_string(),
        requirement: "must all run the same version of the program",
    }
}

/// The number of processes that a launcher (`mpirun`, `srun`) started this one with; 1 without any.
pub fn launched() -> usize {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let by_slurm = || number("SLURM_NTASKS").filter(|_| std::env::var_os("PMIX_RANK").is_some());
    number("OMPI_COMM_WORLD_SIZE").or_else(|| number("PMI_SIZE")).or_else(by_slurm).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_everything_once() {
        for (size, n) in [(1, 5), (2, 5), (3, 3), (4, 2), (7, 100)] {
            let shares = Threads::run(size, |ranks| ranks.share(n));
            assert_eq!(shares.iter().flat_map(Clone::clone).collect::<Vec<_>>(), (0..n).collect::<Vec<_>>());
            assert!(shares.iter().all(|share| (n / size..=n.div_ceil(size)).contains(&share.len())));
        }
    }

    #[test]
    fn dealt_work_comes_back_in_order_on_all() {
        let work = |i: usize| Ok::<_, Error>((i, (i as f64).sqrt()));
        let expected = dealt(&Alone, 11, work).unwrap();
        for size in [1, 2, 3, 16] {
            for found in Threads::run(size, |ranks| dealt(ranks, 11, work).unwrap()) {
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn the_first_tells_and_sums_are_equal_everywhere() {
        let told = Threads::run(3, |ranks| {
            let made = || Ok::<_, Error>(0.1 + ranks.rank() as f64);
            let mut values = [1.0, 0.1 * ranks.rank() as f32];
            ranks.sum(&mut values);
            (from_first(ranks, made).unwrap(), values, ranks.collect(vec![ranks.rank() as u8]))
        });
        for (rank, (first, sums, collected)) in told.into_iter().enumerate() {
            assert_eq!((first, sums), (0.1, [3.0, 0.1 + 0.2]));
            assert_eq!(collected, if rank == 0 { vec![vec![0], vec![1], vec![2]] } else { Vec::new() });
        }
    }
}
