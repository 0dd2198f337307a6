//! Numbers and names in words, and texts that are safe to show.

use lto::problem::Problem;

/// Text from a file, or a file's name, with control characters made visible: they must not reach a terminal.
pub fn visible(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => c.to_string(),
        _ if c.is_control() => c.escape_default().to_string(),
        _ => c.to_string(),
    };
    text.chars().map(shown).collect()
}

/// `1 sample`, `2 samples`.
pub fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// The text with a capital first letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// A number of bytes, to two digits: `1.2 kB`.
pub fn bytes(count: u64) -> String {
    let units = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if count < 1000 {
        return format!("{count} bytes");
    }
    let mut value = count as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = if value < 9.95 { 1 } else { 0 };
    format!("{value:.decimals$} {}", units[unit])
}

/// A time span: `0.2 s`, `42 s`, `3 min`, `2 h 1 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..120 => format!("{whole} s"),
        120..7200 => format!("{} min", whole.div_ceil(60)),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A number for a title: at most four significant digits, without trailing zeros.
pub fn short(value: f64) -> String {
    significant(value, 4)
}

/// At most `n` significant digits, without trailing zeros.
fn significant(value: f64, n: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() || !(1e-3..1e5).contains(&value.abs()) && n <= 4 {
        return format!("{value:.3e}");
    }
    if !(1e-3..1e9).contains(&value.abs()) {
        return format!("{value:.*e}", n - 1);
    }
    let digits = (n as i32 - 1 - value.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// The numbers of a row, with enough digits (at least four) to tell different ones apart; `–` for none.
pub fn apart<const N: usize>(values: [Option<f64>; N]) -> [String; N] {
    let text = |n: usize| values.map(|value| value.map_or("–".into(), |value| significant(value, n)));
    let told = |texts: &[String; N]| {
        // Compared as numbers: one number can be written in two ways.
        let number = |i: usize| texts[i].parse::<f64>().ok();
        let differ = |i: usize, j: usize| values[i] == values[j] || number(i) != number(j);
        (0..N).all(|i| (0..i).all(|j| differ(i, j)))
    };
    (4..17).map(text).find(told).unwrap_or_else(|| text(17))
}

/// The times that a model knows: its trained range and step, or any date and leads so long.
pub fn times(problem: &Problem, interval: Option<f64>) -> Option<String> {
    let [first, last] = problem.times?;
    let step = interval.map_or(String::new(), |step| format!(", step {}", short(step)));
    Some(match &problem.measured.calendar {
        Some(calendar) => format!("any, leads up to {}{step}", short(calendar.longest_lead)),
        None => {
            let [first, last] = apart([Some(first), Some(last)]);
            format!("{first} to {last}{step}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_short() {
        let cases = [(17, "17 bytes"), (1234, "1.2 kB"), (999_900, "1.0 MB"), (8_232_960_000, "8.2 GB")];
        for (count, text) in cases {
            assert_eq!(bytes(count), text);
        }
        for (seconds, text) in [(0.25, "0.2 s"), (42.4, "42 s"), (125.0, "3 min"), (7265.0, "2 h 1 min")] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn control_characters_are_shown_and_one_is_singular() {
        assert_eq!(visible("a\x1b[31mü\nb"), "a\\u{1b}[31mü\nb");
        assert_eq!([count(1, "frame"), count(0, "frame")], ["1 frame", "0 frames"]);
        assert_eq!(capital("élan"), "Élan");
    }

    #[test]
    fn titles_are_short() {
        assert_eq!(short(0.1 + 0.2), "0.3");
        assert_eq!(short(20.0), "20");
        assert_eq!(short(0.016), "0.016");
        assert_eq!(short(1234.56), "1235");
        assert_eq!(short(1.5e-9), "1.500e-9");
        assert_eq!(apart([Some(0.5), None]), ["0.5", "–"]);
        assert_eq!(apart([Some(1e5 - 0.1), Some(1e5 + 0.1)]), ["99999.9", "100000"]);
        assert_eq!(apart([Some(7.0), Some(7.0)]), ["7", "7"]);
    }
}
