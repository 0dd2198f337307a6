//! The processor time of this process.

/// Seconds of processor time so far, over all threads; `None` if the system does not say.
pub fn seconds() -> Option<f64> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work costs processor time, waiting does not.
    #[test]
    fn only_work_counts() {
        let begin = seconds().unwrap();
        let mut sum = 0.0f64;
        while seconds().unwrap() < begin + 0.02 {
            sum += std::hint::black_box(1.0);
        }
        assert!(sum > 0.0 && seconds().unwrap() >= begin + 0.02);
    }
}
