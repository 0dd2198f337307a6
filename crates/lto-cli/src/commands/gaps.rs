//! Where one more sensor helps most, for people.

use super::layout::place;
use lto_numerics::theory::plan::Gap;
use lto_report::picture::ticks::short;

/// The columns of [`rows`].
pub const COLUMNS: [&str; 5] =
    ["one more", "at", "for the worst place", "largest now", "largest at the places then"];

/// Rows of a table: the number of the sensor, where it goes, what for, and what it changes.
pub fn rows(gaps: &[Gap]) -> Vec<Vec<String>> {
    let row = |(number, gap): (usize, &Gap)| {
        let name = format!("+{}", number + 1);
        vec![name, place(&gap.at), place(&gap.hole), short(gap.value), short(gap.after)]
    };
    gaps.iter().enumerate().map(row).collect()
}
