//! A 2-D (or, cut through the middle, 3-D) evolution: a grid of frames under one color scale.

use super::Subject;
use super::drawing::{Anchor, Drawing, Rect};
use super::panel::{ABOVE, BAR, BELOW, HEADER, LEFT, TITLE_SIZE, color_bar};
use super::plane::Plane;
use super::ticks::short;
use lto_numerics::Trajectory;

const WIDTH: usize = 210;
const GAP: usize = 26;

/// Draws the given frames of a trajectory.
pub fn draw(trajectory: &Trajectory, plane: &Plane, frames: &[usize], subject: &Subject) -> Drawing {
    let columns = match frames.len() {
        n @ 0..=4 => n.max(1),
        5 | 6 | 9 => 3,
        _ => 4,
    };
    let rows = frames.len().div_ceil(columns).max(1);
    let height = plane.height(WIDTH);
    let page_width = LEFT + columns * WIDTH + (columns - 1) * GAP + BAR;
    let mut drawing = Drawing::new(page_width, HEADER + rows * (ABOVE + height + 6) + BELOW);
    let title = match &plane.cut {
        Some(cut) => format!("{}, {cut}", subject.title),
        None => subject.title.clone(),
    };
    drawing.text((page_width as f64 / 2.0, 24.0), title, TITLE_SIZE, Anchor::Middle);

    let shown = |&frame: &usize| plane.shown(subject.channel_of(trajectory, frame));
    let scale = subject.scale(frames.iter().flat_map(shown));
    let corner = |row: usize, column: usize| Rect {
        x: LEFT + column * (WIDTH + GAP),
        y: HEADER + ABOVE + row * (ABOVE + height + 6),
        width: WIDTH,
        height,
    };
    for (number, &frame) in frames.iter().enumerate() {
        let (row, column) = (number / columns, number % columns);
        let title = format!("t = {}", short(trajectory.times()[frame]));
        // Numbers below only where no panel follows below.
        let labeled = (number + columns >= frames.len(), column == 0);
        let values = subject.channel_of(trajectory, frame);
        plane.draw(&mut drawing, corner(row, column), values, &scale, &title, labeled);
    }
    let top = corner(0, columns - 1);
    let tall = Rect { height: corner(rows - 1, 0).bottom() - top.y, ..top };
    color_bar(&mut drawing, tall, &scale, &subject.quantity);
    drawing
}
