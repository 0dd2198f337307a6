//! Which of several models is best, where that can be said.

use super::statistics::ErrorStatistics;

/// For each model whether it is the best: its mean is least, and its interval overlaps no other. Models without errors
/// do not compete, and one alone is not the best of anything.
pub fn best(errors: &[Option<&ErrorStatistics>]) -> Vec<bool> {
    let least = |i: &usize| {
        let Some(mine) = errors[*i] else { return false };
        let others = errors.iter().enumerate().filter(|(j, _)| j != i).filter_map(|(_, other)| *other);
        let mut rivals = 0;
        let clear = others
            .inspect(|_| rivals += 1)
            .all(|other| mine.mean < other.mean && mine.interval[1] < other.interval[0]);
        clear && rivals > 0
    };
    (0..errors.len()).map(|i| least(&i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(mean: f64, half: f64) -> ErrorStatistics {
        let interval = [mean - half, mean + half];
        ErrorStatistics { errors: vec![mean], mean, standard_error: half / 2.0, interval }
    }

    #[test]
    fn the_best_is_marked_where_intervals_do_not_overlap() {
        let (a, b, c) = (errors(0.10, 0.01), errors(0.13, 0.01), errors(0.115, 0.01));
        assert_eq!(best(&[Some(&b), Some(&a)]), [false, true]);
        assert_eq!(best(&[Some(&b), Some(&a), Some(&c)]), [false; 3], "the intervals of a and c overlap");
        assert_eq!(best(&[None, Some(&a), Some(&b)]), [false, true, false]);
        assert_eq!(best(&[None, Some(&a)]), [false, false], "nothing to compare with");
        assert_eq!(best(&[Some(&a), Some(&a)]), [false, false]);
    }
}
