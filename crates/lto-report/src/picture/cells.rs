//! Fields on tensor grids as images: each pixel shows the grid points that lie in it, or the nearest one.

use super::colormap::Scale;
use super::drawing::{PIXELS_PER_UNIT, Rect};
use super::raster::Image;
use lto_numerics::Axis;
use std::ops::Range;

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
}
