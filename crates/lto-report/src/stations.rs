//! Errors at stations as tables.

use crate::text::Page;
use lto::evaluate::stations::{StationBands, StationEvaluation, StationRow, StationSection};
use lto::evaluate::statistics::ErrorStatistics;

/// All tables for the terminal.
pub fn text(evaluation: &StationEvaluation, color: bool) -> String {
    let mut page = Page::new(color);
    page.line(&evaluation.data);
    for section in &evaluation.sections {
        let (columns, rows) = table(evaluation, section);
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        page.table(&section.name, &columns, rows);
    }
    page.line("RMSE; mean over blocks of time with its 95 % bootstrap interval.");
    page.into_text()
}

/// All tables as Markdown.
pub fn markdown(evaluation: &StationEvaluation) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut all = String::new();
    for section in &evaluation.sections {
        let (columns, rows) = table(evaluation, section);
        all += &format!("\n{}\n\n", section.name);
        all += &line(&columns);
        all += &format!("{}|\n", "|---".repeat(columns.len()));
        rows.iter().for_each(|row| all += &line(row));
    }
    all
}

fn table(evaluation: &StationEvaluation, section: &StationSection) -> (Vec<String>, Vec<Vec<String>>) {
    let several = section.rows.iter().any(|row| row.variable != section.rows[0].variable);
    let unit = section.rows.first().and_then(|row| row.unit.clone());
    let mut columns = vec!["lead".to_string(), "forecasts".into()];
    if several {
        columns.insert(0, "variable".into());
    }
    columns.extend(evaluation.models.iter().map(|model| match (&unit, several) {
        (Some(unit), false) => format!("{model} / {unit}"),
        _ => model.clone(),
    }));
    let banded: Vec<usize> = (0..evaluation.models.len())
        .filter(|&model| section.rows.iter().any(|row| row.bands[model].is_some()))
        .collect();
    for &model in &banded {
        let of = |what: &str| match banded.len() {
            1 => what.to_string(),
            _ => format!("{}: {what}", evaluation.models[model]),
        };
        columns.extend(["inside the 90 % band, %", "width", "CRPS"].map(of));
    }
    let shown = |row: &StationRow| {
        let mut cells = vec![row.lead.to_string(), row.forecasts.to_string()];
        if several {
            cells.insert(0, row.variable.clone());
        }
        cells.extend(row.rmse.iter().map(|errors| errors.as_ref().map_or("–".into(), |e| cell(e, 3))));
        for bands in banded.iter().map(|&model| row.bands[model].as_ref()) {
            cells.extend(match bands {
                Some(StationBands { covered, width, crps }) => {
                    [cell(&percent(covered), 1), format!("{:.2}", width.mean), format!("{:.3}", crps.mean)]
                }
                None => ["–"; 3].map(String::from),
            });
        }
        cells
    };
    (columns, section.rows.iter().map(shown).collect())
}

fn cell(errors: &ErrorStatistics, digits: usize) -> String {
    match errors.interval {
        Some([low, high]) => format!("{:.digits$} ({low:.digits$} – {high:.digits$})", errors.mean),
        None => format!("{:.digits$}", errors.mean),
    }
}

/// Shares in percent.
fn percent(shares: &ErrorStatistics) -> ErrorStatistics {
    ErrorStatistics {
        mean: 100.0 * shares.mean,
        interval: shares.interval.map(|ends| ends.map(|end| 100.0 * end)),
        ..shares.clone()
    }
}
