//! What is said about a certificate, on the terminal and on the page alike.

use super::analysis::{Analysis, Summary, Weights};
use crate::commands::layout::place;
use crate::commands::states::Estimated;
use crate::commands::{failures, gaps};
use lto_numerics::geometry::EqualVolume;
use lto_numerics::theory::{BoundOrigin, Estimator, Partition};
use lto_report::picture::ticks::short;
use lto_report::text::Page;
use lto_report::words::count;

pub const BOUNDS: [&str; 5] = ["bound of the error", "of", "ℓ", "at most", "holds"];
pub const ASSUMPTIONS: [&str; 3] = ["assumption", "", "if not"];
pub const STATES: [&str; 3] = ["known about the states", "", "from"];

/// The name of an estimate.
pub fn estimate(estimator: Estimator) -> &'static str {
    match estimator {
        Estimator::NadarayaWatson => "Nadaraya–Watson",
        Estimator::LocalLinear => "local linear",
    }
}

fn origin(origin: BoundOrigin) -> &'static str {
    match origin {
        BoundOrigin::Given => "given",
        BoundOrigin::Derived => "follows from the others",
        BoundOrigin::Estimated => "estimated from data",
    }
}

/// Of the estimates the one to headline: a bound that is proved everywhere comes before one that is known at places only,
/// then the lesser.
fn best(weights: &[Weights]) -> Option<&Weights> {
    let rank = |found: &Weights| (found.everywhere.is_none(), found.everywhere.unwrap_or(found.bound));
    weights.iter().min_by(|a, b| {
        let (a, b) = (rank(a), rank(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    })
}

impl Weights {
    /// What is claimed: certified only where it is proved everywhere and nothing rests on data.
    fn claim(&self, certain: bool, n_places: usize) -> String {
        let ell = short(self.length_scale);
        let name = format!("The {} estimate with ℓ = {ell} is off by at most", estimate(self.estimator));
        let (at, states) = (place(&self.at), "the states are known from data");
        match (self.everywhere, certain) {
            (Some(bound), true) => format!("{name} {} anywhere, worst near {at}; certified.", short(bound)),
            (Some(bound), false) => {
                format!(
                    "{name} {} anywhere, worst near {at}; an estimate, not certified: {states}.",
                    short(bound)
                )
            }
            (None, certain) => {
                let data = if certain { String::new() } else { format!(", and {states}") };
                let bound = short(self.bound);
                format!(
                    "{name} {bound} at the {n_places} places looked at, worst at {at}; not certified between them{data}."
                )
            }
        }
    }
}

impl Summary {
    /// In a sentence or two.
    pub fn headline(&self) -> String {
        let (n, delta) = (self.certificate.n_points, self.certificate.fill_distance.upper);
        let mut text = format!("{} in {}, fill distance {}.", count(n, "sensor"), self.domain, short(delta));
        if let Some(best) = best(&self.weights) {
            text.push_str(&format!(
                " {} The median of the bound over {} places is {}.",
                best.claim(self.certain, self.n_places),
                self.n_places,
                short(best.median)
            ));
            let range = self.certificate.regularity.oscillation;
            if best.everywhere.unwrap_or(best.bound) >= range {
                text.push_str(&format!(
                    " That is no better than knowing that the states vary by at most {}: too few sensors, or too curved states.",
                    short(range)
                ));
            }
        }
        if let Some(doubt) = self.data.as_ref().and_then(Estimated::doubt) {
            text.push_str(&format!(" Beware: {doubt}."));
        }
        text
    }

    /// All bounds, those from the fill distance first.
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
            row(
                "its Lipschitz form (ours), of better order",
                self.lipschitz.map(|b| (b.length_scale, b.bound)),
            ),
        ];
        for found in &self.weights {
            let name = |what: &str| format!("from the actual weights, {what}");
            let (of, ell) = (estimate(found.estimator).to_string(), short(found.length_scale));
            let at = if self.certain { "there" } else { "there, estimate" }.to_string();
            rows.push(vec![
                name(&format!("at {} places", self.n_places)),
                of.clone(),
                ell.clone(),
                short(found.bound),
                at,
            ]);
            let everywhere = found.everywhere.map_or("not proved".into(), short);
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
            Partition::Voronoi { equal_volume, deviation, exact, .. } => {
                let known = match equal_volume {
                    EqualVolume::Fails => holds(false),
                    _ => "not found to hold".into(),
                };
                let sampled = match exact {
                    true => "",
                    false => ", sampled: the bounds from the fill distance are estimates",
                };
                let by = format!(
                    "Voronoi cells instead, smaller than the mean by a factor of up to {}{sampled}",
                    short(1.0 + deviation)
                );
                (known, by)
            }
        };
        let (smooth, else_smooth) = match &self.data {
            None => ("taken as given".to_string(), "–".to_string()),
            Some(data) => match (data.doubt(), data.curvature_growth) {
                (Some(doubt), _) => ("does not look so".into(), doubt),
                (None, Some(growth)) => (
                    format!("looks so: M from all grid points is {growth:.2} times M from every other one"),
                    "–".into(),
                ),
                (None, None) => ("estimated from data; too few points to check".into(), "–".into()),
            },
        };
        vec![
            vec!["(a) states twice differentiable, curvature at most M".into(), smooth, else_smooth],
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
            row("range, largest less smallest", known.oscillation, self.range_origin()),
        ];
        if let Some(data) = &self.data {
            let margin = if data.margin > 1.0 {
                format!("with a margin of {}", data.margin)
            } else {
                "as found".into()
            };
            rows.push(vec!["data".into(), data.source(), margin]);
        }
        rows
    }

    fn range_origin(&self) -> &'static str {
        let known = &self.certificate.regularity;
        match known.sup_bound {
            _ if !self.certain => origin(BoundOrigin::Estimated),
            Some(sup) if known.oscillation == 2.0 * sup => "given: twice the largest absolute value",
            _ => origin(BoundOrigin::Derived),
        }
    }

    /// What the failures are judged by.
    pub fn failure_rows(&self) -> Vec<Vec<String>> {
        self.failures.as_ref().map_or_else(Vec::new, |failures| failures.rows())
    }

    /// What was sampled and what was left out.
    pub fn caveats(&self) -> Vec<String> {
        let chosen = if self.length_scale_chosen { "ℓ was chosen and failures" } else { "failures" };
        let mut lines = vec![format!(
            "Maps have {} places; {chosen} were judged at {}.",
            self.n_places, self.n_tuning_places
        )];
        for found in self.weights.iter().filter(|found| found.n_fallbacks > 0) {
            lines.push(format!(
                "At {} the sensors determine no affine function; the estimate is the Nadaraya–Watson one there.",
                count(found.n_fallbacks, "place")
            ));
        }
        if self.certificate.regularity.sup_bound.is_none() {
            let losses = self.weights.iter().map(|found| found.relative_loss);
            lines.push(format!(
                "The largest absolute value is not known (--sup): the density floor and rounding may add up to {} of it to the bounds.",
                short(losses.fold(0.0, f64::max))
            ));
        }
        if self.weights.iter().any(|found| found.everywhere.is_none()) {
            lines.push(
                "Where no bound is proved for all places, the search for it ended early: what is said holds at the places looked at."
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
    page.table("Bounds", &BOUNDS, summary.bounds());
    page.table("Known about the states", &STATES, summary.states());
    page.table("Assumptions of the theorem", &ASSUMPTIONS, summary.assumptions());
    page.table("One more sensor, then another (local linear)", &gaps::COLUMNS, gaps::rows(&summary.gaps));
    page.table("If a sensor fails (local linear)", &failures::COLUMNS, summary.failure_rows());
    for line in summary.caveats() {
        page.line(&line);
    }
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(estimator: Estimator, bound: f64, everywhere: Option<f64>) -> Weights {
        let (at, median) = (vec![0.5], 0.5 * bound);
        let (length_scale, density_floor, relative_loss) = (0.1, 1e-8, 0.0);
        let (lebesgue, n_fallbacks) = (1.0, 0);
        Weights {
            estimator,
            length_scale,
            density_floor,
            relative_loss,
            bound,
            at,
            median,
            everywhere,
            lebesgue,
            n_fallbacks,
        }
    }

    /// A number that is known at places only is never called certified, nor preferred to one that is proved.
    #[test]
    fn only_what_is_proved_everywhere_is_certified() {
        let linear = weights(Estimator::LocalLinear, 0.1, None);
        let proved = weights(Estimator::NadarayaWatson, 0.5, Some(0.55));
        let both = [proved.clone(), linear.clone()];
        let headline = best(&both).unwrap();
        assert_eq!(headline.estimator, Estimator::NadarayaWatson);
        let claim = headline.claim(true, 900);
        assert!(claim.contains("0.55 anywhere") && claim.ends_with("; certified."), "{claim}");
        let looked_at = best(std::slice::from_ref(&linear)).unwrap().claim(true, 900);
        assert!(looked_at.contains("0.1 at the 900 places looked at"), "{looked_at}");
        assert!(looked_at.contains("not certified between them") && !looked_at.contains("; certified"));
        for found in &both {
            let of_data = found.claim(false, 900);
            assert!(of_data.contains("not certified") && of_data.contains("data"), "{of_data}");
        }
        let better = weights(Estimator::LocalLinear, 0.1, Some(0.12));
        assert_eq!(best(&[proved, better]).unwrap().estimator, Estimator::LocalLinear);
    }
}
