//! Which part of a grid a picture shows: the whole of a 2-D one, the middle plane of a 3-D one; and how it lies
//! on the page. Array axis 0 is drawn rightwards and axis 1 upwards, except that longitude is always rightwards.

use super::cells::{self, PictureAxis};
use super::colormap::Scale;
use super::drawing::{Drawing, Rect};
use super::panel::{Legend, Panel};
use lto_numerics::{Axis, Domain, Grid};

/// The part of a grid that is shown, for fields of one channel in row-major order.
pub struct Plane<'a> {
    horizontal: PictureAxis<'a>,
    vertical: PictureAxis<'a>,
    /// Index of the first value shown.
    offset: usize,
    /// Where a 3-D grid is cut: `z = 0.5`.
    pub cut: Option<String>,
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
        drawing.image(rect, cells::image(rect, self.horizontal, self.vertical, shown, scale));
        let (x, y) = (self.horizontal.axis, self.vertical.axis);
        let legend = Legend {
            title,
            x_label: labeled.0.then_some(x.name.as_str()),
            y_label: labeled.1.then_some(y.name.as_str()),
        };
        Panel { rect, x: (x.lower, x.upper), y: (y.lower, y.upper) }.frame(drawing, &legend);
    }
}

/// Which of the first two axes of a domain is drawn rightwards, and which upwards.
pub fn orientation(domain: &Domain) -> (usize, usize) {
    let begins = |d: usize, prefix: &str| {
        domain.axes().get(d).is_some_and(|axis: &Axis| axis.name.to_lowercase().starts_with(prefix))
    };
    if begins(1, "lon") || begins(0, "lat") { (1, 0) } else { (0, 1) }
}

/// Height of a panel of the given width that keeps the proportions of two axes, within reason.
pub fn height(width: usize, horizontal: &Axis, vertical: &Axis) -> usize {
    let ratio = vertical.length() / horizontal.length();
    (width as f64 * ratio.clamp(0.4, 1.6)).round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::Placement;

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
