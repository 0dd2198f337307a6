//! Values of flags that only the library can reject: still errors of the command line.

use crate::args::Arguments;
use clap::{Command, CommandFactory};
use lto_numerics::Error;
use std::fmt;

/// Exit status of a wrong command line, the same as clap's.
pub const STATUS: u8 = 2;

/// A flag that is missing, pointless or has an impossible value.
#[derive(Debug)]
pub struct UsageError(String);

impl UsageError {
    /// An impossible value of a flag, worded as clap words its own errors.
    pub fn new(flag: &str, value: impl fmt::Display, requirement: impl fmt::Display) -> Self {
        Self(format!("invalid value '{value}' for '--{flag}': {requirement}"))
    }

    /// A flag that is needed but not given; `what` says what for.
    pub fn missing(flag: &str, what: impl fmt::Display) -> Self {
        Self(format!("'--{flag}' is missing: {what}"))
    }

    /// A flag that has no effect without another.
    pub fn idle(flag: &str, without: &str) -> Self {
        Self(format!("'--{flag}' has no effect without '{without}'"))
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// The library's error about a parameter, under the name of its flag; any other error unchanged.
pub fn with_flag(error: Error) -> anyhow::Error {
    let (name, value, requirement) = match &error {
        Error::Parameter { name, value, requirement } => (name, value, *requirement),
        Error::Unfit { name, value, problem } => (name, value, problem.as_str()),
        _ => return error.into(),
    };
    match flag(name) {
        flag if exists(&flag, &Arguments::command()) => {
            let requirement = requirement.replace("solve_resolution", "--solve-resolution");
            UsageError::new(&flag, value, requirement).into()
        }
        _ => error.into(),
    }
}

/// `n_frames` is `--frames`, `t_end` is `--t-end`; the number of new sensors is just `--n`.
fn flag(parameter: &str) -> String {
    if parameter == "n_new" {
        return "n".into();
    }
    parameter.strip_prefix("n_").unwrap_or(parameter).replace(['_', ' '], "-")
}

/// Whether a command or one of its subcommands has this flag.
fn exists(flag: &str, command: &Command) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some(flag))
        || command.get_subcommands().any(|subcommand| exists(flag, subcommand))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn errors_name_flags_that_exist() {
        let error = |name| {
            let error = Error::Parameter { name, value: "7".into(), requirement: "must be 8" };
            with_flag(error).to_string()
        };
        assert_eq!(error("n_new"), "invalid value '7' for '--n': must be 8");
        assert_eq!(error("sup_bound"), "sup_bound = 7: must be 8");
    }

    /// Messages, help and comments of all crates name only flags that exist.
    #[test]
    fn texts_name_flags_that_exist() {
        let command = Arguments::command();
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..")];
        let mut named = 0;
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() && !path.ends_with("tests") && !path.ends_with("examples") {
                    folders.push(path);
                } else if path.extension().is_some_and(|suffix| suffix == "rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    for flag in flags(&text) {
                        named += 1;
                        let known = flag == "help" || flag == "version" || exists(flag, &command);
                        assert!(known, "{}: --{flag}", path.display());
                    }
                }
            }
        }
        assert!(named > 100, "{named}");
    }

    /// The words that follow two dashes.
    fn flags(text: &str) -> impl Iterator<Item = &str> {
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        text.match_indices("--").filter_map(move |(at, _)| {
            let rest = &text[at + 2..];
            let begins = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-');
            let name = &rest[..rest.find(|c| !word(c)).unwrap_or(rest.len())];
            (begins && name.starts_with(|c: char| c.is_ascii_lowercase())).then_some(name)
        })
    }
}
