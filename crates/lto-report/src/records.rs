//! What a record of stations holds, for people: tables, and the stations on a map.

use crate::error::Result;
use crate::picture::chart::{Axis, Chart, Series, Style};
use crate::picture::colormap::{Colormap, Scale};
use crate::picture::drawing::{Drawing, Rect};
use crate::picture::panel::{ABOVE, BAR, BELOW, LEFT, Legend, Panel, color_bar};
use crate::picture::plane;
use crate::picture::ticks::{apart, short};
use crate::picture::{PictureFormat, still};
use crate::text::Page;
use crate::words::count;
use lto_numerics::records::{RecordInspection, StationSummary};

/// Stations that the table names; the others are counted.
const SHOWN: usize = 20;
const WIDTH: usize = 460;
const RADIUS: f64 = 3.5;
/// More stations are drawn as specks.
const MANY: usize = 2000;

/// The whole report.
pub fn text(report: &RecordInspection, color: bool) -> String {
    let mut text = Page::new(color);
    text.heading(&report.path.display().to_string());
    text.line(&format!(
        "A record of {} at {}, {} to {}: {} rows in {}",
        count(report.stations.len(), "station"),
        count(report.times.count, "time"),
        report.times.first,
        report.times.last,
        report.n_rows,
        report.domain
    ));
    let step =
        report.times.step.map_or("–".into(), |step| format!("{} {}", short(step), report.times.unit));
    text.line(&format!(
        "  usual step {}; {} without any reading",
        step.trim_end(),
        count(report.times.n_gaps, "gap")
    ));
    let gaps = report.times.gaps.iter().map(|gap| vec![gap.from.clone(), gap.to.clone(), short(gap.length)]);
    text.table("Longest gaps", &["after", "until", "length"], gaps.collect());
    let variables = report.variables.iter().map(|found| {
        let [min, max, mean] = apart([found.min, found.max, found.mean]);
        let given = found.given_noise.map_or(String::new(), |(least, most)| match least == most {
            true => short(least),
            false => format!("{} to {}", short(least), short(most)),
        });
        vec![
            found.variable.name.clone(),
            found.variable.unit.clone().unwrap_or_default(),
            format!("{:.1} %", 100.0 * found.missing),
            min,
            max,
            mean,
            found.std.map_or("–".into(), short),
            found.noise.map_or("–".into(), short),
            given,
            found.n_suspicious.to_string(),
        ]
    });
    let columns = [
        "variable",
        "unit",
        "missing",
        "least",
        "largest",
        "mean",
        "deviation",
        "noise ≤",
        "given",
        "suspicious",
    ];
    text.table("Variables", &columns, variables.collect());
    let suspicious = report.variables.iter().flat_map(|found| {
        let row = |one: &lto_numerics::records::Suspicious| {
            let (value, expected) = (short(one.value), short(one.expected));
            vec![found.variable.name.clone(), one.time.clone(), one.station.clone(), value, expected]
        };
        found.suspicious.iter().map(row).collect::<Vec<_>>()
    });
    let columns = ["variable", "time", "station", "value", "neighbors in time"];
    text.table("Suspicious values", &columns, suspicious.collect());
    stations(&mut text, report);
    let faults = report
        .faults
        .iter()
        .map(|fault| vec![fault.count.to_string(), fault.kind.describe().into(), fault.first.clone()]);
    text.table("Not used", &["number", "what", "the first"], faults.collect());
    if !report.notes.is_empty() {
        text.heading("Notes");
        report.notes.iter().for_each(|note| text.line(&format!("  {note}")));
    }
    text.into_text()
}

/// The stations that report least, which are those to look at.
fn stations(text: &mut Page, report: &RecordInspection) {
    let mut order: Vec<&StationSummary> = report.stations.iter().collect();
    order.sort_by_key(|station| station.n_times);
    let rows = order.iter().take(SHOWN).map(|station| {
        let place: Vec<String> = station.coordinates.iter().map(|x| short(*x)).collect();
        let mut remarks = Vec::new();
        if station.moves {
            remarks.push("moves".to_string());
        }
        if !station.stuck.is_empty() {
            remarks.push(format!("stuck: {}", station.stuck.join(", ")));
        }
        vec![
            station.name.clone(),
            place.join(", "),
            format!("{:.1} %", 100.0 * share(report, station)),
            station.longest_silence.to_string(),
            station.first.clone(),
            station.last.clone(),
            remarks.join("; "),
        ]
    });
    let axes: Vec<&str> = report.axes.iter().map(|axis| axis.name.as_str()).collect();
    let place = axes.join(", ");
    let heading = match report.stations.len() {
        n if n > SHOWN => format!("Stations that report least, {SHOWN} of {n}"),
        _ => "Stations".into(),
    };
    let columns = ["station", &place, "reports", "silence", "first", "last", ""];
    text.table(&heading, &columns, rows.collect());
}

/// Share of the times at which a station reported.
fn share(report: &RecordInspection, station: &StationSummary) -> f64 {
    station.n_times as f64 / report.times.count.max(1) as f64
}

/// The stations on a map, colored by how often they report, above the coverage over time.
///
/// # Errors
/// An animation.
pub fn picture(report: &RecordInspection, format: PictureFormat) -> Result<Vec<u8>> {
    let coverage = Chart {
        title: "stations that report".into(),
        x: Axis::linear(match report.times.unit.as_str() {
            "" => "time".into(),
            unit => format!("{unit} after {}", report.times.first),
        }),
        y: Axis::linear("share"),
        series: vec![Series {
            name: "of all stations".into(),
            points: {
                let first = report.coverage.first().map_or(0.0, |bin| bin.time);
                report.coverage.iter().map(|bin| (bin.time - first, bin.share)).collect()
            },
            intervals: Vec::new(),
            color: [0, 114, 178],
            style: Style::Line,
        }],
    };
    let drawings = map(report).into_iter().chain([coverage.draw()]);
    still(&Drawing::stack(drawings).unwrap_or_else(|| Drawing::new(1, 1)), format)
}

/// The map; `None` for stations on a line.
fn map(report: &RecordInspection) -> Option<Drawing> {
    let domain = &report.domain;
    if domain.dim() < 2 {
        return None;
    }
    let (across, up) = plane::orientation(domain);
    let axes = [&domain.axes()[across], &domain.axes()[up]];
    let rect = Rect { x: LEFT, y: ABOVE, width: WIDTH, height: plane::height(WIDTH, axes[0], axes[1]) };
    let mut drawing = Drawing::new(LEFT + WIDTH + BAR, ABOVE + rect.height + BELOW);
    let panel = Panel { rect, x: (axes[0].lower, axes[0].upper), y: (axes[1].lower, axes[1].upper) };
    plane::graticule(&mut drawing, &panel, axes);
    let shares: Vec<f64> = report.stations.iter().map(|station| 100.0 * share(report, station)).collect();
    let scale = Scale::of(&shares, Some(Colormap::Viridis));
    let radius = if report.stations.len() > MANY { 0.8 } else { RADIUS };
    for (station, share) in report.stations.iter().zip(&shares) {
        let at = panel.position(station.coordinates[across], station.coordinates[up]);
        drawing.dot(at, radius, scale.color(*share));
    }
    let title = format!("{}, {}", count(report.stations.len(), "station"), count(report.times.count, "time"));
    let label = |d: usize| match &report.axes[d].unit {
        Some(unit) => format!("{} / {unit}", report.axes[d].name),
        None => report.axes[d].name.clone(),
    };
    let (x, y) = (label(across), label(up));
    panel.frame(&mut drawing, &Legend { title: &title, x_label: Some(&x), y_label: Some(&y) });
    color_bar(&mut drawing, rect, &scale, "reports / %");
    Some(drawing)
}
