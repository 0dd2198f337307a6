//! The page of a certificate.

use super::analysis::{Analysis, AtScale, Weights};
use super::text::{ASSUMPTIONS, BOUNDS, STATES, estimate};
use crate::args::CertifyArgs;
use crate::commands::{failures, gaps, layout};
use lto_numerics::theory::Certificate;
use lto_report::Result;
use lto_report::html::{Figure, Report, Section, Table};
use lto_report::picture::chart::{Axis, COLORS, Chart, Series, Style};
use lto_report::picture::colormap::Rgb;
use lto_report::picture::drawing::{Drawing, INK};
use lto_report::picture::sensor_map::{Group, Mark, SensorMap};
use lto_report::picture::ticks::short;

/// The whole page.
///
/// # Errors
/// None for a sound analysis.
pub fn page(analysis: &Analysis, args: &CertifyArgs) -> Result<Report> {
    let summary = &analysis.summary;
    let mut map = Section::new("Where the estimate is uncertain").text(format!(
        "The bound of the error at {} places, for every state as curved as assumed. It is small near sensors and large in gaps \
         and at boundaries. The ring is the worst place found.",
        summary.n_places
    ));
    // The better one first.
    for number in [1, 0] {
        let (Some(found), Some(values)) = (summary.weights.get(number), analysis.maps.get(number)) else {
            continue;
        };
        let name = estimate(found.estimator);
        let caption = format!("The {name} estimate with ℓ = {}. {}", short(found.length_scale), reach(found));
        let title = format!("{name}: {} at worst", short(found.bound));
        map = map.figure(Figure::drawing(
            &sensor_map(analysis, title, values, &found.at)?,
            caption,
            format!("Map of the bound of the {name} estimate, with the sensors and the worst place"),
        )?);
    }
    let bounds = Section::new("The bounds")
        .text(
            "Nadaraya–Watson is the normalized set convolution, the signal that the twin's encoder sees; the local linear estimate fits an \
             affine function around each place. The theorem's form holds for every layout with the same fill distance, and pays for it; \
             bounds from the actual weights are for these very sensors. All are for every state as curved as assumed.",
        )
        .table(Table::of(&BOUNDS, summary.bounds()));
    let scales = Section::new("The length scale").text(scale_text(analysis)).figure(Figure::drawing(
        &over_scale(&summary.scales),
        "The largest bound against ℓ.",
        "Bounds of both estimates and of the theorem against the length scale, on logarithmic axes",
    )?);
    let assumptions = Section::new("What it rests on")
        .table(Table::of(&STATES, summary.states()))
        .table(Table::of(&ASSUMPTIONS, summary.assumptions()));
    let changes = Section::new("Adding and losing sensors")
        .text(
            "Each further sensor stands where it lowers the largest bound most, for the place that is worst by then. Bounds are those of \
             the local linear estimate at its ℓ, at the places of the map. Where many places are as bad as the worst, one sensor cannot \
             lower the largest bound, and may raise it a little nearby.",
        )
        .table(Table::of(&gaps::COLUMNS, gaps::rows(&summary.gaps)))
        .text(
            "Without one of the sensors (numbered from 0 in the order of the file): what becomes of the largest bound, and by how much \
             the bound grows near the sensor.",
        )
        .table(Table::of(&failures::COLUMNS, summary.failure_rows()));
    let mut notes = Section::new("How it was made").code(command(args));
    for line in summary.caveats() {
        notes = notes.text(line);
    }
    Ok(Report {
        title: if summary.certain {
            "Certificate of a sensor layout"
        } else {
            "Estimated error of a sensor layout"
        }
        .into(),
        summary: summary.headline(),
        sections: vec![map, bounds, scales, assumptions, changes, notes],
    })
}

/// What is known between the places of a map.
fn reach(found: &Weights) -> String {
    match found.everywhere {
        Some(bound) => format!("Anywhere, also between the places shown, it is at most {}.", short(bound)),
        None => "Nothing is proved between the places shown.".into(),
    }
}

fn sensor_map(analysis: &Analysis, title: String, values: &[f64], worst: &[f64]) -> Result<Drawing> {
    let sensors = Group { name: "sensors".into(), coordinates: analysis.sensors.coordinates(), color: INK };
    SensorMap {
        title,
        quantity: "bound of the error".into(),
        grid: analysis.places.lattice(),
        values,
        groups: vec![sensors],
        marks: vec![Mark { at: worst.to_vec(), label: "worst".into() }],
        regions: &[],
    }
    .draw()
}

fn scale_text(analysis: &Analysis) -> String {
    let summary = &analysis.summary;
    let of_weights = summary
        .weights
        .iter()
        .map(|found| format!("{} for the {} estimate", short(found.length_scale), estimate(found.estimator)));
    let of_weights: Vec<String> = of_weights.collect();
    let theorem = match &summary.theorem {
        Some(bound) => format!(
            "The theorem trades the smoothing bias ½DMℓ² (here {}) against the quadrature error C δ/ℓ (C = {}, here {}) at ℓ* = {}.",
            short(bound.smoothing_bias),
            short(bound.constant),
            short(bound.quadrature_error),
            short(bound.length_scale)
        ),
        None => {
            "The theorem says nothing for this layout: δ/ℓ is too large, or cells too unequal, at every ℓ."
                .into()
        }
    };
    let chosen = if summary.length_scale_chosen {
        format!(
            "The widest ℓ whose largest bound from the actual weights is within {} % of the least: ",
            short(100.0 * Certificate::ROBUSTNESS)
        )
    } else {
        "As asked for: ".into()
    };
    format!("{chosen}{}. A wider kernel leans on more sensors. {theorem}", of_weights.join(", "))
}

fn over_scale(scales: &[AtScale]) -> Drawing {
    let series = |name: &str, color: Rgb, style: Style, of: &dyn Fn(&AtScale) -> Option<f64>| Series {
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

/// The command, as far as it matters.
fn command(args: &CertifyArgs) -> String {
    let mut text = format!("lto certify {}", args.sensors.display());
    if let Some(domain) = &args.dataset.domain {
        text.push_str(&format!(" --domain {}", layout::bounds(domain)));
    }
    match &args.dataset.periodic {
        Some(lto_numerics::dataset::PeriodicOption::All) => text.push_str(" --periodic all"),
        Some(lto_numerics::dataset::PeriodicOption::Axes(axes)) => {
            text.push_str(&format!(" --periodic {}", axes.join(",")));
        }
        _ => {}
    }
    let known = &args.regularity;
    if let Some(file) = &known.data {
        text.push_str(&format!(" --data {}", file.display()));
        if let Some(margin) = known.margin {
            text.push_str(&format!(" --margin {margin}"));
        }
    }
    if let Some(run) = &args.run {
        text.push_str(&format!(" --run {}", run.display()));
    }
    let numbers = [
        ("curvature", known.curvature),
        ("sup", known.sup),
        ("gradient", known.gradient),
        ("length-scale", args.length_scale),
    ];
    for (flag, value) in numbers {
        if let Some(value) = value {
            text.push_str(&format!(" --{flag} {value}"));
        }
    }
    text
}
