//! How much memory this process has used.

/// Peak resident memory in MB (2²⁰ bytes); none where the system does not say.
pub fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// Forgets the peak so far, where the system can: what follows has a peak of its own.
pub fn forget_peak() {
    // 5 resets the peak of resident memory (Linux); without it the peak is that of the whole process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
