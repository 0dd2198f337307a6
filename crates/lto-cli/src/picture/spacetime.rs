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

/// Draws a 1-D trajectory; `frames` are the times shown as curves.
pub fn draw(trajectory: &Trajectory, frames: &[usize], subject: &Subject) -> Drawing {
    let mut drawing = Drawing::new(LEFT + WIDTH + BAR + LEFT + WIDTH + KEY, HEADER + ABOVE + HEIGHT + BELOW);
    drawing.text((drawing.width as f64 / 2.0, 24.0), &subject.title, TITLE_SIZE, Anchor::Middle);
    let all = subject.all_frames(trajectory);
    let scale = subject.scale(&all);
    let axis = &trajectory.grid().domain().axes()[0];
    let x = trajectory.grid().coordinates(0);
    let times = trajectory.times();
    let rect = Rect { x: LEFT, y: HEADER + ABOVE, width: WIDTH, height: HEIGHT };

    let (first, last) = (times[0], times[times.len() - 1]);
    // A single frame still needs a time axis of some length.
    let time = Axis::new("t", first, if last > first { last } else { first + 1.0 }, false);
    let horizontal = PictureAxis { axis, coordinates: x, stride: 1 };
    let vertical = PictureAxis { axis: &time, coordinates: times, stride: x.len() };
    drawing.image(rect, cells::image(rect, horizontal, vertical, &all, &scale));
    let panel = Panel { rect, x: (axis.lower, axis.upper), y: (time.lower, time.upper) };
    let legend = Legend { title: "space and time", x_label: Some(&axis.name), y_label: Some("t") };
    panel.frame(&mut drawing, &legend);
    color_bar(&mut drawing, rect, &scale, &subject.quantity);

    let rect = Rect { x: rect.right() + BAR + LEFT, ..rect };
    let shown = frames.iter().flat_map(|&frame| subject.channel_of(trajectory, frame));
    let panel = Panel { rect, x: (axis.lower, axis.upper), y: airy_range(shown) };
    let legend =
        Legend { title: "at some times", x_label: Some(&axis.name), y_label: Some(&subject.quantity) };
    for (number, &frame) in frames.iter().enumerate() {
        // The yellow end of the map is too faint for lines on white.
        let fraction = 0.85 * number as f64 / (frames.len().max(2) - 1) as f64;
        let color = Colormap::Viridis.color(fraction);
        panel.curve(&mut drawing, x, subject.channel_of(trajectory, frame), color, 1.6);
        let (left, y) = ((rect.right() + 12) as f64, (rect.y + 10 + 18 * number) as f64);
        drawing.line(vec![(left, y), (left + 16.0, y)], color, 2.0);
        let text = format!("t = {}", short(times[frame]));
        drawing.text((left + 21.0, y + 4.0), text, LABEL_SIZE - 1, Anchor::Start);
    }
    panel.frame(&mut drawing, &legend);
    drawing
}
