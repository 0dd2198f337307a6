//! Letters as polygons: DejaVu Sans, bundled so that pictures look the same everywhere. `letters/outlines.py` made the
//! table and says how to read it.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Steps of the table per font size.
const STEPS: f64 = 300.0;
/// Shown for characters missing from the table.
const UNKNOWN: char = '□';

/// A closed polygon, in font sizes, y upwards from the baseline.
pub type Contour = Vec<(f64, f64)>;

struct Letter {
    advance: f64,
    contours: Vec<Contour>,
}

static LETTERS: LazyLock<HashMap<char, Letter>> =
    LazyLock::new(|| include_str!("letters/letters.txt").lines().filter_map(Letter::parse).collect());

impl Letter {
    /// A line of the table; comments have no tab.
    fn parse(line: &str) -> Option<(char, Self)> {
        let mut parts = line.split('\t');
        let character = parts.next()?.chars().next()?;
        let steps = |text: &str| Some(text.parse::<f64>().ok()? / STEPS);
        let advance = steps(parts.next()?)?;
        let contour = |text: &str| {
            let mut at = (0.0, 0.0);
            let point = |step: &str| {
                let (x, y) = step.split_once(',')?;
                at = (at.0 + steps(x)?, at.1 + steps(y)?);
                Some(at)
            };
            text.split(' ').map(point).collect()
        };
        Some((character, Self { advance, contours: parts.map(contour).collect::<Option<_>>()? }))
    }
}

/// The letters of a text, each with its starting position.
fn placed(text: &str) -> impl Iterator<Item = (f64, &'static Letter)> {
    let mut end = 0.0;
    text.chars().filter_map(move |character| {
        let character = if character.is_whitespace() { ' ' } else { character };
        let letter = LETTERS.get(&character).or_else(|| LETTERS.get(&UNKNOWN))?;
        end += letter.advance;
        Some((end - letter.advance, letter))
    })
}

/// Width of a text in font sizes.
pub fn width(text: &str) -> f64 {
    placed(text).map(|(_, letter)| letter.advance).sum()
}

/// The outlines of a text that begins at the origin.
pub fn outlines(text: &str) -> impl Iterator<Item = Contour> {
    placed(text).flat_map(|(begin, letter)| {
        letter.contours.iter().map(move |contour| contour.iter().map(|&(x, y)| (begin + x, y)).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table has everything the program writes, and the letters of most European languages.
    #[test]
    fn the_table_has_what_is_written() {
        let written = "AZaz09#!~éßăŽûα→ωΔΣΩ−–×÷·…≤≥±√½¼²³⁻¹₀ℓδνρ∞≈∂∇‖′µ";
        assert_eq!(written.chars().filter(|c| !LETTERS.contains_key(c)).collect::<String>(), "");
        assert!(LETTERS.values().flat_map(|letter| &letter.contours).all(|contour| contour.len() > 2));
    }

    #[test]
    fn digits_are_equally_wide_and_unknown_characters_are_boxes() {
        assert!((width("0123456789") - 10.0 * width("0")).abs() < 1e-12);
        assert!(width("i") < width("m") && width("") == 0.0 && width("a b") > width("ab"));
        assert_eq!(outlines("漢").collect::<Vec<_>>(), outlines("□").collect::<Vec<_>>());
        assert_eq!(outlines(" \n").count(), 0);
    }
}
