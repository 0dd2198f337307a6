//! Measurements of speed, for the terminal.

use crate::text::Page;
use lto::bench::{BenchTask, Measurement};

/// The table of measurements of one task.
pub fn table(what: BenchTask, measured: &[Measurement], color: bool) -> String {
    let mb = |value: Option<f64>| value.map_or("unknown".into(), |mb| format!("{mb:.0}"));
    let row = |m: &Measurement| {
        vec![
            m.case.clone(),
            m.batch.to_string(),
            format!("{:.2}", 1e3 * m.seconds),
            format!("{:.1}", m.batch as f64 / m.seconds),
            format!("{:.1}", 100.0 * m.outside_kernels),
            mb(m.peak_mb),
            m.n.to_string(),
        ]
    };
    let heading = match what {
        BenchTask::Train => "Training step",
        BenchTask::Predict => "Prediction",
    };
    let mut page = Page::new(color);
    let columns = ["model", "batch", "median ms", "examples/s", "% outside kernels", "peak MB", "runs"];
    page.table(heading, &columns, measured.iter().map(row).collect());
    page.into_text()
}
