//! Positions as networks see them.

use lto_numerics::Points;

/// Coordinates scaled to `[0, 1]` along each axis of the domain, row-major `[n, D]`.
pub fn unit_coordinates(points: &Points) -> Vec<f32> {
    let mut flat = points.coordinates();
    for point in flat.chunks_exact_mut(points.dim()) {
        for (x, axis) in point.iter_mut().zip(points.domain().axes()) {
            *x = (*x - axis.lower) / axis.length();
        }
    }
    flat.into_iter().map(|x| x as f32).collect()
}
