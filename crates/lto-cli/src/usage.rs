//! Values of flags that only the library finds wrong: errors of the command line all the same.

use lto_numerics::Error;
use std::fmt;

/// Exit status of a wrong command line, as clap has it.
pub const STATUS: u8 = 2;

/// A flag whose value is not possible.
#[derive(Debug)]
pub struct UsageError(String);

impl UsageError {
    /// The error of a value of a flag, worded as clap words its own.
    pub fn new(flag: &str, value: impl fmt::Display, requirement: impl fmt::Display) -> Self {
        Self(format!("invalid value '{value}' for '--{flag}': {requirement}"))
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// The library's error about a parameter, under the name of its flag; any other as it is.
pub fn with_flag(error: Error) -> anyhow::Error {
    match error {
        Error::Parameter { name, value, requirement } => {
            let requirement = requirement.replace("solve_resolution", "--solve-resolution");
            UsageError::new(&flag(name), value, requirement).into()
        }
        other => other.into(),
    }
}

/// `n_frames` is `--frames`, `t_end` is `--t-end`.
fn flag(parameter: &str) -> String {
    parameter.strip_prefix("n_").unwrap_or(parameter).replace(['_', ' '], "-")
}
