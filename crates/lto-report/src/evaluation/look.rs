//! How results are shown: by which metric, and beside which numbers of others.

use super::published::Published;
use lto::evaluate::Evaluation;
use lto_numerics::metric::MetricKind;

/// How results are shown.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// What tables and curves show, and what makes the best.
    pub metric: MetricKind,
    /// Numbers of others; relative L2 errors, so shown only beside such.
    published: &'a [Published],
}

impl<'a> Look<'a> {
    /// By a metric, beside numbers of others.
    pub fn new(metric: MetricKind, published: &'a [Published]) -> Self {
        Self { metric, published }
    }

    /// Numbers of others that can stand beside ours.
    pub fn published(&self) -> &'a [Published] {
        if self.metric == MetricKind::RelativeL2 { self.published } else { &[] }
    }

    /// The metric in words, for headings of columns and axes.
    pub fn label(&self) -> &'static str {
        label(self.metric)
    }
}

/// A metric in words.
pub fn label(metric: MetricKind) -> &'static str {
    match metric {
        MetricKind::RelativeL2 => "relative L2",
        MetricKind::Rmse => "RMSE",
        MetricKind::MaxError => "max error",
    }
}

/// What one prediction spans, in all tables but those of the horizon: `one step`, `16 steps at once`; `None` for a steady
/// problem.
pub fn span(evaluation: &Evaluation) -> Option<String> {
    evaluation.data.interval?;
    Some(match evaluation.config.lead {
        1 => "one step".into(),
        lead => format!("{lead} steps at once"),
    })
}
