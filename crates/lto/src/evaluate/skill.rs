//! Skill: how much smaller the errors of a model are than those of a reference.

use super::statistics::{ErrorStatistics, bootstrap};

/// The skill of a model against a reference on the same samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skill {
    /// 1 − mean error ÷ mean error of the reference: 1 if perfect, 0 if no better, negative if worse.
    pub value: f64,
    /// Its 95 % interval, samples drawn for both at once; `None` for a single sample.
    pub interval: Option<[f64; 2]>,
}

impl Skill {
    /// The skill of errors against those of a reference, sample by sample. `None` unless both are of the same number
    /// of samples, finite, and the reference has errors at all.
    pub fn of(errors: &ErrorStatistics, reference: &ErrorStatistics) -> Option<Self> {
        let (mine, others) = (&errors.errors, &reference.errors);
        let finite = errors.mean.is_finite() && reference.mean.is_finite();
        if mine.len() != others.len() || mine.is_empty() || !finite || reference.mean <= 0.0 {
            return None;
        }
        let sum = |errors: &[f64], drawn: &[usize]| drawn.iter().map(|&i| errors[i]).sum::<f64>();
        let drawn_again = |drawn: &[usize]| 1.0 - sum(mine, drawn) / sum(others, drawn);
        let interval = (mine.len() > 1).then(|| bootstrap(mine.len(), drawn_again));
        Some(Self { value: 1.0 - errors.mean / reference.mean, interval })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(errors: &[f64]) -> ErrorStatistics {
        ErrorStatistics::of(errors.to_vec()).unwrap()
    }

    /// Samples differ by a hundred times, but on each the model has three quarters of the reference's error: no doubt.
    #[test]
    fn samples_are_compared_one_by_one() {
        let reference = errors(&[1.0, 10.0, 100.0, 4.0]);
        let model = errors(&[0.75, 7.5, 75.0, 3.0]);
        let skill = Skill::of(&model, &reference).unwrap();
        assert_eq!(skill.value, 0.25);
        assert!(skill.interval.unwrap().iter().all(|end| (end - 0.25).abs() < 1e-12), "{skill:?}");
        let worse = Skill::of(&reference, &model).unwrap();
        assert!((worse.value + 1.0 / 3.0).abs() < 1e-12, "{worse:?}");
    }

    #[test]
    fn there_is_none_without_a_reference() {
        let model = errors(&[1.0, 2.0]);
        for reference in [errors(&[0.0, 0.0]), errors(&[1.0]), errors(&[1.0, f64::INFINITY])] {
            assert_eq!(Skill::of(&model, &reference), None);
        }
        assert_eq!(Skill::of(&model, &ErrorStatistics::default()), None);
        assert_eq!(Skill::of(&errors(&[1.0]), &errors(&[2.0])), Some(Skill { value: 0.5, interval: None }));
    }
}
