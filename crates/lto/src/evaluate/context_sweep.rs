//! The error of a model against the number and placement of observations, without retraining.

use super::statistics::ErrorStatistics;
use crate::error::{Error, Result};
use crate::model::Model;
use lto_numerics::dataset::{ContextDesign, ContextSampler};
use lto_numerics::metric::relative_l2::relative_l2;
use lto_numerics::pde::sample_rng;
use lto_numerics::{Field, Points, Sample};
use serde::Serialize;
use std::sync::Arc;

/// Errors of one way to observe.
#[derive(Clone, Debug, Serialize)]
pub struct ContextErrors {
    /// Which points are observed.
    pub design: ContextDesign,
    /// Number of points observed, N.
    pub n_points: usize,
    /// Relative L2 error of each sample (the mean over its pairs), and their mean. Samples are independent of each other,
    /// pairs of one sample are not.
    pub relative_l2: ErrorStatistics,
}

/// What is forecast: from which frame of a sample to which.
pub type FramePair = (usize, usize);

/// Observes the source state of every sample by each of the designs, predicts the target state on the whole grid of the
/// sample, and compares. A steady sample has its one target, whatever the pairs.
/// Designs refer to the grids of the samples, which may be finer than those the model was trained on. Sample `i` is
/// observed at the same points whatever other samples there are; `seed` decides which.
///
/// # Errors
/// No sample, a pair beyond the frames of a sample, or a design or sample that does not fit.
pub fn context_sweep(
    model: &Model,
    samples: &[Sample],
    pairs: &[FramePair],
    designs: &[ContextDesign],
    seed: u64,
) -> Result<Vec<ContextErrors>> {
    designs.iter().map(|design| observe_by(model, samples, pairs, *design, seed)).collect()
}

fn observe_by(
    model: &Model,
    samples: &[Sample],
    pairs: &[FramePair],
    design: ContextDesign,
    seed: u64,
) -> Result<ContextErrors> {
    let sampler = ContextSampler { design };
    let (mut errors, mut n_points) = (Vec::new(), 0);
    for (index, sample) in samples.iter().enumerate() {
        let mut rng = sample_rng(seed, index as u64);
        let (mut sum, mut count) = (0.0, 0usize);
        for Example { source, s, targets } in examples(sample, pairs)? {
            let context = sampler.sample(&source, None, &mut rng)?;
            n_points = context.points.len();
            let query = Arc::new(Points::grid(sample.grid().as_ref().clone()));
            let times: Vec<f64> = targets.iter().map(|(t, _)| *t).collect();
            let predicted = model.predict(&context, s, &times, &query)?.values;
            let size = predicted.len() / targets.len();
            for (prediction, (_, truth)) in predicted.chunks_exact(size).zip(&targets) {
                sum += relative_l2(prediction, truth.values())?;
                count += 1;
            }
        }
        if count > 0 {
            errors.push(sum / count as f64);
        }
    }
    let none = || {
        Error::Numerics(lto_numerics::Error::Mismatch {
            what: "number of samples with a pair to predict (at least)".into(),
            expected: 1,
            got: 0,
        })
    };
    Ok(ContextErrors { design, n_points, relative_l2: ErrorStatistics::of(errors).ok_or_else(none)? })
}

/// A source state, its time, and the target states with theirs.
struct Example {
    source: Field,
    s: f64,
    targets: Vec<(f64, Field)>,
}

/// The examples of a sample; pairs from the same frame share one.
fn examples(sample: &Sample, pairs: &[FramePair]) -> Result<Vec<Example>> {
    let trajectory = match sample {
        Sample::Steady { source, target } => {
            return Ok(vec![Example {
                source: source.clone(),
                s: 0.0,
                targets: vec![(0.0, target.clone())],
            }]);
        }
        Sample::Evolution(trajectory) => trajectory,
    };
    let times = trajectory.times();
    let mut examples: Vec<(usize, Example)> = Vec::new();
    for &(from, to) in pairs {
        let (Some(&s), Some(&t)) = (times.get(from), times.get(to)) else {
            let (key, value) = ("pairs".into(), format!("({from}, {to})"));
            return Err(Error::Config {
                key,
                value,
                requirement: format!("the frames are 0 to {}", times.len() - 1),
            });
        };
        let target = (t, trajectory.field(to));
        match examples.iter_mut().find(|(frame, _)| *frame == from) {
            Some((_, example)) => example.targets.push(target),
            None => {
                examples.push((from, Example { source: trajectory.field(from), s, targets: vec![target] }))
            }
        }
    }
    Ok(examples.into_iter().map(|(_, example)| example).collect())
}
