//! Quantiles of scores that come in groups, as split conformal prediction takes them.

/// The least q with Σ_k F_k(q) / (K + 1) ≥ `level`, where F_k(q) is the share of the scores of group k that are at most q:
/// the quantile of the scores where each of the K groups counts the same and one more group is infinite. `None` if no finite
/// q is enough, which takes K ≥ level / (1 − level) groups.
///
/// If a further group is exchangeable with these, the expected share of its scores at most q is at least `level`: for groups
/// of one score each, q is the ⌈(K + 1) level⌉-th smallest. Groups without scores do not count; scores that are not numbers
/// count as infinite.
pub fn quantile(groups: &[&[f64]], level: f64) -> Option<f64> {
    quantiles(groups, &[level]).remove(0)
}

/// [`quantile`] at several levels.
pub fn quantiles(groups: &[&[f64]], levels: &[f64]) -> Vec<Option<f64>> {
    let groups = || groups.iter().filter(|group| !group.is_empty());
    let mass = 1.0 / (groups().count() + 1) as f64;
    let mut scores: Vec<(f64, f64)> = groups()
        .flat_map(|group| group.iter().map(|&score| (score, mass / group.len() as f64)))
        .filter(|(score, _)| score.is_finite())
        .collect();
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut up_to) = (0.0, Vec::with_capacity(scores.len()));
    for (_, weight) in &scores {
        sum += weight;
        up_to.push(sum);
    }
    // Sums of shares are rounded: a level that they reach exactly counts as reached.
    let reached = |level: f64| scores.get(up_to.partition_point(|sum| *sum < level - 1e-12));
    levels.iter().map(|&level| reached(level).map(|(score, _)| *score)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    /// One score in each group: the k-th smallest, k = ⌈(K + 1) level⌉.
    #[test]
    fn single_scores_give_the_split_conformal_quantile() {
        let scores: Vec<f64> = (1..=20).map(f64::from).collect();
        let groups: Vec<&[f64]> = scores.chunks(1).collect();
        // 21 · 0.9 = 18.9, 21 · 0.5 = 10.5, 21 · 20/21 = 20.
        for (level, expected) in
            [(0.9, Some(19.0)), (0.5, Some(11.0)), (20.0 / 21.0, Some(20.0)), (0.96, None)]
        {
            assert_eq!(quantile(&groups, level), expected, "{level}");
        }
        assert_eq!(quantile(&groups[..8], 0.9), None, "nine groups reach 0.9, eight do not");
        assert_eq!(quantile(&groups[..9], 0.9), Some(9.0));
    }

    /// Each group counts the same, however many scores it has.
    #[test]
    fn groups_count_the_same() {
        let (large, small) = (vec![1.0; 1000], vec![5.0]);
        assert_eq!(quantile(&[&large, &small], 1.0 / 3.0), Some(1.0));
        assert_eq!(quantile(&[&large, &small, &[]], 0.34), Some(5.0));
        assert_eq!(quantile(&[&large, &[f64::NAN]], 0.4), None);
    }

    /// The guarantee as its proof has it: of any K + 1 groups, each in turn is the new one. On average over these, the share
    /// of its scores that the quantile of the others covers is at least the level; the quantile without the infinite group
    /// covers less.
    #[test]
    fn any_groups_are_covered_on_average_over_which_is_new() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut naive_fails = 0;
        for trial in 0..200 {
            let n = 12 + trial % 9;
            let groups: Vec<Vec<f64>> = (0..n)
                .map(|_| {
                    let scale: f64 = (2.0 * rng.random::<f64>()).exp();
                    let size = rng.random_range(1..6);
                    (0..size).map(|_| scale * rng.random::<f64>()).collect()
                })
                .collect();
            let covered = |level: f64| {
                let share = |new: usize| {
                    let others = groups.iter().enumerate().filter(|(k, _)| *k != new);
                    let others: Vec<&[f64]> = others.map(|(_, group)| group.as_slice()).collect();
                    let q = quantile(&others, level).unwrap_or(f64::INFINITY);
                    groups[new].iter().filter(|score| **score <= q).count() as f64 / groups[new].len() as f64
                };
                (0..n).map(share).sum::<f64>() / n as f64
            };
            for level in [0.5, 0.8, 0.9] {
                assert!(covered(level) >= level - 1e-12, "{level}: {}", covered(level));
                // At most one group more than needed, and one for ties at the quantile.
                assert!(covered(level) <= level + 2.0 / n as f64 + 1e-12, "{level}: {}", covered(level));
                // Without the infinite group: K F ≥ K level, that is, this level times K / (K + 1).
                naive_fails += usize::from(covered(level * (n - 1) as f64 / n as f64) < level - 1e-12);
            }
        }
        assert!(naive_fails > 300, "the index without K + 1 must not cover: {naive_fails} of 600");
    }

    /// The same by simulation: 4000 calibrations on 20 groups, each judged on a new one. The mean of the shares lies between
    /// the level and the level plus 2 / 21, within four standard errors; the naive quantile lies below.
    #[test]
    fn new_groups_are_covered_in_expectation() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let (level, k, trials) = (0.9, 20, 4000);
        let mut group = |size: usize| -> Vec<f64> {
            // Scores of one group are alike: they share most of their size.
            let common: f64 = StandardNormal.sample(&mut rng);
            (0..size)
                .map(|_| {
                    (common + 0.3 * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut rng))
                        .abs()
                })
                .collect()
        };
        let (mut shares, mut naive) = (Vec::new(), Vec::new());
        for _ in 0..trials {
            let (calibration, new): (Vec<Vec<f64>>, _) =
                ((0..k).map(|i| group(1 + i % 4)).collect(), group(5));
            let groups: Vec<&[f64]> = calibration.iter().map(Vec::as_slice).collect();
            let share = |q: f64| new.iter().filter(|score| **score <= q).count() as f64 / new.len() as f64;
            shares.push(share(quantile(&groups, level).unwrap()));
            naive.push(share(quantile(&groups, level * k as f64 / (k + 1) as f64).unwrap()));
        }
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        let variance = shares.iter().map(|s| (s - mean(&shares)).powi(2)).sum::<f64>() / trials as f64;
        let doubt = 4.0 * (variance / trials as f64).sqrt();
        assert!(doubt < 0.02, "{doubt}");
        let covered = mean(&shares);
        assert!(covered > level - doubt && covered < level + 2.0 / (k + 1) as f64 + doubt, "{covered}");
        assert!(mean(&naive) < level - doubt, "{}", mean(&naive));
    }
}
