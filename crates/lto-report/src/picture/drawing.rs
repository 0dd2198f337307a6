//! A drawing as a list of shapes, in units of a ninety-sixth of an inch, y downwards. Written as SVG by
//! [`super::svg`] and as pixels by [`super::raster`].

use super::colormap::Rgb;
use super::letters;
use super::raster::Image;
use crate::words::visible;

/// Pixels per unit wherever a drawing becomes pixels.
pub const PIXELS_PER_UNIT: usize = 2;

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

/// Which part of a text its position names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// One thing drawn.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Connected straight lines.
    Line {
        /// Where they pass.
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
        /// What it says.
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
        /// Where.
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
    /// What is on it; later shapes cover earlier ones.
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

    /// Adds text that reads upwards, centered on `at`.
    pub fn text_upwards(&mut self, at: (f64, f64), content: impl Into<String>, size: u32) {
        let anchor = Anchor::Middle;
        self.shapes.push(Shape::Text { at, content: visible(&content.into()), size, anchor, upwards: true });
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
