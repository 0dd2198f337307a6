//! Threads of this process in place of processes: what several ranks do can be tried and tested without a cluster.

use super::Ranks;
use std::sync::{Arc, Barrier, Mutex, PoisonError};

/// One of several threads that work together.
#[derive(Clone, Debug)]
pub struct Threads {
    rank: usize,
    common: Arc<Common>,
}

#[derive(Debug)]
struct Common {
    given: Mutex<Vec<Vec<u8>>>,
    barrier: Barrier,
}

impl Threads {
    /// Runs `work` on each of `size` threads, and returns what they return, in order.
    ///
    /// # Panics
    /// If one of them panics before all wait for each other.
    pub fn run<T: Send>(size: usize, work: impl Fn(&Threads) -> T + Sync) -> Vec<T> {
        let given = Mutex::new(vec![Vec::new(); size]);
        let common = Arc::new(Common { given, barrier: Barrier::new(size) });
        std::thread::scope(|scope| {
            let start = |rank| {
                let (ranks, work) = (Threads { rank, common: common.clone() }, &work);
                scope.spawn(move || work(&ranks))
            };
            let threads: Vec<_> = (0..size).map(start).collect();
            let end = |thread: std::thread::ScopedJoinHandle<T>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(end).collect()
        })
    }
}

impl Ranks for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.common.given.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn exchange(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        let given = || self.common.given.lock().unwrap_or_else(PoisonError::into_inner);
        given()[self.rank] = bytes;
        self.common.barrier.wait();
        let all = given().clone();
        // Nobody gives anything new before all have taken.
        self.common.barrier.wait();
        all
    }
}
