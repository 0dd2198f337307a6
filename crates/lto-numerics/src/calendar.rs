//! Dates of the Gregorian calendar as ISO-8601 writes them.

/// Microseconds of an hour.
pub const MICROS_PER_HOUR: f64 = 3.6e9;

/// `2019-03-01T12:00Z` for hours since 1970; with seconds where there are any.
pub fn show_iso(hours: f64) -> String {
    let micros = (hours * MICROS_PER_HOUR).round() as i64;
    let (days, rest) = (micros.div_euclid(86_400_000_000), micros.rem_euclid(86_400_000_000));
    let (year, month, day) = civil(days);
    let (minutes, micros) = (rest / 60_000_000, rest % 60_000_000);
    let seconds = match micros {
        0 => String::new(),
        _ if micros % 1_000_000 == 0 => format!(":{:02}", micros / 1_000_000),
        _ => format!(":{:09.6}", micros as f64 / 1e6),
    };
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}{seconds}Z", minutes / 60, minutes % 60)
}

/// Microseconds since 1970-01-01T00:00Z of an ISO-8601 time: `2019-03-01`, `2019-03-01T12:00Z`,
/// `2019-03-01 12:00:00.5+01:00`, `20190301T1200Z`. Without a zone it is UTC.
pub fn parse_iso(text: &str) -> Option<i64> {
    let text = text.trim();
    let split = text.find(['T', 't', ' ']);
    let (date, time) = split.map_or((text, ""), |at| (&text[..at], text[at + 1..].trim()));
    let days = days_of(date)?;
    let (time, offset) = zone(time)?;
    Some(days * 86_400_000_000 + micros_of(time)? - offset * 60_000_000)
}

/// Days since 1970 of `2019-03-01`, `2019-3-1` or `20190301`.
fn days_of(date: &str) -> Option<i64> {
    let parts: Vec<&str> = match date.split('-').collect::<Vec<_>>()[..] {
        [compact] if compact.len() == 8 && compact.is_ascii() => {
            vec![&compact[..4], &compact[4..6], &compact[6..]]
        }
        [year, month, day] if year.len() == 4 => vec![year, month, day],
        _ => return None,
    };
    let [year, month, day] = [digits(parts[0])?, digits(parts[1])?, digits(parts[2])?];
    let days = days_from_civil(year, month, day);
    // A day that the month does not have comes back as another date.
    ((1..=12).contains(&month) && civil(days) == (year, month, day)).then_some(days)
}

/// The time of day, and the minutes it is ahead of UTC.
fn zone(time: &str) -> Option<(&str, i64)> {
    let utc = ["Z", "z", "UTC", "GMT"].iter().find_map(|name| time.strip_suffix(name));
    if let Some(time) = utc {
        return Some((time.trim_end(), 0));
    }
    let Some(at) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let sign = if time.as_bytes()[at] == b'-' { -1 } else { 1 };
    let (hours, minutes) = match &time[at + 1..] {
        written if written.contains(':') => written.split_once(':')?,
        written if written.len() == 4 && written.is_ascii() => written.split_at(2),
        written => (written, "0"),
    };
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    (hours <= 14 && minutes < 60).then(|| (time[..at].trim_end(), sign * (hours * 60 + minutes)))
}

/// Microseconds of `12`, `12:30`, `1230`, `12:30:15.25`; none is midnight.
fn micros_of(time: &str) -> Option<i64> {
    if time.is_empty() {
        return Some(0);
    }
    let (whole, fraction) = time.split_once(['.', ',']).unwrap_or((time, ""));
    let parts: Vec<&str> = match whole.contains(':') {
        true => whole.split(':').collect(),
        false if whole.len().is_multiple_of(2) && whole.is_ascii() => {
            (0..whole.len() / 2).map(|i| &whole[2 * i..2 * i + 2]).collect()
        }
        false => return None,
    };
    if parts.len() > 3 || !fraction.is_empty() && parts.len() < 3 {
        return None;
    }
    let part = |i: usize| parts.get(i).map_or(Some(0), |part| digits(part));
    let (hours, minutes, seconds) = (part(0)?, part(1)?, part(2)?);
    let fraction = match fraction {
        "" => 0,
        digits_after if digits_after.bytes().all(|b| b.is_ascii_digit()) => {
            (format!("0.{digits_after}").parse::<f64>().ok()? * 1e6).round() as i64
        }
        _ => return None,
    };
    let valid = hours < 24 && minutes < 60 && seconds <= 60;
    valid.then_some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + fraction)
}

/// A number of one to four digits.
fn digits(text: &str) -> Option<i64> {
    let number = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    number.then(|| text.parse().ok())?
}

/// Days from 1970-01-01 to a date of the Gregorian calendar, with years that begin in March.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01: the inverse of [`days_from_civil`].
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days - era * 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_instant_in_every_spelling() {
        // `date -u -d 2019-03-01T12:30:15Z +%s` gives 1551443415.
        let micros = 1_551_443_415_000_000;
        for text in [
            "2019-03-01T12:30:15Z",
            "2019-03-01 12:30:15",
            "2019-03-01T13:30:15+01:00",
            "2019-03-01T13:30:15.000+0100",
            "2019-03-01 07:30:15 -05",
            "20190301T123015Z",
            "2019-3-1 12:30:15 UTC",
        ] {
            assert_eq!(parse_iso(text), Some(micros), "{text}");
        }
        assert_eq!(parse_iso("2019-03-01T12:30:15.25Z"), Some(micros + 250_000));
        assert_eq!(parse_iso("1970-01-01"), Some(0));
        assert_eq!(parse_iso("1969-12-31T23:00Z"), Some(-3_600_000_000));
        // Days of a leap year, and of a century that is none.
        assert_eq!(parse_iso("2000-03-01").unwrap() - parse_iso("2000-02-28").unwrap(), 2 * 86_400_000_000);
        assert_eq!(parse_iso("1900-03-01").unwrap() - parse_iso("1900-02-28").unwrap(), 86_400_000_000);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "noon",
            "01/03/2019",
            "2019-02-29",
            "2019-13-01",
            "2019-00-01",
            "2019-03-01T25:00",
            "2019-03-01T12:60",
            "2019-03-01T12:00+99:00",
            "2019-03-01Tnoon",
            "19-03-01",
            "2019-03-01T12:00:00.1x",
            "2019-03-0é",
        ] {
            assert_eq!(parse_iso(text), None, "{text}");
        }
    }

    #[test]
    fn hours_come_back_as_dates() {
        for text in ["2019-03-01T12:00Z", "1969-12-31T23:59Z", "2024-02-29T00:00:07Z", "0001-01-01T00:00Z"] {
            assert_eq!(show_iso(parse_iso(text).unwrap() as f64 / MICROS_PER_HOUR), text);
        }
        assert_eq!(show_iso(0.5 / 3600.0), "1970-01-01T00:00:00.500000Z");
    }
}
