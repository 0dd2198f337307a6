//! A point cloud: values over one coordinate, or dots colored by value over two, for one time or several side by side.

use super::Subject;
use super::drawing::{Drawing, Rect};
use super::panel::{ABOVE, BAR, BELOW, HEADER, LEFT, Legend, Panel, airy_range, color_bar, page};
use super::ticks::short;
use crate::error::{Error, Result};
use lto_numerics::dataset::format::csv::PointCloud;

const WIDTH: usize = 340;
const HEIGHT: usize = 240;
const RADIUS: f64 = 2.5;
/// The most times shown side by side.
const MAX_FRAMES: usize = 8;

/// Draws a value of a cloud; `subject.frames` are indices of its distinct times.
///
/// # Errors
/// More than two coordinates, or times that do not exist or are too many.
pub fn draw(cloud: &PointCloud, subject: &Subject) -> Result<Drawing> {
    let frames = frames(cloud, subject)?;
    let (across, up) = match cloud.axis_names.as_slice() {
        [_] => (0, None),
        [first, _] if first.to_lowercase().starts_with("lat") => (1, Some(0)),
        [_, _] => (0, Some(1)),
        more => {
            return Error::no_picture(format!(
                "a cloud with the coordinates {} cannot be drawn; keep one or two of them in the file",
                more.join(", ")
            ));
        }
    };
    let coordinates: Vec<Vec<f64>> = (0..cloud.axis_names.len())
        .map(|d| cloud.coordinates.iter().skip(d).step_by(cloud.axis_names.len()).copied().collect())
        .collect();
    let Some(values) = cloud.values.get(subject.channel) else {
        return Error::no_picture("there is no value column to draw; the file has coordinates only");
    };
    let shown = || frames.iter().flat_map(|(_, points)| points.iter().map(|&point| &values[point]));
    let scale = subject.scale(shown());
    let x = airy_range(&coordinates[across]);
    let y = up.map_or_else(|| airy_range(shown()), |up| airy_range(&coordinates[up]));
    let ratio = if up.is_some() { (y.1 - y.0) / (x.1 - x.0) } else { HEIGHT as f64 / WIDTH as f64 };
    let height = (WIDTH as f64 * ratio.clamp(0.4, 1.6)).round() as usize;

    let each = LEFT + WIDTH;
    let mut drawing = page(each * frames.len() + BAR, HEADER + ABOVE + height + BELOW, &subject.title);
    let corner = |number: usize| Rect { x: LEFT + each * number, y: HEADER + ABOVE, width: WIDTH, height };
    for (number, (title, points)) in frames.iter().enumerate() {
        let panel = Panel { rect: corner(number), x, y };
        let vertical = up.map_or(values, |up| &coordinates[up]);
        for &point in points.iter().filter(|&&point| vertical[point].is_finite()) {
            let at = panel.position(coordinates[across][point], vertical[point]);
            drawing.dot(at, RADIUS, scale.color(values[point]));
        }
        let y_label = up.map_or(&subject.quantity, |up| &cloud.axis_names[up]);
        let x_label = &cloud.axis_names[across];
        panel.frame(&mut drawing, &Legend { title, x_label: Some(x_label), y_label: Some(y_label) });
    }
    if up.is_some() {
        color_bar(&mut drawing, corner(frames.len() - 1), &scale, &subject.quantity);
    }
    Ok(drawing)
}

/// The title and points of each time shown: by default the first; all points of a cloud without times.
fn frames(cloud: &PointCloud, subject: &Subject) -> Result<Vec<(String, Vec<usize>)>> {
    let Some((name, times)) = &cloud.times else {
        if subject.frames.is_some() {
            return Error::no_picture("the cloud has no time column to choose from; leave out --frames");
        }
        return Ok(vec![(String::new(), (0..cloud.len()).collect())]);
    };
    let distinct = distinct(times);
    let chosen = match &subject.frames {
        Some(_) => subject.chosen_frames(distinct.len(), MAX_FRAMES)?,
        None => vec![0],
    };
    if chosen.len() > MAX_FRAMES {
        let n = chosen.len();
        return Error::no_picture(format!(
            "{n} times do not fit side by side; choose at most {MAX_FRAMES} with --frames"
        ));
    }
    let at = |time: f64| (0..times.len()).filter(move |&point| times[point] == time).collect();
    let frame = |frame: usize| (format!("{name} = {}", short(distinct[frame])), at(distinct[frame]));
    Ok(chosen.into_iter().map(frame).collect())
}

/// The distinct times, increasing.
pub fn distinct(times: &[f64]) -> Vec<f64> {
    let mut distinct = times.to_vec();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    distinct
}
