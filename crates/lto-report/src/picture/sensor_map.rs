//! Sensors over a map of what they leave unknown.

use super::colormap::{Colormap, Rgb, Scale};
use super::drawing::{Anchor, Drawing, INK, Rect, text_width};
use super::panel::{ABOVE, BAR, BELOW, LABEL_SIZE, LEFT, Legend, Panel, color_bar};
use super::plane::{self, Plane};
use crate::error::Result;
use lto_numerics::theory::plan::Region;
use lto_numerics::{Axis, Domain, Grid};
use std::f64::consts::TAU;

const WIDTH: usize = 400;
/// Height of a curve over one axis.
const HEIGHT: usize = 240;
/// Room for the key.
const KEY: usize = 150;
/// More sensors than this are drawn as specks.
const MANY: usize = 2000;

/// Color of marked places.
pub const ALERT: Rgb = [200, 30, 30];

/// Color of the parts of a line where no sensor may stand.
const FORBIDDEN: Rgb = [170, 170, 170];

/// Points of one kind.
pub struct Group {
    /// Their name in the key.
    pub name: String,
    /// Coordinates `[n, D]`.
    pub coordinates: Vec<f64>,
    /// Their color.
    pub color: Rgb,
}

/// A named place, marked with a ring.
pub struct Mark {
    /// Its coordinates.
    pub at: Vec<f64>,
    /// Its name.
    pub label: String,
}

/// Sensors, regions and marked places over a quantity.
pub struct SensorMap<'a> {
    /// Title of the map.
    pub title: String,
    /// Name of the quantity, beside the color bar.
    pub quantity: String,
    /// Grid of the values.
    pub grid: &'a Grid,
    /// The quantity at the grid points.
    pub values: &'a [f64],
    /// The sensors.
    pub groups: Vec<Group>,
    /// The marked places.
    pub marks: Vec<Mark>,
    /// Where no sensor may stand; outlined.
    pub regions: &'a [Region],
}

impl SensorMap<'_> {
    /// The drawing: a curve over one axis, a map over two, and over three the largest along the third.
    ///
    /// # Errors
    /// None for a sound grid.
    pub fn draw(&self) -> Result<Drawing> {
        let domain = self.grid.domain();
        if domain.dim() == 1 {
            return Ok(self.curve());
        }
        let flat = Domain::new(domain.axes()[..2].to_vec())?;
        let lines = vec![self.grid.coordinates(0).to_vec(), self.grid.coordinates(1).to_vec()];
        let grid = Grid::from_coordinates(flat, lines)?;
        let depth = (self.values.len() / grid.len()).max(1);
        let largest = |column: &[f64]| column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let values: Vec<f64> = self.values.chunks(depth).map(largest).collect();
        let title = match domain.axes().get(2) {
            Some(hidden) => format!("{}; largest along {}", self.title, hidden.name),
            None => self.title.clone(),
        };
        Ok(self.map(&grid, &values, &title))
    }

    fn map(&self, grid: &Grid, values: &[f64], title: &str) -> Drawing {
        let domain = grid.domain();
        let (across, up) = plane::orientation(domain);
        let axes = [&domain.axes()[across], &domain.axes()[up]];
        let rect = Rect { x: LEFT, y: ABOVE, width: WIDTH, height: plane::height(WIDTH, axes[0], axes[1]) };
        let mut drawing = Drawing::new(LEFT + WIDTH + BAR + KEY, ABOVE + rect.height + BELOW);
        let scale = Scale::of(values, Some(Colormap::Viridis));
        if let Some(plane) = Plane::of(grid) {
            plane.draw(&mut drawing, rect, values, &scale, title, (true, true));
        }
        color_bar(&mut drawing, rect, &scale, &self.quantity);
        let panel = Panel { rect, x: (axes[0].lower, axes[0].upper), y: (axes[1].lower, axes[1].upper) };
        for region in self.regions {
            self.outline(&mut drawing, &panel, axes, (across, up), region);
        }
        let dim = self.grid.dim();
        let place = |x: &[f64]| panel.position(x[across], x[up]);
        for group in &self.groups {
            let many = group.coordinates.len() / dim > MANY;
            for x in group.coordinates.chunks_exact(dim) {
                if !many {
                    drawing.dot(place(x), 4.0, [255, 255, 255]);
                }
                drawing.dot(place(x), if many { 0.8 } else { 3.0 }, group.color);
            }
        }
        for mark in &self.marks {
            ring(&mut drawing, place(&mark.at), &mark.label);
        }
        self.key(&mut drawing, rect.right() + BAR);
        drawing
    }

    fn curve(&self) -> Drawing {
        let axis = &self.grid.domain().axes()[0];
        let rect = Rect { x: LEFT, y: ABOVE, width: WIDTH, height: HEIGHT };
        let mut drawing = Drawing::new(LEFT + WIDTH + 20 + KEY, ABOVE + HEIGHT + BELOW);
        let top = self.values.iter().copied().fold(0.0, f64::max);
        let panel = Panel { rect, x: (axis.lower, axis.upper), y: (-0.04 * top, 1.06 * top.max(1e-300)) };
        panel.curve(&mut drawing, self.grid.coordinates(0), self.values, super::chart::COLORS[0], 1.6);
        for region in self.regions {
            for (low, high) in intervals(axis, region) {
                let ends = vec![panel.position(low, 0.0), panel.position(high, 0.0)];
                drawing.line(ends, FORBIDDEN, 7.0);
            }
        }
        for group in &self.groups {
            for &x in &group.coordinates {
                drawing.dot(panel.position(x, 0.0), 3.0, group.color);
            }
        }
        let nearest = |x: f64| {
            let distance = |i: &usize| (self.grid.coordinates(0)[*i] - x).abs();
            let best = (0..self.values.len()).min_by(|i, j| distance(i).total_cmp(&distance(j)));
            best.map_or(0.0, |i| self.values[i])
        };
        for mark in &self.marks {
            let x = mark.at.first().copied().unwrap_or_default();
            ring(&mut drawing, panel.position(x, nearest(x)), &mark.label);
        }
        panel.frame(
            &mut drawing,
            &Legend { title: &self.title, x_label: Some(&axis.name), y_label: Some(&self.quantity) },
        );
        self.key(&mut drawing, rect.right() + 20);
        drawing
    }

    fn key(&self, drawing: &mut Drawing, left: usize) {
        let left = left as f64;
        for (number, group) in self.groups.iter().enumerate() {
            let y = (ABOVE + 10 + 20 * number) as f64;
            drawing.dot((left + 6.0, y), 3.5, group.color);
            let room = KEY as f64 - 24.0;
            drawing.text_within(room, (left + 16.0, y + 4.0), &group.name, LABEL_SIZE - 2, Anchor::Start);
        }
    }

    /// The boundaries of a region and its periodic images, as far as they lie in the panel.
    fn outline(
        &self,
        drawing: &mut Drawing,
        panel: &Panel,
        axes: [&Axis; 2],
        at: (usize, usize),
        region: &Region,
    ) {
        let boundary: Vec<(f64, f64)> = match region {
            Region::Box { lower, upper } => {
                let ([x0, x1], [y0, y1]) = ([lower[at.0], upper[at.0]], [lower[at.1], upper[at.1]]);
                subdivided(&[(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)])
            }
            Region::Ball { center, radius } => {
                let turn = |i: u32| TAU * f64::from(i) / 120.0;
                let point = |a: f64| (center[at.0] + radius * a.cos(), center[at.1] + radius * a.sin());
                (0..=120).map(|i| point(turn(i))).collect()
            }
        };
        for dx in shifts(axes[0]) {
            for dy in shifts(axes[1]) {
                let inside = |&(x, y): &(f64, f64)| {
                    let (x, y) = (x + dx, y + dy);
                    (axes[0].contains(x) && axes[1].contains(y)).then(|| panel.position(x, y))
                };
                let points: Vec<Option<(f64, f64)>> = boundary.iter().map(inside).collect();
                for run in points.split(Option::is_none).filter(|run| run.len() > 1) {
                    let run: Vec<(f64, f64)> = run.iter().flatten().copied().collect();
                    drawing.line(run.clone(), [255, 255, 255], 3.5);
                    drawing.line(run, INK, 1.5);
                }
            }
        }
    }
}

/// The shifts to the periodic images along an axis.
fn shifts(axis: &Axis) -> Vec<f64> {
    if axis.periodic { vec![-axis.length(), 0.0, axis.length()] } else { vec![0.0] }
}

/// The parts of a line that a region and its images cover.
fn intervals(axis: &Axis, region: &Region) -> Vec<(f64, f64)> {
    let (low, high) = match region {
        Region::Box { lower, upper } => (lower[0], upper[0]),
        Region::Ball { center, radius } => (center[0] - radius, center[0] + radius),
    };
    let part = |shift: f64| ((low + shift).max(axis.lower), (high + shift).min(axis.upper));
    shifts(axis).into_iter().map(part).filter(|(low, high)| low <= high).collect()
}

/// A polygon with points along its sides, so that it can be cut anywhere.
fn subdivided(corners: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let side = |ends: &[(f64, f64)]| {
        let ((x0, y0), (x1, y1)) = (ends[0], ends[1]);
        (0..=40).map(move |i| {
            let part = f64::from(i) / 40.0;
            (x0 + part * (x1 - x0), y0 + part * (y1 - y0))
        })
    };
    corners.windows(2).flat_map(side).collect()
}

/// A ring around a place, with a label beside it.
fn ring(drawing: &mut Drawing, (x, y): (f64, f64), label: &str) {
    let circle = |radius: f64| -> Vec<(f64, f64)> {
        let point = |i: u32| (TAU * f64::from(i) / 40.0).sin_cos();
        (0..=40).map(point).map(|(s, c)| (x + radius * c, y + radius * s)).collect()
    };
    drawing.line(circle(7.0), [255, 255, 255], 4.0);
    drawing.line(circle(7.0), ALERT, 2.0);
    if label.is_empty() {
        return;
    }
    // On a white plate, to the left if there is no room to the right.
    let width = text_width(label, LABEL_SIZE - 1);
    let left = if x + 12.0 + width > (LEFT + WIDTH) as f64 { x - 12.0 - width } else { x + 12.0 };
    drawing.line(vec![(left - 3.0, y), (left + width + 3.0, y)], [255, 255, 255], 15.0);
    drawing.text((left + 0.5 * width, y + 4.0), label, LABEL_SIZE - 1, Anchor::Middle);
}

#[cfg(test)]
mod tests {
    use super::super::drawing::Shape;
    use super::super::raster::rasterize;
    use super::*;
    use lto_numerics::Placement;

    fn drawing(dim: usize, periodic: bool) -> Drawing {
        let grid = Grid::cubic(Domain::unit(dim, periodic).unwrap(), 8, Placement::Center).unwrap();
        let values: Vec<f64> = (0..grid.len()).map(|i| i as f64).collect();
        let group = Group { name: "sensors".into(), coordinates: vec![0.5; 2 * dim], color: INK };
        let mark = Mark { at: vec![0.25; dim], label: "worst".into() };
        let regions = [Region::Ball { center: vec![0.0; dim], radius: 0.2 }];
        let regions = if dim < 3 { &regions[..] } else { &[] };
        let (title, quantity) = (String::new(), "bound".into());
        let map = SensorMap {
            title,
            quantity,
            grid: &grid,
            values: &values,
            groups: vec![group],
            marks: vec![mark],
            regions,
        };
        map.draw().unwrap()
    }

    fn shapes(dim: usize, periodic: bool) -> Vec<Shape> {
        drawing(dim, periodic).shapes
    }

    /// The quarter of a circle at the lower left corner, seen where it crosses the diagonal.
    #[test]
    fn regions_are_outlined_over_the_map() {
        let drawing = drawing(2, false);
        let pixels: Vec<Rgb> = rasterize(&drawing).pixels().collect();
        let away = 0.2 * WIDTH as f64 * std::f64::consts::FRAC_1_SQRT_2;
        let (x, y) = (2.0 * (LEFT as f64 + away), 2.0 * ((ABOVE + WIDTH) as f64 - away));
        let at = y as usize * 2 * drawing.width + x as usize;
        assert_eq!(pixels[at], INK);
        assert_ne!(pixels[at + 12], INK);
    }

    #[test]
    fn sensors_and_marks_lie_where_they_are_in_one_to_three_dimensions() {
        for dim in 1..=3 {
            let shapes = shapes(dim, false);
            let middle = (LEFT + WIDTH / 2) as f64;
            assert!(
                shapes.iter().any(|s| matches!(s, Shape::Dot { at, .. } if (at.0 - middle).abs() < 1e-9))
            );
            let alert = |s: &&Shape| matches!(s, Shape::Line { color, .. } if *color == ALERT);
            assert_eq!(shapes.iter().filter(alert).count(), 1, "{dim}");
            assert_eq!(shapes.iter().any(|s| matches!(s, Shape::Image { .. })), dim > 1);
            let hidden =
                |s: &Shape| matches!(s, Shape::Text { content, .. } if content.contains("largest along z"));
            assert_eq!(shapes.iter().any(hidden), dim == 3);
        }
    }

    /// At the end of a line half of the region is left; on a circle the other half is at the other end.
    #[test]
    fn regions_of_a_line_are_bars() {
        let bars = |periodic| {
            let bar = |s: &&Shape| matches!(s, Shape::Line { color, .. } if *color == FORBIDDEN);
            shapes(1, periodic).iter().filter(bar).count()
        };
        assert_eq!((bars(false), bars(true)), (1, 2));
    }

    /// A circle around a corner is a quarter, and on a torus four of them; all are drawn after the map, thus above it.
    #[test]
    fn regions_are_cut_at_the_boundary_or_go_round() {
        let outlines = |periodic| {
            let outline =
                |s: &Shape| matches!(s, Shape::Line { color, width, .. } if *color == INK && *width == 1.5);
            let shapes = shapes(2, periodic);
            let map = shapes.iter().position(|s| matches!(s, Shape::Image { .. })).unwrap();
            assert!(!shapes[..map].iter().any(outline), "an outline below the map");
            shapes.iter().filter(|s| outline(s)).count()
        };
        assert!(
            outlines(true) >= 4 && outlines(false) < outlines(true),
            "{} {}",
            outlines(false),
            outlines(true)
        );
    }
}
