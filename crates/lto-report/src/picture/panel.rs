//! A rectangle of the page with its own coordinates: frame, ticks, labels, curves; and the color bar.

use super::colormap::{Rgb, Scale};
use super::drawing::{Anchor, Drawing, INK, PIXELS_PER_UNIT, Rect, text_width};
use super::raster::Image;
use super::ticks::{Labels, labels, ticks};

/// Font size of tick labels.
const TICK_SIZE: u32 = 11;
/// Font size of axis labels and panel titles.
pub const LABEL_SIZE: u32 = 13;
/// Font size of the title of a picture.
pub const TITLE_SIZE: u32 = 15;
/// Room to the left of a panel for ticks and label.
pub const LEFT: usize = 58;
/// Room below a panel for ticks and label.
pub const BELOW: usize = 44;
/// Room above a panel for its title.
pub const ABOVE: usize = 24;
/// Room to the right of a panel for a color bar with its ticks and label.
pub const BAR: usize = 100;
/// Room above the panels for the title of the picture.
pub const HEADER: usize = 34;

const TICK_LENGTH: f64 = 4.0;

/// A panel: `x` runs over the rectangle rightwards, `y` upwards.
#[derive(Clone, Copy, Debug)]
pub struct Panel {
    /// Where on the page.
    pub rect: Rect,
    /// Values at the left and right edge.
    pub x: (f64, f64),
    /// Values at the lower and upper edge.
    pub y: (f64, f64),
}

/// The numbers along an axis: where, and what they say.
pub struct Marks {
    /// Values of the axis.
    pub values: Vec<f64>,
    /// What is written at them.
    pub labels: Labels,
}

impl Marks {
    /// Round numbers, about `wanted`.
    pub fn linear((lower, upper): (f64, f64), wanted: usize) -> Self {
        let values = ticks(lower, upper, wanted);
        let labels = labels(&values);
        Self { values, labels }
    }
}

/// What is written around a panel. An axis without a label has no numbers either: a neighbor shows them.
#[derive(Clone, Debug, Default)]
pub struct Legend<'a> {
    /// Above.
    pub title: &'a str,
    /// Below.
    pub x_label: Option<&'a str>,
    /// To the left, reading upwards.
    pub y_label: Option<&'a str>,
}

impl Panel {
    /// Where a point of the panel lies on the page.
    pub fn position(&self, x: f64, y: f64) -> (f64, f64) {
        let across = (x - self.x.0) / (self.x.1 - self.x.0);
        let up = (y - self.y.0) / (self.y.1 - self.y.0);
        (
            self.rect.x as f64 + across * self.rect.width as f64,
            self.rect.bottom() as f64 - up * self.rect.height as f64,
        )
    }

    /// Frame, ticks and labels.
    pub fn frame(&self, drawing: &mut Drawing, legend: &Legend) {
        let x = Marks::linear(self.x, (self.rect.width / 55).max(2));
        let y = Marks::linear(self.y, (self.rect.height / 45).max(2));
        self.frame_with(drawing, legend, x, y);
    }

    /// As [`Panel::frame`], with given numbers along the axes.
    pub fn frame_with(&self, drawing: &mut Drawing, legend: &Legend, x: Marks, y: Marks) {
        let rect = self.rect;
        outline(drawing, rect);
        let (left, right) = (rect.x as f64, rect.right() as f64);
        let (top, bottom) = (rect.y as f64, rect.bottom() as f64);
        let middle = (0.5 * (left + right), 0.5 * (top + bottom));
        drawing.text((middle.0, top - 8.0), legend.title, LABEL_SIZE, Anchor::Middle);
        let Labels { texts, offset: x_offset } = x.labels;
        for (value, label) in x.values.iter().zip(texts) {
            let (x, _) = self.position(*value, self.y.0);
            drawing.line(vec![(x, bottom + 1.0), (x, bottom + TICK_LENGTH)], INK, 1.0);
            if legend.x_label.is_some() {
                drawing.text((x, bottom + 16.0), label, TICK_SIZE, Anchor::Middle);
            }
        }
        if let Some(label) = legend.x_label {
            if let Some(offset) = x_offset {
                drawing.text((right, bottom + 33.0), offset, TICK_SIZE, Anchor::End);
            }
            drawing.text((middle.0, bottom + 35.0), label, LABEL_SIZE, Anchor::Middle);
        }
        let Labels { texts, offset: y_offset } = y.labels;
        for (value, label) in y.values.iter().zip(texts) {
            let (_, y) = self.position(self.x.0, *value);
            drawing.line(vec![(left - TICK_LENGTH, y), (left - 1.0, y)], INK, 1.0);
            if legend.y_label.is_some() {
                drawing.text((left - 7.0, y + 4.0), label, TICK_SIZE, Anchor::End);
            }
        }
        if let Some(label) = legend.y_label {
            if let Some(offset) = y_offset {
                drawing.text((left - LEFT as f64 + 4.0, top - 8.0), offset, TICK_SIZE, Anchor::Start);
            }
            drawing.text_upwards((left - 46.0, middle.1), label, LABEL_SIZE);
        }
    }

    /// A curve through `(x, y)`, broken where it is not finite.
    pub fn curve(&self, drawing: &mut Drawing, x: &[f64], y: &[f64], color: Rgb, width: f64) {
        let points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
        for run in points.split(|(_, y)| !y.is_finite()) {
            let run: Vec<_> = run.iter().map(|&(x, y)| self.position(x, y)).collect();
            match run.as_slice() {
                [] => {}
                [only] => drawing.dot(*only, width, color),
                _ => drawing.line(run, color, width),
            }
        }
    }
}

/// The range of a curve panel: the values with a little air.
pub fn airy_range<'a>(values: impl IntoIterator<Item = &'a f64>) -> (f64, f64) {
    let scale = Scale::of(values, Some(super::colormap::Colormap::Viridis));
    let air = 0.05 * (scale.upper - scale.lower);
    (scale.lower - air, scale.upper + air)
}

/// A color bar of the height of `beside`, to its right.
pub fn color_bar(drawing: &mut Drawing, beside: Rect, scale: &Scale, label: &str) {
    let rect = Rect { x: beside.right() + 14, y: beside.y, width: 14, height: beside.height };
    let rows = rect.height * PIXELS_PER_UNIT;
    let color = |_, row: usize| scale.map.color(1.0 - (row as f64 + 0.5) / rows as f64);
    drawing.image(rect, Image::from_fn(rect.width * PIXELS_PER_UNIT, rows, color));
    outline(drawing, rect);
    let values = ticks(scale.lower, scale.upper, (rect.height / 40).max(2));
    let right = rect.right() as f64;
    let Labels { texts, offset } = labels(&values);
    if let Some(offset) = offset {
        drawing.text((rect.x as f64, rect.y as f64 - 8.0), offset, TICK_SIZE, Anchor::Start);
    }
    let widest = texts.iter().map(|t| text_width(t, TICK_SIZE)).fold(0.0, f64::max);
    for (value, text) in values.iter().zip(texts) {
        let up = (value - scale.lower) / (scale.upper - scale.lower);
        let y = rect.bottom() as f64 - up * rect.height as f64;
        drawing.line(vec![(right + 1.0, y), (right + TICK_LENGTH, y)], INK, 1.0);
        drawing.text((right + 7.0, y + 4.0), text, TICK_SIZE, Anchor::Start);
    }
    let x = right + 22.0 + widest.min(44.0);
    drawing.text_upwards((x, rect.y as f64 + 0.5 * rect.height as f64), label, LABEL_SIZE);
}

/// A line around a rectangle, just outside it so that an image inside stays whole.
fn outline(drawing: &mut Drawing, rect: Rect) {
    let (left, right) = (rect.x as f64 - 0.5, rect.right() as f64 + 0.5);
    let (top, bottom) = (rect.y as f64 - 0.5, rect.bottom() as f64 + 0.5);
    let corners = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    drawing.line(corners, INK, 1.0);
}
