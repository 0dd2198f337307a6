//! The mean course of the training samples.

use super::normalization::FIT_CHUNK;
use super::{Data, State, Wanted};
use crate::course::{Course, MeanCourse};
use crate::error::{Error, Result};
use lto_numerics::memory;

impl Data {
    /// The mean course of the training samples, for a model that learns departures from it.
    ///
    /// # Errors
    /// A steady problem; otherwise as [`Data::fill`].
    pub(crate) fn course(&self) -> Result<Course> {
        if self.layout().is_steady() {
            let (key, value) = ("data.anomalies".into(), "true".into());
            let requirement = "needs times".into();
            return Err(Error::Config { key, value, requirement });
        }
        let mut when = MeanCourse::default();
        let mean = self.fill(&mut when, "mean course")?;
        Course::new(when, mean, &self.problem())
    }

    /// The mean state of the training samples at each time, over all their frames a whole number of `data.time_period`
    /// apart: fills in where and when it is known, and returns its values. Of a steady problem, the mean target.
    ///
    /// # Shapes
    /// `[frame of the course, channel, axis 0, …]`.
    ///
    /// # Errors
    /// No training samples, or data that cannot be read or solved.
    pub(super) fn fill(&self, course: &mut MeanCourse, model: &str) -> Result<Vec<f32>> {
        let (layout, samples) = (self.layout(), self.fit_samples());
        if samples.is_empty() {
            let requirement = "is a mean over training samples, but the data have none; give --set data.split={ random = { \
                 validation = 0.1, test = 0.1 } }, or --data with the file the run was trained on";
            let (key, value) = ("model.kind".into(), model.into());
            return Err(Error::Config { key, value, requirement: requirement.into() });
        }
        let steady = layout.is_steady();
        let times = if steady { vec![0.0] } else { layout.times.clone() };
        *course = MeanCourse::new(&times, &layout.grid, self.time_period.filter(|_| !steady));
        let size = layout.target_channels.len() * layout.grid.len();
        let n = course.times.len().saturating_mul(size);
        memory::require("the mean of the training samples", 8 * n as u128)?;
        let (mut sums, mut counts) = (vec![0.0; n], vec![0usize; course.times.len()]);
        let state = |frame| if steady { State::Target } else { State::Frame(frame) };
        for samples in samples.chunks(FIT_CHUNK) {
            let of_sample = |&sample: &usize| {
                (0..times.len()).map(move |frame| Wanted { sample, state: state(frame), finer: false })
            };
            let fields = self.fields(&samples.iter().flat_map(of_sample).collect::<Vec<_>>())?;
            for (field, &t) in fields.iter().zip(times.iter().cycle()) {
                let frame = course.frame(t);
                counts[frame] += 1;
                sums[frame * size..][..size].iter_mut().zip(field.values()).for_each(|(sum, u)| *sum += u);
            }
        }
        let means = sums.chunks_exact(size).zip(counts);
        Ok(means.flat_map(|(sums, count)| sums.iter().map(move |sum| (sum / count as f64) as f32)).collect())
    }
}
