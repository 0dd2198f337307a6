//! One uniform point in each of n boxes of equal volume, for any n.

use super::UnitPoint;
use crate::domain::Domain;
use rand::{Rng, RngExt};

pub(super) fn unit_points(domain: &Domain, n: usize, rng: &mut impl Rng) -> Vec<UnitPoint> {
    let mut points = Vec::with_capacity(n);
    let mut boxes = vec![([0.0; 3], [1.0; 3], n)];
    while let Some((lower, upper, n)) = boxes.pop() {
        let length = |d: usize| (upper[d] - lower[d]) * domain.axes()[d].length();
        if n == 1 {
            let at =
                |d: usize, u: f64| if d < domain.dim() { lower[d] + u * (upper[d] - lower[d]) } else { 0.0 };
            points.push(std::array::from_fn(|d| at(d, rng.random())));
            continue;
        }
        // Across the longest side, in the ratio of the points on either side.
        let d = (0..domain.dim()).fold(0, |longest, d| if length(d) > length(longest) { d } else { longest });
        let cut = lower[d] + (upper[d] - lower[d]) * ((n / 2) as f64 / n as f64);
        let (mut middle_upper, mut middle_lower) = (upper, lower);
        middle_upper[d] = cut;
        middle_lower[d] = cut;
        boxes.push((lower, middle_upper, n / 2));
        boxes.push((middle_lower, upper, n - n / 2));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn a_power_of_four_has_one_point_in_each_square() {
        let domain = Domain::unit(2, true).unwrap();
        let mut squares = [[0; 16]; 16];
        for u in unit_points(&domain, 256, &mut ChaCha8Rng::seed_from_u64(1)) {
            squares[(16.0 * u[0]) as usize][(16.0 * u[1]) as usize] += 1;
        }
        assert_eq!(squares, [[1; 16]; 16]);
    }
}
