//! Report sections made from evaluations.

use super::about::{configurations, made, models, samples, training};
use super::charts::{errors, spectra};
use super::coverage::{ABOUT as ABOUT_BANDS, coverages, reliability};
use super::fields::shown;
use super::forms::remarks;
use super::histogram::histogram;
use super::look::Look;
use super::rows::{names, span};
use super::skill::{ABOUT, skills};
use super::table::{ResultTable, tables};
use crate::error::Result;
use crate::html::{Figure, Report, Section};
use crate::picture::chart::Axis;
use crate::picture::drawing::Drawing;
use crate::words::capital;
use lto::evaluate::level::{RESAMPLED, ResolutionOrigin};
use lto::evaluate::{Evaluation, ResultKind};

/// A report on some evaluations.
///
/// # Errors
/// A picture that is too large, or metrics that cannot be read.
pub fn report(evaluations: &[Evaluation], look: &Look) -> Result<Report> {
    let names = names(evaluations);
    let title = match names.as_slice() {
        [one] => format!("Evaluation of {one}"),
        _ => format!("Comparison of {}", names.join(", ")),
    };
    let samples = evaluations.first().map_or(String::new(), samples);
    let metric = capital(look.metric.label());
    let compared = if evaluations.len() > 1 {
        " The best of a row is bold if its interval overlaps no other and every model was measured on the \
         same samples, source frames and contexts."
    } else {
        ""
    };
    let summary = format!(
        "{metric} on {samples}: of each sample, then their mean, with 95 % bootstrap intervals over the samples.{compared}"
    );
    let mut sections = sections(evaluations, look)?;
    sections.extend(configurations(evaluations));
    Ok(Report { title, summary, sections })
}

/// All sections: models, tables and figures of every protocol, fields, spectra, training, and how it was made.
///
/// # Errors
/// As [`report`].
pub fn sections(evaluations: &[Evaluation], look: &Look) -> Result<Vec<Section>> {
    let tables = tables(evaluations, look);
    let find = |kind: ResultKind| tables.iter().find(|table| table.name == kind.name());
    let mut sections = vec![remarks(&tables).into_iter().fold(models(evaluations), Section::text)];
    let metric = capital(look.metric.label());
    let of = evaluations.first().and_then(span).map_or(String::new(), |span| format!(" of {span}"));
    if let Some(table) = find(ResultKind::OneStep) {
        let starts = evaluations.iter().map(|e| &e.data.starts).find(|starts| !starts.is_empty());
        let averaged = starts.map_or(String::new(), |starts| {
            format!(" Averaged over predictions from the frames {}.", listed(starts))
        });
        let text = format!(
            "From the full native grid to the native grid.{averaged} Columns low, mid and high are what fewer than 4, 4 to \
             11.5, and 12 or more waves over the longest axis contribute to the relative L2 error; – where the grid resolves \
             no such waves."
        );
        let section = with_table(Section::new(table.title.clone()).text(text), table);
        let caption = format!("Number of samples by their {}{of}.", look.metric.label());
        sections.push(with_figure(section, histogram(evaluations, look), &caption)?);
    }
    let skills = skills(evaluations);
    if !skills.is_empty() {
        let begun = Section::new("Skill").text(ABOUT);
        let add =
            |section: Section, table: &ResultTable| with_table(section.text(table.title.clone()), table);
        sections.push(skills.iter().fold(begun, add));
    }
    if let Some(table) = find(ResultKind::Channel) {
        let text = "Each channel against its own truth; all other tables take the channels together.";
        sections.push(with_table(Section::new(table.title.clone()).text(text), table));
    }
    if let Some(table) = find(ResultKind::Resolution) {
        let mut text =
            "The same weights at every resolution, the same for context and query unless an arrow \
                        shows both. In brackets: where the values come from."
                .to_string();
        let resampled = |e: &Evaluation| {
            e.resolutions
                .iter()
                .any(|r| [r.context_origin, r.query_origin].contains(&ResolutionOrigin::Resampled))
        };
        if evaluations.iter().any(resampled) {
            text += &format!(" {}.", capital(RESAMPLED));
        }
        let section = with_table(Section::new("Error against resolution").text(text), table);
        let x = Axis::log("points along the first axis");
        let drawing = errors(evaluations, look, &[ResultKind::Resolution], None, x);
        sections.push(with_figure(section, drawing, &format!("{metric}{of} against resolution."))?);
    }
    if let Some(table) = find(ResultKind::Context) {
        let text = "Observed points as a share of the native grid: at random places, on a regular grid, in \
                    clusters, or at random places except in a region that failed. The field is predicted \
                    on the whole native grid.";
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
            let drawing = errors(evaluations, look, &[ResultKind::Context], Some(design), x);
            section = with_figure(section, drawing, &format!("{metric}{of}. Observations: {design}."))?;
        }
        sections.push(section);
    }
    if let Some(table) = find(ResultKind::Noise) {
        let section = with_table(Section::new("Error against noise"), table);
        let x = Axis::linear("deviation of the noise ÷ deviation of the field");
        let drawing = errors(evaluations, look, &[ResultKind::Noise], None, x);
        sections.push(with_figure(section, drawing, &format!("{metric}{of} from noisy observations."))?);
    }
    let horizons = [ResultKind::Rollout, ResultKind::Direct, ResultKind::Chain];
    if horizons.iter().any(|kind| find(*kind).is_some()) {
        let start = evaluations.iter().find_map(|e| e.horizon.as_ref()).map_or(0, |h| h.start);
        let text = format!(
            "From frame {start}, k native steps ahead. Rollout: each prediction is the context of the next step. \
                            Direct: each time is predicted directly from frame {start}. Chain: evolved step by step, decoded at \
                            the end."
        );
        let mut section = Section::new("Error against horizon").text(text);
        let drawing = errors(evaluations, look, &horizons, None, Axis::linear("native steps k"));
        let caption = format!("{metric} against the number of steps; dashed: direct and chain.");
        section = with_figure(section, drawing, &caption)?;
        for table in horizons.iter().filter_map(|kind| find(*kind)) {
            section = with_table(section.text(table.title.clone()), table);
        }
        sections.push(section);
    }
    sections.extend(bands(evaluations)?);
    sections.extend(fields(evaluations)?);
    if let Some(drawing) = spectra(evaluations) {
        let several = evaluations.iter().any(|e| e.data.channels.len() > 1);
        let summed = if several { ", summed over the channels" } else { "" };
        let caption = format!("Mean power by wavenumber of predictions{of} and of the truth{summed}.");
        sections.push(with_figure(Section::new("Spectra"), Some(drawing), &caption)?);
    }
    sections.extend(training(evaluations)?);
    sections.push(made(evaluations));
    Ok(sections)
}

/// What the bands of calibrated models do.
fn bands(evaluations: &[Evaluation]) -> Result<Option<Section>> {
    let tables = coverages(evaluations);
    let mut section = Section::new("Bands: what they cover").text(ABOUT_BANDS);
    for (evaluation, name) in evaluations.iter().zip(names(evaluations)) {
        let Some(coverage) = &evaluation.coverage else { continue };
        section = section.text(format!("{name} was calibrated on {}.", coverage.calibrated_on));
        for (drawing, by) in reliability(coverage) {
            section =
                with_figure(section, Some(drawing), &format!("Reliability of the bands of {name}, {by}."))?;
        }
    }
    let add = |section: Section, table: &ResultTable| with_table(section.text(table.title.clone()), table);
    Ok((!tables.is_empty()).then(|| tables.iter().fold(section, add)))
}

/// Fields of the first sample, then the worst cases.
fn fields(evaluations: &[Evaluation]) -> Result<Vec<Section>> {
    let first = Section::new("Example fields").text(
        "The first sample, not a hand-picked one; at most three channels. Truth and predictions share one \
         scale, as do the differences.",
    );
    let worst = Section::new("Worst cases").text(
        "Of each model, the sample with the largest mean relative L2 error, and of that the prediction with \
         the largest.",
    );
    let mut sections = Vec::new();
    for (mut section, worst) in [(first, false), (worst, true)] {
        let mut drawn = false;
        for example in shown(evaluations).into_iter().filter(|example| example.worst == worst) {
            let of = if worst { format!("Worst of {}: ", example.models()) } else { String::new() };
            let caption = format!("{of}{}: truth, predictions and their differences.", example.title);
            let drawing = example.draw()?;
            drawn |= drawing.is_some();
            section = with_figure(section, drawing, &caption)?;
        }
        sections.extend(Some(section).filter(|_| drawn));
    }
    Ok(sections)
}

fn with_table(section: Section, table: &ResultTable) -> Section {
    table.footnotes().into_iter().fold(section.table(table.html()), Section::text)
}

pub(super) fn with_figure(section: Section, drawing: Option<Drawing>, caption: &str) -> Result<Section> {
    Ok(match drawing {
        Some(drawing) => section.figure(Figure::drawing(&drawing, caption, caption)?),
        None => section,
    })
}

fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}
