//! The processes of `mpirun` or `srun`, by MPI.

use super::Ranks;
use ::mpi::Threading;
use ::mpi::collective::SystemOperation;
use ::mpi::datatype::PartitionMut;
use ::mpi::environment::Universe;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::{Communicator, CommunicatorCollectives, Root};

/// All processes of an MPI job. Calls may come from any thread, but only from one at a time.
#[derive(Clone, Copy, Debug)]
pub struct Mpi {
    rank: usize,
    size: usize,
}

/// MPI is at work until this is dropped.
pub struct Session {
    _universe: Universe,
}

/// Ends all processes with an exit status.
pub fn abort(status: i32) -> ! {
    SimpleCommunicator::world().abort(status)
}

impl Mpi {
    /// Joins the other processes; `None` if that was done before.
    pub fn join() -> Option<(Session, Mpi)> {
        let (universe, _) = ::mpi::initialize_with_threading(Threading::Serialized)?;
        let world = universe.world();
        let mpi = Mpi { rank: world.rank() as usize, size: world.size() as usize };
        Some((Session { _universe: universe }, mpi))
    }

    /// Offsets of pieces that lie one after the other. MPI counts in 32 bits: no exchange of ours comes near 2 GiB.
    fn offsets(lengths: &[i32]) -> Vec<i32> {
        lengths.iter().scan(0, |end, length| Some(std::mem::replace(end, *end + length))).collect()
    }

    /// The pieces of a buffer.
    fn pieces(buffer: &[u8], lengths: &[i32], offsets: &[i32]) -> Vec<Vec<u8>> {
        let piece =
            |(&length, &begin): (&i32, &i32)| buffer[begin as usize..(begin + length) as usize].to_vec();
        lengths.iter().zip(offsets).map(piece).collect()
    }

    /// How many bytes each process has to give.
    fn lengths(&self, own: &[u8]) -> Vec<i32> {
        let mut lengths = vec![0; self.size];
        SimpleCommunicator::world().all_gather_into(&(own.len() as i32), &mut lengths[..]);
        lengths
    }
}

impl Ranks for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn exchange(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        let lengths = self.lengths(&bytes);
        let offsets = Self::offsets(&lengths);
        let mut buffer = vec![0; lengths.iter().sum::<i32>() as usize];
        let mut all = PartitionMut::new(&mut buffer[..], &lengths[..], &offsets[..]);
        SimpleCommunicator::world().all_gather_varcount_into(&bytes[..], &mut all);
        Self::pieces(&buffer, &lengths, &offsets)
    }

    fn collect(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        let lengths = self.lengths(&bytes);
        let (world, offsets) = (SimpleCommunicator::world(), Self::offsets(&lengths));
        let first = world.process_at_rank(0);
        if self.rank > 0 {
            first.gather_varcount_into(&bytes[..]);
            return Vec::new();
        }
        let mut buffer = vec![0; lengths.iter().sum::<i32>() as usize];
        let mut all = PartitionMut::new(&mut buffer[..], &lengths[..], &offsets[..]);
        first.gather_varcount_into_root(&bytes[..], &mut all);
        Self::pieces(&buffer, &lengths, &offsets)
    }

    /// One all-reduce. Its order of summation depends on the number of processes only, so equal runs have equal bits.
    fn sum(&self, values: &mut [f32]) {
        let own = values.to_vec();
        SimpleCommunicator::world().all_reduce_into(&own[..], values, SystemOperation::sum());
    }
}
