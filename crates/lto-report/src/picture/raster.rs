//! A drawing as pixels: `kuva` draws lines and text, the images are laid in at their own pixels.

use super::colormap::Rgb;
use super::drawing::{Anchor, Drawing, INK, PIXELS_PER_UNIT, Shape, text_width};
use crate::error::{Error, Result};
use kuva::backend::raster::RasterBackend;
use kuva::render::color::Color;
use kuva::render::render::{Primitive, Scene, TextAnchor};
use std::io::Cursor;

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

    /// Lays `other` into this image with its top left corner at `(x, y)`; what sticks out is cut off.
    fn lay(&mut self, other: &Image, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let from = 3 * row * other.width;
            let to = 3 * ((y + row) * self.width + x);
            self.bytes[to..to + 3 * columns].copy_from_slice(&other.bytes[from..from + 3 * columns]);
        }
    }

    /// The image turned by a quarter, its right side up.
    fn turned_left(&self) -> Self {
        Self::from_fn(self.height, self.width, |column, row| {
            let at = 3 * (column * self.width + self.width - 1 - row);
            [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
        })
    }

    /// Paints a filled circle, its edge blended with what is there.
    fn dot(&mut self, (x, y): (f64, f64), radius: f64, color: Rgb) {
        let span = |center: f64, n: usize| {
            let first = (center - radius - 1.0).floor().max(0.0) as usize;
            first..((center + radius + 1.0).ceil().max(0.0) as usize).min(n)
        };
        for row in span(y, self.height) {
            for column in span(x, self.width) {
                let distance = (column as f64 + 0.5 - x).hypot(row as f64 + 0.5 - y);
                let cover = (radius - distance + 0.5).clamp(0.0, 1.0);
                let at = 3 * (row * self.width + column);
                for (below, above) in self.bytes[at..at + 3].iter_mut().zip(color) {
                    *below = (f64::from(*below) * (1.0 - cover) + f64::from(above) * cover).round() as u8;
                }
            }
        }
    }

    /// Lays `other` over this image at `(x, y)` as ink on paper: the darker of the two shows.
    fn darken(&mut self, other: &Image, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let from = 3 * row * other.width;
            let to = 3 * ((y + row) * self.width + x);
            let ink = &other.bytes[from..from + 3 * columns];
            for (below, above) in self.bytes[to..to + 3 * columns].iter_mut().zip(ink) {
                *below = (*below).min(*above);
            }
        }
    }
}

/// The drawing as pixels. Images and dots cover lines and text, whatever the order of the shapes.
pub fn rasterize(drawing: &Drawing) -> Result<Image> {
    let mut scene = Scene::new(drawing.width as f64, drawing.height as f64);
    let [r, g, b] = INK;
    scene.text_color = Some(format!("rgb({r},{g},{b})"));
    scene.elements = drawing.shapes.iter().filter_map(primitive).collect();
    let mut page = render(&scene)?;
    for shape in &drawing.shapes {
        match shape {
            Shape::Image { rect, image } => {
                page.lay(image, rect.x * PIXELS_PER_UNIT, rect.y * PIXELS_PER_UNIT);
            }
            Shape::Dot { at: (x, y), radius, color } => {
                let scale = PIXELS_PER_UNIT as f64;
                page.dot((x * scale, y * scale), radius * scale, *color);
            }
            Shape::Text { at, content, size, upwards: true, .. } => {
                // Drawn level and turned by a quarter afterwards, which keeps the letters sharp.
                let (width, height) = (text_width(content, *size) + 8.0, 2.0 * f64::from(*size));
                let mut level = Drawing::new(width.ceil() as usize, height as usize);
                let baseline = 1.5 * f64::from(*size);
                level.text((level.width as f64 / 2.0, baseline), content, *size, Anchor::Middle);
                let turned = rasterize(&level)?.turned_left();
                let pixel = |unit: f64| (unit * PIXELS_PER_UNIT as f64).round().max(0.0) as usize;
                page.darken(&turned, pixel(at.0 - baseline), pixel(at.1 - level.width as f64 / 2.0));
            }
            _ => {}
        }
    }
    Ok(page)
}

fn render(scene: &Scene) -> Result<Image> {
    let backend = RasterBackend::new().with_scale(PIXELS_PER_UNIT as f32);
    let encoded = backend.render_scene(scene).map_err(Error::encoding)?;
    decode(&encoded)
}

fn primitive(shape: &Shape) -> Option<Primitive> {
    let rgb = |[r, g, b]: Rgb| Color::Rgb(r, g, b);
    match shape {
        Shape::Line { points, color, width } => Some(Primitive::PolyLine {
            points: points.clone(),
            stroke: rgb(*color),
            stroke_width: *width,
            stroke_dasharray: None,
        }),
        Shape::Text { at, content, size, anchor, upwards: false } => Some(Primitive::Text {
            x: at.0,
            y: at.1,
            content: content.clone(),
            size: *size,
            anchor: match anchor {
                Anchor::Start => TextAnchor::Start,
                Anchor::Middle => TextAnchor::Middle,
                Anchor::End => TextAnchor::End,
            },
            rotate: None,
            bold: false,
            color: None,
        }),
        Shape::Text { upwards: true, .. } | Shape::Image { .. } | Shape::Dot { .. } => None,
    }
}

fn decode(encoded: &[u8]) -> Result<Image> {
    let mut decoder = png::Decoder::new(Cursor::new(encoded));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(Error::encoding)?;
    let size = reader.output_buffer_size().ok_or_else(|| Error::encoding("it is too large"))?;
    let mut buffer = vec![0; size];
    let info = reader.next_frame(&mut buffer).map_err(Error::encoding)?;
    let samples = info.color_type.samples();
    let gray = samples < 3;
    let pixel = |p: &[u8]| if gray { [p[0]; 3] } else { [p[0], p[1], p[2]] };
    let bytes = buffer[..info.buffer_size()].chunks_exact(samples).flat_map(pixel).collect();
    Ok(Image { width: info.width as usize, height: info.height as usize, bytes })
}

/// The image as a PNG file, marked with its true size on paper.
pub fn png(image: &Image) -> Result<Vec<u8>> {
    let side = |n: usize| u32::try_from(n).map_err(Error::encoding);
    let (width, height) = (side(image.width)?, side(image.height)?);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let per_meter = (96.0 * PIXELS_PER_UNIT as f64 / 0.0254).round() as u32;
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: per_meter,
        yppu: per_meter,
        unit: png::Unit::Meter,
    }));
    let mut writer = encoder.write_header().map_err(Error::encoding)?;
    writer.write_image_data(&image.bytes).map_err(Error::encoding)?;
    writer.finish().map_err(Error::encoding)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::super::drawing::Rect;
    use super::*;

    #[test]
    fn images_keep_their_pixels_and_survive_png() {
        let image = Image::from_fn(8, 4, |column, row| [column as u8 * 30, row as u8 * 60, 7]);
        assert_eq!(decode(&png(&image).unwrap()).unwrap(), image);

        let mut drawing = Drawing::new(20, 10);
        drawing.image(Rect { x: 3, y: 2, width: 4, height: 2 }, image.clone());
        let page = rasterize(&drawing).unwrap();
        assert_eq!((page.width, page.height), (40, 20));
        let pixels: Vec<Rgb> = page.pixels().collect();
        assert_eq!(pixels[0], [255; 3]);
        assert_eq!(pixels[4 * 40 + 6], [0, 0, 7]);
        assert_eq!(pixels[7 * 40 + 13], [210, 180, 7]);
        assert_eq!(pixels[8 * 40 + 14], [255; 3]);
    }

    #[test]
    fn dots_lie_on_images_with_soft_edges() {
        let mut drawing = Drawing::new(10, 10);
        drawing.dot((5.0, 5.0), 2.0, [255, 0, 0]);
        drawing.image(Rect { x: 0, y: 0, width: 10, height: 10 }, Image::from_fn(20, 20, |_, _| [0, 0, 255]));
        drawing.dot((5.0, 5.0), 1.25, [0, 255, 0]);
        let page = rasterize(&drawing).unwrap();
        let pixel = |column: usize, row: usize| page.pixels().nth(row * 20 + column).unwrap();
        assert_eq!(pixel(10, 10), [0, 255, 0]);
        assert_eq!(pixel(14, 10), [0, 0, 255], "the dot before the image is covered");
        let area: f64 = page.pixels().map(|[_, g, _]| f64::from(g) / 255.0).sum();
        assert!((area - std::f64::consts::PI * 2.5 * 2.5).abs() < 0.6, "{area}");
    }

    #[test]
    fn a_quarter_turn_takes_the_right_side_up() {
        let image = Image::from_fn(3, 1, |column, _| [column as u8; 3]);
        let turned: Vec<Rgb> = image.turned_left().pixels().collect();
        assert_eq!(turned, [[2; 3], [1; 3], [0; 3]]);
    }
}
