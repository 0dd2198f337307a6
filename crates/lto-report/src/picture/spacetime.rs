//! A 1-D evolution: the space–time picture, and beside it the state at some times.

use super::Subject;
use super::cells::{self, PictureAxis};
use super::colormap::Colormap;
use super::drawing::{Anchor, Drawing, Rect};
use super::panel::{
    ABOVE, BAR, BELOW, HEADER, LABEL_SIZE, LEFT, Legend, Panel, TITLE_SIZE, airy_range, color_bar,
};
use super::ticks::short;
use lto_numerics::{Axis, Trajectory};

const WIDTH: usize = 340;
const HEIGHT: usize = 300;
/// Room for the times beside the curves.
const KEY: usize = 90;

/// Draws a 1-D trajectory; `frames` are the times shown as curves. A single frame is a curve and nothing else.
pub fn draw(trajectory: &Trajectory, frames: &[usize], subject: &Subject) -> Drawing {
    let single = trajectory.times().len() == 1;
    let curves_at = if single { LEFT } else { LEFT + WIDTH + BAR + LEFT };
    let mut drawing = Drawing::new(curves_at + WIDTH + KEY, HEADER + ABOVE + HEIGHT + BELOW);
    drawing.text((drawing.width as f64 / 2.0, 24.0), &subject.title, TITLE_SIZE, Anchor::Middle);
    let rect = Rect { x: LEFT, y: HEADER + ABOVE, width: WIDTH, height: HEIGHT };
    if !single {
        draw_field(&mut drawing, rect, trajectory, subject);
    }
    draw_curves(&mut drawing, Rect { x: curves_at, ..rect }, trajectory, frames, subject);
    drawing
}

/// The values over space and time, with their scale.
fn draw_field(drawing: &mut Drawing, rect: Rect, trajectory: &Trajectory, subject: &Subject) {
    let all = subject.all_frames(trajectory);
    let scale = subject.scale(&all);
    let axis = &trajectory.grid().domain().axes()[0];
    let x = trajectory.grid().coordinates(0);
    let times = trajectory.times();
    let time = Axis::new("t", times[0], times[times.len() - 1], false);
    let horizontal = PictureAxis { axis, coordinates: x, stride: 1 };
    let vertical = PictureAxis { axis: &time, coordinates: times, stride: x.len() };
    drawing.image(rect, cells::image(rect, horizontal, vertical, &all, &scale));
    let panel = Panel { rect, x: (axis.lower, axis.upper), y: (time.lower, time.upper) };
    let legend = Legend { title: "space and time", x_label: Some(&axis.name), y_label: Some("t") };
    panel.frame(drawing, &legend);
    color_bar(drawing, rect, &scale, &subject.quantity);
}

/// The state at some times, with a key.
fn draw_curves(
    drawing: &mut Drawing,
    rect: Rect,
    trajectory: &Trajectory,
    frames: &[usize],
    subject: &Subject,
) {
    let axis = &trajectory.grid().domain().axes()[0];
    let shown = frames.iter().flat_map(|&frame| subject.channel_of(trajectory, frame));
    let panel = Panel { rect, x: (axis.lower, axis.upper), y: airy_range(shown) };
    let times = trajectory.times();
    for (number, &frame) in frames.iter().enumerate() {
        // The yellow end of the map is too faint for lines on white.
        let fraction = 0.85 * number as f64 / (frames.len().max(2) - 1) as f64;
        let color = Colormap::Viridis.color(fraction);
        let values = subject.channel_of(trajectory, frame);
        panel.curve(drawing, trajectory.grid().coordinates(0), values, color, 1.6);
        if times.len() > 1 {
            let (left, y) = ((rect.right() + 12) as f64, (rect.y + 10 + 18 * number) as f64);
            drawing.line(vec![(left, y), (left + 16.0, y)], color, 2.0);
            let text = format!("t = {}", short(times[frame]));
            drawing.text((left + 21.0, y + 4.0), text, LABEL_SIZE - 1, Anchor::Start);
        }
    }
    let title = if times.len() > 1 { "at some times" } else { "" };
    panel.frame(drawing, &Legend { title, x_label: Some(&axis.name), y_label: Some(&subject.quantity) });
}
