//! A study for people: on the terminal, as a map, as a page.

use super::study::{Study, Summary};
use crate::args::DesignArgs;
use crate::commands::layout::place;
use crate::commands::{failures, gaps};
use lto_numerics::theory::{BoundOrigin, Estimator};
use lto_report::Result;
use lto_report::html::{Figure, Report, Section, Table};
use lto_report::picture::chart::COLORS;
use lto_report::picture::drawing::{Drawing, INK};
use lto_report::picture::sensor_map::{Group, Mark, SensorMap};
use lto_report::picture::ticks::short;
use lto_report::text::Page;
use lto_report::words::count;

const COMPARED: [&str; 5] = ["layout", "new sensors", "mean", "range", "ours is smaller by"];
/// How many sensors are listed, on the terminal and on the page.
const LISTED: (usize, usize) = (40, 500);

impl Summary {
    /// What the objective is called.
    fn quantity(&self) -> &'static str {
        match self.estimator {
            None => "distance to the nearest sensor",
            Some(Estimator::LocalLinear) => "bound of the error of the local linear estimate",
            Some(Estimator::NadarayaWatson) => "bound of the error of the Nadaraya–Watson estimate",
        }
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
            "The largest {}{scale} is {}, at {} ({} after the greedy placement alone); fill distance {}.",
            self.quantity(),
            short(self.worst.value),
            place(&self.worst.at),
            short(self.greedy),
            short(self.fill_distance.upper)
        )
    }

    /// Where this was looked at, what it does not say, and what was of no use.
    fn caveats(&self) -> Vec<String> {
        let from = match self.from {
            "greedy" => String::new(),
            from => format!("; it was made from a {from} layout"),
        };
        let mut lines = vec![format!("The layout was judged at {} places on a grid{from}.", self.n_places)];
        if let Some(known) = &self.regularity {
            let estimated = if known.origin == BoundOrigin::Estimated {
                "What is known about the states was estimated from data. "
            } else {
                ""
            };
            lines.push(format!(
                "{estimated}The bound is known at these places; lto certify proves it between them, where it can."
            ));
        }
        for region in &self.idle_regions {
            lines.push(format!("The region {region} holds none of these places: nothing was avoided there."));
        }
        lines
    }

    /// How layouts are compared.
    fn terms(&self) -> String {
        match self.n_judged_places {
            None => "fill distances, exact to a thousandth".into(),
            Some(n) => {
                format!(
                    "the largest {}, at {n} places other than those above, each layout at its ℓ",
                    self.quantity()
                )
            }
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
        let ours =
            vec!["this one".into(), self.n_new.to_string(), short(self.judged.value), "–".into(), "–".into()];
        std::iter::once(ours).chain(self.comparison.iter().map(row)).collect()
    }
}

/// The text for the terminal.
pub fn text(study: &Study, color: bool) -> String {
    let summary = &study.summary;
    let mut page = Page::new(color);
    page.line(&summary.headline());
    page.line(&summary.outcome());
    summary.caveats().iter().for_each(|line| page.line(line));
    let sensors = summary.sensors.iter().enumerate().skip(summary.n_existing);
    let rows = sensors.map(|(index, at)| vec![index.to_string(), place(at)]);
    page.table("New sensors", &["sensor", "at"], rows.take(LISTED.0).collect());
    if summary.n_new > LISTED.0 {
        page.line(&format!("and {} more; -o sensors.csv writes all", summary.n_new - LISTED.0));
    }
    let quantity = summary.quantity();
    page.table(&format!("Compared with others: {}", summary.terms()), &COMPARED, summary.compared());
    if let Some(failures) = &summary.failures {
        let rows = failures.rows();
        page.table(&format!("If a sensor fails: largest {quantity}"), &failures::COLUMNS, rows);
    }
    page.table("Where one more helps most, one after the other", &gaps::COLUMNS, gaps::rows(&summary.gaps));
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
    let quantity = summary.quantity();
    let caption = "Rings are the places where one more sensor helps most, in this order; outlines (bars on a line) are regions to avoid.";
    let figure =
        Figure::drawing(&map(study, args)?, caption, format!("Map of the {quantity} with the sensors"))?;
    let first = Section::new("The layout").text(summary.outcome()).figure(figure);
    let mut sections = vec![
        summary.caveats().into_iter().fold(first, Section::text),
        Section::new("Compared with others")
            .text(format!(
                "Other layouts of as many new sensors, with the same existing ones and regions to avoid, by {}. A regular grid needs a \
                 number that factors; it may have fewer.",
                summary.terms()
            ))
            .table(Table::of(&COMPARED, summary.compared())),
    ];
    if let Some(failures) = &summary.failures {
        let rows = failures.rows();
        sections.push(
            Section::new("If a sensor fails")
                .text(format!(
                    "The largest {quantity} without one of the sensors (numbered from 0, existing ones first), and by how much it grows \
                     near that sensor."
                ))
                .table(Table::of(&failures::COLUMNS, rows)),
        );
    }
    sections.push(
        Section::new("Where one more helps most").table(Table::of(&gaps::COLUMNS, gaps::rows(&summary.gaps))),
    );
    let rows = summary.sensors.iter().enumerate().map(|(index, at)| {
        let kind = if index < summary.n_existing { "existing" } else { "new" };
        vec![index.to_string(), kind.into(), place(at)]
    });
    let mut sensors =
        Section::new("Sensors").table(Table::of(&["sensor", "", "at"], rows.take(LISTED.1).collect()));
    if summary.sensors.len() > LISTED.1 {
        let more = summary.sensors.len() - LISTED.1;
        sensors = sensors.text(format!("And {more} more; -o sensors.csv writes all."));
    }
    sections.push(sensors);
    Ok(Report { title: "Where to put sensors".into(), summary: summary.headline(), sections })
}
