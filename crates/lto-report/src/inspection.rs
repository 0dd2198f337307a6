//! What a data file holds, for people.

use crate::arrays;
use crate::picture::ticks::{apart, short};
use crate::text::Page;
use crate::words::count;
use lto_numerics::dataset::format::{ArrayInfo, Attribute, ElementType};
use lto_numerics::dataset::{DatasetKind, GridInfo, Inspection};
use std::fmt::Write;

/// Attributes that tie HDF5 coordinates to arrays; the grid shows the same.
const HDF5_MACHINERY: [&str; 5] = ["CLASS", "NAME", "DIMENSION_LIST", "DIMENSION_LABELS", "REFERENCE_LIST"];

/// The whole report.
pub fn text(report: &Inspection, color: bool) -> String {
    let info = &report.dataset;
    let mut text = Page::new(color);
    text.heading(&info.path.display().to_string());
    text.line(&summary(report));
    if let (Some(problem), None) = (&info.problem, &report.cloud) {
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
        let units = info.time_units.as_ref().map(|units| format!(", in {units}")).unwrap_or_default();
        text.line(&format!("  {n} frames from {first} to {last}, step {step}{units}"));
    }
    for finer in &info.finer {
        text.line(&format!("  also at resolution {0}: --resolution {0}", finer.resolution));
    }
    if let Some(cloud) = &report.cloud {
        let rows = cloud.columns.iter().map(|c| {
            let [min, max, mean] = apart([c.min, c.max, c.mean]);
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
            let ([min, max, mean], [std]) = (apart([c.min, c.max, c.mean]), apart([c.std]));
            vec![c.name.clone(), min, max, mean, std, c.n_not_finite.to_string(), first]
        });
        let total = count(info.n_samples, "sample");
        let heading = if summary.n_samples < info.n_samples {
            format!("Values of {} of {total} (all with --samples all)", summary.n_samples)
        } else {
            format!("Values of {total}")
        };
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
            sparkline(&spectrum.energy),
        ]
    });
    let columns = ["channel", "mean", "Nyquist", "slope", "above Nyquist/2", "energy by wavenumber (log)"];
    text.table("Spectrum (cycles per unit length)", &columns, spectra.collect());
    if !info.notes.is_empty() {
        text.heading("Notes");
        for note in &info.notes {
            text.line(&format!("  - {note}"));
        }
    }
    let arrays = arrays::rows(&info.arrays).into_iter().map(|row| {
        let (element, storage) = element(row.array);
        vec![row.name, shape(&row.array.shape), element, storage]
    });
    text.table("Arrays", &["name", "shape", "type", "stored"], arrays.collect());
    text.table("Attributes", &["of", "name", "value"], attributes(report));
    text.into_text()
}

/// The logarithm of a spectrum as a line of bars, twelve decades high at most.
fn sparkline(energy: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const WIDTH: usize = 32;
    let peak = energy.iter().fold(0.0f64, |a, &b| a.max(b));
    let per_bar = energy.len().div_ceil(WIDTH).max(1);
    let bar = |chunk: &[f64]| {
        let largest = chunk.iter().fold(0.0f64, |a, &b| a.max(b));
        let decades = (largest / peak).max(1e-12).log10();
        BARS[((1.0 + decades / 12.0) * 7.0).round() as usize]
    };
    energy.chunks(per_bar).map(bar).collect()
}

/// Type and storage of an array. Texts beside the data need no advice on how to make them numbers.
fn element(array: &ArrayInfo) -> (String, String) {
    let texts = ["elements of type '<U", "elements of type '|S"];
    if array.element == ElementType::Other && texts.iter().any(|text| array.storage.starts_with(text)) {
        return ("text".into(), String::new());
    }
    (serde_name(&array.element), array.storage.clone())
}

/// The informative attributes; owners that differ only in a number share a row.
fn attributes(report: &Inspection) -> Vec<Vec<String>> {
    let told: Vec<_> = report.dataset.attributes.iter().collect();
    let told: Vec<_> =
        told.into_iter().filter(|(_, name, _)| !HDF5_MACHINERY.contains(&name.as_str())).collect();
    let groups = arrays::fold(&told, |(owner, name, _)| (arrays::pattern(owner), name.clone()));
    let row = |group: Vec<&&(String, String, Attribute)>| {
        let (owner, name, value) = group.first()?;
        let owners =
            if owner.is_empty() { "(file)".into() } else { arrays::names(&group, |(owner, ..)| owner) };
        let same = group.iter().all(|(_, _, other)| other == value);
        let value = if same { attribute(value) } else { format!("{}, …", attribute(value)) };
        Some(vec![owners, name.clone(), value])
    };
    groups.into_iter().filter_map(row).collect()
}

/// `HDF5, layout pdebench: 1000 samples of u, 201 frames on 1024 points`.
fn summary(report: &Inspection) -> String {
    let info = &report.dataset;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_falls_with_the_energy() {
        assert_eq!(sparkline(&[0.0, 3.0, 0.0, 0.0]), "▁█▁▁");
        let energy: Vec<f64> = (1..65).map(|k| f64::from(k).powi(-2)).collect();
        let line = sparkline(&energy);
        assert!(line.chars().count() == 32 && line.starts_with('█') && line.ends_with('▆'), "{line}");
    }
}
