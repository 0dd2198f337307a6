//! What bands do: how much they cover, how wide they are, how good the distributions are.

use super::rows::names;
use super::table::{ResultTable, interval, number, plain};
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
                         the forecast certain. Shares are those of each sample, then their mean; widths, scores and errors are \
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
    let percent = |row: &CoverageRow| format!("{:.1}", 100.0 * row.covered[SHOWN]);
    let by_lead = |what: String, of: &dyn Fn(&CoverageRow) -> String| {
        let mut table = ResultTable::new(NAME, format!("{name}: {what}, by lead in native steps"));
        let leads = leads(coverage);
        table.columns = vec!["observations".into()];
        table.columns.extend(leads.iter().map(|lead| lead.map_or("steady".into(), short)));
        for row in &coverage.cases {
            let known = table.rows.iter().position(|cells| cells[0].text == row.label);
            let at = known.unwrap_or_else(|| {
                table.rows.push([vec![plain(row.label.clone())], vec![plain("–"); leads.len()]].concat());
                table.rows.len() - 1
            });
            if let Some(column) = leads.iter().position(|lead| *lead == row.lead) {
                table.rows[at][column + 1] = plain(of(row));
            }
        }
        table
    };
    let by_place = |what: &str, rows: &[CoverageRow]| {
        let mut table = ResultTable::new(NAME, format!("{name}: the {level} % band by {what}"));
        let columns = [what, "inside, %", "95 % interval", "width", "CRPS", "mean error", "samples"];
        table.columns = columns.map(String::from).to_vec();
        let all = coverage.all.iter().chain(rows);
        table.rows.extend(all.map(|row| {
            let ends = row.interval.map(|ends| ends.map(|end| 100.0 * end));
            let cells = [
                row.label.clone(),
                percent(row),
                interval(ends),
                number(row.width),
                number(row.crps),
                number(row.mean_error),
                row.samples.to_string(),
            ];
            cells.map(plain).to_vec()
        }));
        table
    };
    vec![
        by_lead(format!("values inside the {level} % band, in %"), &percent),
        by_lead(format!("width of the {level} % band"), &|row| number(row.width)),
        by_lead("CRPS".into(), &|row| number(row.crps)),
        by_place("distance to the nearest sensor", &coverage.distances),
        by_place("spacing of the sensors", &coverage.spacings),
    ]
}

/// Leads in the order in which they appear.
fn leads(coverage: &Coverage) -> Vec<Option<f64>> {
    let mut leads: Vec<Option<f64>> = coverage.cases.iter().map(|row| row.lead).collect();
    leads.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    leads.dedup();
    leads
}

/// Reliability of a model's bands: the share of values inside against the nominal one, by lead and by the distance to the
/// nearest sensor; a perfect one is the diagonal.
pub fn reliability(coverage: &Coverage) -> Vec<(Drawing, &'static str)> {
    let by_lead = leads(coverage).into_iter().flatten().filter_map(|lead| {
        let rows = coverage.cases.iter().filter(|row| row.lead == Some(lead) && !row.label.contains("noise"));
        let rows: Vec<&CoverageRow> = rows.collect();
        let mean = |i: usize| rows.iter().map(|row| row.covered[i]).sum::<f64>() / rows.len() as f64;
        (!rows.is_empty()).then(|| {
            (format!("lead {}", short(lead)), (0..coverage.levels.len()).map(mean).collect::<Vec<f64>>())
        })
    });
    let by_distance =
        coverage.distances.iter().map(|row| (format!("distance {}", row.label), row.covered.clone()));
    [(by_lead.collect::<Vec<_>>(), "by lead"), (by_distance.collect(), "by distance to the nearest sensor")]
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
            spacings: Vec::new(),
        };
        let tables = tables(&coverage, "heat");
        let text = |table: &ResultTable| -> Vec<Vec<String>> {
            table.rows.iter().map(|row| row.iter().map(|cell| cell.text.clone()).collect()).collect()
        };
        assert_eq!(tables[0].columns, ["observations", "1", "4"]);
        assert_eq!(text(&tables[0])[..2], [["full", "90.1", "89.0"], ["random 5 %", "91.2", "–"]]);
        assert_eq!(text(&tables[3])[2][..3], ["0 to 1", "88.0", "88 – 93"]);
        assert_eq!(reliability(&coverage).len(), 2);
    }
}
