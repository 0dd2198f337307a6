//! Errors of the libraries as Python exceptions, with the text that the program prints.

use pyo3::PyErr;

/// The exceptions of `lto`, which Python defines: they also derive from `ValueError`, `OSError` and `NotImplementedError`.
mod exception {
    pyo3::import_exception!(lto._errors, Error);
    pyo3::import_exception!(lto._errors, ConfigError);
    pyo3::import_exception!(lto._errors, DataError);
    pyo3::import_exception!(lto._errors, FileError);
    pyo3::import_exception!(lto._errors, UnsupportedError);
}

/// `Result` with any error of the libraries, or of Python.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// An error of a library on its way to Python, or one that Python raised itself.
pub enum Failure {
    /// Of the numerics.
    Numerics(lto_numerics::Error),
    /// Of the models.
    Lto(lto::Error),
    /// Of the reports.
    Report(lto_report::Error),
    /// Of Python.
    Python(PyErr),
}

impl From<lto_numerics::Error> for Failure {
    fn from(error: lto_numerics::Error) -> Self {
        Self::Numerics(error)
    }
}

impl From<lto::Error> for Failure {
    fn from(error: lto::Error) -> Self {
        Self::Lto(error)
    }
}

impl From<lto_report::Error> for Failure {
    fn from(error: lto_report::Error) -> Self {
        Self::Report(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Numerics(error) => numerics(&error),
            Failure::Lto(error) => of_models(&error),
            Failure::Report(error) => of_reports(&error),
            Failure::Python(error) => error,
        }
    }
}

/// An argument that is not what it should be; the text names it, its value and the remedy.
pub fn data(text: impl Into<String>) -> Failure {
    Failure::Python(exception::DataError::new_err(text.into()))
}

/// A setting that makes no sense.
pub fn config(text: impl Into<String>) -> Failure {
    Failure::Python(exception::ConfigError::new_err(text.into()))
}

/// Anything else that cannot be done.
pub fn failed(text: impl Into<String>) -> Failure {
    Failure::Python(exception::Error::new_err(text.into()))
}

/// A file that is not there or cannot be written.
pub fn file(text: impl Into<String>) -> Failure {
    Failure::Python(exception::FileError::new_err(text.into()))
}

fn numerics(error: &lto_numerics::Error) -> PyErr {
    use lto_numerics::Error as E;
    let text = error.to_string();
    match error {
        E::Parameter { .. } | E::Unfit { .. } | E::InfeasibleGrid { .. } | E::DomainDimension { .. } => {
            exception::ConfigError::new_err(text)
        }
        E::Io { .. } | E::Output { .. } | E::Corrupt { .. } => exception::FileError::new_err(text),
        E::Unsupported { .. } | E::Resample { .. } => exception::UnsupportedError::new_err(text),
        E::Memory { .. } | E::Diverged { .. } | E::NotConverged { .. } | E::Unsolved { .. } => {
            exception::Error::new_err(text)
        }
        _ => exception::DataError::new_err(text),
    }
}

fn of_models(error: &lto::Error) -> PyErr {
    use lto::Error as E;
    let text = error.to_string();
    match error {
        E::Numerics(below) => numerics(below),
        E::Config { .. } | E::Toml { .. } => exception::ConfigError::new_err(text),
        E::ContextChannels { .. } | E::TimeOutsideRange { .. } | E::WrongDomain { .. } => {
            exception::DataError::new_err(text)
        }
        E::Unsupported { .. } => exception::UnsupportedError::new_err(text),
        E::Io { .. } | E::BadFile { .. } | E::RunExists { .. } | E::RunInUse { .. } => {
            exception::FileError::new_err(text)
        }
        _ => exception::Error::new_err(text),
    }
}

fn of_reports(error: &lto_report::Error) -> PyErr {
    use lto_report::Error as E;
    let text = error.to_string();
    match error {
        E::Numerics(below) => numerics(below),
        E::Lto(below) => of_models(below),
        E::NoChannel { .. } | E::NoFrame { .. } => exception::DataError::new_err(text),
        E::PictureSuffix { .. } | E::BadFile { .. } => exception::FileError::new_err(text),
        E::NoPicture(_) => exception::UnsupportedError::new_err(text),
        _ => exception::Error::new_err(text),
    }
}
