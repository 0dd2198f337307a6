//! A study for people: on the terminal, as a map, as a page.

use super::study::{Study, Summary};
use crate::args::DesignArgs;
use crate::commands::failures;
use crate::commands::layout::place;
use crate::output::count;
use crate::page::Page;
use crate::picture::chart::COLORS;
use crate::picture::drawing::{Drawing, INK};
use crate::picture::sensor_map::{Group, Mark, SensorMap};
use crate::picture::ticks::short;
use crate::report::{Figure, Report, Section, Table};
use anyhow::Result;

const COMPARED: [&str; 5] = ["layout", "new sensors", "mean", "range", "ours is smaller by"];
const GAPS: [&str; 4] = ["gap", "at", "now", "with a sensor there"];

impl Summary {
    /// What the objective is called.
    fn quantity(&self) -> &'static str {
        if self.objective == "certificate" { "certified error" } else { "distance to the nearest sensor" }
    }

    fn headline(&self) -> String {
        let existing = if self.n_existing > 0 {
            format!(" beside {}", count(self.n_existing, "existing sensor"))
        } else {
            String::new()
        };
        format!("{}{existing} in {}", count(self.n_new, "new sensor"), self.domain)
    }

    fn outcome(&self) -> String {
        let scale = self.length_scale.map_or(String::new(), |ell| format!(" with ℓ = {}", short(ell)));
        format!(
            "The largest {}{scale} is {}, at {} ({} after the greedy placement); fill distance {}.",
            self.quantity(),
            short(self.worst.value),
            place(&self.worst.at),
            short(self.greedy),
            short(self.fill_distance.upper)
        )
    }

    fn caveat(&self) -> String {
        let judged = format!("judged at {} places on a grid", self.n_places);
        match &self.failures {
            Some(failures) if failures.examined < self.sensors.len() => format!(
                "Layouts are {judged}; failures of {} sensors were looked at, those that leave the smallest and largest holes.",
                failures.examined
            ),
            _ => format!("Layouts are {judged}."),
        }
    }

    fn compared(&self) -> Vec<Vec<String>> {
        let row = |other: &super::comparison::Compared| {
            let [low, high] = other.range;
            let range = if other.n_layouts > 1 {
                format!("{} – {}, {} layouts", short(low), short(high), other.n_layouts)
            } else {
                "–".into()
            };
            let gain = format!("{:.0} %", 100.0 * other.gain);
            vec![other.design.into(), other.n_new.to_string(), short(other.value), range, gain]
        };
        self.comparison.iter().map(row).collect()
    }

    fn gap_rows(&self) -> Vec<Vec<String>> {
        let row = |(number, gap): (usize, &lto_numerics::theory::plan::Gap)| {
            vec![(number + 1).to_string(), place(&gap.at), short(gap.value), short(gap.after)]
        };
        self.gaps.iter().enumerate().map(row).collect()
    }
}

/// The text for the terminal.
pub fn text(study: &Study, color: bool) -> String {
    let summary = &study.summary;
    let mut page = Page::new(color);
    page.line(&summary.headline());
    page.line(&summary.outcome());
    page.line(&summary.caveat());
    let sensors = summary.sensors.iter().enumerate().skip(summary.n_existing);
    let rows = sensors.map(|(index, at)| vec![index.to_string(), place(at)]);
    page.table("New sensors", &["sensor", "at"], rows.take(40).collect());
    if summary.n_new > 40 {
        page.line(&format!("and {} more; -o sensors.csv writes all", summary.n_new - 40));
    }
    let quantity = summary.quantity();
    page.table(&format!("Compared with others: largest {quantity}"), &COMPARED, summary.compared());
    if let Some(failures) = &summary.failures {
        let rows = failures.rows();
        page.table(&format!("If a sensor fails: largest {quantity}"), &failures::COLUMNS, rows);
    }
    page.table("Where one more helps most, one after the other", &GAPS, summary.gap_rows());
    page.into_text()
}

/// The map of the objective with the sensors.
///
/// # Errors
/// None for a sound study.
pub fn map(study: &Study, args: &DesignArgs) -> Result<Drawing> {
    let summary = &study.summary;
    let split = summary.n_existing * summary.domain.dim();
    let coordinates = study.sensors.coordinates();
    let mut groups = Vec::new();
    if split > 0 {
        groups.push(Group {
            name: "existing".into(),
            coordinates: coordinates[..split].to_vec(),
            color: INK,
        });
    }
    groups.push(Group { name: "new".into(), coordinates: coordinates[split..].to_vec(), color: COLORS[1] });
    let mark = |(number, gap): (usize, &lto_numerics::theory::plan::Gap)| Mark {
        at: gap.at.clone(),
        label: (number + 1).to_string(),
    };
    SensorMap {
        title: format!("largest {}", short(summary.worst.value)),
        quantity: summary.quantity().into(),
        grid: study.places.lattice(),
        values: &study.values,
        groups,
        marks: summary.gaps.iter().enumerate().map(mark).collect(),
        regions: &args.avoid,
    }
    .draw()
}

/// The page.
///
/// # Errors
/// None for a sound study.
pub fn page(study: &Study, args: &DesignArgs) -> Result<Report> {
    let summary = &study.summary;
    let table =
        |columns: &[&str], rows: Vec<Vec<String>>| rows.into_iter().fold(Table::new(columns), Table::row);
    let quantity = summary.quantity();
    let caption = "Rings are the places where one more sensor helps most, in this order; outlines are regions to avoid.";
    let figure =
        Figure::drawing(&map(study, args)?, caption, format!("Map of the {quantity} with the sensors"))?;
    let mut sections = vec![
        Section::new("The layout").text(summary.outcome()).figure(figure).text(summary.caveat()),
        Section::new("Compared with others")
            .text(format!(
                "The largest {quantity} of other layouts of as many new sensors, with the same existing ones and regions to avoid. \
                 A regular grid needs a number that factors; it may have fewer."
            ))
            .table(table(&COMPARED, summary.compared())),
    ];
    if let Some(failures) = &summary.failures {
        let rows = failures.rows();
        sections.push(
            Section::new("If a sensor fails")
                .text(format!("The largest {quantity} without one of the sensors (numbered from 0, existing ones first)."))
                .table(table(&failures::COLUMNS, rows)),
        );
    }
    sections.push(Section::new("Where one more helps most").table(table(&GAPS, summary.gap_rows())));
    let rows = summary.sensors.iter().enumerate().map(|(index, at)| {
        let kind = if index < summary.n_existing { "existing" } else { "new" };
        vec![index.to_string(), kind.into(), place(at)]
    });
    sections.push(Section::new("Sensors").table(table(&["sensor", "", "at"], rows.take(500).collect())));
    Ok(Report { title: "Where to put sensors".into(), summary: summary.headline(), sections })
}
