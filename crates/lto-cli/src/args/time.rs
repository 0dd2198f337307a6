//! Times on the command line: numbers, dates, or so much later.

use lto_numerics::calendar::parse_iso;

/// A time as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeArg {
    /// A number.
    Number(f64),
    /// A date, in hours since 1970.
    Date(f64),
    /// So much later than the observations.
    Later(f64),
}

/// Parses `0.5`, `2019-03-20T06:00Z` or `+6`.
pub fn time(text: &str) -> Result<TimeArg, String> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    if let Some(later) = text.strip_prefix('+').and_then(number) {
        return Ok(TimeArg::Later(later));
    }
    let date = || parse_iso(text).map(|micros| TimeArg::Date(micros as f64 / 3.6e9));
    let read = number(text).map(TimeArg::Number).or_else(date);
    read.ok_or_else(|| "a time is a number, a date as 2019-03-20T06:00Z, or +6 for later by 6".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_numbers_dates_or_later() {
        assert_eq!(time("-0.5"), Ok(TimeArg::Number(-0.5)));
        assert_eq!(time("1970-01-02T06:30Z"), Ok(TimeArg::Date(30.5)));
        assert_eq!(time("+6"), Ok(TimeArg::Later(6.0)));
        for wrong in ["noon", "", "2019-02-30", "nan", "+x"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
