//! What the CF conventions of NetCDF say about an array through its attributes: packed numbers, missing
//! values, units of time.

use super::{ArrayStore, Attribute, ElementType};
use crate::error::Error;
use serde::Serialize;
use std::fmt;

/// Attributes that list the numbers standing for missing values.
const FILLS: [&str; 2] = ["_FillValue", "missing_value"];

/// Attributes by `(owner, name)`.
type Attributes = [(String, String, Attribute)];

/// The numbers of an attribute; empty if it is absent or a text.
fn numbers<'a>(attributes: &'a Attributes, array: &str, name: &str) -> &'a [f64] {
    let found = attributes.iter().find(|(owner, n, _)| owner == array && n == name);
    match found {
        Some((_, _, Attribute::Numbers(numbers))) => numbers,
        _ => &[],
    }
}

/// The error for a value that must be finite but is not; it says so if the file marks the value as missing.
pub(crate) fn not_finite(store: &dyn ArrayStore, array: &str, index: Vec<usize>, value: f64) -> Error {
    let what = format!("{}: {array}", store.path().display());
    let marked = |name: &&str| !numbers(store.attributes(), array, name).is_empty();
    if value.is_nan() && FILLS.iter().any(marked) {
        return Error::MissingValue { what, index };
    }
    Error::NonFiniteValue { what, index, value }
}

/// How stored numbers become values: `stored · scale + offset`, and NaN for missing ones.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Packing {
    scale: f64,
    offset: f64,
    fills: Vec<f64>,
}

impl Packing {
    /// The packing of an array; `None` if the numbers are the values.
    ///
    /// # Errors
    /// A text that says what is wrong with its attributes.
    pub(super) fn of(
        attributes: &Attributes,
        array: &str,
        element: ElementType,
    ) -> Result<Option<Self>, String> {
        let one = |name: &str, default: f64| match numbers(attributes, array, name) {
            [] => Ok(default),
            [first, rest @ ..] if first.is_finite() && rest.iter().all(|value| value == first) => Ok(*first),
            several => Err(format!("its attribute {name} must be one finite number, but is {several:?}")),
        };
        let (scale, offset) = (one("scale_factor", 1.0)?, one("add_offset", 0.0)?);
        let mut fills: Vec<f64> =
            FILLS.iter().flat_map(|name| numbers(attributes, array, name)).copied().collect();
        if element == ElementType::F32 {
            // The attribute may be in double precision; the matching values never are.
            fills.extend(fills.clone().iter().map(|&fill| f64::from(fill as f32)));
        }
        let plain = scale == 1.0 && offset == 0.0 && fills.is_empty();
        Ok((!plain).then_some(Self { scale, offset, fills }))
    }

    /// Converts stored numbers to values.
    pub(super) fn unpack(&self, values: &mut [f64]) {
        for value in values {
            let missing = self.fills.contains(value);
            *value = if missing { f64::NAN } else { *value * self.scale + self.offset };
        }
    }
}

/// The unit and origin of times: `hours since 2019-03-01 00:00`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimeUnits {
    /// `seconds`, `minutes`, `hours` or `days`.
    pub unit: &'static str,
    /// Time zero, as written in the file.
    pub since: String,
}

impl TimeUnits {
    /// The units in an attribute `units`; `None` unless it has the form `hours since …`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (unit, since) = text.trim().split_once(" since ")?;
        let unit = match unit.trim().to_ascii_lowercase().as_str() {
            "s" | "sec" | "secs" | "second" | "seconds" => "seconds",
            "min" | "mins" | "minute" | "minutes" => "minutes",
            "h" | "hr" | "hrs" | "hour" | "hours" => "hours",
            "d" | "day" | "days" => "days",
            _ => return None,
        };
        let since = since.trim();
        since.starts_with(|c: char| c.is_ascii_digit()).then(|| Self { unit, since: since.into() })
    }

    /// The units of an array of times.
    pub(crate) fn of(attributes: &Attributes, array: &str) -> Option<Self> {
        let found = attributes.iter().find(|(owner, name, _)| owner == array && name == "units");
        match found {
            Some((_, _, Attribute::Texts(texts))) => Self::parse(texts.first()?),
            _ => None,
        }
    }
}

/// `hours since 2019-03-01 00:00`.
impl fmt::Display for TimeUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} since {}", self.unit, self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packing(attributes: &[(&str, &[f64])], element: ElementType) -> Result<Option<Packing>, String> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(name, numbers)| ("u".into(), (*name).into(), Attribute::Numbers(numbers.to_vec())))
            .collect();
        Packing::of(&attributes, "u", element)
    }

    #[test]
    fn packed_numbers_become_values_and_fills_become_nan() {
        let packing = packing(
            &[
                ("scale_factor", &[0.5]),
                ("add_offset", &[273.0]),
                ("_FillValue", &[-32767.0]),
                ("missing_value", &[-1.0, -2.0]),
            ],
            ElementType::Integer,
        );
        let mut values = [0.0, 10.0, -32767.0, -2.0, -3.0];
        packing.unwrap().unwrap().unpack(&mut values);
        assert_eq!((values[0], values[1], values[4]), (273.0, 278.0, 271.5));
        assert!(values[2].is_nan() && values[3].is_nan());
    }

    #[test]
    fn a_fill_in_double_precision_is_found_among_single_precision_values() {
        let packing = packing(&[("_FillValue", &[1e20, 0.1])], ElementType::F32).unwrap().unwrap();
        let mut values = [1e20f32, 0.1, 0.2].map(f64::from);
        packing.unpack(&mut values);
        assert!(values[0].is_nan() && values[1].is_nan() && values[2] == f64::from(0.2f32));
    }

    #[test]
    fn attributes_that_say_nothing_or_too_much() {
        assert_eq!(packing(&[("valid_min", &[3.0])], ElementType::F64), Ok(None));
        assert_eq!(packing(&[("scale_factor", &[1.0]), ("add_offset", &[0.0])], ElementType::F64), Ok(None));
        assert!(packing(&[("scale_factor", &[2.0, 2.0])], ElementType::F64).is_ok());
        for bad in [&[2.0, 3.0][..], &[f64::NAN]] {
            let error = packing(&[("scale_factor", bad)], ElementType::F64).unwrap_err();
            assert!(error.contains("scale_factor must be one finite number"), "{error}");
        }
    }

    #[test]
    fn units_of_time_are_recognized() {
        for (text, unit, since) in [
            ("hours since 2019-03-01 00:00", "hours", "2019-03-01 00:00"),
            ("Days since 1900-01-01", "days", "1900-01-01"),
            ("seconds since 1970-01-01T00:00:00Z", "seconds", "1970-01-01T00:00:00Z"),
            (" minutes  since  2000-1-1 ", "minutes", "2000-1-1"),
        ] {
            let units = TimeUnits::parse(text).unwrap();
            assert_eq!((units.unit, units.since.as_str()), (unit, since));
        }
        assert_eq!(TimeUnits::parse("h since 2019-03-01").unwrap().to_string(), "hours since 2019-03-01");
        for other in ["hours", "hours since launch", "kelvin since 2000", ""] {
            assert_eq!(TimeUnits::parse(other), None, "{other}");
        }
    }
}
