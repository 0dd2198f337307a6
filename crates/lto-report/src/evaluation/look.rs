//! How results are shown: by which metric, beside which published numbers, and which of a row is marked as
//! best.

use super::{coverage, models, skill};
use lto::evaluate::compare::{Aspect, Difference, FEWEST, best, too_few};
use lto::evaluate::statistics::ErrorStatistics;
use lto::evaluate::{Published, ResultKind};
use lto_numerics::metric::MetricKind;

/// The names of all tables, in the order of reports.
pub const TABLES: [&str; ResultKind::ALL.len() + 3] = {
    let mut names = [models::NAME; ResultKind::ALL.len() + 3];
    let mut i = 0;
    while i < ResultKind::ALL.len() {
        names[i + 1] = ResultKind::ALL[i].name();
        i += 1;
    }
    names[ResultKind::ALL.len() + 1] = skill::NAME;
    names[ResultKind::ALL.len() + 2] = coverage::NAME;
    names
};

/// How results are shown.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// The metric that tables and curves show and that decides the best.
    pub metric: MetricKind,
    /// Published relative L2 errors, shown only beside relative L2 errors.
    published: &'a [Published],
    /// The names of the tables to print; all if empty.
    tables: &'a [&'static str],
}

impl<'a> Look<'a> {
    /// By a metric, beside published numbers.
    pub fn new(metric: MetricKind, published: &'a [Published]) -> Self {
        Self { metric, published, tables: &[] }
    }

    /// The same, of these tables only, in print; all if there are none.
    pub fn only(self, tables: &'a [&'static str]) -> Self {
        Self { tables, ..self }
    }

    /// Whether the table of a name is printed.
    pub fn shows(&self, table: &str) -> bool {
        self.tables.is_empty() || self.tables.contains(&table)
    }

    /// Published numbers that are comparable with ours.
    pub fn published(&self) -> &'a [Published] {
        if self.metric == MetricKind::RelativeL2 { self.published } else { &[] }
    }
}

/// Which models are the best of a case.
pub struct Marks {
    /// Whether each model is.
    pub best: Vec<bool>,
    /// Why none is.
    pub reason: Option<String>,
}

/// Marks the best of a case, unless the evaluations differ in something it depends on.
pub fn marks(kind: ResultKind, differences: &[Difference], errors: &[Option<&ErrorStatistics>]) -> Marks {
    let none = vec![false; errors.len()];
    let different: Vec<&str> =
        differences.iter().filter(|d| concerns(d.aspect, kind)).map(|d| d.text.as_str()).collect();
    if !different.is_empty() {
        let reason = format!("No best is marked because these are not comparable: {}", different.join("; "));
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
pub(super) fn concerns(aspect: Aspect, kind: ResultKind) -> bool {
    let horizon = matches!(kind, ResultKind::Rollout | ResultKind::Direct | ResultKind::Chain);
    match aspect {
        Aspect::Data => true,
        Aspect::Starts => !horizon,
        Aspect::Seed => matches!(kind, ResultKind::Context | ResultKind::Noise),
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
            ResultKind::ALL
                .into_iter()
                .filter(move |kind| marks(*kind, &differences, &competing).reason.is_none())
                .collect::<Vec<_>>()
        };
        let none: Vec<ResultKind> = Vec::new();
        assert_eq!(marked(Aspect::Data), none);
        assert_eq!(marked(Aspect::Starts), [ResultKind::Rollout, ResultKind::Direct, ResultKind::Chain]);
        assert_eq!(
            marked(Aspect::Seed),
            [
                ResultKind::OneStep,
                ResultKind::Channel,
                ResultKind::Resolution,
                ResultKind::Rollout,
                ResultKind::Direct,
                ResultKind::Chain
            ]
        );
        assert_eq!(
            marked(Aspect::Horizon),
            [
                ResultKind::OneStep,
                ResultKind::Channel,
                ResultKind::Resolution,
                ResultKind::Context,
                ResultKind::Noise
            ]
        );
        assert_eq!(marks(ResultKind::Noise, &[], &competing).best, [true, false]);
        let single = ErrorStatistics::of(vec![0.1]).unwrap();
        let few = marks(ResultKind::Noise, &[], &[Some(&single), Some(&b)]);
        assert!(few.best == [false, false] && few.reason.unwrap().contains("fewer than 10"));
    }
}
