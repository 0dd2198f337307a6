//! The certificate of a sensor layout: text for the terminal, and a page with maps.

use crate::error::{Error, Result};
use crate::html::{Figure, Report, Section};
use crate::layout::{estimate, failures, gaps, place};
use crate::picture::chart::{Axis, COLORS, Chart, Series, Style};
use crate::picture::colormap::Rgb;
use crate::picture::drawing::{Drawing, INK};
use crate::picture::sensor_map::{Group, Mark, SensorMap};
use crate::picture::ticks::short;
use crate::text::{Page, Rows};
use crate::words::count;
use lto_numerics::geometry::EqualVolume;
use lto_numerics::study::{BoundsAtScale, EstimatedRegularity, SensorCertificate, WeightBound};
use lto_numerics::theory::{BoundOrigin, Certificate, Estimator, Partition};

/// The text for the terminal.
pub fn text(found: &SensorCertificate, color: bool) -> String {
    let mut page = Page::new(color);
    page.line(&headline(found));
    page.rows("Bounds", bounds(found));
    page.rows("Known about the states", states(found));
    page.rows("Assumptions of the theorem", assumptions(found));
    page.rows("Where one more sensor helps most, one after the other (local linear)", gaps(&found.gaps));
    page.rows("If a sensor fails (local linear)", failures(found.failures.as_ref()));
    caveats(found).iter().for_each(|line| page.line(line));
    page.into_text()
}

/// The page; `command` is the command line that made it.
///
/// # Errors
/// None for a sound certificate.
pub fn page(found: &SensorCertificate, command: &str) -> Result<Report> {
    let mut map = Section::new("Where the estimate is uncertain").text(format!(
        "The error bound at {} places, for every state within the assumed curvature. It is small near \
         sensors and large in gaps and at boundaries. The ring is the worst place found.",
        found.n_places
    ));
    // The better one first.
    for (bound, values) in found.weights.iter().zip(&found.maps).rev() {
        let name = estimate(bound.estimator);
        map = map.figure(Figure::drawing(
            &sensor_map(found, bound, values)?,
            format!("The {name} estimate with ℓ = {}. {}", short(bound.length_scale), reach(bound)),
            format!("Map of the {name} estimate's bound, with the sensors and the worst place"),
        )?);
    }
    let bounds = Section::new("The bounds")
        .text(
            "Nadaraya–Watson is the normalized set convolution, the signal that the twin's encoder sees; the local linear \
             estimate fits an affine function around each place. The theorem's bound holds for every layout \
             with the same fill distance, so it is looser; bounds from the actual weights hold for exactly \
             these sensors. All hold for every state within the assumed curvature.",
        )
        .table(bounds(found).into());
    let scales = Section::new("The length scale").text(scale_text(found)).figure(Figure::drawing(
        &over_scale(&found.scales),
        "The largest bound against ℓ.",
        "Bounds of both estimates and of the theorem against the length scale, on logarithmic axes",
    )?);
    let rests = Section::new("What it rests on").table(states(found).into()).table(assumptions(found).into());
    let changes = Section::new("Adding and losing sensors")
        .text(
            "Each further sensor goes where it lowers the largest bound most, for the place that is worst by \
             then. Bounds are for the local linear estimate at its ℓ, at the places of the map. If many \
             places are as bad as the worst, one sensor cannot lower the largest bound and may raise it \
             slightly nearby.",
        )
        .table(gaps(&found.gaps).into())
        .text(
            "Without one sensor (numbered from 0 in file order): the largest bound, and how much the bound \
             rises near the lost sensor.",
        )
        .table(failures(found.failures.as_ref()).into());
    let notes = Section::new("How it was made").code(command);
    let title =
        if found.certain { "Certificate of a sensor layout" } else { "Estimated error of a sensor layout" };
    Ok(Report {
        title: title.into(),
        summary: headline(found),
        sections: vec![
            map,
            bounds,
            scales,
            rests,
            changes,
            caveats(found).into_iter().fold(notes, Section::text),
        ],
    })
}

/// The estimate to headline: a bound proved everywhere before one known only at places, then the smaller.
pub fn best(weights: &[WeightBound]) -> Option<&WeightBound> {
    let rank = |found: &WeightBound| (found.everywhere.is_none(), found.everywhere.unwrap_or(found.bound));
    weights.iter().min_by(|a, b| {
        let (a, b) = (rank(a), rank(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    })
}

/// The claim: certified only if proved everywhere without resting on data.
fn claim(found: &WeightBound, certain: bool, n_places: usize) -> String {
    let (ell, at) = (short(found.length_scale), place(&found.at));
    let name = format!("The {} estimate with ℓ = {ell} is off by at most", estimate(found.estimator));
    match (found.everywhere, certain) {
        (Some(bound), true) => format!("{name} {} anywhere, worst near {at}; certified.", short(bound)),
        (Some(bound), false) => format!(
            "{name} {} anywhere, worst near {at}; an estimate, not certified: the states are known only from \
             data.",
            short(bound)
        ),
        (None, certain) => {
            let data = if certain { "" } else { ", and the states are known from data" };
            let bound = short(found.bound);
            format!(
                "{name} {bound} at the {n_places} places looked at, worst at {at}; not certified between them{data}."
            )
        }
    }
}

/// The certificate in a few sentences.
fn headline(found: &SensorCertificate) -> String {
    let (n, delta) = (found.certificate.n_points, found.certificate.fill_distance.upper);
    let mut text = format!("{} in {}, fill distance {}.", count(n, "sensor"), found.domain, short(delta));
    if let Some(best) = best(&found.weights) {
        text.push_str(&format!(
            " {} The median of the bound over {} places is {}.",
            claim(best, found.certain, found.n_places),
            found.n_places,
            short(best.median)
        ));
        if let Some(noise) = &best.noise {
            let (where_, worst) = match noise.everywhere {
                Some(worst) => ("", worst),
                None => (" at these places", noise.worst),
            };
            text.push_str(&format!(
                " Noise of the sensors adds at most {}{where_} if no reading is off by more than its deviation; independent \
                 noise has a deviation of at most {} in the estimate, {} in the median.",
                short(worst),
                short(noise.deviation),
                short(noise.median)
            ));
        }
        let range = found.certificate.regularity.oscillation;
        if best.everywhere.unwrap_or(best.bound) >= range {
            text.push_str(&format!(
                " That is no better than the states' own range of {}: there are too few sensors, or the \
                 states are too curved.",
                short(range)
            ));
        }
    }
    if let Some(doubt) = found.data.as_ref().and_then(doubt) {
        text.push_str(&format!(" Beware: {doubt}."));
    }
    text
}

/// Why the curvature estimated from data cannot be trusted, if so.
fn doubt(data: &EstimatedRegularity) -> Option<String> {
    let growth = data.curvature_growth.filter(|_| data.resolved == Some(false))?;
    Some(format!(
        "M from all grid points is {growth:.1} times M from every 2nd one: the grid does not resolve the states, or they \
         are not twice differentiable; the true M may be much larger"
    ))
}

/// All bounds, starting with those from the fill distance.
fn bounds(found: &SensorCertificate) -> Rows {
    let sure = |certain: bool| if certain { "everywhere" } else { "estimate" }.to_string();
    let from_fill = |name: &str, bound: Option<(f64, f64)>| {
        let (ell, at_most) =
            bound.map_or(("–".into(), "says nothing".into()), |(ell, bound)| (short(ell), short(bound)));
        let holds = bound.map_or("–".into(), |_| sure(found.fill_distance_bounds_certain));
        vec![name.to_string(), estimate(Estimator::NadarayaWatson).into(), ell, at_most, holds]
    };
    let theorem = found.theorem.map(|b| (b.length_scale, b.bound));
    let lipschitz = found.lipschitz.map(|b| (b.length_scale, b.bound));
    let mut rows = vec![
        from_fill("the paper's theorem, from the fill distance", theorem),
        from_fill("its Lipschitz form (ours), of better order", lipschitz),
    ];
    for bound in &found.weights {
        let row = |at: String, at_most: String, holds: String| {
            let (of, ell) = (estimate(bound.estimator).to_string(), short(bound.length_scale));
            vec![format!("from the actual weights, {at}"), of, ell, at_most, holds]
        };
        let there = if found.certain { "there" } else { "there, estimate" };
        rows.push(row(format!("at {} places", found.n_places), short(bound.bound), there.into()));
        let (everywhere, holds) = match bound.everywhere {
            Some(bound) => (short(bound), sure(found.certain)),
            None => ("not proved".into(), "–".into()),
        };
        rows.push(row("anywhere".into(), everywhere, holds));
    }
    Rows { columns: &["bound of the error", "of", "ℓ", "at most", "holds"], rows }
}

/// Which assumptions of the theorem hold.
fn assumptions(found: &SensorCertificate) -> Rows {
    let assumptions = &found.certificate.assumptions;
    let holds = |holds: bool| if holds { "holds" } else { "does not hold" }.to_string();
    let none = || "–".to_string();
    let periodic = match assumptions.n_open_axes {
        0 => none(),
        1 => "one axis is not: a term of first order in ℓ is added".into(),
        k => format!("{k} axes are not: a term of first order in ℓ is added"),
    };
    let (volumes, else_volumes) = match &assumptions.partition {
        Partition::EqualVolume { .. } => (holds(true), none()),
        Partition::Voronoi { equal_volume, deviation, exact, .. } => {
            let known = match equal_volume {
                EqualVolume::Fails => holds(false),
                _ => "not found to hold".into(),
            };
            let sampled =
                if *exact { "" } else { ", sampled: the bounds from the fill distance are estimates" };
            let factor = short(1.0 + deviation);
            (
                known,
                format!(
                    "Voronoi cells instead, smaller than the mean by a factor of up to {factor}{sampled}"
                ),
            )
        }
    };
    let (smooth, else_smooth) = match &found.data {
        None => ("taken as given".to_string(), none()),
        Some(data) => match (doubt(data), data.curvature_growth) {
            (Some(doubt), _) => ("appears not to hold".into(), doubt),
            (None, Some(growth)) => (
                format!("appears to hold: M from all grid points is {growth:.2} times M from every 2nd one"),
                none(),
            ),
            (None, None) => ("estimated from data; too few points to check".into(), none()),
        },
    };
    let rows = vec![
        vec!["(a) states twice differentiable, curvature at most M".into(), smooth, else_smooth],
        vec!["(b) the domain is periodic".into(), holds(assumptions.periodic), periodic],
        vec!["(c) cells of equal volume, each near its sensor".into(), volumes, else_volumes],
        vec!["for the bounds from actual weights".into(), "only (a) is needed".into(), none()],
    ];
    Rows { columns: &["assumption", "", "if not"], rows }
}

/// What is known about the states.
fn states(found: &SensorCertificate) -> Rows {
    let known = &found.certificate.regularity;
    let origin = |origin: BoundOrigin| match origin {
        BoundOrigin::Given => "given",
        BoundOrigin::Derived => "follows from the others",
        BoundOrigin::Estimated => "estimated from data",
    };
    let range_origin = match known.sup_bound {
        _ if !found.certain => origin(BoundOrigin::Estimated),
        Some(sup) if known.oscillation == 2.0 * sup => "given: twice the largest absolute value",
        _ => origin(BoundOrigin::Derived),
    };
    let row = |name: &str, value: f64, from: &str| {
        let known = [short(value), from.to_string()];
        let [value, from] = if value.is_finite() { known } else { ["not known".into(), "–".into()] };
        vec![name.to_string(), value, from]
    };
    let mut rows = vec![
        row("M, curvature", known.curvature_bound, origin(known.origin)),
        row("G, slope", known.gradient_bound, origin(known.gradient_origin)),
        row("range, largest less smallest", known.oscillation, range_origin),
    ];
    if let Some(data) = &found.data {
        let shape: Vec<String> = data.shape.iter().map(usize::to_string).collect();
        let fields = count(data.n_available, "field");
        let source = format!("{} of {fields} on {} points", data.n_fields, shape.join(" × "));
        let margin =
            if data.margin > 1.0 { format!("with a margin of {}", data.margin) } else { "as found".into() };
        rows.push(vec!["data".into(), source, margin]);
    }
    Rows { columns: &["known about the states", "", "from"], rows }
}

/// What was sampled and what was left out.
fn caveats(found: &SensorCertificate) -> Vec<String> {
    let judged = if found.length_scale_chosen { "ℓ was chosen and failures" } else { "failures" };
    let mut lines = vec![format!(
        "Maps have {} places; {judged} were judged at {}.",
        found.n_places, found.n_tuning_places
    )];
    for bound in found.weights.iter().filter(|bound| bound.n_fallbacks > 0) {
        lines.push(format!(
            "At {} the sensors determine no affine function; the Nadaraya–Watson estimate is used there.",
            count(bound.n_fallbacks, "place")
        ));
    }
    if !found.certificate.regularity.bounds_range() {
        lines.push(
            "Neither the largest absolute value (--sup) nor the largest slope (--gradient) is known, and an axis is not \
             periodic: the Nadaraya–Watson estimate has no bound then, nor has the theorem. The local linear estimate needs the \
             curvature alone."
                .into(),
        );
    }
    if found.certificate.regularity.sup_bound.is_none() {
        lines.push(format!(
            "The largest absolute value is not known (--sup): the density floor and rounding may add up to {} of it to the \
             bounds.",
            short(found.weights.iter().map(|bound| bound.relative_loss).fold(0.0, f64::max))
        ));
    }
    if found.weights.iter().any(|bound| bound.everywhere.is_none()) {
        lines.push(
            "If no bound is proved everywhere, the search for one ended early; the bound then holds at the \
             places looked at."
                .into(),
        );
    }
    lines
}

/// What is known between the places of a map.
fn reach(found: &WeightBound) -> String {
    match found.everywhere {
        Some(bound) => format!("Everywhere, even between the places shown, it is at most {}.", short(bound)),
        None => "Nothing is proved between the places shown.".into(),
    }
}

/// The map of the bound of the best estimate, with the sensors and the worst place.
///
/// # Errors
/// None for a sound certificate.
pub fn map(found: &SensorCertificate) -> Result<Drawing> {
    let chosen = best(&found.weights);
    let maps = found.weights.iter().zip(&found.maps).find(|(bound, _)| Some(*bound) == chosen);
    match maps {
        Some((bound, values)) => sensor_map(found, bound, values),
        None => Error::no_picture("the certificate has no bounds to draw"),
    }
}

fn sensor_map(found: &SensorCertificate, bound: &WeightBound, values: &[f64]) -> Result<Drawing> {
    let sensors = Group { name: "sensors".into(), coordinates: found.sensors.coordinates(), color: INK };
    SensorMap {
        title: format!("{}: {} at worst", estimate(bound.estimator), short(bound.bound)),
        quantity: "bound of the error".into(),
        grid: found.places.lattice(),
        values,
        groups: vec![sensors],
        marks: vec![Mark { at: bound.at.clone(), label: "worst".into() }],
        regions: &[],
    }
    .draw()
}

fn scale_text(found: &SensorCertificate) -> String {
    let of = |bound: &WeightBound| {
        format!("{} for the {} estimate", short(bound.length_scale), estimate(bound.estimator))
    };
    let scales: Vec<String> = found.weights.iter().map(of).collect();
    let theorem = match &found.theorem {
        Some(bound) => format!(
            "The theorem trades the smoothing bias ½DMℓ² (here {}) against the quadrature error C δ/ℓ (C = {}, here {}) at \
             ℓ* = {}.",
            short(bound.smoothing_bias),
            short(bound.constant),
            short(bound.quadrature_error),
            short(bound.length_scale)
        ),
        None if !found.certificate.regularity.bounds_range() => {
            "The theorem says nothing: it needs the range of the states.".into()
        }
        None => {
            "The theorem says nothing about this layout: at every ℓ, δ/ℓ is too large or the cells are too unequal.".into()
        }
    };
    let chosen = if found.length_scale_chosen {
        format!(
            "The widest ℓ whose largest bound from the actual weights is within {} % of the least: ",
            short(100.0 * Certificate::ROBUSTNESS)
        )
    } else {
        "As given: ".into()
    };
    format!("{chosen}{}. A wider kernel uses more sensors. {theorem}", scales.join(", "))
}

fn over_scale(scales: &[BoundsAtScale]) -> Drawing {
    let series = |name: &str, color: Rgb, style: Style, of: &dyn Fn(&BoundsAtScale) -> Option<f64>| Series {
        name: name.into(),
        points: scales.iter().filter_map(|at| Some((at.length_scale, of(at)?))).collect(),
        intervals: Vec::new(),
        color,
        style,
    };
    let all = [
        series("theorem", COLORS[4], Style::Dashed, &|at| at.theorem),
        series("Nadaraya–Watson, weights", COLORS[0], Style::Marked, &|at| at.nadaraya_watson),
        series("local linear, weights", COLORS[1], Style::Marked, &|at| at.local_linear),
    ];
    Chart {
        title: String::new(),
        x: Axis::log("ℓ"),
        y: Axis::log("largest bound"),
        series: all.into_iter().filter(|series| !series.points.is_empty()).collect(),
    }
    .draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(estimator: Estimator, bound: f64, everywhere: Option<f64>) -> WeightBound {
        let (at, median) = (vec![0.5], 0.5 * bound);
        WeightBound {
            estimator,
            length_scale: 0.1,
            density_floor: 1e-8,
            relative_loss: 0.0,
            bound,
            at,
            median,
            everywhere,
            lebesgue: 1.0,
            n_fallbacks: 0,
            noise: None,
        }
    }

    /// A bound known only at places is never called certified, nor preferred to a proved one.
    #[test]
    fn only_what_is_proved_everywhere_is_certified() {
        let linear = bound(Estimator::LocalLinear, 0.1, None);
        let proved = bound(Estimator::NadarayaWatson, 0.5, Some(0.55));
        let both = [proved.clone(), linear.clone()];
        let headline = best(&both).unwrap();
        assert_eq!(headline.estimator, Estimator::NadarayaWatson);
        let text = claim(headline, true, 900);
        assert!(text.contains("0.55 anywhere") && text.ends_with("; certified."), "{text}");
        let looked_at = claim(best(std::slice::from_ref(&linear)).unwrap(), true, 900);
        assert!(looked_at.contains("0.1 at the 900 places looked at"), "{looked_at}");
        assert!(looked_at.contains("not certified between them") && !looked_at.contains("; certified"));
        for found in &both {
            let of_data = claim(found, false, 900);
            assert!(of_data.contains("not certified") && of_data.contains("data"), "{of_data}");
        }
        let better = bound(Estimator::LocalLinear, 0.1, Some(0.12));
        assert_eq!(best(&[proved, better]).unwrap().estimator, Estimator::LocalLinear);
    }
}
