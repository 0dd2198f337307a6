//! A sample as a still picture: over one axis the evolution in space and time and the state at some times; over two or
//! three (cut through the middle) a grid of frames; for a steady pair the source beside the target.

use super::Subject;
use super::animation::CURVE;
use super::drawing::{Drawing, Rect};
use super::panel::{ABOVE, BAR, BELOW, GAP, HEADER, LEFT, Legend, Panel, airy_range, color_bar, page};
use super::plane::{self, PictureAxis, Plane};
use super::ticks::short;
use lto_numerics::{Axis, Field, Trajectory};

/// Width of a frame of a 2-D evolution.
const FRAME: usize = 210;
/// Width of a side of a steady pair.
const SIDE: usize = 300;
/// Size of a panel over one axis.
const PANEL: (usize, usize) = (340, 300);
/// Room for the times beside the curves.
const KEY: usize = 100;

/// Draws the given frames of an evolution.
pub fn evolution(trajectory: &Trajectory, frames: &[usize], subject: &Subject) -> Drawing {
    match Plane::of(trajectory.grid()) {
        Some(plane) => maps(trajectory, &plane, frames, subject),
        None => space_and_time(trajectory, frames, subject),
    }
}

fn maps(trajectory: &Trajectory, plane: &Plane, frames: &[usize], subject: &Subject) -> Drawing {
    let columns = match frames.len() {
        n @ 0..=4 => n.max(1),
        5 | 6 | 9 => 3,
        _ => 4,
    };
    let rows = frames.len().div_ceil(columns).max(1);
    let height = plane.height(FRAME);
    let width = LEFT + columns * FRAME + (columns - 1) * GAP + BAR;
    let title = plane.title(&subject.title);
    let mut drawing = page(width, HEADER + rows * (ABOVE + height + 6) + BELOW, &title);
    let shown = |&frame: &usize| plane.shown(subject.channel_of(trajectory, frame));
    let scale = subject.scale(frames.iter().flat_map(shown));
    let corner = |row: usize, column: usize| Rect {
        x: LEFT + column * (FRAME + GAP),
        y: HEADER + ABOVE + row * (ABOVE + height + 6),
        width: FRAME,
        height,
    };
    for (number, &frame) in frames.iter().enumerate() {
        let (row, column) = (number / columns, number % columns);
        let title = format!("t = {}", short(trajectory.times()[frame]));
        // Numbers only below the lowest panel.
        let labeled = (number + columns >= frames.len(), column == 0);
        let values = subject.channel_of(trajectory, frame);
        plane.draw(&mut drawing, corner(row, column), values, &scale, &title, labeled);
    }
    let top = corner(0, columns - 1);
    let tall = Rect { height: corner(rows - 1, 0).bottom() - top.y, ..top };
    color_bar(&mut drawing, tall, &scale, &subject.quantity);
    drawing
}

/// A single frame is just a curve.
fn space_and_time(trajectory: &Trajectory, frames: &[usize], subject: &Subject) -> Drawing {
    let single = trajectory.times().len() == 1;
    let (width, height) = PANEL;
    let curves_at = if single { LEFT } else { LEFT + width + BAR + LEFT };
    let mut drawing = page(curves_at + width + KEY, HEADER + ABOVE + height + BELOW, &subject.title);
    let rect = Rect { x: LEFT, y: HEADER + ABOVE, width, height };
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
    drawing.image(rect, plane::image(rect, horizontal, vertical, &all, &scale));
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
        let name = if times.len() > 1 { format!("t = {}", short(times[frame])) } else { String::new() };
        let color = panel.key(drawing, (number, frames.len()), &name, KEY);
        let values = subject.channel_of(trajectory, frame);
        panel.curve(drawing, trajectory.grid().coordinates(0), values, color, 1.6);
    }
    let title = if times.len() > 1 { "at a few times" } else { "" };
    panel.frame(drawing, &Legend { title, x_label: Some(&axis.name), y_label: Some(&subject.quantity) });
}

/// Draws a source and a target field side by side, each with its own scale.
pub fn steady(source: &Field, target: &Field, subject: &Subject) -> Drawing {
    let height = Plane::of(target.grid()).map_or(230, |plane| plane.height(SIDE));
    let each = LEFT + SIDE + BAR;
    let mut drawing = page(2 * each, HEADER + ABOVE + height + BELOW, &subject.title);
    let sides = [(source, "source", &subject.source_quantity), (target, "target", &subject.quantity)];
    for (side, (field, role, quantity)) in sides.into_iter().enumerate() {
        let rect = Rect { x: LEFT + side * each, y: HEADER + ABOVE, width: SIDE, height };
        // The source may have fewer channels than the target.
        let channel = subject.channel.min(field.n_channels() - 1);
        let values = field.channel(channel);
        if let Some(plane) = Plane::of(field.grid()) {
            let scale = subject.scale(plane.shown(values));
            plane.draw(&mut drawing, rect, values, &scale, &plane.title(role), (true, true));
            color_bar(&mut drawing, rect, &scale, quantity);
        } else {
            let axis = &field.grid().domain().axes()[0];
            let panel = Panel { rect, x: (axis.lower, axis.upper), y: airy_range(values) };
            panel.curve(&mut drawing, field.grid().coordinates(0), values, CURVE, 1.6);
            let legend = Legend { title: role, x_label: Some(&axis.name), y_label: Some(quantity) };
            panel.frame(&mut drawing, &legend);
        }
    }
    drawing
}
