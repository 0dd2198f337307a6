//! A calibration in words and numbers, for the terminal.

use crate::picture::ticks::short;
use crate::text::Page;
use crate::words::count;
use lto::band::Calibration;
use lto::band::place::{Evenness, Layout, lead_feature};
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
    let level = calibration.level(LEVEL).ok();
    let names = ["whole grids", "scattered sensors", "uneven sensors", "sensors with a hole"];
    for (evenness, name) in Evenness::ALL.into_iter().zip(names) {
        let numbers = &calibration.bins[evenness as usize].numbers;
        let edge = |i: usize| numbers.get(i).map(|edge| short(edge.exp2()));
        let ranges = (0..=numbers.len()).map(|i| match (i.checked_sub(1).and_then(edge), edge(i)) {
            (None, Some(to)) => format!("to {to}"),
            (Some(from), Some(to)) => format!("{from} to {to}"),
            (Some(from), None) => format!("above {from}"),
            (None, None) => "any".into(),
        });
        let columns: Vec<String> = ["channel".into(), "lead".into()].into_iter().chain(ranges).collect();
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let mut rows = Vec::new();
        for (c, channel) in crate::prediction::channel_names(card).into_iter().enumerate() {
            for lead in &calibration.leads {
                let feature = lead_feature(*lead, Some(1.0));
                let factor = |range: usize| {
                    let mean_spacing = numbers.get(range).copied().unwrap_or(f64::INFINITY);
                    let layout = Layout { evenness, mean_spacing };
                    let bin = |place| calibration.bin(feature, false, layout, place);
                    let of = |bin: usize| level.and_then(|level| calibration.quantiles(c, bin)[level]);
                    let each: Vec<String> = (bin([0.0; 2])..=bin([f64::INFINITY; 2]))
                        .map(|bin| of(bin).map_or("–".into(), |q| format!("{q:.1}")))
                        .collect();
                    each.join(", ")
                };
                let lead = if card.problem.times.is_some() { short(*lead) } else { "–".into() };
                rows.push([vec![channel.clone(), lead], (0..=numbers.len()).map(factor).collect()].concat());
            }
        }
        let title = format!(
            "Half widths of the 90 % band ÷ scale, {name}, by their mean spacing in native spacings; at a sensor, then where they are dense to sparse"
        );
        page.table(&title, &columns, rows);
    }
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
