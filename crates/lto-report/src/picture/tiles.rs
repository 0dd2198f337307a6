//! Maps in rows and columns: fields and points over two axes, each with its color scale.

use super::colormap::Scale;
use super::drawing::{Drawing, INK, Rect};
use super::panel::{ABOVE, BAR, BELOW, GAP, HEADER, LEFT, Legend, Panel, color_bar, page};
use super::plane::{self, Plane};
use lto_numerics::{Domain, Grid, Points};

/// What a tile shows.
#[derive(Clone)]
pub enum Content<'a> {
    /// Values on a grid, as an image.
    Field {
        /// Grid of the values.
        grid: &'a Grid,
        /// One value for each grid point.
        values: &'a [f64],
        /// Points marked with small dots.
        marks: Option<&'a Points>,
    },
    /// Values at points, as colored dots.
    Dots {
        /// The points of the values.
        points: &'a Points,
        /// One value for each point.
        values: &'a [f64],
    },
}

/// One map.
#[derive(Clone)]
pub struct Tile<'a> {
    /// Its title.
    pub title: String,
    /// What it shows.
    pub content: Content<'a>,
    /// Its colors.
    pub scale: Scale,
    /// Name of the quantity beside a color bar to its right; no bar if `None`.
    pub bar: Option<String>,
}

/// Draws rows of tiles on one domain, each `width` wide; `None` leaves a gap.
pub fn draw(title: &str, width: usize, domain: &Domain, rows: &[Vec<Option<Tile>>]) -> Drawing {
    let (across, up) = plane::orientation(domain);
    let height = plane::height(width, &domain.axes()[across], &domain.axes()[up]);
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let at = |row: usize, column: usize| {
        rows.get(row).and_then(|tiles| tiles.get(column)).and_then(Option::as_ref)
    };
    // A column is as wide as its tiles, with room for a bar if one of them has one.
    let mut left = LEFT;
    let mut corners = Vec::with_capacity(columns);
    for column in 0..columns {
        corners.push(left);
        let bar = (0..rows.len()).any(|row| at(row, column).is_some_and(|tile| tile.bar.is_some()));
        left += width + if bar { BAR } else { GAP };
    }
    let head = if title.is_empty() { 0 } else { HEADER };
    let pitch = height + ABOVE + 8;
    let mut drawing = page(left, head + rows.len() * pitch + BELOW, title);
    for row in 0..rows.len() {
        for (column, &x) in corners.iter().enumerate() {
            let Some(tile) = at(row, column) else { continue };
            let rect = Rect { x, y: head + ABOVE + row * pitch, width, height };
            // Numbers only at the left and lower edge.
            let labeled = (at(row + 1, column).is_none(), column == 0 || at(row, column - 1).is_none());
            tile.draw(&mut drawing, rect, domain, labeled);
        }
    }
    drawing
}

impl Tile<'_> {
    fn draw(&self, drawing: &mut Drawing, rect: Rect, domain: &Domain, labeled: (bool, bool)) {
        let (across, up) = plane::orientation(domain);
        let (x, y) = (&domain.axes()[across], &domain.axes()[up]);
        let panel = Panel { rect, x: (x.lower, x.upper), y: (y.lower, y.upper) };
        let place = |points: &Points| -> Vec<(f64, f64)> {
            points
                .coordinates()
                .chunks_exact(points.dim())
                .map(|p| panel.position(p[across], p[up]))
                .collect()
        };
        match &self.content {
            Content::Field { grid, values, marks } => {
                if let Some(plane) = Plane::of(grid) {
                    plane.draw(drawing, rect, values, &self.scale, &self.title, labeled);
                }
                for at in marks.map(place).unwrap_or_default() {
                    drawing.dot(at, 1.2, INK);
                }
            }
            Content::Dots { points, values } => {
                // As large as the space between them allows, within reason.
                let room = ((rect.width * rect.height) as f64 / points.len() as f64).sqrt();
                let radius = (0.3 * room).clamp(0.8, 3.5);
                for (at, &value) in place(points).into_iter().zip(*values) {
                    if radius > 1.5 {
                        drawing.dot(at, radius + 0.5, INK);
                    }
                    drawing.dot(at, radius, self.scale.color(value));
                }
                let x_label = labeled.0.then_some(x.name.as_str());
                let y_label = labeled.1.then_some(y.name.as_str());
                panel.frame(drawing, &Legend { title: &self.title, x_label, y_label });
            }
        }
        if let Some(quantity) = &self.bar {
            color_bar(drawing, rect, &self.scale, quantity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawing::tests::assert_texts_apart;
    use super::*;
    use lto_numerics::{Axis, Placement};

    #[test]
    fn texts_of_neighboring_tiles_keep_apart() {
        for (lower, upper) in [(0.0, 1.0), (-180.0, 180.0), (1e4, 3e4), (-1e-7, 1e-7)] {
            let axis = |name: &str| Axis::new(name, lower, upper, false);
            let grid =
                Grid::cubic(Domain::new(vec![axis("x"), axis("y")]).unwrap(), 8, Placement::Vertex).unwrap();
            let values: Vec<f64> = (0..64).map(|i| 1e-9 * f64::from(i)).collect();
            let tile = |bar: bool| {
                Some(Tile {
                    title: "predicted minus true, sample 17 at t = 0.125".into(),
                    content: Content::Field { grid: &grid, values: &values, marks: None },
                    scale: Scale::of(&values, None),
                    bar: bar.then(|| "error".into()),
                })
            };
            let rows = [vec![tile(false), tile(false), tile(true)], vec![None, tile(true), tile(false)]];
            assert_texts_apart(&draw("some fields", 150, grid.domain(), &rows));
        }
    }
}
