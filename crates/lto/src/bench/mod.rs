//! How fast models train and predict, on made-up data.

mod case;
mod request;

pub use case::{BenchCase, Benchmark};
pub use request::{RequestCost, measure_requests};

use crate::device::{Device, Traffic};
use crate::error::Result;
use crate::kernel::clock;
use crate::peak_memory;
use crate::train::{Moment, Stepper};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// A measurement has at least this many runs.
const LEAST_RUNS: usize = 3;

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BenchTask {
    /// A training step: forward, backward and optimizer, of a whole batch.
    Train,
    /// A prediction from each context of a batch.
    Predict,
}

impl BenchTask {
    /// Name as on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Predict => "predict",
        }
    }
}

/// The measurement of one process. The keys are stable and the same as those of `bench/peers/twin.py`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// Always `lto`.
    pub program: String,
    /// Which model.
    pub case: String,
    /// What was timed.
    pub what: BenchTask,
    /// Examples per batch.
    pub batch: usize,
    /// Number of runs.
    pub n: usize,
    /// Median time of a run, for the whole batch.
    pub seconds: f64,
    /// Share of that time outside our kernels: graph, allocation, copies, optimizer; `None` on other devices, which have none.
    pub outside_kernels: Option<f64>,
    /// What a run moves to and from the device, and the kernels that it starts there; `None` on the processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
    /// Peak resident memory of the process, in MB; `None` if the system does not say.
    pub peak_mb: Option<f64>,
    /// The part of it held before the model was made.
    pub idle_mb: Option<f64>,
}

/// Times a case on a device for about `seconds`.
///
/// # Errors
/// A model that does not fit its problem, or [`Error::NoDevice`](crate::Error::NoDevice).
pub fn measure(what: BenchTask, case: &Benchmark, device: Device, seconds: f64) -> Result<Measurement> {
    let idle_mb = peak_memory::megabytes();
    let Timed { times, in_kernels, traffic } = match what {
        BenchTask::Train => {
            let (batch, mut step) = (case.batch(), 0);
            let mut model = case.model()?.on(device)?.with_gradients();
            let mut stepper = Stepper::new(&model, &case.train);
            time(seconds, || {
                step += 1;
                stepper.step(
                    &mut model,
                    batch.clone(),
                    &[],
                    Moment { step, progress: 0.5, ..Moment::default() },
                )?;
                Ok(())
            })?
        }
        BenchTask::Predict => {
            let (model, query) = (case.model()?.on(device)?, case.query());
            let examples: Vec<_> = case.contexts().into_iter().zip(case.times()).collect();
            time(seconds, || {
                for (context, (s, t)) in &examples {
                    model.predict(context, *s, &[*t], &query)?;
                }
                Ok(())
            })?
        }
    };
    let outside_kernels =
        (device == Device::Cpu).then(|| 1.0 - in_kernels.as_secs_f64() / times.iter().sum::<f64>());
    let traffic = (device != Device::Cpu).then(|| traffic.each_of(times.len() as u64));
    Ok(Measurement {
        program: "lto".into(),
        case: case.name.clone(),
        what,
        batch: case.n_examples,
        n: times.len(),
        seconds: median(times),
        outside_kernels,
        traffic,
        peak_mb: peak_memory::megabytes(),
        idle_mb,
    })
}

/// Runs over some seconds; the first one is a warm-up and does not count.
struct Timed {
    times: Vec<f64>,
    /// Total time in kernels.
    in_kernels: Duration,
    /// Total traffic.
    traffic: Traffic,
}

fn time(seconds: f64, mut run: impl FnMut() -> Result<()>) -> Result<Timed> {
    run()?;
    let (mut times, begin, spent, moved) = (Vec::new(), Instant::now(), clock::spent(), Traffic::so_far());
    while times.len() < LEAST_RUNS || begin.elapsed().as_secs_f64() < seconds {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(Timed { times, in_kernels: clock::spent() - spent, traffic: Traffic::so_far() - moved })
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    if times.len() % 2 == 1 { times[middle] } else { 0.5 * (times[middle - 1] + times[middle]) }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_two_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 10.0]), 3.0);
    }
}
