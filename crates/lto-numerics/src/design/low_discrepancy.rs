//! The Halton and Sobol sequences.

use super::UnitPoint;
use rand::{Rng, RngExt};

/// `sobol_burley` has sequences of this length.
const SOBOL_LENGTH: usize = 1 << 16;
/// and numbers of 24 bits.
const SOBOL_SPACING: f64 = 1.0 / (1u32 << 24) as f64;

/// The Halton sequence in bases 2, 3 and 5, shifted at random around the unit cube.
pub(super) fn halton(dim: usize, n: usize, rng: &mut impl Rng) -> Vec<UnitPoint> {
    let shift: [f64; 3] = rng.random();
    let at = |i: usize, d: usize| (radical_inverse([2, 3, 5][d], i) + shift[d]).fract();
    (0..n).map(|i| std::array::from_fn(|d| if d < dim { at(i, d) } else { 0.0 })).collect()
}

/// The digits of `index` mirrored at the point.
fn radical_inverse(base: usize, mut index: usize) -> f64 {
    let (mut sum, mut place) = (0.0, 1.0);
    while index > 0 {
        place /= base as f64;
        sum += place * (index % base) as f64;
        index /= base;
    }
    sum
}

/// The Sobol sequence, Owen-scrambled. The bits below the sequence's 24 are random; otherwise points of two
/// sequences would coincide on a line.
pub(super) fn sobol(dim: usize, n: usize, rng: &mut impl Rng) -> Vec<UnitPoint> {
    let seed: u32 = rng.random();
    let mut at = |i: usize, d: usize| {
        let seed = seed.wrapping_add((i / SOBOL_LENGTH) as u32);
        let value = sobol_burley::sample((i % SOBOL_LENGTH) as u32, d as u32, seed);
        f64::from(value) + SOBOL_SPACING * rng.random::<f64>()
    };
    (0..n).map(|i| std::array::from_fn(|d| if d < dim { at(i, d) } else { 0.0 })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn radical_inverses_mirror_digits() {
        assert_eq!([1, 2, 3, 6].map(|i| radical_inverse(2, i)), [0.5, 0.25, 0.75, 0.375]);
        assert!((radical_inverse(3, 5) - (2.0 / 3.0 + 1.0 / 9.0)).abs() < 1e-15);
    }

    /// The first 2^m points have one point in each dyadic box of volume 2^-m, scrambled or not.
    #[test]
    fn sobol_points_are_stratified_in_all_dyadic_shapes() {
        let points = sobol(2, 64, &mut ChaCha8Rng::seed_from_u64(9));
        for bits in 0..=6 {
            let (columns, rows) = (1 << bits, 64 >> bits);
            let mut boxes = vec![0; 64];
            for u in &points {
                boxes[(u[0] * columns as f64) as usize * rows + (u[1] * rows as f64) as usize] += 1;
            }
            assert_eq!(boxes, vec![1; 64], "{columns} x {rows}");
        }
    }

    #[test]
    fn sobol_goes_on_beyond_one_sequence() {
        let points = sobol(1, SOBOL_LENGTH + 100, &mut ChaCha8Rng::seed_from_u64(2));
        let mut values: Vec<f64> = points.iter().map(|u| u[0]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        assert_eq!(values.len(), SOBOL_LENGTH + 100);
        assert!(values.iter().all(|v| (0.0..1.0).contains(v)));
    }
}
