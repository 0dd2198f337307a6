//! A prediction beside its observations: maps over two axes, curves over one.

use super::animation;
use super::colormap::{Colormap, Scale};
use super::drawing::{Drawing, INK, Rect};
use super::panel::{ABOVE, BELOW, HEADER, LEFT, Legend, Panel, airy_range, page};
use super::ticks::short;
use super::tiles::{self, Content, Tile};
use super::{DEFAULT_FRAMES, raster};
use crate::error::Result;
use lto_numerics::sample::evenly_spaced;
use lto_numerics::{PointStructure, Points};

const WIDTH: usize = 230;
/// Width of an animated map.
const ANIMATED: usize = 240;
/// Maps in a row, beside the observations.
const COLUMNS: usize = 3;
/// Size of curve panels.
const CURVES: (usize, usize) = (420, 280);
/// Room for the names of curves.
const KEY: usize = 150;
/// More marks than this would hide the map.
const MOST_MARKS: usize = 1500;

/// Observations of one channel.
pub struct Observed<'a> {
    /// The observed points.
    pub points: &'a Points,
    /// One value for each point.
    pub values: &'a [f64],
    /// Title of their panel.
    pub title: String,
    /// Whether they are of the predicted quantity, and so share its colors.
    pub same_quantity: bool,
}

/// One predicted field.
pub struct Frame<'a> {
    /// Title of its panel.
    pub title: String,
    /// Values at the query points.
    pub values: &'a [f64],
    /// Lower and upper ends of a band around them, if there is one.
    pub ends: Option<[&'a [f64]; 2]>,
}

impl Frame<'_> {
    /// Width of the band at each point.
    fn width(&self) -> Option<Vec<f64>> {
        self.ends.map(|[lower, upper]| upper.iter().zip(lower).map(|(upper, lower)| upper - lower).collect())
    }

    /// Everything that curves show.
    fn shown(&self) -> impl Iterator<Item = &f64> {
        self.values.iter().chain(self.ends.into_iter().flatten().flatten())
    }
}

/// A prediction and its observations.
pub struct Subject<'a> {
    /// The predicted points.
    pub query: &'a Points,
    /// The observations.
    pub observed: Observed<'a>,
    /// The predicted fields, in order of time.
    pub frames: Vec<Frame<'a>>,
    /// Name of the predicted channel.
    pub quantity: String,
    /// The level of the bands, if there are any.
    pub level: Option<f64>,
    /// Title of the picture.
    pub title: String,
    /// Color map; chosen from the values if `None`.
    pub colormap: Option<Colormap>,
}

impl Subject<'_> {
    fn scale(&self) -> Scale {
        let observed = if self.observed.same_quantity { self.observed.values } else { &[] };
        Scale::of(self.frames.iter().flat_map(|frame| frame.values).chain(observed), self.colormap)
    }

    /// The widths of the bands of some frames, with one scale for all: nothing without bands.
    fn widths(&self, frames: &[usize]) -> Option<(Vec<Vec<f64>>, Scale, String)> {
        let widths = frames.iter().map(|&frame| self.frames[frame].width()).collect::<Option<Vec<_>>>()?;
        let zero = [0.0];
        let scale = Scale::of(widths.iter().flatten().chain(&zero), None);
        Some((
            widths,
            scale,
            format!("width of the {} % band", short(100.0 * self.level.unwrap_or_default())),
        ))
    }
}

/// The picture as a PNG file: the observations and some of the fields.
///
/// # Errors
/// A picture that is too large.
pub fn png(subject: &Subject) -> Result<Vec<u8>> {
    let frames = evenly_spaced(subject.frames.len(), DEFAULT_FRAMES);
    let drawing = if subject.query.dim() == 1 { curves(subject, &frames) } else { maps(subject, &frames) };
    raster::png(&raster::rasterize(&drawing))
}

/// All fields one after the other, as a GIF file.
///
/// # Errors
/// A picture that is too large.
pub fn gif(subject: &Subject) -> Result<Vec<u8>> {
    let scale = subject.scale();
    let range = airy_range(subject.frames.iter().flat_map(Frame::shown).chain(subject.observed.values));
    let widths = subject.widths(&(0..subject.frames.len()).collect::<Vec<_>>());
    let draw = |(number, frame): (usize, &Frame)| {
        if subject.query.dim() == 1 {
            let mut drawing = page(LEFT + CURVES.0 + 24, HEADER + ABOVE + CURVES.1 + BELOW, &subject.title);
            let rect = Rect { x: LEFT, y: HEADER + ABOVE, width: CURVES.0, height: CURVES.1 };
            let panel = curve_panel(subject, rect, range);
            panel_curve(&mut drawing, &panel, subject, frame, animation::CURVE);
            if subject.observed.same_quantity {
                marks_over_x(&mut drawing, &panel, subject);
            }
            curve_frame(&mut drawing, &panel, subject, &frame.title);
            return drawing;
        }
        let mut row = vec![Some(map(
            subject,
            frame.title.clone(),
            frame.values,
            scale,
            Some(subject.quantity.clone()),
        ))];
        row.extend(widths.as_ref().map(|(widths, scale, name)| {
            Some(map(subject, name.clone(), &widths[number], *scale, Some("width".into())))
        }));
        tiles::draw(&subject.title, ANIMATED, subject.query.domain(), &[row])
    };
    animation::encode(subject.frames.iter().enumerate().map(draw), subject.frames.len(), scale.map)
}

/// Observations and maps side by side.
fn maps(subject: &Subject, frames: &[usize]) -> Drawing {
    let observed = &subject.observed;
    let scale = subject.scale();
    let first = Tile {
        title: observed.title.clone(),
        content: Content::Dots { points: observed.points, values: observed.values },
        scale: if observed.same_quantity { scale } else { Scale::of(observed.values, None) },
        bar: (!observed.same_quantity).then(|| "observed".into()),
    };
    let mut first = Some(first);
    // One bar, at the end of the first row: all rows share its colors.
    let last = frames.len().min(COLUMNS).saturating_sub(1);
    let mut rows: Vec<Vec<Option<Tile>>> = frames
        .chunks(COLUMNS)
        .map(|row| {
            let first_row = first.is_some();
            let tiles = row.iter().enumerate().map(|(number, &frame)| {
                let (frame, bar) = (&subject.frames[frame], first_row && number == last);
                let bar = bar.then(|| subject.quantity.clone());
                Some(map(subject, frame.title.clone(), frame.values, scale, bar))
            });
            std::iter::once(first.take()).chain(tiles).collect()
        })
        .collect();
    let widths = subject.widths(frames);
    if let Some((widths, scale, name)) = &widths {
        let below = widths.iter().enumerate().map(|(number, width)| {
            let bar = (number == last).then(|| "width".to_string());
            Some(map(subject, name.clone(), width, *scale, bar))
        });
        let below: Vec<Option<Tile>> = below.collect();
        rows.extend(
            below.chunks(COLUMNS).map(|row| std::iter::once(None).chain(row.iter().cloned()).collect()),
        );
    }
    tiles::draw(&subject.title, WIDTH, subject.query.domain(), &rows)
}

/// One map of the query: an image if it is a grid, else colored dots; the observations marked.
fn map<'a>(
    subject: &'a Subject,
    title: String,
    values: &'a [f64],
    scale: Scale,
    bar: Option<String>,
) -> Tile<'a> {
    let marks = Some(subject.observed.points).filter(|points| points.len() <= MOST_MARKS);
    let content = match subject.query.structure() {
        PointStructure::Grid(grid) => Content::Field { grid, values, marks },
        _ => Content::Dots { points: subject.query, values },
    };
    Tile { title, content, scale, bar }
}

/// Curves at some times over one axis, the observations as dots; another quantity has its own panel.
fn curves(subject: &Subject, frames: &[usize]) -> Drawing {
    let observed = &subject.observed;
    let shown = frames.iter().flat_map(|&frame| subject.frames[frame].shown());
    let (width, height) = CURVES;
    let own = if observed.same_quantity { 0 } else { LEFT + width };
    let mut drawing = page(LEFT + own + width + KEY, HEADER + ABOVE + height + BELOW, &subject.title);
    let rect = Rect { x: LEFT, y: HEADER + ABOVE, width, height };
    let panel = if observed.same_quantity {
        let panel = curve_panel(subject, rect, airy_range(shown.chain(observed.values)));
        marks_over_x(&mut drawing, &panel, subject);
        panel
    } else {
        let own_panel = curve_panel(subject, rect, airy_range(observed.values));
        marks_over_x(&mut drawing, &own_panel, subject);
        let axis = &subject.query.domain().axes()[0].name;
        own_panel.frame(
            &mut drawing,
            &Legend { title: &observed.title, x_label: Some(axis), y_label: Some("observed") },
        );
        curve_panel(subject, Rect { x: LEFT + own, ..rect }, airy_range(shown))
    };
    for (number, &frame) in frames.iter().enumerate() {
        let shown = &subject.frames[frame];
        let color = panel.key(&mut drawing, (number, frames.len()), &shown.title, KEY);
        panel_curve(&mut drawing, &panel, subject, shown, color);
    }
    let dots = observed.same_quantity.then(|| format!("dots: {}", observed.title));
    let thin = subject.level.map(|level| format!("thin: {} % band", short(100.0 * level)));
    let title = dots.into_iter().chain(thin).collect::<Vec<_>>().join("; ");
    curve_frame(&mut drawing, &panel, subject, &title);
    drawing
}

fn curve_panel(subject: &Subject, rect: Rect, y: (f64, f64)) -> Panel {
    let axis = &subject.query.domain().axes()[0];
    Panel { rect, x: (axis.lower, axis.upper), y }
}

fn curve_frame(drawing: &mut Drawing, panel: &Panel, subject: &Subject, title: &str) {
    let axis = &subject.query.domain().axes()[0].name;
    panel.frame(drawing, &Legend { title, x_label: Some(axis), y_label: Some(&subject.quantity) });
}

/// The field as a line, the ends of its band as thin ones.
fn panel_curve(drawing: &mut Drawing, panel: &Panel, subject: &Subject, frame: &Frame, color: [u8; 3]) {
    let ends = frame.ends.into_iter().flatten().map(|end| (end, 0.7));
    for (values, width) in ends.chain([(frame.values, 1.6)]) {
        let mut points: Vec<(f64, f64)> =
            subject.query.coordinates().into_iter().zip(values.iter().copied()).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        panel.curve(drawing, &x, &y, color, width);
    }
}

fn marks_over_x(drawing: &mut Drawing, panel: &Panel, subject: &Subject) {
    let observed = &subject.observed;
    for (x, &value) in observed.points.coordinates().into_iter().zip(observed.values) {
        drawing.dot(panel.position(x, value), 2.0, INK);
    }
}
