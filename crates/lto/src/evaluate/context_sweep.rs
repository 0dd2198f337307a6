//! The error of a model against the number and placement of observations, without retraining.

use super::examples::{Example, predict_all};
use super::outcome::Tally;
use super::statistics::ErrorStatistics;
use crate::error::{Error, Result};
use crate::model::Model;
use lto_numerics::dataset::{ContextDesign, ContextSampler};
use lto_numerics::pde::sample_rng;
use lto_numerics::{Field, Points, Sample};
use serde::Serialize;
use std::sync::Arc;

/// Errors with one context design.
#[derive(Clone, Debug, Serialize)]
pub struct ContextErrors {
    /// Which points are observed.
    pub design: ContextDesign,
    /// Number of points observed, N.
    pub n_points: usize,
    /// Relative L2 error of each sample (the mean over its pairs), and their mean. Samples are independent,
    /// pairs of one sample are not.
    pub relative_l2: ErrorStatistics,
}

/// Source and target frame of a forecast.
pub type FramePair = (usize, usize);

/// Observes the source state of every sample by each of the designs, predicts the target state on the whole grid of the
/// sample, and compares. A steady sample has its one target, whatever the pairs.
/// Designs refer to the grids of the samples, which may be finer than those the model was trained on. The
/// points at which sample `i` is observed depend on `seed`, not on the other samples.
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
    let (mut tally, mut n_points) = (Tally::default(), 0);
    for (index, sample) in samples.iter().enumerate() {
        let mut rng = sample_rng(seed, index as u64);
        let observe = |Source { source, s, targets }: Source| {
            let context = sampler.sample(&source, None, &mut rng)?;
            Ok(Example { sample: index, context, s, targets })
        };
        let examples = sources(sample, pairs)?.into_iter().map(observe).collect::<Result<Vec<_>>>()?;
        n_points = examples.last().map_or(n_points, |example| example.context.points.len());
        let query = Arc::new(Points::grid(sample.grid().as_ref().clone()));
        let mut judged = |_, _, _: &[f64], scores| tally.add(index, scores);
        predict_all(model, &examples, &query, None, &mut judged)?;
    }
    Ok(ContextErrors { design, n_points, relative_l2: tally.measures()?.errors.relative_l2 })
}

/// A source state, its time, and the target states with theirs.
struct Source {
    source: Field,
    s: f64,
    targets: Vec<(f64, Field)>,
}

/// The predictions a sample offers; pairs from the same frame share one.
fn sources(sample: &Sample, pairs: &[FramePair]) -> Result<Vec<Source>> {
    let trajectory = match sample {
        Sample::Steady { source, target } => {
            return Ok(vec![Source { source: source.clone(), s: 0.0, targets: vec![(0.0, target.clone())] }]);
        }
        Sample::Evolution(trajectory) => trajectory,
    };
    let times = trajectory.times();
    let mut examples: Vec<(usize, Source)> = Vec::new();
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
                examples.push((from, Source { source: trajectory.field(from), s, targets: vec![target] }))
            }
        }
    }
    Ok(examples.into_iter().map(|(_, example)| example).collect())
}
