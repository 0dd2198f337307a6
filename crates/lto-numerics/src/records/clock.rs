//! Times as people write them: ISO-8601 with a zone or an offset, or numbers with a unit.

use crate::calendar::{MICROS_PER_HOUR, parse_iso, show_iso};
use crate::dataset::format::TimeUnits;

/// How the times of a record are read.
#[derive(Clone, Debug, PartialEq)]
pub enum Clock {
    /// Dates; times are hours since 1970-01-01T00:00Z. Numbers count `micros` microseconds each from `origin`.
    Calendar {
        /// Microseconds of one unit, and the microseconds from 1970 to its zero; `None` where times are ISO-8601.
        numbers: Option<(f64, i64)>,
    },
    /// The file's own numbers, in a unit that may not be known.
    Plain {
        /// Such as `s`; empty if not known.
        unit: String,
    },
}

impl Clock {
    /// The clock of numbers in a unit: `hours since 2019-03-01` has a calendar, `s` has none.
    pub fn of_unit(unit: &str) -> Self {
        let dated = TimeUnits::parse(unit).and_then(|units| {
            let micros = match units.unit {
                "seconds" => 1e6,
                "minutes" => 6e7,
                "hours" => MICROS_PER_HOUR,
                _ => 24.0 * MICROS_PER_HOUR,
            };
            Some((micros, parse_iso(&units.since)?))
        });
        match dated {
            Some(numbers) => Self::Calendar { numbers: Some(numbers) },
            None => Self::Plain { unit: unit.trim().into() },
        }
    }

    /// The time of a number.
    pub fn of_number(&self, number: f64) -> f64 {
        match self {
            Self::Calendar { numbers: Some((micros, origin)) } => {
                // Whole microseconds, so that equal times are equal numbers in whatever unit they are written.
                ((number * micros).round() + *origin as f64) / MICROS_PER_HOUR
            }
            _ => number,
        }
    }

    /// The time in a field; `None` if it is none.
    pub fn parse(&self, text: &str) -> Option<f64> {
        match self {
            Self::Calendar { numbers: None } => Some(parse_iso(text)? as f64 / MICROS_PER_HOUR),
            _ => text.parse().ok().filter(|v: &f64| v.is_finite()).map(|number| self.of_number(number)),
        }
    }

    /// Whether times are dates.
    pub fn has_calendar(&self) -> bool {
        matches!(self, Self::Calendar { .. })
    }

    /// The unit of times: `hours` since 1970 with a calendar.
    pub fn unit(&self) -> &str {
        match self {
            Self::Calendar { .. } => "hours",
            Self::Plain { unit } => unit,
        }
    }

    /// A time as a person reads it: `2019-03-01T12:00Z`, or the number with its unit.
    pub fn show(&self, time: f64) -> String {
        match self {
            Self::Calendar { .. } => show_iso(time),
            Self::Plain { unit } => format!("{time} {unit}").trim_end().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_an_origin_are_the_same_hours() {
        let iso = Clock::Calendar { numbers: None };
        let wanted = iso.parse("2019-03-02T06:20Z").unwrap();
        for (unit, number) in [
            ("hours since 2019-03-02T06:00Z", "0.33333333333333333"),
            ("minutes since 2019-03-01 00:00", "1820"),
            ("days since 2019-03-02", "0.2638888888888889"),
            ("seconds since 1970-01-01", "1551507600"),
        ] {
            assert_eq!(Clock::of_unit(unit).parse(number), Some(wanted), "{unit}");
        }
        let plain = Clock::of_unit("s");
        assert_eq!((plain.parse("0.25"), plain.has_calendar(), plain.unit()), (Some(0.25), false, "s"));
        assert_eq!((plain.parse("inf"), plain.show(0.5)), (None, "0.5 s".into()));
        assert_eq!(Clock::of_unit("hours since launch"), Clock::Plain { unit: "hours since launch".into() });
    }
}
