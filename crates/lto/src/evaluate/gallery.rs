//! What an evaluation keeps to look at: some fields, and mean spectra.

use super::evaluation::{ExampleField, Spectra};
use super::examples::Example;
use lto_numerics::Field;
use lto_numerics::metric::spectrum::power_spectrum;
use serde::{Deserialize, Serialize};

/// The most points an example keeps along an axis: of a curve, and of a map.
const MOST: [usize; 2] = [1024, 128];

/// The most channels an example keeps.
const CHANNELS: usize = 3;

/// What a field to look at shows.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    /// Names of the channels.
    pub channels: &'a [String],
    /// Native steps ahead; 0 for a steady problem.
    pub steps: usize,
    /// Whether predictions were fed back.
    pub rollout: bool,
    /// Whether it is the worst of all.
    pub worst: bool,
}

/// Collects predictions.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Gallery {
    /// Fields to look at.
    pub examples: Vec<ExampleField>,
    wavenumber: Vec<f64>,
    truth: Vec<f64>,
    prediction: Vec<f64>,
    count: usize,
}

impl Gallery {
    /// Adds the power of a prediction and of its truth to the mean spectra, if both are known everywhere.
    pub fn add_spectra(&mut self, truth: &Field, values: &[f64]) {
        if values.iter().chain(truth.values()).any(|v| !v.is_finite()) {
            return;
        }
        let predicted = Field::new(truth.grid().clone(), truth.n_channels(), values.to_vec());
        // Unequally spaced points have no spectrum.
        let spectra = predicted.and_then(|field| Ok((power_spectrum(truth)?, power_spectrum(&field)?)));
        if let Ok((truth, prediction)) = spectra {
            self.merge(Gallery {
                examples: Vec::new(),
                wavenumber: truth.wavenumber,
                truth: truth.power,
                prediction: prediction.power,
                count: 1,
            });
        }
    }

    /// Adds what another has collected.
    pub fn merge(&mut self, other: Gallery) {
        self.examples.extend(other.examples);
        if self.count == 0 {
            self.truth = vec![0.0; other.truth.len()];
            self.prediction = self.truth.clone();
        }
        if other.count > 0 {
            let add = |sum: &mut [f64], power: &[f64]| sum.iter_mut().zip(power).for_each(|(s, p)| *s += p);
            add(&mut self.truth, &other.truth);
            add(&mut self.prediction, &other.prediction);
            self.wavenumber = other.wavenumber;
            self.count += other.count;
        }
    }

    /// Means over all predictions added.
    pub fn spectra(&self) -> Option<Spectra> {
        let mean = |sum: &[f64]| sum.iter().map(|p| p / self.count as f64).collect();
        (self.count > 0).then(|| Spectra {
            wavenumber: self.wavenumber.clone(),
            truth: mean(&self.truth),
            prediction: mean(&self.prediction),
        })
    }
}

/// The prediction `values` of target `j` of an example as fields to look at, one for each of the first channels.
pub(super) fn fields(example: &Example, j: usize, values: &[f64], about: &About) -> Vec<ExampleField> {
    let Some((t, truth)) = example.targets.get(j) else { return Vec::new() };
    let grid = truth.grid();
    let most = MOST[usize::from(grid.dim() > 1)];
    let shape = grid.shape();
    let stride = shape.iter().max().map_or(1, |longest| longest.div_ceil(most).max(1));
    let on_stride = |mut index: usize| {
        shape.iter().rev().all(|&n| {
            let i = index % n;
            index /= n;
            i.is_multiple_of(stride)
        })
    };
    let kept = |values: &[f64]| -> Vec<f64> {
        values.iter().enumerate().filter(|(i, _)| on_stride(*i)).map(|(_, v)| *v).collect()
    };
    let each = truth.values().chunks_exact(grid.len()).zip(values.chunks_exact(grid.len()));
    let where_known = |truth: &[f64], values: &[f64]| -> Vec<f64> {
        values.iter().zip(truth).map(|(v, u)| if u.is_nan() { f64::NAN } else { *v }).collect()
    };
    let field = |(c, (truth, values)): (usize, (&[f64], &[f64]))| ExampleField {
        sample: example.sample,
        channel: about.channels.get(c).cloned().unwrap_or_default(),
        steps: about.steps,
        rollout: about.rollout,
        worst: about.worst,
        times: [example.s, *t],
        domain: grid.domain().clone(),
        coordinates: (0..grid.dim())
            .map(|d| grid.coordinates(d).iter().copied().step_by(stride).collect())
            .collect(),
        truth: kept(truth),
        prediction: kept(&where_known(truth, values)),
    };
    each.enumerate().take(CHANNELS).map(field).collect()
}
