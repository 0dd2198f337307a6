//! Numbers and names in words, and texts that are safe to show.

/// Text from a file or a file's name with its control characters made visible: they must not reach a terminal.
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
}
