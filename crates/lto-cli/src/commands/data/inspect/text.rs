//! The report of `lto data inspect` for people.

use super::Report;
use crate::picture::ticks::short;
use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use lto_numerics::dataset::format::Attribute;
use lto_numerics::dataset::{DatasetKind, GridInfo};
use std::fmt::Write;

/// Attributes by which HDF5 ties coordinates to arrays; the grid says the same.
const HDF5_MACHINERY: [&str; 5] = ["CLASS", "NAME", "DIMENSION_LIST", "DIMENSION_LABELS", "REFERENCE_LIST"];

/// The whole report.
pub fn report(report: &Report, color: bool) -> String {
    let info = report.dataset;
    let mut text = Text { text: String::new(), color };
    text.heading(&info.path.display().to_string());
    text.line(&summary(report));
    if let Some(problem) = &info.problem {
        text.line(&format!("Samples cannot be read: {problem}"));
    }
    if let Some(grid) = &info.grid {
        text.table("Grid", &["axis", "points", "from", "to", "points lie", "periodic"], axes(grid));
    }
    if let [first, .., last] = info.times[..] {
        let steps: Vec<f64> = info.times.windows(2).map(|w| w[1] - w[0]).collect();
        let (least, most) = steps.iter().fold((f64::INFINITY, 0.0f64), |(a, b), &s| (a.min(s), b.max(s)));
        let step = if most - least <= 1e-4 * most {
            short(most)
        } else {
            format!("{} to {}", short(least), short(most))
        };
        text.heading("Times");
        let (n, first, last) = (info.times.len(), short(first), short(last));
        text.line(&format!("  {n} frames from {first} to {last}, step {step}"));
    }
    for finer in &info.finer {
        text.line(&format!("  also at resolution {0}: --resolution {0}", finer.resolution));
    }
    let number = |value: Option<f64>| value.map_or("–".into(), short);
    if let Some(cloud) = &report.cloud {
        let rows = cloud.columns.iter().map(|c| {
            let (min, max, mean) = (number(c.min), number(c.max), number(c.mean));
            vec![c.name.clone(), c.role.into(), min, max, mean, c.n_missing.to_string()]
        });
        let columns = ["column", "role", "least", "largest", "mean", "missing"];
        text.table("Columns", &columns, rows.collect());
    }
    if let Some(summary) = &report.summary {
        let rows = summary.channels.iter().map(|c| {
            let first = c.first_not_finite.as_ref().map_or(String::new(), |p| {
                format!("first in sample {}, frame {}, point {:?}", p.sample, p.frame, p.point)
            });
            let (mean, std) = (number(c.mean), number(c.std));
            vec![c.name.clone(), number(c.min), number(c.max), mean, std, c.n_not_finite.to_string(), first]
        });
        let heading = format!("Values of {}", count(summary.n_samples, "sample"));
        let columns = ["channel", "least", "largest", "mean", "deviation", "not finite", ""];
        text.table(&heading, &columns, rows.collect());
    }
    let spectra = report.spectra.iter().map(|spectrum| {
        vec![
            spectrum.channel.clone(),
            short(spectrum.mean_wavenumber),
            short(spectrum.nyquist),
            spectrum.slope.map_or("–".into(), |slope| format!("{slope:.1}")),
            format!("{:.1e}", spectrum.fraction_above_half_nyquist),
            spectrum.sparkline(),
        ]
    });
    let columns = ["channel", "mean", "Nyquist", "slope", "above Nyquist/2", "energy by wavenumber (log)"];
    text.table("Spectrum (cycles per unit length)", &columns, spectra.collect());
    let arrays = info.arrays.iter().map(|array| {
        vec![array.name.clone(), shape(&array.shape), serde_name(&array.element), array.storage.clone()]
    });
    text.table("Arrays", &["name", "shape", "type", "stored"], arrays.collect());
    let told = |name: &str| !HDF5_MACHINERY.contains(&name);
    let attributes = info.attributes.iter().filter(|(_, name, _)| told(name)).map(|(owner, name, value)| {
        let owner = if owner.is_empty() { "(file)" } else { owner };
        vec![owner.to_string(), name.clone(), attribute(value)]
    });
    text.table("Attributes", &["of", "name", "value"], attributes.collect());
    if !info.notes.is_empty() {
        text.heading("Notes");
        for note in &info.notes {
            text.line(&format!("  - {note}"));
        }
    }
    text.text
}

/// `HDF5, layout pdebench: 1000 samples of u, 201 frames on 1024 points`.
fn summary(report: &Report) -> String {
    let info = report.dataset;
    let (format, layout) = (serde_name(&info.format), info.layout.name());
    if let Some(cloud) = &report.cloud {
        return format!("{format}, layout {layout}: {}", count(cloud.n_points, "point"));
    }
    if info.kind.is_none() {
        return format!("{format}, layout not recognized");
    }
    let mut text = format!("{format}, layout {layout}: {}", count(info.n_samples, "sample"));
    match &info.kind {
        Some(DatasetKind::Evolution { channels }) => {
            let _ = write!(text, " of {}, {}", channels.join(", "), count(info.times.len(), "frame"));
        }
        Some(DatasetKind::Steady { source, target }) => {
            let _ = write!(text, " of {} → {}", source.join(", "), target.join(", "));
        }
        None => {}
    }
    let _ = write!(text, " on {} points", shape(&info.shape));
    text
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn axes(grid: &GridInfo) -> Vec<Vec<String>> {
    let axes = grid.domain.axes().iter().zip(&grid.shape).zip(&grid.placements);
    axes.map(|((axis, points), placement)| {
        vec![
            axis.name.clone(),
            points.to_string(),
            short(axis.lower),
            short(axis.upper),
            placement.map_or("as listed in the file", |p| p.name()).into(),
            if axis.periodic { "yes" } else { "no" }.into(),
        ]
    })
    .collect()
}

fn shape(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join("×")
}

fn attribute(value: &Attribute) -> String {
    let some = |texts: Vec<String>| match texts.len() {
        0..=4 => texts.join(", "),
        n => format!("{}, … ({n} values)", texts[..4].join(", ")),
    };
    match value {
        Attribute::Numbers(numbers) => some(numbers.iter().map(|&number| short(number)).collect()),
        Attribute::Texts(texts) => some(texts.clone()),
    }
}

/// The name a value has in JSON.
fn serde_name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default()
}

/// Text under construction.
struct Text {
    text: String,
    color: bool,
}

impl Text {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let line = if self.color { format!("\x1b[1m{heading}\x1b[0m") } else { heading.into() };
        self.line(&line);
    }

    /// A table under a heading; nothing where it has no rows.
    fn table(&mut self, heading: &str, columns: &[&str], rows: Vec<Vec<String>>) {
        if rows.is_empty() {
            return;
        }
        self.heading(heading);
        let style = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));
        let mut table = Table::new();
        table.load_style(style).force_no_tty().set_header(columns.iter().copied());
        for index in 0..columns.len() {
            let numbers = rows.iter().all(|row| row.get(index).is_some_and(|cell| is_number(cell)));
            if let (true, Some(column)) = (numbers, table.column_mut(index)) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.add_rows(rows);
        self.line(&table.trim_fmt());
    }
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}
