//! A prediction as a table: one line for each time and point.

use super::{Predicted, PredictionFormat};
use crate::error::Result;
use lto_numerics::calendar::show_iso;
use lto_numerics::dataset::write::{csv_field, write_whole};
use std::fmt::Write;
use std::path::Path;

/// Columns: `t` unless steady (a date if times are dates), the coordinates, the channels; `u_lower`, `u_upper` of a band,
/// `u_sample_0` and so on of samples. Numbers read back exactly.
pub(super) struct Csv;

impl PredictionFormat for Csv {
    fn suffix(&self) -> &'static str {
        "csv"
    }

    fn write(&self, path: &Path, predicted: &Predicted) -> Result<()> {
        Ok(write_whole(path, table(predicted)?.as_bytes())?)
    }
}

fn table(predicted: &Predicted) -> Result<String> {
    let axes = predicted.query.domain().axes();
    let mut header: Vec<String> = axes.iter().map(|axis| csv_field(&axis.name)).collect();
    if !predicted.times.is_empty() {
        header.insert(0, "t".into());
    }
    header.extend(predicted.arrays(0).iter().map(|(name, _)| csv_field(name)));
    let mut text = header.join(",") + "\n";
    let mut point = vec![0.0; axes.len()];
    for frame in 0..predicted.n_frames() {
        let arrays = predicted.arrays(frame);
        for index in 0..predicted.query.len() {
            predicted.query.write_point(index, &mut point);
            let time = predicted.times.get(frame).map(|time| match predicted.card.problem.measured.dated {
                true => show_iso(*time),
                false => time.to_string(),
            });
            let values = arrays.iter().filter_map(|(_, array)| array.get(index));
            let numbers = point.iter().chain(values).map(f64::to_string);
            for (column, cell) in time.into_iter().chain(numbers).enumerate() {
                let separator = if column == 0 { "" } else { "," };
                write!(text, "{separator}{cell}")?;
            }
            text.push('\n');
        }
    }
    Ok(text)
}
