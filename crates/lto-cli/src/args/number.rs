//! Numbers on the command line; errors say what is expected.

pub use lto_numerics::flags::{finite, whole};

/// A whole number, 1 or more.
pub fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&n| n > 0).ok_or_else(|| "must be a whole number, at least 1".into())
}

/// A whole number; `all` is `usize::MAX`.
pub fn all_or_whole(text: &str) -> Result<usize, String> {
    if text == "all" {
        Ok(usize::MAX)
    } else {
        text.parse().map_err(|_| "must be a whole number or all".into())
    }
}

/// A finite number above 0.
pub fn positive_number(text: &str) -> Result<f64, String> {
    finite(text).ok().filter(|&value| value > 0.0).ok_or_else(|| "must be a number above 0".into())
}
