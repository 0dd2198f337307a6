//! The sums as defined, for tests: every query point against every context point.

use super::moments::Moments;

/// The sums `[term, query point]`.
pub(super) fn sums(moments: &Moments) -> Vec<f64> {
    let (context, query, axes) = (moments.context, moments.query, moments.context.domain().axes());
    let (dim, points, queries) = (context.dim(), context.coordinates(), query.coordinates());
    let mut all = Vec::new();
    for term in moments.terms {
        let values = moments.values_of(term);
        for x in queries.chunks_exact(dim) {
            let mut sum = 0.0;
            for (j, c) in points.chunks_exact(dim).enumerate() {
                let squared = context.domain().distance_squared(x, c);
                let ell = moments.kernel.length_scale();
                let mut product = (-squared / (2.0 * ell * ell)).exp() * values.map_or(1.0, |v| v[j]);
                for d in 0..dim {
                    product *= axes[d].displacement(x[d], c[d]).powi(term.powers[d] as i32);
                }
                sum += product;
            }
            all.push(sum);
        }
    }
    all
}
