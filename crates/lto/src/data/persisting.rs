//! How much of a departure from the mean course persists over a lead, as far as the data prove it.

/// Blocks of data that are left out in turn, to know how sure a share is.
pub(super) const BLOCKS: usize = 8;
/// Standard errors that make a damping certain: 97.5 % of all records would show at least as much.
const CERTAIN: f64 = 2.0;

/// Sums of products of departures a lead apart, in one block of data.
#[derive(Clone, Copy, Default)]
pub(super) struct Products {
    pub squares: f64,
    pub products: f64,
}

/// min(1, ρ̂ + 2 standard errors) of blocks, with ρ̂ = Σ products / Σ squares and the standard error of the jackknife that
/// leaves out one block after the other; `None` if they say nothing.
pub(super) fn proven_share(blocks: &[Products]) -> Option<f64> {
    let blocks: Vec<&Products> = blocks.iter().filter(|block| block.squares > 0.0).collect();
    let n = blocks.len() as f64;
    let share = |left_out: Option<usize>| {
        let kept = || blocks.iter().enumerate().filter(|(b, _)| Some(*b) != left_out).map(|(_, block)| block);
        kept().map(|block| block.products).sum::<f64>() / kept().map(|block| block.squares).sum::<f64>()
    };
    if blocks.len() < 2 {
        return None;
    }
    let others: Vec<f64> = (0..blocks.len()).map(|b| share(Some(b))).collect();
    let mean = others.iter().sum::<f64>() / n;
    let variance = (n - 1.0) / n * others.iter().map(|other| (other - mean).powi(2)).sum::<f64>();
    let proven = (share(None) + CERTAIN * variance.sqrt()).clamp(0.0, 1.0);
    proven.is_finite().then_some(proven)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that agree prove a share; blocks that do not prove less damping, or none; one block proves nothing.
    #[test]
    fn only_what_blocks_agree_on_is_proven() {
        let of = |shares: &[f64]| {
            let each: Vec<Products> =
                shares.iter().map(|share| Products { squares: 2.0, products: 2.0 * share }).collect();
            proven_share(&each)
        };
        assert!((of(&[0.5; 8]).unwrap() - 0.5).abs() < 1e-12);
        // The jackknife of equal weights is the usual standard error of a mean: 0.2 √(4/3) / √4.
        let found = of(&[0.3, 0.7, 0.3, 0.7]).unwrap();
        assert!((found - (0.5 + 2.0 * 0.2 * (4.0f64 / 3.0).sqrt() / 2.0)).abs() < 1e-12, "{found}");
        assert_eq!(of(&[-0.5, 1.5, -0.5, 1.5]), Some(1.0));
        assert_eq!((of(&[0.5]), of(&[])), (None, None));
    }
}
