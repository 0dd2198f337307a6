//! What is said about a certificate, on the terminal and on the page alike.

use super::analysis::{Analysis, Summary, Weights};
use crate::commands::failures;
use crate::commands::layout::place;
use crate::output::count;
use crate::page::Page;
use crate::picture::ticks::short;
use lto_numerics::geometry::EqualVolume;
use lto_numerics::theory::{Estimator, Origin, Partition};

pub const BOUNDS: [&str; 5] = ["bound of the error", "of", "ℓ", "at most", "holds"];
pub const ASSUMPTIONS: [&str; 3] = ["assumption", "", "if not"];
pub const STATES: [&str; 3] = ["known about the states", "", "from"];
pub const GAPS: [&str; 4] = ["sensor", "at", "bound there now", "bound everywhere then"];

/// The name of an estimate.
pub fn estimate(estimator: Estimator) -> &'static str {
    match estimator {
        Estimator::NadarayaWatson => "Nadaraya–Watson",
        Estimator::LocalLinear => "local linear",
    }
}

fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Given => "given",
        Origin::Derived => "follows from the others",
        Origin::Estimated => "estimated from data",
    }
}

impl Summary {
    /// The best bound: of the two estimates the one with less.
    fn best(&self) -> Option<&Weights> {
        self.weights.iter().min_by(|a, b| a.bound.total_cmp(&b.bound))
    }

    /// In a sentence or two.
    pub fn headline(&self) -> String {
        let (n, delta) = (self.certificate.n_points, self.certificate.fill_distance.upper);
        let mut text = format!("{} in {}, fill distance {}.", count(n, "sensor"), self.domain, short(delta));
        if let Some(best) = self.best() {
            let kind = if self.certain {
                "certified"
            } else {
                "estimated (not certified: the states are known from data)"
            };
            text.push_str(&format!(
                " The {} estimate with ℓ = {} is off by at most {}, worst at {}; {kind}. In the median over the domain, {}.",
                estimate(best.estimator),
                short(best.length_scale),
                short(best.everywhere.unwrap_or(best.bound)),
                place(&best.at),
                short(best.median)
            ));
            let range = self.certificate.regularity.oscillation;
            if best.bound >= range {
                text.push_str(&format!(
                    " That is no better than knowing that the states vary by at most {}: too few sensors, or too curved states.",
                    short(range)
                ));
            }
        }
        text
    }

    /// All bounds, from loose to tight.
    pub fn bounds(&self) -> Vec<Vec<String>> {
        let sure = |certain: bool| if certain { "everywhere" } else { "estimate" }.to_string();
        let nadaraya_watson = estimate(Estimator::NadarayaWatson).to_string();
        let row = |name: &str, found: Option<(f64, f64)>| {
            let (ell, bound) =
                found.map_or(("–".into(), "says nothing".into()), |(l, b)| (short(l), short(b)));
            let holds = if found.is_some() { sure(self.fill_distance_bounds_certain) } else { "–".into() };
            vec![name.to_string(), nadaraya_watson.clone(), ell, bound, holds]
        };
        let mut rows = vec![
            row(
                "the paper's theorem, from the fill distance",
                self.theorem.map(|b| (b.length_scale, b.bound)),
            ),
            row("our sharper form of it", self.lipschitz.map(|b| (b.length_scale, b.bound))),
        ];
        for found in &self.weights {
            let name = |what: &str| format!("from the actual weights, {what}");
            let (of, ell) = (estimate(found.estimator).to_string(), short(found.length_scale));
            let at = format!("at {} places", self.n_places);
            let at = if self.certain { at } else { format!("{at}, estimate") };
            rows.push(vec![
                name("at the places of the map"),
                of.clone(),
                ell.clone(),
                short(found.bound),
                at,
            ]);
            let everywhere = found.everywhere.map_or("not found".into(), short);
            let holds = found.everywhere.map_or("–".into(), |_| sure(self.certain));
            rows.push(vec![name("anywhere"), of, ell, everywhere, holds]);
        }
        rows
    }

    /// Which assumptions of the theorem hold.
    pub fn assumptions(&self) -> Vec<Vec<String>> {
        let assumptions = &self.certificate.assumptions;
        let holds = |holds: bool| if holds { "holds" } else { "does not hold" }.to_string();
        let periodic = match assumptions.n_open_axes {
            0 => "–".to_string(),
            1 => "one axis is not: a term of first order in ℓ is added".into(),
            k => format!("{k} axes are not: a term of first order in ℓ is added"),
        };
        let (volumes, else_volumes) = match &assumptions.partition {
            Partition::EqualVolume { .. } => (holds(true), "–".to_string()),
            Partition::Voronoi { equal_volume, deviation, .. } => {
                let known = match equal_volume {
                    EqualVolume::Fails => holds(false),
                    _ => "not found to hold".into(),
                };
                let by = format!(
                    "Voronoi cells instead, smaller than the mean by a factor of up to {}, sampled: the bounds from the fill distance are estimates",
                    short(1.0 + deviation)
                );
                (known, by)
            }
        };
        let smooth = if self.certain { "taken as given" } else { "estimated from data" }.to_string();
        vec![
            vec!["(a) states twice differentiable, curvature at most M".into(), smooth, "–".into()],
            vec!["(b) the domain is periodic".into(), holds(assumptions.periodic), periodic],
            vec!["(c) cells of equal volume, each near its sensor".into(), volumes, else_volumes],
            vec!["for the bounds from actual weights".into(), "only (a) is needed".into(), "–".into()],
        ]
    }

    /// What is known about the states.
    pub fn states(&self) -> Vec<Vec<String>> {
        let known = &self.certificate.regularity;
        let row = |name: &str, value: f64, from: &str| vec![name.to_string(), short(value), from.to_string()];
        let mut rows = vec![
            row("M, curvature", known.curvature_bound, origin(known.origin)),
            row("G, slope", known.gradient_bound, origin(known.gradient_origin)),
            row(
                "range, largest less smallest",
                known.oscillation,
                if self.certain { "follows" } else { "estimated from data" },
            ),
        ];
        if let Some(data) = &self.data {
            let shape: Vec<String> = data.shape.iter().map(usize::to_string).collect();
            let from = format!("{} on {} points", count(data.n_fields, "field"), shape.join(" × "));
            rows.push(vec!["data".into(), from, String::new()]);
        }
        rows
    }

    /// Where one more sensor helps most.
    pub fn gap_rows(&self) -> Vec<Vec<String>> {
        let row = |(number, gap): (usize, &lto_numerics::theory::plan::Gap)| {
            vec![format!("+{}", number + 1), place(&gap.at), short(gap.value), short(gap.after)]
        };
        self.gaps.iter().enumerate().map(row).collect()
    }

    /// What the failures are judged by.
    pub fn failure_rows(&self) -> Vec<Vec<String>> {
        self.failures.as_ref().map_or_else(Vec::new, |failures| failures.rows())
    }

    /// What was sampled and what was left out.
    pub fn caveats(&self) -> Vec<String> {
        let mut lines =
            vec![format!("Maps have {} places, ℓ was chosen at {}.", self.n_places, self.n_tuning_places)];
        if let Some(failures) = self.failures.as_ref().filter(|f| f.examined < self.certificate.n_points) {
            lines.push(format!(
                "Failures of {} sensors were looked at, those that leave the smallest and largest holes.",
                failures.examined
            ));
        }
        for found in self.weights.iter().filter(|found| found.n_fallbacks > 0) {
            lines.push(format!(
                "At {} the sensors determine no affine function; the estimate is the Nadaraya–Watson one there.",
                count(found.n_fallbacks, "place")
            ));
        }
        if self.weights.iter().any(|found| found.everywhere.is_none()) {
            lines.push(
                "Where no bound for all places was found, the search ended early: the bound holds at the places of the map only."
                    .into(),
            );
        }
        lines
    }
}

/// The text for the terminal.
pub fn text(analysis: &Analysis, color: bool) -> String {
    let summary = &analysis.summary;
    let mut page = Page::new(color);
    page.line(&summary.headline());
    page.table("Bounds, from loose to tight", &BOUNDS, summary.bounds());
    page.table("Known about the states", &STATES, summary.states());
    page.table("Assumptions of the theorem", &ASSUMPTIONS, summary.assumptions());
    page.table("One more sensor, then another (local linear)", &GAPS, summary.gap_rows());
    page.table("If a sensor fails (local linear)", &failures::COLUMNS, summary.failure_rows());
    for line in summary.caveats() {
        page.line(&line);
    }
    page.into_text()
}
