//! Sections of reports from evaluations.

use super::charts::{errors, spectra};
use super::fields::shown;
use super::rows::{Kind, Published, names};
use super::table::{ResultTable, tables};
use crate::commands::train::{History, charts};
use crate::output::count;
use crate::picture::chart::Axis;
use crate::picture::drawing::Drawing;
use crate::picture::ticks::short;
use crate::progress::duration;
use crate::report::{Figure, Report, Section, Table};
use anyhow::Result;
use lto::evaluate::Evaluation;
use lto::train::metrics;
use std::path::Path;

/// A report on some evaluations.
///
/// # Errors
/// A picture that is too large, or metrics that cannot be read.
pub fn report(evaluations: &[Evaluation], published: &[Published]) -> Result<Report> {
    let names = names(evaluations);
    let title = match names.as_slice() {
        [one] => format!("Evaluation of {one}"),
        _ => format!("Comparison of {}", names.join(", ")),
    };
    let n = evaluations.iter().map(|e| e.data.samples.len()).max().unwrap_or(0);
    let data = evaluations.first().map_or("", |e| e.data.description.as_str());
    let summary = format!(
        "Relative L2 errors on {} ({data}): of each sample, then their mean, with 95 % bootstrap intervals over the \
         samples. Every model saw the same samples, starts and contexts; the best of a row is bold where no intervals \
         overlap.",
        count(n, "held-out sample")
    );
    Ok(Report { title, summary, sections: sections(evaluations, published)? })
}

/// All sections: models, tables and figures of every protocol, fields, spectra, training, and how it was made.
///
/// # Errors
/// As [`report`].
pub fn sections(evaluations: &[Evaluation], published: &[Published]) -> Result<Vec<Section>> {
    let tables = tables(evaluations, published);
    let find = |kind: Kind| tables.iter().find(|table| table.kind == kind);
    let mut sections = vec![models(evaluations)];
    if let Some(table) = find(Kind::OneStep) {
        let starts = evaluations.iter().map(|e| &e.data.starts).find(|starts| !starts.is_empty());
        let averaged = starts.map_or(String::new(), |starts| {
            format!(" Averaged over steps from the frames {}.", listed(starts))
        });
        let text = format!(
            "From the full native grid to the native grid.{averaged} Columns low, mid and high are what fewer \
                            than 4, 4 to 11, and 12 or more waves over the domain contribute to the relative L2 error."
        );
        sections.push(with_table(Section::new(Kind::OneStep.title()).text(text), table));
    }
    if let Some(table) = find(Kind::Resolution) {
        let text = "The same weights at every resolution, context and query both unless an arrow says otherwise. In brackets: \
                    where the values come from.";
        let section = with_table(Section::new("Error against resolution").text(text), table);
        let drawing =
            errors(evaluations, &[Kind::Resolution], None, Axis::log("points along the first axis"));
        sections.push(with_figure(section, drawing, "Relative L2 error of one step against resolution.")?);
    }
    if let Some(table) = find(Kind::Context) {
        let text = "Observed points as a share of the native grid: at random places, on a regular grid, in clusters, or at random \
                    places but for a region that failed. The field is predicted on the whole native grid.";
        let mut section =
            with_table(Section::new("Error against the number of observations").text(text), table);
        let mut designs: Vec<&str> = Vec::new();
        for context in evaluations.iter().flat_map(|e| &e.contexts) {
            if !designs.contains(&context.design.name()) {
                designs.push(context.design.name());
            }
        }
        for design in designs {
            let x = Axis::log("observed points ÷ native points");
            let drawing = errors(evaluations, &[Kind::Context], Some(design), x);
            section = with_figure(section, drawing, &format!("Observations: {design}."))?;
        }
        sections.push(section);
    }
    if let Some(table) = find(Kind::Noise) {
        let section = with_table(Section::new("Error against noise"), table);
        let x = Axis::linear("deviation of the noise ÷ deviation of the field");
        let drawing = errors(evaluations, &[Kind::Noise], None, x);
        sections.push(with_figure(
            section,
            drawing,
            "Relative L2 error of one step from noisy observations.",
        )?);
    }
    let horizons = [Kind::Rollout, Kind::Direct];
    if horizons.iter().any(|kind| find(*kind).is_some()) {
        let start = evaluations.iter().find_map(|e| e.horizon.as_ref()).map_or(0, |h| h.start);
        let text = format!(
            "From frame {start}, k native steps ahead. Rollout: each prediction is the context of the next step. \
                            Direct: each time is predicted straight from frame {start}."
        );
        let mut section = Section::new("Error against horizon").text(text);
        let drawing = errors(evaluations, &horizons, None, Axis::linear("native steps k"));
        section =
            with_figure(section, drawing, "Relative L2 error against the number of steps; dashed: direct.")?;
        for table in horizons.iter().filter_map(|kind| find(*kind)) {
            section = with_table(section.text(table.title()), table);
        }
        sections.push(section);
    }
    sections.extend(fields(evaluations)?);
    if let Some(drawing) = spectra(evaluations) {
        let caption = "Mean power by wavenumber of one-step predictions and of the truth.";
        sections.push(with_figure(Section::new("Spectra"), Some(drawing), caption)?);
    }
    sections.extend(training(evaluations)?);
    sections.push(made(evaluations));
    Ok(sections)
}

fn models(evaluations: &[Evaluation]) -> Section {
    let columns =
        ["model", "kind", "parameters", "training steps", "training time", "ms a prediction", "peak MB"];
    let mut table = Table::new(&columns);
    for (evaluation, name) in evaluations.iter().zip(names(evaluations)) {
        let model = &evaluation.model;
        let each =
            evaluation.one_step.measures().map_or("–".into(), |m| short(1e3 * m.seconds_per_prediction));
        table = table.row([
            name,
            model.kind.clone(),
            model.parameters.to_string(),
            model.steps.to_string(),
            model.train_seconds.map_or("–".into(), duration),
            each,
            evaluation.peak_mb.map_or("–".into(), |mb| format!("{mb:.0}")),
        ]);
    }
    Section::new("Models").table(table)
}

fn fields(evaluations: &[Evaluation]) -> Result<Option<Section>> {
    let mut section = None;
    for example in shown(evaluations) {
        let Some(drawing) = example.draw()? else { continue };
        let caption = format!("{}: truth, predictions and their differences.", example.title);
        let begun = section.unwrap_or_else(|| {
            Section::new("Example fields").text(
                "The first sample, not a chosen one. Truth and predictions share one scale, and so do the differences.",
            )
        });
        section = Some(with_figure(begun, Some(drawing), &caption)?);
    }
    Ok(section)
}

/// The curves of runs that have metrics.
fn training(evaluations: &[Evaluation]) -> Result<Option<Section>> {
    let mut section = None;
    for (evaluation, name) in evaluations.iter().zip(names(evaluations)) {
        let run = Path::new(&evaluation.model.run);
        if !run.join(metrics::FILE_NAME).is_file() {
            continue;
        }
        if let Some(drawing) = charts(&History::read(run)?) {
            let begun = section.unwrap_or_else(|| Section::new("Training"));
            section = Some(with_figure(begun, Some(drawing), &format!("{name}: loss and held-out errors."))?);
        }
    }
    Ok(section)
}

fn made(evaluations: &[Evaluation]) -> Section {
    let mut commands: Vec<&str> = Vec::new();
    for command in evaluations.iter().map(|e| e.command.as_str()).filter(|c| !c.is_empty()) {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    let mut section = Section::new("How this was made");
    if !commands.is_empty() {
        section = section.code(commands.join("\n"));
    }
    for (evaluation, name) in evaluations.iter().zip(names(evaluations)) {
        let seconds = duration(evaluation.seconds);
        section = section.text(format!(
            "{name}: `{}` on {}, seed {} of contexts and noise, {} in {seconds}.",
            evaluation.model.run,
            evaluation.data.description,
            evaluation.config.seed,
            count(evaluation.data.samples.len(), "sample"),
        ));
    }
    section
}

fn with_table(section: Section, table: &ResultTable) -> Section {
    let section = section.table(table.html());
    table
        .notes
        .iter()
        .enumerate()
        .fold(section, |section, (i, note)| section.text(format!("[{}] {note}", i + 1)))
}

fn with_figure(section: Section, drawing: Option<Drawing>, caption: &str) -> Result<Section> {
    Ok(match drawing {
        Some(drawing) => section.figure(Figure::drawing(&drawing, caption, caption)?),
        None => section,
    })
}

fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}
