//! Time spent in kernels, to measure the time spent around them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The sum over all threads that call kernels; two clock readings cost nothing compared with any kernel.
static NANOSECONDS: AtomicU64 = AtomicU64::new(0);

/// Time spent in kernels since the program started, from call to return, counted once however many threads
/// they use.
pub fn spent() -> Duration {
    Duration::from_nanos(NANOSECONDS.load(Ordering::Relaxed))
}

/// Does the work of a kernel. Not to be nested.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    NANOSECONDS.fetch_add(nanoseconds, Ordering::Relaxed);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_work_is_counted() {
        let (before, start) = (spent(), Instant::now());
        let pause = Duration::from_millis(5);
        timed(|| std::thread::sleep(pause));
        assert!(spent() - before >= pause && start.elapsed() >= pause);
    }
}
