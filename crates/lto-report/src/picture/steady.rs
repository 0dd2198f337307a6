//! A steady pair: source and target side by side, each with its own scale.

use super::Subject;
use super::drawing::{Anchor, Drawing, Rect};
use super::panel::{ABOVE, BAR, BELOW, HEADER, LEFT, Legend, Panel, TITLE_SIZE, airy_range, color_bar};
use super::plane::Plane;
use lto_numerics::Field;

const WIDTH: usize = 300;

/// Draws a source and a target field.
pub fn draw(source: &Field, target: &Field, subject: &Subject) -> Drawing {
    let height = Plane::of(target.grid()).map_or(230, |plane| plane.height(WIDTH));
    let each = LEFT + WIDTH + BAR;
    let mut drawing = Drawing::new(2 * each, HEADER + ABOVE + height + BELOW);
    drawing.text((each as f64, 24.0), &subject.title, TITLE_SIZE, Anchor::Middle);
    let sides = [(source, "source", &subject.source_quantity), (target, "target", &subject.quantity)];
    for (side, (field, role, quantity)) in sides.into_iter().enumerate() {
        let rect = Rect { x: LEFT + side * each, y: HEADER + ABOVE, width: WIDTH, height };
        // A source may have fewer channels than the target asked for.
        let channel = subject.channel.min(field.n_channels() - 1);
        let values = field.channel(channel);
        if let Some(plane) = Plane::of(field.grid()) {
            let scale = subject.scale(plane.shown(values));
            let title = match &plane.cut {
                Some(cut) => format!("{role}, {cut}"),
                None => role.to_string(),
            };
            plane.draw(&mut drawing, rect, values, &scale, &title, (true, true));
            color_bar(&mut drawing, rect, &scale, quantity);
        } else {
            let axis = &field.grid().domain().axes()[0];
            let panel = Panel { rect, x: (axis.lower, axis.upper), y: airy_range(values) };
            panel.curve(&mut drawing, field.grid().coordinates(0), values, [49, 104, 142], 1.6);
            let legend = Legend { title: role, x_label: Some(&axis.name), y_label: Some(quantity) };
            panel.frame(&mut drawing, &legend);
        }
    }
    drawing
}
