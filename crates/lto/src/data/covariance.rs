//! The covariance of states, and how long their departures persist, measured on training samples.

use super::persisting::{BLOCKS, Products, proven_share};
use super::{Data, State, Wanted};
use crate::course::Course;
use crate::error::Result;
use lto_numerics::dataset::Normalizer;
use lto_numerics::kriging::{Covariance, CovarianceFit, SpectrumFit};
use lto_numerics::{Field, Points};

/// Samples measured, spread over the training samples.
const SAMPLES: usize = 128;
/// Frames of each that a covariance is fitted to.
const FRAMES: usize = 4;
/// Points of a field whose products tell its covariance where it has no spectrum.
const POINTS: usize = 64;

impl Data {
    /// Some training samples, evenly spread.
    fn some_samples(&self) -> Vec<usize> {
        let train = &self.split().train;
        let n = SAMPLES.min(train.len());
        (0..n).map(|i| train[i * train.len() / n]).collect()
    }

    /// Frames of samples in normalized units, less the course (or the mean): `[frame]` by sample.
    fn departures(
        &self,
        samples: &[usize],
        frames: &[usize],
        normalizer: &Normalizer,
        course: Option<&Course>,
    ) -> Result<Vec<Field>> {
        let each = samples.iter().flat_map(|&sample| frames.iter().map(move |&frame| (sample, frame)));
        let wanted: Vec<Wanted> =
            each.map(|(sample, frame)| Wanted { sample, state: State::Frame(frame), finer: false }).collect();
        let mut fields = Vec::with_capacity(wanted.len());
        for (field, &frame) in self.fields(&wanted)?.iter().zip(frames.iter().cycle()) {
            let (mut values, n) = (field.values().to_vec(), field.grid().len());
            if let Some(course) = course {
                let points = Points::grid(field.grid().as_ref().clone());
                let means = course.at(self.layout().times[frame], &points)?;
                let shifts = normalizer.mean().iter().flat_map(|mean| vec![*mean; n]);
                let each = values.iter_mut().zip(means).zip(shifts);
                each.for_each(|((value, m), mean)| *value += mean - m);
            }
            normalizer.normalize(&mut values, n)?;
            fields.push(Field::new(field.grid().clone(), field.n_channels(), values)?);
        }
        Ok(fields)
    }

    /// The covariance of each channel of a state, in normalized units, less the course (or the mean): by its spectrum on a
    /// uniform periodic grid, else, and where values are missing, by the products of values at some points.
    ///
    /// # Errors
    /// Data that cannot be read or solved.
    pub fn covariances(&self, normalizer: &Normalizer, course: Option<&Course>) -> Result<Vec<Covariance>> {
        let last = self.layout().times.len() - 1;
        let mut frames: Vec<usize> = (0..FRAMES).map(|i| i * last / (FRAMES - 1)).collect();
        frames.dedup();
        let fields = self.departures(&self.some_samples(), &frames, normalizer, course)?;
        let is_whole = |field: &Field| field.values().iter().all(|u| u.is_finite());
        if SpectrumFit::takes(&fields[0]) && fields.iter().all(is_whole) {
            let mut fit = SpectrumFit::new(&fields[0])?;
            fields.iter().for_each(|field| fit.add(field.values()));
            return Ok(fit.finish());
        }
        let (all, n) = (Points::grid(fields[0].grid().as_ref().clone()), fields[0].grid().len());
        let mut fits = vec![CovarianceFit::new(all.domain()); fields[0].n_channels()];
        for (i, field) in fields.iter().enumerate() {
            // Points one golden section after the other, from another start for every field: no two at regular distances.
            let at = |j: usize| ((i * POINTS + j) as f64 * 0.618_033_988_749_894_9).fract();
            let mut some: Vec<usize> = (0..POINTS).map(|j| (at(j) * n as f64) as usize).collect();
            some.sort_unstable();
            some.dedup();
            for (fit, values) in fits.iter_mut().zip(field.values().chunks_exact(n)) {
                let known: Vec<usize> = some.iter().copied().filter(|&j| values[j].is_finite()).collect();
                if !known.is_empty() {
                    fit.add(&all.select(&known)?, &known.iter().map(|&j| values[j]).collect::<Vec<_>>());
                }
            }
        }
        // The points of a grid carry no noise.
        Ok(fits.iter().map(|fit| fit.finish().without_noise()).collect())
    }

    /// `[lead, ρ]`: how much of a departure from the mean course is still there after a lead, at least as far as the samples
    /// prove it is less than all of it. ρ̂ = Σ a_s a_t / Σ a_s², each a a departure from the course of the *other* blocks of
    /// samples, and ρ = min(1, ρ̂ + 2 standard errors) by the jackknife over the blocks. Missing values count nothing.
    ///
    /// # Errors
    /// Data that cannot be read or solved.
    pub fn memory(&self, normalizer: &Normalizer, course: &Course) -> Result<Vec<[f64; 2]>> {
        let (samples, times) = (self.some_samples(), &self.layout().times);
        let frames: Vec<usize> = (0..times.len()).collect();
        let blocks = BLOCKS.min(samples.len());
        let samples_of = |b: usize| &samples[b * samples.len() / blocks..(b + 1) * samples.len() / blocks];
        let states = |b: usize| self.departures(samples_of(b), &frames, normalizer, Some(course));
        let (phases, phase) = (course.when().times.len(), |frame: usize| course.when().frame(times[frame]));
        // Mean departure of every block from the course of all, and how many it is of.
        let mut means = Vec::new();
        for b in 0..blocks {
            let mut of_block: Vec<Option<(Vec<f64>, f64)>> = vec![None; phases];
            for (field, &frame) in states(b)?.iter().zip(frames.iter().cycle()) {
                let (sum, n) =
                    of_block[phase(frame)].get_or_insert_with(|| (vec![0.0; field.values().len()], 0.0));
                sum.iter_mut().zip(field.values()).for_each(|(sum, u)| *sum += u);
                *n += 1.0;
            }
            means.push(of_block);
        }
        let others = |left_out: usize, phase: usize| {
            let mut mean: Vec<f64> = Vec::new();
            let mut total = 0.0;
            for (sum, n) in (0..blocks).filter(|b| *b != left_out).filter_map(|b| means[b][phase].as_ref()) {
                mean.resize(sum.len(), 0.0);
                mean.iter_mut().zip(sum).for_each(|(mean, sum)| *mean += sum);
                total += n;
            }
            mean.iter_mut().for_each(|mean| *mean /= total);
            mean
        };
        // 1, 2, 3, 4, 6, 8, 12, …
        let doubled = (0..).flat_map(|k| [2usize << k, 3 << k]);
        let leads: Vec<usize> =
            std::iter::once(1).chain(doubled).take_while(|&lead| lead < times.len()).collect();
        let mut each = vec![vec![Products::default(); blocks]; leads.len()];
        for b in 0..blocks {
            let means: Vec<Vec<f64>> = (0..phases).map(|phase| others(b, phase)).collect();
            for sample in states(b)?.chunks_exact(times.len()) {
                let departures: Vec<Vec<f64>> = sample
                    .iter()
                    .zip(&frames)
                    .map(|(field, &frame)| {
                        field.values().iter().zip(&means[phase(frame)]).map(|(u, mean)| u - mean).collect()
                    })
                    .collect();
                for (&lead, products) in leads.iter().zip(&mut each) {
                    for (now, later) in departures.iter().zip(&departures[lead..]) {
                        for (a, d) in now.iter().zip(later).filter(|(a, d)| !(*a * *d).is_nan()) {
                            products[b].squares += a * a;
                            products[b].products += a * d;
                        }
                    }
                }
            }
        }
        let lasts = |lead: usize| times[lead] - times[0];
        let proven = leads.iter().zip(&each);
        Ok(proven.filter_map(|(&lead, products)| Some([lasts(lead), proven_share(products)?])).collect())
    }
}
