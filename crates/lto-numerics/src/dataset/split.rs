//! Which samples are for training, validation and testing.

use crate::error::{Error, Result};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Three disjoint sets of sample indices, each ascending, that together cover all samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// Samples for training.
    pub train: Vec<usize>,
    /// Samples for choosing between models.
    pub validation: Vec<usize>,
    /// Samples for reporting errors.
    pub test: Vec<usize>,
}

impl Split {
    /// A random split of `n` samples, determined by the seed: the shares `validation` and `test`, rounded
    /// to whole samples, and the rest for training.
    ///
    /// # Errors
    /// A share outside [0, 1), or shares that leave nothing for training.
    pub fn random(n: usize, validation: f64, test: f64, seed: u64) -> Result<Self> {
        let count = |name, share: f64| {
            if (0.0..1.0).contains(&share) {
                return Ok((share * n as f64).round() as usize);
            }
            let requirement = "must be at least 0 and less than 1";
            Err(Error::Parameter { name, value: share.to_string(), requirement })
        };
        let (n_validation, n_test) = (count("validation share", validation)?, count("test share", test)?);
        if n_validation + n_test >= n {
            return Err(Error::Parameter {
                name: "validation and test share",
                value: format!("{validation} + {test} of {n} samples"),
                requirement: "must leave samples to train on",
            });
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let mut take = |k: usize| {
            let mut part = order.split_off(order.len() - k);
            part.sort_unstable();
            part
        };
        let (test, validation) = (take(n_test), take(n_validation));
        order.sort_unstable();
        Ok(Self { train: order, validation, test })
    }

    /// PDEBench's split: the first tenth (rounded down) is for testing, the rest for training.
    pub fn pdebench(n: usize) -> Self {
        let n_test = n / 10;
        Self { train: (n_test..n).collect(), validation: Vec::new(), test: (0..n_test).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_splits_are_partitions_that_the_seed_decides() {
        let split = Split::random(103, 0.1, 0.2, 7).unwrap();
        assert_eq!((split.train.len(), split.validation.len(), split.test.len()), (72, 10, 21));
        let mut all = [split.train.clone(), split.validation.clone(), split.test.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..103).collect::<Vec<_>>());
        assert_eq!(Split::random(103, 0.1, 0.2, 7).unwrap(), split);
        assert_ne!(Split::random(103, 0.1, 0.2, 8).unwrap().test, split.test);
        assert!(split.test.iter().any(|&i| i > 51) && split.test.iter().any(|&i| i < 51));
    }

    #[test]
    fn pdebench_tests_on_the_first_tenth() {
        let split = Split::pdebench(10_000);
        assert_eq!(
            (split.test.len(), split.test[999], split.train[0], split.train.len()),
            (1000, 999, 1000, 9000)
        );
        assert_eq!(Split::pdebench(19).test, [0]);
    }

    #[test]
    fn impossible_shares_are_refused() {
        for (validation, test) in [(-0.1, 0.1), (0.0, 1.0), (f64::NAN, 0.0), (0.5, 0.5)] {
            assert!(matches!(Split::random(10, validation, test, 0), Err(Error::Parameter { .. })));
        }
        assert!(Split::random(0, 0.0, 0.0, 0).is_err());
    }
}
