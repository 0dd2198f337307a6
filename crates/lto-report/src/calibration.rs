//! A calibration in words and numbers, for the terminal.

use crate::picture::ticks::short;
use crate::text::Page;
use crate::words::count;
use lto::band::Calibration;
use lto::model::ModelCard;

/// The level whose factors are shown.
const LEVEL: f64 = 0.9;

/// What was measured: how many samples, which leads and densities, and the factors between the scale and the 90 % band, which
/// would be 1.6 if errors were normal and the scale their deviation.
pub fn text(card: &ModelCard, calibration: &Calibration, color: bool) -> String {
    let mut page = Page::new(color);
    let [scale, quantiles] = calibration.samples;
    page.line(&format!("calibrated on {}", calibration.data));
    page.line(&format!(
        "{} for the scale of the errors, {quantiles} for the quantiles",
        count(scale, "sample")
    ));
    let edge = |i: usize| calibration.edges.get(i).map(|edge| short(edge.exp2()));
    let densities: Vec<String> = (0..=calibration.edges.len())
        .map(|i| match (i.checked_sub(1).and_then(edge), edge(i)) {
            (None, Some(to)) => format!("to {to}"),
            (Some(from), Some(to)) => format!("{from} to {to}"),
            (Some(from), None) => format!("above {from}"),
            (None, None) => "any".into(),
        })
        .collect();
    let columns: Vec<&str> =
        ["channel", "lead"].into_iter().chain(densities.iter().map(String::as_str)).collect();
    let mut rows = Vec::new();
    for (c, channel) in crate::prediction::channel_names(card).into_iter().enumerate() {
        for (l, lead) in calibration.leads.iter().enumerate() {
            let factor = |density: usize| {
                let bin = l * densities.len() + density;
                let level = calibration.level(LEVEL).ok();
                level.and_then(|level| calibration.quantiles(c, bin)[level]).map_or("–".into(), short)
            };
            let lead = if card.problem.times.is_some() { short(*lead) } else { "–".into() };
            rows.push([vec![channel.clone(), lead], (0..densities.len()).map(factor).collect()].concat());
        }
    }
    page.table(
        "Half widths of the 90 % band ÷ scale, by spacing of the sensors in native spacings",
        &columns,
        rows,
    );
    let about = crate::prediction::channel_names(card).into_iter().zip(&calibration.channels).map(
        |(name, channel)| {
            let noise = if channel.noise.is_some() { "yes" } else { "no" };
            vec![name, short(channel.amplitude_power), short(channel.length), noise.into()]
        },
    );
    let columns = ["channel", "power of the amplitude", "errors are alike over", "noise is noticed"];
    page.table("Errors", &columns, about.collect());
    page.into_text()
}
