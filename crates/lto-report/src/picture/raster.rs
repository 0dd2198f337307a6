//! A drawing as pixels, shape by shape: the color of each is laid on the page through its cover.

use super::colormap::Rgb;
use super::drawing::{Anchor, Drawing, INK, PIXELS_PER_UNIT, Shape};
use super::letters::{self, Contour};
use crate::error::{Error, Result};

/// Pixels, row by row from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Image {
    /// An image from the color of each pixel `(column, row)`.
    pub fn from_fn(width: usize, height: usize, mut color: impl FnMut(usize, usize) -> Rgb) -> Self {
        let mut bytes = Vec::with_capacity(3 * width * height);
        for row in 0..height {
            for column in 0..width {
                bytes.extend(color(column, row));
            }
        }
        Self { width, height, bytes }
    }

    /// The colors of the pixels, row by row.
    pub fn pixels(&self) -> impl Iterator<Item = Rgb> {
        self.bytes.as_chunks::<3>().0.iter().copied()
    }

    /// Lays `other` into this image with its top left corner at `(x, y)`; anything outside is cut off.
    fn lay(&mut self, other: &Image, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let from = 3 * row * other.width;
            let to = 3 * ((y + row) * self.width + x);
            self.bytes[to..to + 3 * columns].copy_from_slice(&other.bytes[from..from + 3 * columns]);
        }
    }

    /// Lays a color over the image, as far as each pixel is covered.
    fn paint(&mut self, cover: &Cover, color: Rgb) {
        for (row, values) in cover.values.chunks_exact(cover.stride()).enumerate() {
            let from = 3 * ((cover.top + row) * self.width + cover.left);
            let pixels = self.bytes[from..from + 3 * cover.width].as_chunks_mut::<3>().0;
            for (pixel, &value) in pixels.iter_mut().zip(values).filter(|(_, value)| **value > 0.0) {
                for (below, above) in pixel.iter_mut().zip(color) {
                    *below = (f32::from(*below) * (1.0 - value) + f32::from(above) * value).round() as u8;
                }
            }
        }
    }
}

/// How much of each pixel a shape covers, from 0 to 1, in the part of the page that the shape touches.
struct Cover {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
    /// Row by row, each with two columns to spare.
    values: Vec<f32>,
}

impl Cover {
    /// An empty cover, with room for everything within `reach` of the points and on the page.
    fn around(page: &Image, points: impl Iterator<Item = (f64, f64)> + Clone, reach: f64) -> Self {
        let span = |coordinates: &mut dyn Iterator<Item = f64>, n: usize| {
            let (low, high) = coordinates.fold((f64::INFINITY, 0.0f64), |(a, b), c| (a.min(c), b.max(c)));
            let first = ((low - reach).floor().max(0.0) as usize).min(n);
            (first, ((high + reach).ceil() as usize).clamp(first, n) - first)
        };
        let (left, width) = span(&mut points.clone().map(|p| p.0), page.width);
        let (top, height) = span(&mut points.map(|p| p.1), page.height);
        Self { left, top, width, height, values: vec![0.0; (width + 2) * height] }
    }

    fn stride(&self) -> usize {
        self.width + 2
    }

    /// Raises the cover of the pixels of a row whose centers lie between `low` and `high` to `value` of their `x`.
    fn raise(&mut self, row: usize, (low, high): (f64, f64), value: impl Fn(f64) -> f64) {
        let column = |x: f64| ((x - self.left as f64).max(0.0) as usize).min(self.width);
        let (first, end) = (column(low - 0.5), column(high.max(low) + 0.5));
        let begin = row * self.stride() + first;
        for (i, cover) in self.values[begin..begin + end - first].iter_mut().enumerate() {
            let x = (self.left + first + i) as f64 + 0.5;
            *cover = cover.max(value(x).clamp(0.0, 1.0) as f32);
        }
    }

    /// The rows whose centers lie between `low` and `high`, each with the `y` of its center.
    fn rows(&self, low: f64, high: f64) -> impl Iterator<Item = (usize, f64)> + use<> {
        let top = self.top;
        let row = |y: f64| ((y - top as f64).max(0.0) as usize).min(self.height);
        (row(low - 0.5)..row(high + 0.5)).map(move |row| (row, (top + row) as f64 + 0.5))
    }

    /// Covers a disk.
    fn disk(&mut self, (x, y): (f64, f64), radius: f64) {
        let reach = radius + 0.5;
        for (row, at) in self.rows(y - reach, y + reach) {
            self.raise(row, (x - reach, x + reach), |x_at| reach - (x_at - x).hypot(at - y));
        }
    }

    /// Covers a line through the points: its ends straight, its corners round.
    fn stroke(&mut self, points: &[(f64, f64)], width: f64) {
        for ends in points.windows(2) {
            self.segment(ends[0], ends[1], 0.5 * width);
        }
        let closed = points.first() == points.last();
        let corners = if closed { points } else { &points[1..points.len().max(2) - 1] };
        corners.iter().for_each(|&corner| self.disk(corner, 0.5 * width));
    }

    /// Covers everything within `radius` of a straight line, between its ends.
    fn segment(&mut self, (x0, y0): (f64, f64), (x1, y1): (f64, f64), radius: f64) {
        let length = (x1 - x0).hypot(y1 - y0);
        if length == 0.0 {
            return;
        }
        let (u, v) = ((x1 - x0) / length, (y1 - y0) / length);
        let reach = radius + 0.5;
        let whole = (x0.min(x1) - reach, x0.max(x1) + reach);
        for (row, y) in self.rows(y0.min(y1) - reach, y0.max(y1) + reach) {
            // The pixels of the row that are near enough.
            let (middle, aside) = (x0 + (y - y0) * u / v, (reach / v).abs());
            let span =
                if v == 0.0 { whole } else { (whole.0.max(middle - aside), whole.1.min(middle + aside)) };
            self.raise(row, span, |x| {
                let along = (x - x0) * u + (y - y0) * v;
                let across = ((y - y0) * u - (x - x0) * v).abs();
                (reach - across).clamp(0.0, 1.0) * (along.min(length - along) + 0.5).clamp(0.0, 1.0)
            });
        }
    }

    /// Covers what the contours enclose, by exact areas: each edge adds what lies to its right, with its sign.
    fn fill(&mut self, contours: &[Contour]) {
        for contour in contours {
            for (i, &end) in contour.iter().enumerate() {
                self.edge(contour[(i + contour.len() - 1) % contour.len()], end);
            }
        }
        let stride = self.stride();
        for row in self.values.chunks_exact_mut(stride) {
            let mut sum = 0.0;
            for value in row {
                sum += *value;
                *value = sum.abs().min(1.0);
            }
        }
    }

    fn edge(&mut self, from: (f64, f64), to: (f64, f64)) {
        let (sign, (x0, y0), (x1, y1)) = if from.1 < to.1 { (1.0, from, to) } else { (-1.0, to, from) };
        let place =
            |y: f64| (x0 + (x1 - x0) * (y - y0) / (y1 - y0) - self.left as f64).clamp(0.0, self.width as f64);
        for (row, center) in self.rows(y0, y1 + 0.5) {
            let (top, bottom) = (y0.max(center - 0.5), y1.min(center + 0.5));
            if top >= bottom {
                continue;
            }
            let (a, b) = (place(top), place(bottom));
            let (low, high) = (a.min(b), a.max(b));
            for column in low as usize..=high as usize {
                let (begin, end) = (low.max(column as f64), high.min(column as f64 + 1.0));
                let share = if high > low { (end - begin) / (high - low) } else { 1.0 };
                let height = sign * (bottom - top) * share;
                let right = height * (0.5 * (begin + end) - column as f64);
                let at = row * (self.width + 2) + column;
                self.values[at] += (height - right) as f32;
                self.values[at + 1] += right as f32;
            }
        }
    }
}

/// The drawing as pixels; later shapes cover earlier ones.
pub fn rasterize(drawing: &Drawing) -> Image {
    let scale = PIXELS_PER_UNIT as f64;
    let pixel = |&(x, y): &(f64, f64)| (x * scale, y * scale);
    let (width, height) = (drawing.width * PIXELS_PER_UNIT, drawing.height * PIXELS_PER_UNIT);
    let mut page = Image { width, height, bytes: vec![255; 3 * width * height] };
    for shape in &drawing.shapes {
        match shape {
            Shape::Image { rect, image } => {
                page.lay(image, rect.x * PIXELS_PER_UNIT, rect.y * PIXELS_PER_UNIT)
            }
            Shape::Dot { at, radius, color } => {
                let (at, radius) = (pixel(at), radius * scale);
                let mut cover = Cover::around(&page, std::iter::once(at), radius + 1.0);
                cover.disk(at, radius);
                page.paint(&cover, *color);
            }
            Shape::Line { points, color, width } => {
                let points: Vec<(f64, f64)> = points.iter().map(pixel).collect();
                let mut cover = Cover::around(&page, points.iter().copied(), width * scale);
                cover.stroke(&points, width * scale);
                page.paint(&cover, *color);
            }
            Shape::Text { at, content, size, anchor, upwards } => {
                let contours = text(pixel(at), content, f64::from(*size) * scale, *anchor, *upwards);
                let mut cover = Cover::around(&page, contours.iter().flatten().copied(), 0.0);
                cover.fill(&contours);
                page.paint(&cover, INK);
            }
        }
    }
    page
}

/// The outlines of a text on the page; the baseline lies between pixels to keep letters sharp.
fn text((x, y): (f64, f64), content: &str, size: f64, anchor: Anchor, upwards: bool) -> Vec<Contour> {
    let before = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5,
        Anchor::End => 1.0,
    };
    let begin = before * letters::width(content);
    let place = |(along, up): (f64, f64)| match upwards {
        true => (x.round() - up * size, y - (along - begin) * size),
        false => (x + (along - begin) * size, y.round() - up * size),
    };
    letters::outlines(content).map(|contour| contour.into_iter().map(place).collect()).collect()
}

/// The image as a PNG file, marked with its true size on paper.
pub fn png(image: &Image) -> Result<Vec<u8>> {
    let side = |n: usize| u32::try_from(n).map_err(Error::encoding);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side(image.width)?, side(image.height)?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let per_meter = (96.0 * PIXELS_PER_UNIT as f64 / 0.0254).round() as u32;
    let (xppu, yppu, unit) = (per_meter, per_meter, png::Unit::Meter);
    encoder.set_pixel_dims(Some(png::PixelDimensions { xppu, yppu, unit }));
    let mut writer = encoder.write_header().map_err(Error::encoding)?;
    writer.write_image_data(&image.bytes).map_err(Error::encoding)?;
    writer.finish().map_err(Error::encoding)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::super::drawing::Rect;
    use super::*;
    use std::f64::consts::PI;

    const BLUE: Rgb = [0, 0, 255];

    fn blue_square() -> Drawing {
        let mut drawing = Drawing::new(10, 10);
        drawing.image(Rect { x: 0, y: 0, width: 10, height: 10 }, Image::from_fn(20, 20, |_, _| BLUE));
        drawing
    }

    /// How many pixels' worth of green there is on blue.
    fn green(drawing: &Drawing) -> f64 {
        rasterize(drawing).pixels().map(|[_, g, _]| f64::from(g) / 255.0).sum()
    }

    #[test]
    fn images_keep_their_pixels_and_survive_png() {
        let image = Image::from_fn(8, 4, |column, row| [column as u8 * 30, row as u8 * 60, 7]);
        let file = png(&image).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut bytes = vec![0; 3 * 8 * 4];
        reader.next_frame(&mut bytes).unwrap();
        assert_eq!(bytes, image.bytes);

        let mut drawing = Drawing::new(20, 10);
        drawing.image(Rect { x: 3, y: 2, width: 4, height: 2 }, image);
        let page = rasterize(&drawing);
        assert_eq!((page.width, page.height), (40, 20));
        let pixels: Vec<Rgb> = page.pixels().collect();
        assert_eq!(pixels[0], [255; 3]);
        assert_eq!(pixels[4 * 40 + 6], [0, 0, 7]);
        assert_eq!(pixels[7 * 40 + 13], [210, 180, 7]);
        assert_eq!(pixels[8 * 40 + 14], [255; 3]);
    }

    #[test]
    fn later_shapes_cover_earlier_ones() {
        let mut drawing = Drawing::new(10, 10);
        drawing.dot((5.0, 5.0), 2.0, [255, 0, 0]);
        drawing.shapes.extend(blue_square().shapes);
        assert_eq!(rasterize(&drawing), rasterize(&blue_square()), "what lies under an image is hidden");
        drawing.line(vec![(1.0, 5.0), (9.0, 5.0)], [0, 255, 0], 1.0);
        let green: Vec<usize> =
            (0..400).zip(rasterize(&drawing).pixels()).filter(|p| p.1[1] == 255).map(|p| p.0).collect();
        let expected: Vec<usize> = (2..18).map(|x| 9 * 20 + x).chain((2..18).map(|x| 10 * 20 + x)).collect();
        assert_eq!(green, expected, "a line on whole pixels is sharp, and over the image");
    }

    #[test]
    fn areas_are_those_of_the_shapes() {
        let mut dot = blue_square();
        dot.dot((5.0, 5.0), 1.25, [0, 255, 0]);
        assert!((green(&dot) - PI * 2.5 * 2.5).abs() < 0.6);
        let mut slanted = blue_square();
        slanted.line(vec![(2.0, 2.0), (8.0, 7.0)], [0, 255, 0], 1.5);
        assert!((green(&slanted) - 12f64.hypot(10.0) * 3.0).abs() < 1.5, "{}", green(&slanted));
        // A bent line covers its corner once.
        let mut bent = blue_square();
        bent.line(vec![(2.0, 2.0), (8.0, 2.0), (8.0, 8.0)], [0, 255, 0], 1.0);
        assert!((green(&bent) - 48.0).abs() < 1.5, "{}", green(&bent));
    }

    /// A square with a square hole, its edges within pixels.
    #[test]
    fn polygons_cover_exact_areas() {
        let square = |low: f64, high: f64| vec![(low, low), (low, high), (high, high), (high, low)];
        let hole = square(4.5, 5.75).into_iter().rev().collect();
        let contours = [square(2.25, 7.5), hole];
        let page = Image::from_fn(10, 10, |_, _| BLUE);
        let mut cover = Cover::around(&page, contours.iter().flatten().copied(), 0.0);
        cover.fill(&contours);
        let area: f32 = cover.values.chunks_exact(cover.stride()).flat_map(|row| &row[..cover.width]).sum();
        assert!((area - (5.25 * 5.25 - 1.25 * 1.25)).abs() < 1e-4, "{area}");
    }

    /// Upward text is the horizontal text turned by a quarter, its end up.
    #[test]
    fn upward_text_is_level_text_turned() {
        let page = |upwards| {
            let mut drawing = Drawing::new(40, 40);
            match upwards {
                true => drawing.text_upwards(99.0, (20.0, 20.0), "Lég 1", 11),
                false => drawing.text((20.0, 20.0), "Lég 1", 11, Anchor::Middle),
            }
            rasterize(&drawing)
        };
        let (level, turned) = (page(false), page(true));
        let pixels: Vec<Rgb> = level.pixels().collect();
        let expected = Image::from_fn(80, 80, |column, row| pixels[column * 80 + 79 - row]);
        let off = expected.bytes.iter().zip(&turned.bytes).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(off <= Some(1) && pixels.contains(&INK), "{off:?}");
    }

    #[test]
    fn what_leaves_the_page_is_cut_off() {
        let mut drawing = Drawing::new(10, 10);
        drawing.text((-30.0, 5.0), "far left to inside", 11, Anchor::Start);
        drawing.text((8.0, 30.0), "below, 漢", 40, Anchor::Start);
        drawing.text_upwards(999.0, (5.0, -3.0), "above", 30);
        drawing.dot((f64::NAN, 1e300), 2.0, INK);
        drawing.line(vec![(-1e9, 2.0), (1e9, 3.0)], INK, 1.0);
        drawing.line(vec![(3.0, f64::INFINITY), (3.0, -50.0)], INK, 1.0);
        drawing.line(vec![], INK, 1.0);
        drawing.line(vec![(3.0, 3.0)], INK, 1.0);
        assert_eq!(rasterize(&drawing).pixels().count(), 400);
    }
}
