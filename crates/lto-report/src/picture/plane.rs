//! Fields on tensor grids as images. A 2-D grid is shown whole, a 3-D one by its middle plane. Array axis 0 is drawn
//! rightwards and axis 1 upwards, except that longitude is always rightwards. Each pixel shows the grid points that lie
//! in it, or the nearest one.

use super::colormap::{Rgb, Scale};
use super::drawing::{Drawing, PIXELS_PER_UNIT, Rect};
use super::panel::{Legend, Panel};
use super::raster::Image;
use lto_numerics::geography::{is_latitude, is_longitude};
use lto_numerics::{Axis, Domain, Grid};
use std::ops::Range;

/// Color of meridians and parallels.
const GRATICULE: Rgb = [150, 150, 150];

/// The part of a grid that is shown, for fields of one channel in row-major order.
pub struct Plane<'a> {
    horizontal: PictureAxis<'a>,
    vertical: PictureAxis<'a>,
    /// Index of the first value shown.
    offset: usize,
    /// Where a 3-D grid is cut: `z = 0.5`.
    cut: Option<String>,
}

impl<'a> Plane<'a> {
    /// The plane of a grid with at least two axes.
    pub fn of(grid: &'a Grid) -> Option<Self> {
        let shape = grid.shape();
        let (&[_, n_y], rest) = shape.split_first_chunk::<2>()?;
        let depth: usize = rest.iter().product();
        let offset = depth / 2;
        let cut = rest.first().map(|_| {
            let z = grid.coordinates(2).get(offset).copied().unwrap_or_default();
            format!("{} = {}", grid.domain().axes()[2].name, super::ticks::short(z))
        });
        let along = |d: usize, stride: usize| PictureAxis {
            axis: &grid.domain().axes()[d],
            coordinates: grid.coordinates(d),
            stride,
        };
        let (first, second) = (along(0, n_y * depth), along(1, depth));
        let swapped = orientation(grid.domain()) == (1, 0);
        let (horizontal, vertical) = if swapped { (second, first) } else { (first, second) };
        Some(Self { horizontal, vertical, offset, cut })
    }

    /// The values shown, of one channel's values; others of a 3-D field lie between them.
    pub fn shown<'v>(&self, values: &'v [f64]) -> impl Iterator<Item = &'v f64> {
        let (h, v) = (self.horizontal, self.vertical);
        let (columns, rows, offset) = (h.coordinates.len(), v.coordinates.len(), self.offset);
        (0..columns).flat_map(move |i| {
            (0..rows).filter_map(move |j| values.get(offset + i * h.stride + j * v.stride))
        })
    }

    /// A title that also says where a 3-D grid is cut.
    pub fn title(&self, title: &str) -> String {
        self.cut.as_ref().map_or_else(|| title.to_string(), |cut| format!("{title}, {cut}"))
    }

    /// Height of a panel of the given width that keeps the proportions of the domain, within reason.
    pub fn height(&self, width: usize) -> usize {
        height(width, self.horizontal.axis, self.vertical.axis)
    }

    /// Draws the values of one channel into `rect`, with a frame. `labeled` says which of the two axes, horizontal
    /// and vertical, carry numbers and a name.
    pub fn draw(
        &self,
        drawing: &mut Drawing,
        rect: Rect,
        values: &[f64],
        scale: &Scale,
        title: &str,
        labeled: (bool, bool),
    ) {
        let shown = values.get(self.offset..).unwrap_or_default();
        drawing.image(rect, image(rect, self.horizontal, self.vertical, shown, scale));
        let (x, y) = (self.horizontal.axis, self.vertical.axis);
        let legend = Legend {
            title,
            x_label: labeled.0.then_some(x.name.as_str()),
            y_label: labeled.1.then_some(y.name.as_str()),
        };
        let panel = Panel { rect, x: (x.lower, x.upper), y: (y.lower, y.upper) };
        graticule(drawing, &panel, [x, y]);
        panel.frame(drawing, &legend);
    }
}

/// Which of the first two axes of a domain is drawn rightwards, and which upwards.
pub fn orientation(domain: &Domain) -> (usize, usize) {
    let begins = |d: usize, prefix: &str| {
        domain.axes().get(d).is_some_and(|axis: &Axis| axis.name.to_lowercase().starts_with(prefix))
    };
    if begins(1, "lon") || begins(0, "lat") { (1, 0) } else { (0, 1) }
}

/// Meridians and parallels over a map of the Earth, at its numbers; nothing on other axes.
pub fn graticule(drawing: &mut Drawing, panel: &Panel, [x, y]: [&Axis; 2]) {
    if !(is_longitude(&x.name) && is_latitude(&y.name)) {
        return;
    }
    let (meridians, parallels) = panel.ticks();
    for lon in meridians {
        drawing.line(vec![panel.position(lon, panel.y.0), panel.position(lon, panel.y.1)], GRATICULE, 0.5);
    }
    for lat in parallels {
        drawing.line(vec![panel.position(panel.x.0, lat), panel.position(panel.x.1, lat)], GRATICULE, 0.5);
    }
}

/// Height of a panel of the given width that keeps the proportions of two axes, within reason.
pub fn height(width: usize, horizontal: &Axis, vertical: &Axis) -> usize {
    let ratio = vertical.extent() / horizontal.extent();
    (width as f64 * ratio.clamp(0.4, 1.6)).round() as usize
}

/// For each of `pixels` along an axis, upwards in coordinate, the points it shows.
fn pixel_points(axis: &Axis, coordinates: &[f64], pixels: usize) -> Vec<Range<usize>> {
    let step = axis.length() / pixels as f64;
    (0..pixels)
        .map(|pixel| {
            let lower = axis.lower + step * pixel as f64;
            let first = coordinates.partition_point(|&x| x < lower);
            let end = coordinates.partition_point(|&x| x < lower + step);
            if first < end { first..end } else { nearest(axis, coordinates, lower + 0.5 * step) }
        })
        .collect()
}

/// The point nearest to `x`, the shorter way round on a periodic axis.
fn nearest(axis: &Axis, coordinates: &[f64], x: f64) -> Range<usize> {
    let after = coordinates.partition_point(|&c| c < x);
    let candidates = [after.saturating_sub(1), after, 0, coordinates.len().saturating_sub(1)];
    let distance = |i: usize| coordinates.get(i).map_or(f64::INFINITY, |&c| axis.displacement(c, x).abs());
    let best = candidates.into_iter().min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
    best..best + 1
}

/// An axis of a picture: its extent, and where along it the values lie.
#[derive(Clone, Copy)]
pub struct PictureAxis<'a> {
    /// Extent and name.
    pub axis: &'a Axis,
    /// Increasing coordinates of the values.
    pub coordinates: &'a [f64],
    /// Distance in the value array from one to the next.
    pub stride: usize,
}

/// The image of `values` that fills `rect`. Where several values share a pixel it shows their mean, so that
/// nothing is skipped.
pub fn image(
    rect: Rect,
    horizontal: PictureAxis,
    vertical: PictureAxis,
    values: &[f64],
    scale: &Scale,
) -> Image {
    let (width, height) = (rect.width * PIXELS_PER_UNIT, rect.height * PIXELS_PER_UNIT);
    let columns = pixel_points(horizontal.axis, horizontal.coordinates, width);
    let rows = pixel_points(vertical.axis, vertical.coordinates, height);
    Image::from_fn(width, height, |column, row| {
        let (columns, rows) = (&columns[column], &rows[height - 1 - row]);
        let mut sum = 0.0;
        for j in rows.clone() {
            for i in columns.clone() {
                sum += values.get(i * horizontal.stride + j * vertical.stride).copied().unwrap_or(f64::NAN);
            }
        }
        scale.color(sum / (columns.len() * rows.len()) as f64)
    })
}

#[cfg(test)]
mod tests {
    use super::super::colormap::Colormap;
    use super::*;
    use lto_numerics::Placement;

    #[test]
    fn axis_zero_is_drawn_rightwards_and_axis_one_upwards() {
        let axis = Axis::new("x", 0.0, 2.0, false);
        let coordinates = [0.5, 1.5];
        // values[i][j]: only i = 1, j = 0 is bright, the lower right corner.
        let values = [0.0, 0.0, 1.0, 0.0];
        let scale = Scale { map: Colormap::Gray, lower: 0.0, upper: 1.0 };
        let at = |stride| PictureAxis { axis: &axis, coordinates: &coordinates, stride };
        let image = image(Rect { x: 0, y: 0, width: 1, height: 1 }, at(2), at(1), &values, &scale);
        let bright: Vec<bool> = image.pixels().map(|p| p[0] > 128).collect();
        assert_eq!(bright, [false, false, false, true]);
    }

    #[test]
    fn pixels_show_what_lies_in_them_or_the_nearest_point_round_the_circle() {
        let circle = Axis::new("x", 0.0, 1.0, true);
        // The last tenth of the circle is nearer to the point at 0 than to the one at 0.8.
        assert_eq!(pixel_points(&circle, &[0.0, 0.4, 0.8], 10)[9], 0..1);
        let plain = Axis::new("x", 0.0, 1.0, false);
        assert_eq!(pixel_points(&plain, &[0.0, 0.4, 0.8], 10)[9], 2..3);
        assert_eq!(pixel_points(&plain, &[0.1, 0.2, 0.3, 0.9], 2), [0..3, 3..4]);
    }

    #[test]
    fn longitude_is_horizontal_and_a_cube_is_cut_in_the_middle() {
        let axes = vec![Axis::new("lat", 50.0, 58.0, false), Axis::new("lon", -10.0, 2.0, false)];
        let grid = Grid::cubic(Domain::new(axes).unwrap(), 4, Placement::Vertex).unwrap();
        let plane = Plane::of(&grid).unwrap();
        assert_eq!(plane.horizontal.axis.name, "lon");
        assert_eq!(plane.height(300), 200);

        let cube = Grid::cubic(Domain::unit(3, true).unwrap(), 2, Placement::Left).unwrap();
        let plane = Plane::of(&cube).unwrap();
        assert_eq!(plane.cut.as_deref(), Some("z = 0.5"));
        let values: Vec<f64> = (0..8).map(f64::from).collect();
        assert_eq!(plane.shown(&values).copied().collect::<Vec<_>>(), [1.0, 3.0, 5.0, 7.0]);
        let line = Grid::cubic(Domain::unit(1, true).unwrap(), 2, Placement::Left).unwrap();
        assert!(Plane::of(&line).is_none());
    }
}
