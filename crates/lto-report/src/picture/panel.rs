//! A rectangle of the page with its own coordinates: frame, ticks, labels, curves; and the color bar.

use super::colormap::{Colormap, Rgb, Scale};
use super::drawing::{Anchor, Drawing, INK, PIXELS_PER_UNIT, Rect, text_width};
use super::raster::Image;
use super::ticks::{Labels, labels, ticks};

/// Font size of tick labels.
const TICK_SIZE: u32 = 11;
/// Font size of axis labels and panel titles.
pub const LABEL_SIZE: u32 = 13;
/// Font size of a picture's title.
const TITLE_SIZE: u32 = 15;
/// Room to the left of a panel for ticks and label.
pub const LEFT: usize = 72;
/// Room below a panel for ticks and label.
pub const BELOW: usize = 44;
/// Room above a panel for its title.
pub const ABOVE: usize = 24;
/// Room between panels that share an axis.
pub const GAP: usize = 26;
/// Room to the right of a panel for a color bar with its ticks and label.
pub const BAR: usize = 108;
/// Room above the panels for the picture's title.
pub const HEADER: usize = 34;

const TICK_LENGTH: f64 = 4.0;
/// The least distance between numbers below a panel.
const APART: f64 = 6.0;

/// A page with a title.
pub fn page(width: usize, height: usize, title: &str) -> Drawing {
    let mut drawing = Drawing::new(width, height);
    drawing.text_within(width as f64 - 12.0, (0.5 * width as f64, 24.0), title, TITLE_SIZE, Anchor::Middle);
    drawing
}

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

/// The numbers along an axis, and where they stand.
pub struct Marks {
    /// Values of the axis.
    pub values: Vec<f64>,
    /// Their labels.
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

/// The texts around a panel. An axis without a name has no numbers either: a neighbor shows them.
#[derive(Clone, Debug, Default)]
pub struct Legend<'a> {
    /// Above the panel.
    pub title: &'a str,
    /// Name of the horizontal axis.
    pub x_label: Option<&'a str>,
    /// Name of the vertical axis.
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

    /// The round numbers along both axes.
    fn marks(&self) -> (Marks, Marks) {
        let x = Marks::linear(self.x, (self.rect.width / 55).max(2));
        (x, Marks::linear(self.y, (self.rect.height / 45).max(2)))
    }

    /// Where [`Panel::frame`] puts numbers along both axes.
    pub fn ticks(&self) -> (Vec<f64>, Vec<f64>) {
        let (x, y) = self.marks();
        (x.values, y.values)
    }

    /// Frame, ticks and labels.
    pub fn frame(&self, drawing: &mut Drawing, legend: &Legend) {
        let (x, y) = self.marks();
        self.frame_with(drawing, legend, x, y);
    }

    /// As [`Panel::frame`], with given numbers along the axes.
    pub fn frame_with(&self, drawing: &mut Drawing, legend: &Legend, x: Marks, y: Marks) {
        let rect = self.rect;
        outline(drawing, rect);
        let (left, right) = (rect.x as f64, rect.right() as f64);
        let (top, bottom) = (rect.y as f64, rect.bottom() as f64);
        let middle = (0.5 * (left + right), 0.5 * (top + bottom));
        let room = (right - left + 0.5 * GAP as f64, bottom - top + 0.5 * GAP as f64);
        drawing.text_within(room.0, (middle.0, top - 8.0), legend.title, LABEL_SIZE, Anchor::Middle);
        for value in &x.values {
            let (x, _) = self.position(*value, self.y.0);
            drawing.line(vec![(x, bottom + 1.0), (x, bottom + TICK_LENGTH)], INK, 1.0);
        }
        if let Some(label) = legend.x_label {
            for (center, text) in self.numbers_below(&x) {
                drawing.text((center, bottom + 16.0), text, TICK_SIZE, Anchor::Middle);
            }
            let offset = x.labels.offset.unwrap_or_default();
            // The label stays clear of the offset at its right.
            let room = room.0 - 2.0 * text_width(&offset, TICK_SIZE);
            drawing.text((right, bottom + 33.0), offset, TICK_SIZE, Anchor::End);
            drawing.text_within(room, (middle.0, bottom + 35.0), label, LABEL_SIZE, Anchor::Middle);
        }
        for value in &y.values {
            let (_, y) = self.position(self.x.0, *value);
            drawing.line(vec![(left - TICK_LENGTH, y), (left - 1.0, y)], INK, 1.0);
        }
        if let Some(label) = legend.y_label {
            for (value, text) in y.values.iter().zip(&y.labels.texts) {
                let (_, y) = self.position(self.x.0, *value);
                drawing.text((left - 7.0, y + 4.0), text, TICK_SIZE, Anchor::End);
            }
            if let Some(offset) = y.labels.offset {
                drawing.text((left - LEFT as f64 + 4.0, top - 8.0), offset, TICK_SIZE, Anchor::Start);
            }
            let away = (widest(&y.labels.texts) + 15.0).clamp(30.0, LEFT as f64 - 13.0);
            drawing.text_upwards(room.1, (left - away, middle.1), label, LABEL_SIZE);
        }
    }

    /// The numbers below the panel and their centers: not far beyond its edges, where a neighbor may be, and
    /// few enough not to touch.
    fn numbers_below<'a>(&self, marks: &'a Marks) -> Vec<(f64, &'a str)> {
        let beyond = 0.5 * (GAP as f64 - APART);
        let (left, right) = (self.rect.x as f64 - beyond, self.rect.right() as f64 + beyond);
        let half = |text: &str| 0.5 * text_width(text, TICK_SIZE);
        let place = |(value, text): (&f64, &'a String)| {
            let (x, _) = self.position(*value, self.y.0);
            (x.min(right - half(text)).max(left + half(text)), text.as_str())
        };
        let all: Vec<(f64, &str)> = marks.values.iter().zip(&marks.labels.texts).map(place).collect();
        let every = |n: usize| all.iter().step_by(n).copied();
        let apart = |n: &usize| {
            let (before, after) = (every(*n), every(*n).skip(1));
            before.zip(after).all(|(a, b)| b.0 - half(b.1) >= a.0 + half(a.1) + APART)
        };
        (1..all.len()).find(apart).map_or(all.first().copied().into_iter().collect(), |n| every(n).collect())
    }

    /// Names the curve `number` of `n` in a key `room` wide to the right, and gives its color.
    pub fn key(&self, drawing: &mut Drawing, (number, n): (usize, usize), name: &str, room: usize) -> Rgb {
        // The yellow end of the map is too faint for lines on white.
        let color = Colormap::Viridis.color(0.85 * number as f64 / (n.max(2) - 1) as f64);
        let (left, y) = ((self.rect.right() + 12) as f64, (self.rect.y + 10 + 18 * number) as f64);
        if !name.is_empty() {
            drawing.line(vec![(left, y), (left + 16.0, y)], color, 2.0);
            drawing.text_within(
                room as f64 - 36.0,
                (left + 21.0, y + 4.0),
                name,
                LABEL_SIZE - 2,
                Anchor::Start,
            );
        }
        color
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

/// The range of a curve panel: the values with a little margin.
pub fn airy_range<'a>(values: impl IntoIterator<Item = &'a f64>) -> (f64, f64) {
    let scale = Scale::of(values, Some(Colormap::Viridis));
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
    let x = right + 23.0 + widest(&texts).min(BAR as f64 - 55.0);
    for (value, text) in values.iter().zip(texts) {
        let up = (value - scale.lower) / (scale.upper - scale.lower);
        let y = rect.bottom() as f64 - up * rect.height as f64;
        drawing.line(vec![(right + 1.0, y), (right + TICK_LENGTH, y)], INK, 1.0);
        drawing.text((right + 7.0, y + 4.0), text, TICK_SIZE, Anchor::Start);
    }
    drawing.text_upwards(
        rect.height as f64,
        (x, rect.y as f64 + 0.5 * rect.height as f64),
        label,
        LABEL_SIZE,
    );
}

fn widest(numbers: &[String]) -> f64 {
    numbers.iter().map(|text| text_width(text, TICK_SIZE)).fold(0.0, f64::max)
}

/// A line around a rectangle, just outside it so that an image inside stays whole.
fn outline(drawing: &mut Drawing, rect: Rect) {
    let (left, right) = (rect.x as f64 - 0.5, rect.right() as f64 + 0.5);
    let (top, bottom) = (rect.y as f64 - 0.5, rect.bottom() as f64 + 0.5);
    let corners = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    drawing.line(corners, INK, 1.0);
}

#[cfg(test)]
mod tests {
    use super::super::drawing::tests::assert_texts_apart;
    use super::*;

    /// Two panels side by side, over ranges whose numbers are short and long.
    #[test]
    fn numbers_of_neighboring_panels_do_not_touch() {
        for width in [90, 150, 210] {
            for (lower, span) in
                [(0.0, 1.0), (-180.0, 360.0), (0.0, 1e4), (-2e-9, 5e-9), (1e5, 0.3), (0.37, 0.0041)]
            {
                let panel = |x| Panel {
                    rect: Rect { x, y: ABOVE, width, height: 120 },
                    x: (lower, lower + span),
                    y: (-3.1e-4 * span, 2e-4 * span),
                };
                let mut drawing = Drawing::new(LEFT + 2 * (width + GAP), ABOVE + 120 + BELOW);
                let legend = Legend {
                    title: "a title longer than its panel is wide",
                    x_label: Some("x"),
                    y_label: Some("u"),
                };
                panel(LEFT).frame(&mut drawing, &legend);
                panel(LEFT + width + GAP).frame(&mut drawing, &Legend { y_label: None, ..legend });
                assert_texts_apart(&drawing);
            }
        }
    }
}
