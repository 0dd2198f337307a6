//! How far a prediction may depart from the estimated source: a little where it is observed, freely where it is not.

use crate::error::Result;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use lto_numerics::geometry::local_spacing;
use std::sync::Arc;

/// g = c + (1 − c) v for every query point, where c is the typical change over the lead of its example and
/// v = 1 − exp(−((s/h)² − 1)₊ / 4) the share of the state that is not observed around it: s is the
/// [local spacing](local_spacing) of the observations, h that of the latent grid. So g = c wherever the observations are
/// as dense as the latent grid.
///
/// # Shapes
/// b contexts, one or b sets of M points, b changes → `[b, M]`.
///
/// # Errors
/// A query in another domain.
pub fn freedom(
    contexts: &[Context],
    queries: &[Arc<Points>],
    changes: &[f64],
    latent_spacing: f64,
) -> Result<Vec<f64>> {
    let mut all = Vec::with_capacity(contexts.len() * queries[0].len());
    for (i, (context, change)) in contexts.iter().zip(changes).enumerate() {
        let spacing = local_spacing(&context.points, &queries[i % queries.len()])?;
        all.extend(spacing.iter().map(|s| {
            let unobserved = -f64::exp_m1(-((s / latent_spacing).powi(2) - 1.0).max(0.0) / 4.0);
            change + (1.0 - change) * unobserved
        }));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::{Domain, Grid, Placement};

    /// From whole grids of three sizes, and from a gap in one.
    #[test]
    fn sparse_observations_leave_more_freedom() {
        let domain = Domain::unit(2, true).unwrap();
        let grid = |n| Grid::cubic(domain.clone(), n, Placement::Left).unwrap();
        let context = |points: Points| Context {
            values: vec![0.0; points.len()],
            n_channels: 1,
            points,
            deviations: None,
        };
        let query = [Arc::new(Points::grid(grid(4)))];
        let of = |points| freedom(&[context(points)], &query, &[0.1], 1.0 / 16.0).unwrap();
        for (n, expected) in [(32, 0.1), (16, 0.1), (8, 0.1 + 0.9 * (1.0 - (-0.75f64).exp()))] {
            assert!(of(Points::grid(grid(n))).iter().all(|g| (g - expected).abs() < 1e-12), "{n}");
        }
        let near = |i: &usize| i / 16 < 8;
        let gap = of(Points::masked(grid(16), (0..256).filter(near).collect()).unwrap());
        assert!((gap[4] - 0.1).abs() < 1e-12 && gap[12] > 0.9, "{gap:?}");
    }
}
