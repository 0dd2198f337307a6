//! Smallest enclosing balls.

/// Steps; the error falls as one over their number.
const STEPS: usize = 200;

/// The center of nearly the smallest ball around displacements, by Bădoiu and Clarkson's steps towards the furthest.
pub(super) fn center(displacements: &[[f64; 3]]) -> [f64; 3] {
    let mut center = [0.0; 3];
    for step in 1..=STEPS {
        let squared = |p: &[f64; 3]| (0..3).map(|d| (p[d] - center[d]).powi(2)).sum::<f64>();
        let Some(furthest) = displacements.iter().max_by(|a, b| squared(a).total_cmp(&squared(b))) else {
            return center;
        };
        let part = 1.0 / (step + 1) as f64;
        center = std::array::from_fn(|d| center[d] + part * (furthest[d] - center[d]));
    }
    center
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ball_around_a_triangle_is_its_circumcircle() {
        let triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 0.0]];
        let found = center(&triangle);
        assert!((found[0] - 2.0).abs() < 0.05 && (found[1] - 1.5).abs() < 0.05, "{found:?}");
        assert_eq!(center(&[]), [0.0; 3]);
    }
}
