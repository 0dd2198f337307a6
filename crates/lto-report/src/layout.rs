//! What certificate and study pages share: places, and the tables of failures and gaps.

use crate::picture::ticks::short;
use crate::text::Rows;
use lto_numerics::theory::Estimator;
use lto_numerics::theory::plan::{Failure, Failures, Gap};

/// A place as text: `(0.25, 0.5)`.
pub(crate) fn place(at: &[f64]) -> String {
    let numbers: Vec<String> = at.iter().map(|&x| short(x)).collect();
    format!("({})", numbers.join(", "))
}

/// The name of an estimate.
pub(crate) fn estimate(estimator: Estimator) -> &'static str {
    match estimator {
        Estimator::NadarayaWatson => "Nadaraya–Watson",
        Estimator::LocalLinear => "local linear",
    }
}

/// Which sensors may fail and which must not: the largest objective without each, its change, the largest
/// rise nearby.
pub(crate) fn failures(found: Option<&Failures>) -> Rows {
    let row = |before: f64, kind: &str, failure: &Failure| {
        // Adding zero turns −0 into 0.
        let growth = 100.0 * (failure.loss.value / before - 1.0) + 0.0;
        let [value, growth, rise] = match failure.loss.value.is_finite() {
            true => [
                short(failure.loss.value),
                format!("{growth:+.1} %"),
                format!("+{}", short(failure.loss.rise)),
            ],
            false => ["no bound", "–", "–"].map(String::from),
        };
        vec![kind.to_string(), failure.sensor.to_string(), place(&failure.at), value, growth, rise]
    };
    let of = |found: &Failures| {
        let least = found.least.iter().map(|failure| row(found.before, "matters least", failure));
        least.chain(found.most.iter().map(|failure| row(found.before, "matters most", failure))).collect()
    };
    Rows {
        columns: &["failure", "sensor", "at", "largest then", "change", "rise nearby"],
        rows: found.map_or_else(Vec::new, of),
    }
}

/// Where one more sensor helps most, one after the other.
pub(crate) fn gaps(found: &[Gap]) -> Rows {
    let row = |(number, gap): (usize, &Gap)| {
        let name = format!("+{}", number + 1);
        vec![name, place(&gap.at), place(&gap.hole), short(gap.value), short(gap.after)]
    };
    Rows {
        columns: &["sensor", "at", "for the worst place", "largest now", "largest then"],
        rows: found.iter().enumerate().map(row).collect(),
    }
}
