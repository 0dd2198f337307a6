//! Errors at stations as tables.

use crate::text::Page;
use lto::evaluate::stations::{StationEvaluation, StationRow, StationSection};
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
    let shown = |row: &StationRow| {
        let mut cells = vec![row.lead.to_string(), row.forecasts.to_string()];
        if several {
            cells.insert(0, row.variable.clone());
        }
        cells.extend(row.rmse.iter().map(|errors| errors.as_ref().map_or("–".into(), cell)));
        cells
    };
    (columns, section.rows.iter().map(shown).collect())
}

fn cell(errors: &ErrorStatistics) -> String {
    match errors.interval {
        Some([low, high]) => format!("{:.3} ({low:.3} – {high:.3})", errors.mean),
        None => format!("{:.3}", errors.mean),
    }
}
