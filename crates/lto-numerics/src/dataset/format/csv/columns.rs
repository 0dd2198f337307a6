//! What the columns of a point cloud are, by their names.

/// Names of space axes, in lower case.
const AXES: [&str; 7] = ["x", "y", "z", "lat", "lon", "latitude", "longitude"];
/// Names of the time column, in lower case.
const TIMES: [&str; 2] = ["t", "time"];
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A coordinate.
    Axis,
    /// The time.
    Time,
    /// A value; it may be missing.
    Value,
    /// Text, which is not read.
    Text,
}

/// A column: its name as the file has it, and its role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub name: String,
    pub role: Role,
}

/// The delimiter of a header line: the most frequent candidate.
pub(super) fn delimiter(header: &[u8]) -> u8 {
    let count = |d: u8| header.iter().filter(|&&b| b == d).count();
    DELIMITERS.into_iter().rev().max_by_key(|&d| count(d)).unwrap_or(b',')
}

/// Reads the header; all that is neither axis nor time is a value for now.
///
/// # Errors
/// A text saying what is wrong with it.
pub(super) fn columns<'a>(header: impl Iterator<Item = &'a [u8]>) -> Result<Vec<Column>, String> {
    let names: Vec<String> = header.map(|f| String::from_utf8_lossy(f).into_owned()).collect();
    if names.iter().any(|n| n.parse::<f64>().is_ok()) {
        return Err(format!("the first line {names:?} must name the columns, such as x,y,t,u"));
    }
    for (i, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(format!("column {} has no name in the header {names:?}", i + 1));
        }
        if names[..i].iter().any(|n| n.eq_ignore_ascii_case(name)) {
            return Err(format!("two columns are named {name:?}"));
        }
    }
    let among = |name: &str, list: &[&str]| list.iter().any(|l| l.eq_ignore_ascii_case(name));
    let role = |name: &str| match name {
        _ if among(name, &AXES) => Role::Axis,
        _ if among(name, &TIMES) => Role::Time,
        _ => Role::Value,
    };
    let columns: Vec<Column> = names.iter().map(|n| Column { name: n.clone(), role: role(n) }).collect();
    let count = |role: Role| columns.iter().filter(|c| c.role == role).count();
    match (count(Role::Axis), count(Role::Time)) {
        (1..=3, 0 | 1) => Ok(columns),
        (0, _) => Err(format!("no coordinate among the columns {names:?}; name them {}", AXES.join(", "))),
        (1..=3, _) => Err(format!("both {} are there; a cloud has one time", TIMES.join(" and "))),
        (n, _) => Err(format!("{n} coordinates among {names:?}; a domain has 1 to 3 axes")),
    }
}

/// Is a field one of the usual signs for no value?
pub(super) fn is_missing(field: &[u8]) -> bool {
    field.is_empty() || [b"nan".as_slice(), b"na", b"null"].iter().any(|m| field.eq_ignore_ascii_case(m))
}

/// The finite number in a field, if it is one.
pub(super) fn finite(field: &[u8]) -> Option<f64> {
    std::str::from_utf8(field).ok()?.parse().ok().filter(|v: &f64| v.is_finite())
}
