//! Which of several models is best, if that can be said.

use super::evaluation::Evaluation;
use super::statistics::ErrorStatistics;

/// With fewer samples, bootstrap intervals are too narrow to call anything best.
pub const FEWEST: usize = 10;

/// Whether each model is the best: its mean is least, and its interval overlaps no other. Models without
/// errors do not compete; there is no best if only one competes or any has fewer than [`FEWEST`] samples.
pub fn best(errors: &[Option<&ErrorStatistics>]) -> Vec<bool> {
    let rivals = errors.iter().flatten().count();
    let least = |i: usize| {
        let Some(mine) = errors[i] else { return false };
        let others = errors.iter().enumerate().filter(|(j, _)| *j != i).filter_map(|(_, other)| *other);
        let beats = |other: &ErrorStatistics| match (mine.interval, other.interval) {
            (Some([_, mine_most]), Some([other_least, _])) => {
                mine.mean < other.mean && mine_most < other_least
            }
            _ => false,
        };
        others.into_iter().all(beats)
    };
    let told_apart = rivals > 1 && !too_few(errors);
    (0..errors.len()).map(|i| told_apart && least(i)).collect()
}

/// Whether several models compete and one has fewer than [`FEWEST`] samples.
pub fn too_few(errors: &[Option<&ErrorStatistics>]) -> bool {
    let competing: Vec<_> = errors.iter().flatten().collect();
    competing.len() > 1 && competing.iter().any(|of| of.errors.len() < FEWEST)
}

/// A way in which evaluations may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// The data or their samples: nothing is comparable.
    Data,
    /// Source frames and lead: only the horizon is comparable.
    Starts,
    /// The seed: random contexts and noise differ.
    Seed,
    /// The source frame of the horizon.
    Horizon,
}

/// A difference between evaluations that makes their errors incomparable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub aspect: Aspect,
    /// The difference in words.
    pub text: String,
}

/// How evaluations differ from the first; empty if all were made under the same conditions.
pub fn differences(evaluations: &[Evaluation]) -> Vec<Difference> {
    let Some((first, others)) = evaluations.split_first() else { return Vec::new() };
    let mut found = Vec::new();
    for other in others {
        let mut unless = |same: bool, aspect, what: &str, of: fn(&Evaluation) -> String| {
            if !same {
                let [a, b] = [first, other].map(|e| format!("{} for {}", of(e), e.model.run));
                found.push(Difference { aspect, text: format!("{what} differ: {a}, {b}") });
            }
        };
        let (a, b) = (&first.data, &other.data);
        unless(a.description == b.description, Aspect::Data, "the data", |e| e.data.description.clone());
        unless(a.native == b.native, Aspect::Data, "the native grids", |e| format!("{:?}", e.data.native));
        let interval =
            |e: &Evaluation| e.data.interval.map_or("none".into(), |interval| interval.to_string());
        unless(a.interval == b.interval, Aspect::Data, "the times between frames", interval);
        unless(a.samples == b.samples, Aspect::Data, "the samples", samples);
        unless(a.starts == b.starts, Aspect::Starts, "the source frames", |e| format!("{:?}", e.data.starts));
        let (a, b) = (&first.config, &other.config);
        unless(a.lead == b.lead, Aspect::Starts, "the steps at once", |e| e.config.lead.to_string());
        unless(a.seed == b.seed, Aspect::Seed, "the seeds of contexts and noise", |e| {
            e.config.seed.to_string()
        });
        if let (Some(a), Some(b)) = (&first.horizon, &other.horizon) {
            let start = |e: &Evaluation| e.horizon.as_ref().map_or(String::new(), |h| h.start.to_string());
            unless(a.start == b.start, Aspect::Horizon, "the source frames of the horizon", start);
        }
    }
    found
}

/// How many samples, and which.
fn samples(evaluation: &Evaluation) -> String {
    let samples = &evaluation.data.samples;
    let shown: Vec<String> = samples.iter().take(3).map(usize::to_string).collect();
    let more = if samples.len() > shown.len() { ", …" } else { "" };
    format!("{} ({}{more})", samples.len(), shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(mean: f64, half: f64) -> ErrorStatistics {
        let interval = Some([mean - half, mean + half]);
        ErrorStatistics { errors: vec![mean; FEWEST], mean, standard_error: half / 2.0, interval }
    }

    #[test]
    fn the_best_is_marked_where_intervals_do_not_overlap() {
        let (a, b, c) = (errors(0.10, 0.01), errors(0.13, 0.01), errors(0.115, 0.01));
        assert_eq!(best(&[Some(&b), Some(&a)]), [false, true]);
        assert_eq!(best(&[Some(&b), Some(&a), Some(&c)]), [false; 3], "the intervals of a and c overlap");
        assert_eq!(best(&[None, Some(&a), Some(&b)]), [false, true, false]);
        assert_eq!(best(&[None, Some(&a)]), [false, false], "nothing to compare with");
        assert_eq!(best(&[Some(&a), Some(&a)]), [false, false]);
    }

    /// One sample has no spread, and that of nine cannot be trusted.
    #[test]
    fn few_samples_make_no_best() {
        for n in [1, FEWEST - 1] {
            let few =
                |error: f64| ErrorStatistics::of((0..n).map(|i| error + 1e-3 * i as f64).collect()).unwrap();
            let (small, large) = (few(0.1), few(10.0));
            assert_eq!(best(&[Some(&small), Some(&large)]), [false, false], "{n}");
            assert!(too_few(&[Some(&small), Some(&large)]) && !too_few(&[Some(&small), None]));
        }
        let (enough, large) = (errors(0.1, 0.01), errors(10.0, 0.01));
        assert!(best(&[Some(&enough), Some(&large)])[0] && !too_few(&[Some(&enough), Some(&large)]));
    }
}
