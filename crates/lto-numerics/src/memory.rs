//! Checks memory before it is allocated: what cannot fit is an error, not a killed process.

use crate::error::{Error, Result};
use std::fs::read_to_string;

/// Assumed if the system does not say.
const UNKNOWN: u64 = 256 << 30;

/// `Ok` if `bytes` fit into the memory that is free now. `what` begins the message: `100000000 points`.
///
/// # Errors
/// [`Error::Memory`], with the bytes needed and the bytes free.
pub fn require(what: &str, bytes: u128) -> Result<()> {
    let available = available();
    if bytes <= u128::from(available) {
        return Ok(());
    }
    let needed = u64::try_from(bytes).unwrap_or(u64::MAX);
    Err(Error::Memory { what: what.into(), needed, available })
}

/// Bytes that may be allocated without swapping: on Linux `MemAvailable`, capped by the limit of the control
/// group (the container's). Elsewhere 256 GiB.
pub fn available() -> u64 {
    let free = read_to_string("/proc/meminfo").ok().and_then(|text| mem_available(&text));
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limit = limits.iter().find_map(|path| read_to_string(path).ok()?.trim().parse().ok());
    free.unwrap_or(UNKNOWN).min(limit.unwrap_or(u64::MAX))
}

/// The line `MemAvailable:   23456 kB`, in bytes.
fn mem_available(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_nowhere_is_refused_with_both_numbers() {
        assert!(require("a page", 4096).is_ok());
        let text = require("99 points", 1 << 80).unwrap_err().to_string();
        assert!(text.starts_with("99 points would need 1.8e10 GB of memory, but only "), "{text}");
        assert!(require("everything", u128::from(available()) * 2).is_err());
    }

    #[test]
    fn the_systems_own_words_are_read() {
        assert_eq!(mem_available("MemTotal: 9 kB\nMemAvailable:   2000 kB\n"), Some(2_048_000));
        assert_eq!(mem_available("MemAvailable: lots"), None);
    }
}
