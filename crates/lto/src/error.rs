//! The one error type of this crate. Variants carry values.

use std::path::{Path, PathBuf};

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong in this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the numerics below.
    #[error(transparent)]
    Numerics(#[from] lto_numerics::Error),
    /// A configuration value that makes no sense.
    #[error("{key} = {value}: {requirement}")]
    Config {
        /// Which value, as written in the configuration file.
        key: String,
        /// What it was.
        value: String,
        /// What it must satisfy.
        requirement: String,
    },
    /// A context with another number of channels than the model takes.
    #[error("the context has {got} channels per point, the model takes {expected}")]
    ContextChannels {
        /// What the model takes.
        expected: usize,
        /// What was given.
        got: usize,
    },
    /// Observations, queries or times that a model cannot take.
    #[error("{model} cannot do this: {reason}")]
    Unsupported {
        /// The kind of model.
        model: &'static str,
        /// Why not, and what it needs.
        reason: String,
    },
    /// A time that the model was not trained on.
    #[error(
        "t = {time:?}: the model was trained on times from {first} to {last}, and cannot be trusted \
         outside them; use the training data's unit of time, or allow extrapolation (--allow-extrapolation)",
        first = range[0], last = range[1]
    )]
    TimeOutsideRange {
        /// The first time outside.
        time: f64,
        /// First and last time of the training data.
        range: [f64; 2],
    },
    /// Points on another domain than the model's.
    #[error(
        "the {what} lies on the domain {got}, but the model was made for {expected}; convert the coordinates"
    )]
    WrongDomain {
        /// Context or query.
        what: &'static str,
        /// The model's domain.
        expected: String,
        /// The domain of the points.
        got: String,
    },
    /// A device that is not there, or that this build cannot use.
    #[error("device {device}: {problem}")]
    NoDevice {
        /// Its name on the command line.
        device: &'static str,
        /// What was looked for, and what to do.
        problem: String,
    },
    /// A file that cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that is not what it should be.
    #[error("{path}: {problem}")]
    BadFile {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// A configuration that is not TOML, or not of the right form.
    #[error("{problem}")]
    Toml {
        /// What is wrong, with line and column if known.
        problem: String,
    },
    /// A folder that already holds a run.
    #[error("{path} already holds a run: resume it, overwrite it, or give another folder", path = path.display())]
    RunExists {
        /// The folder.
        path: PathBuf,
    },
    /// A folder that another process trains in.
    #[error(
        "{path}: {who} is training there; wait for it, stop it, or give another folder",
        path = path.display(), who = process.map_or("another process".into(), |id| format!("process {id}"))
    )]
    RunInUse {
        /// The folder.
        path: PathBuf,
        /// The id of the process, if known.
        process: Option<u32>,
    },
    /// A loss or gradient that is not finite.
    #[error(
        "training diverged at step {step}: the {what} is {value}. The batch was {examples}. Lower train.learning_rate, set \
         train.gradient_clip, or look at these samples; the last checkpoint is good and can be resumed"
    )]
    Diverged {
        /// The step, counted from 1.
        step: u64,
        /// What is not finite.
        what: String,
        /// What it is.
        value: f64,
        /// Samples and times of the batch.
        examples: String,
    },
    /// Stopped by the observer.
    #[error("stopped before the end")]
    Interrupted,
    /// An error of one of several runs.
    #[error("{run}: {source}")]
    OfRun {
        /// Which run.
        run: String,
        /// What went wrong.
        source: Box<Error>,
    },
    /// There is no further batch.
    #[error("there is no further batch to train on")]
    NoBatch,
}

impl Error {
    /// Adds the file to a system error.
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Error::Io { path: path.into(), source }
    }

    /// Adds the run to an error.
    pub(crate) fn of_run(run: &str) -> impl FnOnce(Self) -> Self + '_ {
        move |source| Error::OfRun { run: run.into(), source: Box::new(source) }
    }

    /// A file that is not what it should be.
    pub(crate) fn bad_file(path: &Path, problem: impl Into<String>) -> Self {
        Error::BadFile { path: path.into(), problem: problem.into() }
    }
}
