//! The one error type of this crate. Variants carry the offending values; the text says what went wrong,
//! where, and what to do about it.

use std::path::{Path, PathBuf};

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong in this crate. User data never panics; it ends here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A domain was asked for with no axis, or more than three.
    #[error("a domain has 1 to 3 axes, not {got}")]
    DomainDimension {
        /// Number of axes given.
        got: usize,
    },
    /// An axis whose bounds are not finite or not increasing.
    #[error("axis {axis}: bounds [{lower}, {upper}] must be finite and increasing")]
    AxisBounds {
        /// Name of the axis.
        axis: String,
        /// Lower bound given.
        lower: f64,
        /// Upper bound given.
        upper: f64,
    },
    /// Two things that must share a dimension do not.
    #[error("{what}: expected {expected}, got {got}")]
    Mismatch {
        /// What was compared.
        what: String,
        /// The value it must have.
        expected: usize,
        /// The value it had.
        got: usize,
    },
    /// Two point sets that must lie in the same domain do not.
    #[error("the context lies in {context} but the query in {query}: give both in the same domain and units")]
    DomainMismatch {
        /// Domain of the context, as text.
        context: String,
        /// Domain of the query, as text.
        query: String,
    },
    /// A point set without points.
    #[error("the set of points is empty")]
    NoPoints,
    /// A coordinate that is NaN or infinite.
    #[error("point {index} has the coordinate {value} on axis {axis}: coordinates must be finite")]
    NonFinitePoint {
        /// Index of the point.
        index: usize,
        /// Name of the axis.
        axis: String,
        /// The offending coordinate.
        value: f64,
    },
    /// A point outside its domain.
    #[error(
        "point {index} lies outside the domain: {axis} = {value} is not in [{lower}, {upper}]; \
         check the units and the order of the coordinates"
    )]
    PointOutsideDomain {
        /// Index of the point.
        index: usize,
        /// Name of the axis on which it is outside.
        axis: String,
        /// The offending coordinate.
        value: f64,
        /// Lower bound of the axis.
        lower: f64,
        /// Upper bound of the axis.
        upper: f64,
    },
    /// Two points in the same place (on a periodic axis both ends are the same place).
    #[error("points {first} and {second} are the same point {coordinates:?}: points must be distinct")]
    DuplicatePoints {
        /// Index of the earlier point.
        first: usize,
        /// Index of the later point.
        second: usize,
        /// Their coordinates.
        coordinates: Vec<f64>,
    },
    /// Grid coordinates that do not increase.
    #[error("grid axis {axis}: coordinates must increase, but entry {index} is {value} after {previous}")]
    UnsortedAxis {
        /// Name of the axis.
        axis: String,
        /// Index of the entry that does not increase.
        index: usize,
        /// That entry.
        value: f64,
        /// The entry before it.
        previous: f64,
    },
    /// Times that do not increase.
    #[error("times must increase, but entry {index} is {value} after {previous}")]
    UnsortedTimes {
        /// Index of the entry that does not increase.
        index: usize,
        /// That entry.
        value: f64,
        /// The entry before it.
        previous: f64,
    },
    /// A value that is NaN or infinite.
    #[error("{what} holds {value} at index {index:?}: values must be finite")]
    NonFiniteValue {
        /// The array.
        what: String,
        /// The index in it.
        index: Vec<usize>,
        /// The offending value.
        value: f64,
    },
    /// A value that the file marks as missing.
    #[error(
        "{what} has no value at index {index:?}: the file marks it as missing (_FillValue, missing_value); fill the gaps \
         first, or leave out the affected data"
    )]
    MissingValue {
        /// The array.
        what: String,
        /// The index in it.
        index: Vec<usize>,
    },
    /// A number of points for which no grid has nearly cubic cells.
    #[error("no grid of exactly {n} points has cells at most twice as long as wide; use {nearest} points")]
    InfeasibleGrid {
        /// Number of points asked for.
        n: usize,
        /// The nearest numbers that work, as text.
        nearest: String,
    },
    /// A parameter outside its range.
    #[error("{name} = {value}: {requirement}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// Its value, as text.
        value: String,
        /// What it must satisfy.
        requirement: &'static str,
    },
    /// States that nothing bounds at a place.
    #[error(
        "the sensors determine no affine function around {at:?}, so that curvature alone bounds nothing there: give the largest \
         absolute value (sup) or slope (gradient) as well, or more sensors"
    )]
    Unbounded {
        /// The place.
        at: Vec<f64>,
    },
    /// More memory than is free.
    #[error("{what} would need {} of memory, but only {} is free: ask for less", gigabytes(*needed), gigabytes(*available))]
    Memory {
        /// What the memory is for.
        what: String,
        /// Least number of bytes needed.
        needed: u64,
        /// Bytes free.
        available: u64,
    },
    /// An option that does not fit the data or the other options.
    #[error("{name} = {value}: {problem}")]
    Unfit {
        /// Name of the option.
        name: &'static str,
        /// Its value, as text.
        value: String,
        /// Why it does not fit, and what would.
        problem: String,
    },
    /// A resampling method that cannot carry fields from one grid to the other.
    #[error("{method} resampling does not apply on axis {axis}: {reason}")]
    Resample {
        /// Name of the method.
        method: &'static str,
        /// Name of the axis.
        axis: String,
        /// Why not.
        reason: String,
    },
    /// A solver whose solution is no longer finite.
    #[error("{solver}: the solution is no longer finite at t = {time}; use a smaller time step")]
    Diverged {
        /// Which solver.
        solver: &'static str,
        /// Time reached.
        time: f64,
    },
    /// An iterative solver that did not reach its tolerance.
    #[error(
        "{solver}: relative residual {residual:e} after {iterations} iterations, above the tolerance {tolerance:e}; \
         the coefficient varies over too many orders of magnitude"
    )]
    NotConverged {
        /// Which solver.
        solver: &'static str,
        /// Iterations made.
        iterations: usize,
        /// Relative residual reached.
        residual: f64,
        /// The tolerance.
        tolerance: f64,
    },
    /// A sample of a generated dataset that cannot be solved.
    #[error("sample {index} of seed {seed} cannot be solved: {problem}")]
    Unsolved {
        /// Index of the sample.
        index: usize,
        /// Seed of the dataset.
        seed: u64,
        /// Why.
        problem: Box<Error>,
    },
    /// A file that may not or cannot be written.
    #[error("{path}: {problem}", path = path.display())]
    Output {
        /// The file or folder.
        path: PathBuf,
        /// Why not, and what to do.
        problem: String,
    },
    /// An operating-system error on a file.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file that is damaged or not what it claims to be.
    #[error("{path}{at}: {problem}", path = path.display(), at = place(.array, .position))]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The array (dataset, variable) inside it, if known.
        array: Option<String>,
        /// Byte offset, if known.
        position: Option<u64>,
        /// What is wrong.
        problem: String,
    },
    /// A valid file with something in it that is not supported.
    #[error("{path}{at}: {problem}", path = path.display(), at = place(.array, &None))]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The array inside it, if known.
        array: Option<String>,
        /// What it is, and what to do instead.
        problem: String,
    },
    /// An array that is not in the file.
    #[error("{path}: no array named {array:?}; it has {present}", path = path.display(), present = present.join(", "))]
    NoSuchArray {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        array: String,
        /// The names in the file.
        present: Vec<String>,
    },
    /// A slice beyond the array.
    #[error("{path}: {array}: slice from {start:?} of {count:?} exceeds the shape {shape:?}", path = path.display())]
    SliceOutOfBounds {
        /// The file.
        path: PathBuf,
        /// The array.
        array: String,
        /// First index along each axis.
        start: Box<[usize]>,
        /// Number of entries along each axis.
        count: Box<[usize]>,
        /// Shape of the array.
        shape: Box<[usize]>,
    },
    /// A problem with the content of an array in a file.
    #[error("{path}{at}: {problem}", path = path.display(), at = place(.array, &None))]
    In {
        /// The file.
        path: PathBuf,
        /// The arrays inside it, if known.
        array: Option<String>,
        /// What is wrong.
        problem: Box<Error>,
    },
    /// A file of points without the required content.
    #[error("{path}: {row}{problem}", path = path.display(), row = row.as_ref().map(|r| format!("{r}: ")).unwrap_or_default())]
    Readings {
        /// The file.
        path: PathBuf,
        /// The row, as a person would find it, if the problem is with one.
        row: Option<String>,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A file whose arrays match no known layout.
    #[error("{path}: {problem}", path = path.display())]
    UnknownLayout {
        /// The file.
        path: PathBuf,
        /// What was found, and how to say what it is.
        problem: String,
    },
}

impl Error {
    /// [`Error::Corrupt`] at no known position.
    pub(crate) fn corrupt(path: &Path, array: Option<&str>, problem: impl Into<String>) -> Self {
        let (path, array) = (path.into(), array.map(Into::into));
        Self::Corrupt { path, array, position: None, problem: problem.into() }
    }

    /// [`Error::Unsupported`].
    pub(crate) fn unsupported(path: &Path, array: Option<&str>, problem: impl Into<String>) -> Self {
        Self::Unsupported { path: path.into(), array: array.map(Into::into), problem: problem.into() }
    }

    pub(crate) fn unfit(name: &'static str, value: impl ToString, problem: impl Into<String>) -> Self {
        Self::Unfit { name, value: value.to_string(), problem: problem.into() }
    }
}

/// `: name at byte 12` for the parts that are known.
fn place(array: &Option<String>, position: &Option<u64>) -> String {
    let array = array.as_ref().map(|a| format!(": {a}")).unwrap_or_default();
    let position = position.map(|p| format!(" at byte {p}")).unwrap_or_default();
    array + &position
}

/// `17.2 GB` for a number of bytes.
fn gigabytes(bytes: u64) -> String {
    match bytes as f64 / 1e9 {
        few if few < 1e6 => format!("{few:.1} GB"),
        many => format!("{many:.1e} GB"),
    }
}
