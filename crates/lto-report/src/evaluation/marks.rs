//! The best of a row, and why there is none.

use super::rows::Kind;
use lto::evaluate::compare::{Aspect, Difference, FEWEST, best, too_few};
use lto::evaluate::statistics::ErrorStatistics;

/// Which models are the best of a case.
pub struct Marks {
    /// Whether each is.
    pub best: Vec<bool>,
    /// Why none can be.
    pub reason: Option<String>,
}

/// Marks the best of a case, unless the evaluations differ in what it depends on.
pub fn marks(kind: Kind, differences: &[Difference], errors: &[Option<&ErrorStatistics>]) -> Marks {
    let none = vec![false; errors.len()];
    let different: Vec<&str> =
        differences.iter().filter(|d| concerns(d.aspect, kind)).map(|d| d.text.as_str()).collect();
    if !different.is_empty() {
        let reason = format!("No best is marked, since these cannot be compared: {}", different.join("; "));
        return Marks { best: none, reason: Some(reason) };
    }
    if too_few(errors) {
        let reason = format!(
            "No best is marked: intervals over fewer than {FEWEST} samples are too narrow to tell models apart"
        );
        return Marks { best: none, reason: Some(reason) };
    }
    Marks { best: best(errors), reason: None }
}

/// Whether errors of a kind depend on an aspect.
fn concerns(aspect: Aspect, kind: Kind) -> bool {
    let horizon = matches!(kind, Kind::Rollout | Kind::Direct);
    match aspect {
        Aspect::Data => true,
        Aspect::Starts => !horizon,
        Aspect::Seed => matches!(kind, Kind::Context | Kind::Noise),
        Aspect::Horizon => horizon,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_best_where_it_depends_on_what_differs() {
        let errors =
            |mean: f64| ErrorStatistics::of((0..FEWEST).map(|i| mean + 1e-3 * i as f64).collect()).unwrap();
        let (a, b) = (errors(0.1), errors(0.2));
        let competing = [Some(&a), Some(&b)];
        let marked = |aspect| {
            let differences = [Difference { aspect, text: "seeds differ".into() }];
            Kind::ALL
                .into_iter()
                .filter(move |kind| marks(*kind, &differences, &competing).reason.is_none())
                .collect::<Vec<_>>()
        };
        let none: Vec<Kind> = Vec::new();
        assert_eq!(marked(Aspect::Data), none);
        assert_eq!(marked(Aspect::Starts), [Kind::Rollout, Kind::Direct]);
        assert_eq!(
            marked(Aspect::Seed),
            [Kind::OneStep, Kind::Channel, Kind::Resolution, Kind::Rollout, Kind::Direct]
        );
        assert_eq!(
            marked(Aspect::Horizon),
            [Kind::OneStep, Kind::Channel, Kind::Resolution, Kind::Context, Kind::Noise]
        );
        assert_eq!(marks(Kind::Noise, &[], &competing).best, [true, false]);
        let single = ErrorStatistics::of(vec![0.1]).unwrap();
        let few = marks(Kind::Noise, &[], &[Some(&single), Some(&b)]);
        assert!(few.best == [false, false] && few.reason.unwrap().contains("fewer than 10"));
    }
}
