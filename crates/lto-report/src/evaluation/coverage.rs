//! What bands do: how much they cover, how wide they are, how good the distributions are.

use super::rows::names;
use super::table::{ResultTable, number, plain};
use crate::picture::chart::{Axis, COLORS, Chart, Series, Style};
use crate::picture::drawing::Drawing;
use crate::picture::ticks::short;
use lto::evaluate::coverage::SHOWN;
use lto::evaluate::{Coverage, CoverageRow, Evaluation};

/// The name of these tables on the command line.
pub const NAME: &str = "coverage";

/// What they say.
pub const ABOUT: &str = "Each value should lie inside the band of a level as often as the level says; of two bands that do, the \
                         narrower one is better. CRPS is the error of the whole distribution: the mean absolute error, were \
                         the forecast certain. Shares are those of each sample, then their mean with its 95 % bootstrap interval over samples; widths, scores and errors are \
                         in deviations of the training data. Distances and spacings of sensors are in spacings of the training \
                         grid.";

/// The tables of every evaluation with bands.
pub fn coverages(evaluations: &[Evaluation]) -> Vec<ResultTable> {
    let banded =
        evaluations.iter().zip(names(evaluations)).filter_map(|(e, name)| Some((e.coverage.as_ref()?, name)));
    banded.flat_map(|(coverage, name)| tables(coverage, &name)).collect()
}

fn tables(coverage: &Coverage, name: &str) -> Vec<ResultTable> {
    let level = short(100.0 * coverage.levels[SHOWN]);
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let inside = |row: &CoverageRow| match row.interval {
        Some([low, high]) => {
            format!("{} ({} – {})", percent(row.covered[SHOWN]), percent(low), percent(high))
        }
        None => percent(row.covered[SHOWN]),
    };
    let n = coverage.all.as_ref().map_or(0, |all| all.samples);
    let about = format!("{name}: values inside the {level} % band in %, its width and the CRPS, {n} samples");
    let mut cases = ResultTable::new(NAME, format!("{about}, by lead in native steps"));
    let leads = leads(coverage);
    cases.columns = vec!["observations".into()];
    for lead in &leads {
        let lead = lead.map_or("steady".into(), short);
        cases.columns.extend(["inside", "width", "CRPS"].map(|what| format!("{lead}: {what}")));
    }
    for row in &coverage.cases {
        let known = cases.rows.iter().position(|cells| cells[0].text == row.label);
        let at = known.unwrap_or_else(|| {
            cases.rows.push([vec![plain(row.label.clone())], vec![plain("–"); 3 * leads.len()]].concat());
            cases.rows.len() - 1
        });
        if let Some(column) = leads.iter().position(|lead| *lead == row.lead) {
            let cells = [inside(row), number(row.width), number(row.crps)].map(plain);
            cases.rows[at].splice(3 * column + 1..3 * column + 4, cells);
        }
    }
    let mut places =
        ResultTable::new(NAME, format!("{name}: the {level} % band by place, all layouts without noise"));
    let columns =
        ["where", "inside, %", "one sample in ten at most", "width", "CRPS", "mean error", "samples"];
    places.columns = columns.map(String::from).to_vec();
    let all = coverage.all.iter().map(|row| ("everywhere".to_string(), row));
    let distances =
        coverage.distances.iter().map(|row| (format!("distance to the nearest sensor {}", row.label), row));
    let spacings = coverage.spacings.iter().map(|row| (format!("spacing of the sensors {}", row.label), row));
    let all = all.chain(distances).chain(spacings);
    places.rows.extend(all.map(|(label, row)| {
        let cells = [
            label,
            inside(row),
            row.tenth.map_or("–".into(), percent),
            number(row.width),
            number(row.crps),
            number(row.mean_error),
            row.samples.to_string(),
        ];
        cells.map(plain).to_vec()
    }));
    vec![cases, places]
}

/// Leads in the order in which they appear.
fn leads(coverage: &Coverage) -> Vec<Option<f64>> {
    let mut leads: Vec<Option<f64>> = coverage.cases.iter().map(|row| row.lead).collect();
    leads.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    leads.dedup();
    leads
}

/// Reliability of a model's bands: the share of values inside against the nominal one, by lead, by the distance to the
/// nearest sensor and by the spacing of the sensors around; a perfect one is the diagonal.
pub fn reliability(coverage: &Coverage) -> Vec<(Drawing, &'static str)> {
    let by_lead = leads(coverage).into_iter().flatten().filter_map(|lead| {
        let rows = coverage.cases.iter().filter(|row| row.lead == Some(lead) && !row.label.contains("noise"));
        let rows: Vec<&CoverageRow> = rows.collect();
        let mean = |i: usize| rows.iter().map(|row| row.covered[i]).sum::<f64>() / rows.len() as f64;
        (!rows.is_empty()).then(|| {
            (format!("lead {}", short(lead)), (0..coverage.levels.len()).map(mean).collect::<Vec<f64>>())
        })
    });
    let by_place = |rows: &[CoverageRow], what: &str| -> Vec<(String, Vec<f64>)> {
        rows.iter().map(|row| (format!("{what} {}", row.label), row.covered.clone())).collect()
    };
    let pictures = [
        (by_lead.collect(), "by lead"),
        (by_place(&coverage.distances, "distance"), "by distance to the nearest sensor"),
        (by_place(&coverage.spacings, "spacing"), "by spacing of the sensors"),
    ];
    pictures
        .into_iter()
        .filter(|(curves, _)| !curves.is_empty())
        .map(|(curves, by)| (chart(&coverage.levels, curves), by))
        .collect()
}

fn chart(levels: &[f64], curves: Vec<(String, Vec<f64>)>) -> Drawing {
    let diagonal = Series {
        name: "as it says".into(),
        points: [0.0, 1.0].map(|x| (x, x)).to_vec(),
        intervals: Vec::new(),
        color: [0, 0, 0],
        style: Style::Dashed,
    };
    let curve = |(i, (name, covered)): (usize, (String, Vec<f64>))| Series {
        name,
        points: levels.iter().copied().zip(covered).collect(),
        intervals: Vec::new(),
        color: COLORS[i % COLORS.len()],
        style: Style::Marked,
    };
    let series = std::iter::once(diagonal).chain(curves.into_iter().enumerate().map(curve)).collect();
    let (x, y) = (Axis::linear("nominal share"), Axis::linear("share of values inside"));
    Chart { title: String::new(), x, y, series }.draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases fill a table of leads, with a dash where a lead was not reached; the curves have a point for each level.
    #[test]
    fn cases_fill_a_table_of_leads() {
        let row = |label: &str, lead, covered| CoverageRow {
            label: label.into(),
            lead,
            covered: vec![covered; 7],
            interval: Some([0.88, 0.93]),
            tenth: Some(0.81),
            width: 0.25,
            crps: 0.01,
            mean_error: 0.02,
            samples: 9,
        };
        let coverage = Coverage {
            levels: lto::evaluate::coverage::LEVELS.to_vec(),
            calibrated_on: "new samples".into(),
            all: Some(row("all", None, 0.9)),
            cases: vec![
                row("full", Some(1.0), 0.901),
                row("full", Some(4.0), 0.89),
                row("random 5 %", Some(1.0), 0.912),
                row("full, noise 0.1", Some(1.0), 0.5),
            ],
            distances: vec![row("0", None, 0.9), row("0 to 1", None, 0.88)],
            spacings: vec![row("1 to 2", None, 0.91)],
        };
        let tables = tables(&coverage, "heat");
        let text = |table: &ResultTable| -> Vec<Vec<String>> {
            table.rows.iter().map(|row| row.iter().map(|cell| cell.text.clone()).collect()).collect()
        };
        assert_eq!(tables[0].columns[..5], ["observations", "1: inside", "1: width", "1: CRPS", "4: inside"]);
        let cases = text(&tables[0]);
        assert_eq!(cases[0][..3], ["full", "90.1 (88.0 – 93.0)", "0.25"]);
        assert_eq!((cases[1][1].as_str(), cases[1][4].as_str()), ("91.2 (88.0 – 93.0)", "–"));
        let places = text(&tables[1]);
        assert_eq!(places[2][..3], ["distance to the nearest sensor 0 to 1", "88.0 (88.0 – 93.0)", "81.0"]);
        let pictures: Vec<&str> = reliability(&coverage).into_iter().map(|(_, by)| by).collect();
        assert_eq!(pictures, ["by lead", "by distance to the nearest sensor", "by spacing of the sensors"]);
    }
}
