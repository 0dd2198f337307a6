//! Threads that compute, beside those that talk: a bounded queue and a few workers.

use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// Workers that do one job after the other, each on one thread: with many requests, several threads for one of them only
/// make the others wait.
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    /// Something was put into the queue, or the pool was dropped.
    changed: Condvar,
    capacity: usize,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    closed: bool,
}

impl Pool {
    /// Starts workers; at most `capacity` jobs wait for them.
    ///
    /// # Errors
    /// The system refuses threads.
    pub fn new(name: &str, workers: usize, capacity: usize) -> std::io::Result<Self> {
        let shared = Shared { queue: Mutex::default(), changed: Condvar::new(), capacity };
        let pool = Self { shared: Arc::new(shared) };
        for number in 0..workers.max(1) {
            let shared = pool.shared.clone();
            thread::Builder::new().name(format!("{name} {number}")).spawn(move || shared.work())?;
        }
        Ok(pool)
    }

    /// The result of some work. If the caller stops waiting before it begins, it never does.
    ///
    /// # Errors
    /// Busy if the queue is full; the error of the work; an internal error if it panics.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (done, result) = oneshot::channel();
        let job = move || {
            if done.is_closed() {
                return;
            }
            let panicked = |_| Err(Error::internal("the computation failed; the log says more"));
            let _ = done.send(catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked));
        };
        self.shared.push(Box::new(job))?;
        result.await.unwrap_or_else(|_| Err(Error::stopping()))
    }

    /// Number of jobs that wait.
    pub fn waiting(&self) -> usize {
        self.shared.lock().jobs.len()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, job: Job) -> Result<()> {
        let mut queue = self.lock();
        if queue.jobs.len() >= self.capacity {
            return Err(Error::busy());
        }
        queue.jobs.push_back(job);
        drop(queue);
        self.changed.notify_one();
        Ok(())
    }

    fn work(&self) {
        // Parallel loops of the libraries stay on this thread.
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        if let Err(error) = &alone {
            tracing::warn!(%error, "a worker shares its parallel loops");
        }
        while let Some(job) = self.next() {
            job();
        }
    }

    fn next(&self) -> Option<Job> {
        let mut queue = self.lock();
        loop {
            match queue.jobs.pop_front() {
                Some(job) => return Some(job),
                None if queue.closed => return None,
                None => queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[tokio::test]
    async fn a_full_queue_is_busy_and_a_panic_is_an_error() {
        let pool = Arc::new(Pool::new("test", 1, 1).unwrap());
        assert_eq!(pool.run(|| Ok(rayon::current_num_threads())).await, Ok(1));
        let failed = pool.run::<()>(|| panic!("on purpose")).await.unwrap_err();
        assert_eq!(failed.status(), 500);

        let (go, wait) = mpsc::channel::<()>();
        let (begun, begins) = oneshot::channel();
        let first = tokio::spawn({
            let pool = pool.clone();
            async move {
                let work = move || {
                    let _ = begun.send(());
                    wait.recv().map_err(|_| Error::stopping())
                };
                pool.run(work).await
            }
        });
        begins.await.unwrap();
        let second = tokio::spawn({
            let pool = pool.clone();
            async move { pool.run(|| Ok(2)).await }
        });
        while pool.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(pool.run(|| Ok(3)).await, Err(Error::busy()));
        // Whoever stops waiting is not computed for.
        second.abort();
        assert!(second.await.unwrap_err().is_cancelled());
        let (ran, runs) = mpsc::channel();
        go.send(()).unwrap();
        assert_eq!(first.await.unwrap(), Ok(()));
        assert_eq!(pool.run(move || Ok(ran.send(()).is_ok())).await, Ok(true));
        assert_eq!(runs.try_iter().count(), 1);
    }
}
