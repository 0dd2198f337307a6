//! Threads that compute, beside those that talk: a bounded queue and a few workers.

use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use tokio::sync::oneshot;

/// Jobs that are done together, at most: more of them save little and make the first wait.
const TOGETHER: usize = 8;

/// Work that is done together with other work of its kind, if that waits too.
pub trait Joint: Send + Sized + 'static {
    /// Whether this and another can be done together.
    fn joins(&self, other: &Self) -> bool;

    /// Does them all, at least one.
    fn work(together: Vec<Self>);
}

enum Job<J> {
    Alone(Box<dyn FnOnce() + Send>),
    Together(Vec<J>),
}

/// Workers that do one job after the other, each on one thread: with many requests, several threads for one of them only
/// make the others wait.
pub struct Pool<J> {
    shared: Arc<Shared<J>>,
}

struct Shared<J> {
    queue: Mutex<Queue<J>>,
    /// Something was put into the queue, or the pool was dropped.
    changed: Condvar,
    capacity: usize,
    workers: usize,
}

struct Queue<J> {
    jobs: VecDeque<Job<J>>,
    closed: bool,
}

/// The result of some work; a panic is an error.
///
/// # Errors
/// That of the work; an internal error if it panics.
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let panicked = |_| Err(Error::internal("the computation failed; the log says more"));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)
}

impl<J: Joint> Pool<J> {
    /// Starts workers; at most `capacity` jobs wait for them.
    ///
    /// # Errors
    /// The system refuses threads.
    pub fn new(name: &str, workers: usize, capacity: usize) -> std::io::Result<Self> {
        let workers = workers.max(1);
        let queue = Mutex::new(Queue { jobs: VecDeque::new(), closed: false });
        let pool = Self { shared: Arc::new(Shared { queue, changed: Condvar::new(), capacity, workers }) };
        for number in 0..workers {
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
            let _ = done.send(guarded(work));
        };
        self.shared.push(Job::Alone(Box::new(job)))?;
        result.await.unwrap_or_else(|_| Err(Error::stopping()))
    }

    /// The result of work that may be done together with other work; `make` is given where the result goes.
    ///
    /// # Errors
    /// As [`Pool::run`].
    pub async fn join<T>(&self, make: impl FnOnce(oneshot::Sender<Result<T>>) -> J) -> Result<T> {
        let (told, result) = oneshot::channel();
        self.shared.push(Job::Together(vec![make(told)]))?;
        result.await.unwrap_or_else(|_| Err(Error::stopping()))
    }

    /// Number of jobs that wait.
    pub fn waiting(&self) -> usize {
        self.shared.lock().jobs.len()
    }
}

impl<J> Drop for Pool<J> {
    fn drop(&mut self) {
        self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.shared.changed.notify_all();
    }
}

impl<J: Joint> Shared<J> {
    fn lock(&self) -> MutexGuard<'_, Queue<J>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, job: Job<J>) -> Result<()> {
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
            match job {
                Job::Alone(work) => work(),
                Job::Together(all) => J::work(all),
            }
        }
    }

    fn next(&self) -> Option<Job<J>> {
        let mut queue = self.lock();
        loop {
            match queue.jobs.pop_front() {
                Some(Job::Together(mut all)) => {
                    // What waits is shared with the other workers, who may be free.
                    let share = (queue.jobs.len() + 1).div_ceil(self.workers).min(TOGETHER);
                    let mut place = 0;
                    while place < queue.jobs.len() && all.len() < share {
                        match &queue.jobs[place] {
                            Job::Together(other) if other[0].joins(&all[0]) => {
                                if let Some(Job::Together(other)) = queue.jobs.remove(place) {
                                    all.extend(other);
                                }
                            }
                            _ => place += 1,
                        }
                    }
                    return Some(Job::Together(all));
                }
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

    /// Numbers that are done together if they are equally odd; each is told how many there were.
    struct Number(usize, oneshot::Sender<Result<usize>>);

    impl Joint for Number {
        fn joins(&self, other: &Self) -> bool {
            self.0 % 2 == other.0 % 2
        }

        fn work(together: Vec<Self>) {
            let n = together.len();
            together.into_iter().for_each(|Self(_, told)| told.send(Ok(n)).unwrap());
        }
    }

    #[tokio::test]
    async fn what_waits_together_is_done_together() {
        let pool: Arc<Pool<Number>> = Arc::new(Pool::new("test", 1, 100).unwrap());
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
        let mut rest = Vec::new();
        for number in 0..13 {
            let joined = pool.clone();
            rest.push(tokio::spawn(async move { joined.join(|told| Number(number, told)).await }));
            while pool.waiting() <= number {
                tokio::task::yield_now().await;
            }
        }
        go.send(()).unwrap();
        assert_eq!(first.await.unwrap(), Ok(()));
        // Seven even numbers, then six odd ones.
        for (number, told) in rest.into_iter().enumerate() {
            assert_eq!(told.await.unwrap(), Ok(7 - number % 2), "{number}");
        }
    }

    #[tokio::test]
    async fn a_full_queue_is_busy_and_a_panic_is_an_error() {
        let pool: Arc<Pool<Number>> = Arc::new(Pool::new("test", 1, 1).unwrap());
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
        // The place of the one that was given up is free once a worker has passed it over.
        while pool.waiting() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(pool.run(move || Ok(ran.send(()).is_ok())).await, Ok(true));
        assert_eq!(runs.try_iter().count(), 1);
    }
}
