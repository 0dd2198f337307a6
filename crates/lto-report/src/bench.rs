//! Measurements of speed, for the terminal.

use crate::text::Page;
use lto::bench::{BenchTask, Measurement};
use lto::device::Traffic;

/// The table of measurements of one task.
pub fn table(what: BenchTask, measured: &[Measurement], color: bool) -> String {
    let mb = |value: Option<f64>| value.map_or("unknown".into(), |mb| format!("{mb:.0}"));
    let row = |m: &Measurement| {
        let mut row = vec![
            m.case.clone(),
            m.batch.to_string(),
            format!("{:.2}", 1e3 * m.seconds),
            format!("{:.1}", m.batch as f64 / m.seconds),
            m.outside_kernels.map_or("–".into(), |share| format!("{:.1}", 100.0 * share)),
            mb(m.peak_mb),
            m.n.to_string(),
        ];
        if let Some(Traffic { sent, fetched, reads, launches }) = m.traffic {
            row.extend([launches, 4 * sent, 4 * fetched, reads].map(|count| count.to_string()));
        }
        row
    };
    let heading = match what {
        BenchTask::Train => "Training step",
        BenchTask::Predict => "Prediction",
    };
    let mut page = Page::new(color);
    let mut columns =
        vec!["model", "batch", "median ms", "examples/s", "% outside kernels", "peak MB", "runs"];
    if measured.iter().any(|m| m.traffic.is_some()) {
        columns.extend(["kernels", "bytes sent", "bytes fetched", "reads"]);
    }
    page.table(heading, &columns, measured.iter().map(row).collect());
    page.into_text()
}
