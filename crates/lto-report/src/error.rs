//! The one error type of this crate. Variants carry values.

use std::path::{Path, PathBuf};

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong while results become pictures and pages.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the numerics below.
    #[error(transparent)]
    Numerics(#[from] lto_numerics::Error),
    /// An error of the models below.
    #[error(transparent)]
    Lto(Box<lto::Error>),
    /// A channel the data do not have.
    #[error("there is no channel {wanted}; the channels are {}", .channels.join(", "))]
    NoChannel {
        /// Its name or number.
        wanted: String,
        /// The channels of the data.
        channels: Vec<String>,
    },
    /// A frame the data do not have.
    #[error("there is no frame {frame}: the frames are 0 to {last}")]
    NoFrame {
        /// Its number.
        frame: usize,
        /// The last frame.
        last: usize,
    },
    /// Something that cannot be drawn this way.
    #[error("{0}")]
    NoPicture(String),
    /// A file name with an unknown picture suffix.
    #[error("{path}: a picture file must end in .png, .svg or .gif")]
    PictureSuffix {
        /// The file.
        path: PathBuf,
    },
    /// Pixels that cannot be encoded.
    #[error("the picture cannot be encoded: {0}")]
    Encoding(String),
    /// A text that cannot be written.
    #[error(transparent)]
    Text(#[from] std::fmt::Error),
    /// A file that does not, or cannot, hold what is wanted.
    #[error("{path}: {problem}")]
    BadFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl From<lto::Error> for Error {
    fn from(error: lto::Error) -> Self {
        Error::Lto(Box::new(error))
    }
}

impl Error {
    pub(crate) fn no_picture<T>(reason: impl Into<String>) -> Result<T> {
        Err(Error::NoPicture(reason.into()))
    }

    pub(crate) fn encoding(error: impl std::fmt::Display) -> Self {
        Error::Encoding(error.to_string())
    }

    pub(crate) fn bad_file(path: &Path, problem: impl Into<String>) -> Self {
        Error::BadFile { path: path.into(), problem: problem.into() }
    }
}
