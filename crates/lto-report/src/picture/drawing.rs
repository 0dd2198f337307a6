//! A drawing as a list of shapes, in units of a ninety-sixth of an inch, y downwards. Written as SVG by
//! [`super::svg`] and as pixels by [`super::raster`].

use super::colormap::Rgb;
use super::letters;
use super::raster::Image;
use crate::words::visible;

/// Pixels per unit wherever a drawing becomes pixels.
pub const PIXELS_PER_UNIT: usize = 2;

/// The smallest font size.
const SMALLEST: u32 = 9;

/// Color of axes and text.
pub const INK: Rgb = [34, 34, 34];

/// A rectangle; whole units, so that it covers whole pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x: usize,
    /// Upper edge.
    pub y: usize,
    /// Width.
    pub width: usize,
    /// Height.
    pub height: usize,
}

impl Rect {
    /// Right edge.
    pub fn right(&self) -> usize {
        self.x + self.width
    }

    /// Lower edge.
    pub fn bottom(&self) -> usize {
        self.y + self.height
    }
}

/// Which part of a text is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// One shape.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Connected straight lines.
    Line {
        /// Their points.
        points: Vec<(f64, f64)>,
        /// Color.
        color: Rgb,
        /// Width.
        width: f64,
    },
    /// Text on one line.
    Text {
        /// Position of the anchor on the baseline.
        at: (f64, f64),
        /// The text.
        content: String,
        /// Font size.
        size: u32,
        /// Which part of it is at the position.
        anchor: Anchor,
        /// Whether it reads upwards.
        upwards: bool,
    },
    /// A filled circle.
    Dot {
        /// Center.
        at: (f64, f64),
        /// Radius.
        radius: f64,
        /// Color.
        color: Rgb,
    },
    /// A picture of pixels, drawn sharply.
    Image {
        /// The rectangle it fills.
        rect: Rect,
        /// Its pixels.
        image: Image,
    },
}

impl Shape {
    fn moved(mut self, right: usize, down: usize) -> Self {
        let shift = |at: &mut (f64, f64)| *at = (at.0 + right as f64, at.1 + down as f64);
        match &mut self {
            Shape::Line { points, .. } => points.iter_mut().for_each(shift),
            Shape::Text { at, .. } | Shape::Dot { at, .. } => shift(at),
            Shape::Image { rect, .. } => (rect.x, rect.y) = (rect.x + right, rect.y + down),
        }
        self
    }
}

/// Shapes on a white page.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Width of the page.
    pub width: usize,
    /// Height of the page.
    pub height: usize,
    /// The shapes; later ones cover earlier ones.
    pub shapes: Vec<Shape>,
}

impl Drawing {
    /// An empty page.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, height, shapes: Vec::new() }
    }

    /// Drawings one below the other on one page; `None` if there are none.
    pub fn stack(drawings: impl IntoIterator<Item = Drawing>) -> Option<Self> {
        drawings.into_iter().reduce(|mut page, below| {
            page.shapes.extend(below.shapes.into_iter().map(|shape| shape.moved(0, page.height)));
            page.height += below.height;
            page.width = page.width.max(below.width);
            page
        })
    }

    /// Drawings side by side on one page; `None` if there are none.
    pub fn row(drawings: impl IntoIterator<Item = Drawing>) -> Option<Self> {
        drawings.into_iter().reduce(|mut page, beside| {
            page.shapes.extend(beside.shapes.into_iter().map(|shape| shape.moved(page.width, 0)));
            page.width += beside.width;
            page.height = page.height.max(beside.height);
            page
        })
    }

    /// Adds connected lines.
    pub fn line(&mut self, points: Vec<(f64, f64)>, color: Rgb, width: f64) {
        self.shapes.push(Shape::Line { points, color, width });
    }

    /// Adds horizontal text.
    pub fn text(&mut self, at: (f64, f64), content: impl Into<String>, size: u32, anchor: Anchor) {
        self.shapes.push(Shape::Text { at, content: visible(&content.into()), size, anchor, upwards: false });
    }

    /// Adds horizontal text at most `room` wide: shrunk down to a readable size, then cut short.
    pub fn text_within(&mut self, room: f64, at: (f64, f64), content: &str, size: u32, anchor: Anchor) {
        let (content, size) = fitted(visible(content), size, room);
        self.shapes.push(Shape::Text { at, content, size, anchor, upwards: false });
    }

    /// Adds text that reads upwards, centered on `at` and at most `room` high.
    pub fn text_upwards(&mut self, room: f64, at: (f64, f64), content: &str, size: u32) {
        let (content, size) = fitted(visible(content), size, room);
        self.shapes.push(Shape::Text { at, content, size, anchor: Anchor::Middle, upwards: true });
    }

    /// Adds a filled circle.
    pub fn dot(&mut self, at: (f64, f64), radius: f64, color: Rgb) {
        self.shapes.push(Shape::Dot { at, radius, color });
    }

    /// Adds a picture.
    pub fn image(&mut self, rect: Rect, image: Image) {
        self.shapes.push(Shape::Image { rect, image });
    }
}

/// Width of a text.
pub fn text_width(content: &str, size: u32) -> f64 {
    letters::width(content) * f64::from(size)
}

fn fitted(mut content: String, size: u32, room: f64) -> (String, u32) {
    let smallest = size.min(SMALLEST);
    if let Some(size) = (smallest..=size).rev().find(|&size| text_width(&content, size) <= room) {
        return (content, size);
    }
    while text_width(&content, smallest) + text_width("…", smallest) > room && content.pop().is_some() {}
    (content + "…", smallest)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Left, right, upper and lower edge of each text.
    pub fn text_boxes(drawing: &Drawing) -> Vec<(String, [f64; 4])> {
        let text_box = |shape: &Shape| {
            let Shape::Text { at: (x, y), content, size, anchor, upwards } = shape else { return None };
            let (width, size) = (text_width(content, *size), f64::from(*size));
            let before = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => 0.5 * width,
                Anchor::End => width,
            };
            let (above, below) = (0.76 * size, 0.24 * size);
            let edges = match upwards {
                true => [x - above, x + below, y + before - width, y + before],
                false => [x - before, x - before + width, y - above, y + below],
            };
            (!content.is_empty()).then(|| (content.clone(), edges))
        };
        drawing.shapes.iter().filter_map(text_box).collect()
    }

    /// No two texts touch, and none leaves the page.
    pub fn assert_texts_apart(drawing: &Drawing) {
        let boxes = text_boxes(drawing);
        for (i, (text, [left, right, top, bottom])) in boxes.iter().enumerate() {
            let inside = *left >= 0.0 && *right <= drawing.width as f64;
            assert!(inside && *top >= 0.0 && *bottom <= drawing.height as f64, "{text:?} leaves the page");
            for (other, [l, r, t, b]) in &boxes[..i] {
                let apart = (left - r).max(l - right).max(top - b).max(t - bottom);
                assert!(apart > 0.0, "{text:?} touches {other:?} by {apart}");
            }
        }
    }

    #[test]
    fn long_texts_become_smaller_and_then_shorter() {
        let whole = text_width("a long title", 13);
        assert_eq!(fitted("a long title".into(), 13, whole), ("a long title".into(), 13));
        assert_eq!(fitted("a long title".into(), 13, 0.8 * whole), ("a long title".into(), 10));
        let (short, size) = fitted("a long title".into(), 13, 0.4 * whole);
        assert!(
            short.ends_with('…') && size == SMALLEST && text_width(&short, size) <= 0.4 * whole,
            "{short}"
        );
        assert_eq!(fitted("a".into(), 13, 0.0), ("…".into(), SMALLEST));
    }
}
