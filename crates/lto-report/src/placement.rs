//! Placed sensors: a table, text for the terminal, a map, a page.

use crate::error::Result;
use crate::html::{Figure, Report, Section, Table};
use crate::layout::{estimate, failures, gaps, place};
use crate::picture::chart::COLORS;
use crate::picture::drawing::{Drawing, INK};
use crate::picture::sensor_map::{Group, Mark, SensorMap};
use crate::picture::ticks::short;
use crate::text::{Page, Rows};
use crate::words::count;
use lto_numerics::study::{Compared, SensorStudy};
use lto_numerics::theory::BoundOrigin;
use lto_numerics::theory::plan::Gap;

/// How many sensors to list, on the terminal and on the page.
const LISTED: (usize, usize) = (40, 500);

/// The sensors as a CSV file: coordinates, and the kind, `existing` or `new`. Readers of points do not take
/// the kind for a value, since it is text.
pub fn csv(study: &SensorStudy) -> String {
    let names: Vec<&str> = study.domain.axes().iter().map(|axis| axis.name.as_str()).collect();
    let mut text = names.join(",") + ",kind\n";
    for (number, at) in sensors(study) {
        let numbers: Vec<String> = at.iter().map(f64::to_string).collect();
        text.push_str(&format!("{},{}\n", numbers.join(","), kind(study, number)));
    }
    text
}

/// The text for the terminal.
pub fn text(study: &SensorStudy, color: bool) -> String {
    let mut page = Page::new(color);
    page.line(&headline(study));
    page.line(&outcome(study));
    caveats(study).iter().for_each(|line| page.line(line));
    let rows = sensors(study).skip(study.n_existing).map(|(number, at)| vec![number.to_string(), place(&at)]);
    page.table("New sensors", &["sensor", "at"], rows.take(LISTED.0).collect());
    if study.n_new > LISTED.0 {
        page.line(&format!("and {} more; -o sensors.csv writes all", study.n_new - LISTED.0));
    }
    let quantity = quantity(study);
    page.rows(&format!("Compared with others: {}", terms(study)), comparison(study));
    page.rows(&format!("If a sensor fails: largest {quantity}"), failures(study.failures.as_ref()));
    page.rows("Where one more sensor helps most, one after the other", gaps(&study.gaps));
    page.into_text()
}

/// The map of the objective with the sensors.
///
/// # Errors
/// None for a sound study.
pub fn map(study: &SensorStudy) -> Result<Drawing> {
    let coordinates = study.sensors.coordinates();
    let (existing, new) = coordinates.split_at(study.n_existing * study.domain.dim());
    let mut groups = vec![Group { name: "new".into(), coordinates: new.to_vec(), color: COLORS[1] }];
    if !existing.is_empty() {
        groups.insert(0, Group { name: "existing".into(), coordinates: existing.to_vec(), color: INK });
    }
    let mark = |(number, gap): (usize, &Gap)| Mark { at: gap.at.clone(), label: (number + 1).to_string() };
    SensorMap {
        title: format!("largest {}", short(study.worst.value)),
        quantity: quantity(study),
        grid: study.places.lattice(),
        values: &study.values,
        groups,
        marks: study.gaps.iter().enumerate().map(mark).collect(),
        regions: &study.avoid,
    }
    .draw()
}

/// The page; `command` is the command line that made it.
///
/// # Errors
/// None for a sound study.
pub fn page(study: &SensorStudy, command: &str) -> Result<Report> {
    let quantity = quantity(study);
    let figure = Figure::drawing(
        &map(study)?,
        "Rings are the places where one more sensor helps most, in this order; outlines (bars on a line) are regions to \
         avoid.",
        format!("Map of the {quantity} with the sensors"),
    )?;
    let layout = Section::new("The layout").text(outcome(study)).figure(figure);
    let mut sections = vec![
        caveats(study).into_iter().fold(layout, Section::text),
        Section::new("Compared with others")
            .text(format!(
                "Other layouts with the same number of new sensors, the same existing ones and the same \
                 regions to avoid, by {}. A regular grid may have fewer, since not every number of points \
                 fills one.",
                terms(study)
            ))
            .table(comparison(study).into()),
    ];
    if study.failures.is_some() {
        let text = format!(
            "The largest {quantity} without one sensor (numbered from 0, existing ones first), and how much \
             it rises near that sensor."
        );
        let rows = failures(study.failures.as_ref());
        sections.push(Section::new("If a sensor fails").text(text).table(rows.into()));
    }
    sections.push(Section::new("Where one more sensor helps most").table(gaps(&study.gaps).into()));
    let row =
        |(number, at): (usize, Vec<f64>)| vec![number.to_string(), kind(study, number).into(), place(&at)];
    let rows = sensors(study).take(LISTED.1).map(row).collect();
    let mut listed = Section::new("Sensors").table(Table::of(&["sensor", "", "at"], rows));
    if study.sensors.len() > LISTED.1 {
        let more = study.sensors.len() - LISTED.1;
        listed = listed.text(format!("And {more} more; -o sensors.csv writes all."));
    }
    sections.push(listed);
    sections.push(Section::new("How it was made").code(command));
    Ok(Report { title: "Where to put sensors".into(), summary: headline(study), sections })
}

/// The sensors with their numbers, the existing ones first.
fn sensors(study: &SensorStudy) -> impl Iterator<Item = (usize, Vec<f64>)> + use<> {
    let (coordinates, dim) = (study.sensors.coordinates(), study.sensors.dim());
    let n = study.sensors.len();
    (0..n).map(move |number| (number, coordinates[number * dim..(number + 1) * dim].to_vec()))
}

fn kind(study: &SensorStudy, number: usize) -> &'static str {
    if number < study.n_existing { "existing" } else { "new" }
}

/// What the layout minimizes.
fn quantity(study: &SensorStudy) -> String {
    match study.estimator {
        None => "distance to the nearest sensor".into(),
        Some(estimator) => format!("error bound of the {} estimate", estimate(estimator)),
    }
}

fn headline(study: &SensorStudy) -> String {
    let existing = match study.n_existing {
        0 => String::new(),
        n => format!(" beside {}", count(n, "existing sensor")),
    };
    format!("{}{existing} in {}", count(study.n_new, "new sensor"), study.domain)
}

fn outcome(study: &SensorStudy) -> String {
    let scale = study.length_scale.map_or(String::new(), |ell| format!(" with ℓ = {}", short(ell)));
    format!(
        "The largest {}{scale} is {}, at {} ({} after the greedy placement alone); fill distance {}.",
        quantity(study),
        short(study.worst.value),
        place(&study.worst.at),
        short(study.greedy),
        short(study.fill_distance.upper)
    )
}

/// Where the layout was judged, what that does not prove, and which regions had no effect.
fn caveats(study: &SensorStudy) -> Vec<String> {
    let from = match study.from {
        "greedy" => String::new(),
        from => format!("; it was made from a {from} layout"),
    };
    let mut lines = vec![format!("The layout was judged at {} places on a grid{from}.", study.n_places)];
    if let Some(known) = &study.regularity {
        let estimated = match known.origin {
            BoundOrigin::Estimated => "What is known about the states was estimated from data. ",
            _ => "",
        };
        lines.push(format!(
            "{estimated}The bound is known at these places; lto certify tries to prove it between them."
        ));
    }
    for region in &study.idle_regions {
        lines.push(format!("The region {region} holds none of these places: nothing was avoided there."));
    }
    lines
}

/// What layouts are compared by.
fn terms(study: &SensorStudy) -> String {
    match study.n_judged_places {
        None => "fill distances, exact to a thousandth".into(),
        Some(n) => format!(
            "the largest {}, at {n} places other than those above, each layout with its best ℓ",
            quantity(study)
        ),
    }
}

fn comparison(study: &SensorStudy) -> Rows {
    let row = |other: &Compared| {
        let [low, high] = other.range;
        let range = match other.n_layouts {
            1 => "–".into(),
            n => format!("{} – {}, {n} layouts", short(low), short(high)),
        };
        let gain = format!("{:.0} %", 100.0 * other.gain);
        vec![other.design.into(), other.n_new.to_string(), short(other.value), range, gain]
    };
    let ours =
        vec!["this one".into(), study.n_new.to_string(), short(study.judged.value), "–".into(), "–".into()];
    Rows {
        columns: &["layout", "new sensors", "mean", "range", "ours is smaller by"],
        rows: std::iter::once(ours).chain(study.comparison.iter().map(row)).collect(),
    }
}
