//! An evolution as an animated GIF: one color scale, one palette, so that nothing flickers.

use super::Subject;
use super::colormap::{Colormap, Rgb, Scale};
use super::drawing::{Drawing, PIXELS_PER_UNIT, Rect};
use super::panel::{ABOVE, BAR, BELOW, HEADER, LEFT, Legend, Panel, airy_range, color_bar, page};
use super::plane::Plane;
use super::raster::rasterize;
use super::ticks::short;
use crate::error::{Error, Result};
use lto_numerics::Trajectory;
use std::collections::HashMap;

const WIDTH: usize = 300;
/// Color of a moving curve.
pub const CURVE: Rgb = [49, 104, 142];
const FIRST_CURVE: Rgb = [200, 200, 200];

/// The GIF of the given frames; the whole lasts about five seconds and repeats.
pub fn gif(trajectory: &Trajectory, frames: &[usize], subject: &Subject) -> Result<Vec<u8>> {
    let plane = Plane::of(trajectory.grid());
    let all = subject.all_frames(trajectory);
    let scale = match &plane {
        Some(plane) => {
            subject.scale(frames.iter().flat_map(|&frame| plane.shown(subject.channel_of(trajectory, frame))))
        }
        None => subject.scale(&all),
    };
    let draw = |frame: usize| match &plane {
        Some(plane) => field_frame(trajectory, plane, frame, &scale, subject),
        None => curve_frame(trajectory, frame, airy_range(&all), subject),
    };
    encode(frames.iter().map(|&frame| draw(frame)), frames.len(), scale.map)
}

/// The GIF of `count` drawings of one size in the colors of `map`; the whole lasts about five seconds and repeats.
pub fn encode(drawings: impl Iterator<Item = Drawing>, count: usize, map: Colormap) -> Result<Vec<u8>> {
    let mut drawings = drawings.peekable();
    let page = drawings.peek().ok_or_else(|| Error::encoding("there are no frames to animate"))?;
    let side = |units: usize| u16::try_from(units * PIXELS_PER_UNIT).map_err(Error::encoding);
    let width = side(page.width)?;
    let height = side(page.height)?;
    let mut palette = Palette::new(map);
    let mut encoder =
        gif::Encoder::new(Vec::new(), width, height, &palette.bytes()).map_err(Error::encoding)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(Error::encoding)?;
    // Hundredths of a second; browsers slow down anything under two.
    let delay = (500 / count.max(1)).clamp(4, 50) as u16;
    for drawing in drawings {
        let image = rasterize(&drawing);
        let indices: Vec<u8> = image.pixels().map(|color| palette.index(color)).collect();
        let buffer = indices.into();
        let frame = gif::Frame { width, height, delay, buffer, ..Default::default() };
        encoder.write_frame(&frame).map_err(Error::encoding)?;
    }
    encoder.into_inner().map_err(Error::encoding)
}

fn heading(trajectory: &Trajectory, frame: usize) -> String {
    format!("t = {}   (frame {frame})", short(trajectory.times()[frame]))
}

fn field_frame(
    trajectory: &Trajectory,
    plane: &Plane,
    frame: usize,
    scale: &Scale,
    subject: &Subject,
) -> Drawing {
    let height = plane.height(WIDTH);
    let mut drawing = page(LEFT + WIDTH + BAR, HEADER + ABOVE + height + BELOW, &subject.title);
    let rect = Rect { x: LEFT, y: HEADER + ABOVE, width: WIDTH, height };
    let title = plane.title(&heading(trajectory, frame));
    plane.draw(&mut drawing, rect, subject.channel_of(trajectory, frame), scale, &title, (true, true));
    color_bar(&mut drawing, rect, scale, &subject.quantity);
    drawing
}

fn curve_frame(trajectory: &Trajectory, frame: usize, range: (f64, f64), subject: &Subject) -> Drawing {
    let height = 220;
    let mut drawing = page(LEFT + WIDTH + BAR, HEADER + ABOVE + height + BELOW, &subject.title);
    let rect = Rect { x: LEFT, y: HEADER + ABOVE, width: WIDTH + BAR - 24, height };
    let axis = &trajectory.grid().domain().axes()[0];
    let panel = Panel { rect, x: (axis.lower, axis.upper), y: range };
    let x = trajectory.grid().coordinates(0);
    panel.curve(&mut drawing, x, subject.channel_of(trajectory, 0), FIRST_CURVE, 1.4);
    panel.curve(&mut drawing, x, subject.channel_of(trajectory, frame), CURVE, 1.8);
    let title = heading(trajectory, frame);
    let legend = Legend { title: &title, x_label: Some(&axis.name), y_label: Some(&subject.quantity) };
    panel.frame(&mut drawing, &legend);
    drawing
}

/// The 256 colors of the GIF: the color map, grays for axes and text, tints of the curve.
struct Palette {
    colors: Vec<Rgb>,
    known: HashMap<Rgb, u8>,
}

impl Palette {
    fn new(map: Colormap) -> Self {
        let fraction = |i: u32, n: u32| f64::from(i) / f64::from(n - 1);
        let mix = |from: u8, to: u8, f: f64| (f64::from(from) * (1.0 - f) + f64::from(to) * f).round() as u8;
        let mut colors: Vec<Rgb> = (0..200).map(|i| map.color(fraction(i, 200))).collect();
        colors.extend((0..40).map(|i| [mix(0, 255, fraction(i, 40)); 3]));
        colors.extend((0..16).map(|i| CURVE.map(|c| mix(c, 255, fraction(i, 16)))));
        Self { colors, known: HashMap::new() }
    }

    fn bytes(&self) -> Vec<u8> {
        self.colors.concat()
    }

    /// The color of the palette nearest to `color`.
    fn index(&mut self, color: Rgb) -> u8 {
        let colors = &self.colors;
        *self.known.entry(color).or_insert_with(|| {
            let distance = |candidate: &Rgb| -> u32 {
                candidate.iter().zip(color).map(|(&a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
            };
            let nearest = colors.iter().enumerate().min_by_key(|(_, candidate)| distance(candidate));
            nearest.map_or(0, |(index, _)| index as u8)
        })
    }
}
