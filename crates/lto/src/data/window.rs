//! Long records cut into windows of equal length, each a sample: learning from a single long measurement.

use super::overlap::Overlap;
use super::source::{Key, SampleLayout, SampleSource};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// The `data.window` of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowConfig {
    /// Frames per window.
    pub frames: usize,
    /// Frames from the start of one window to the next. For a record that begins at midnight, a whole number
    /// of days makes times hours of the day. With less than `frames` windows overlap, and those that share
    /// frames with another part of the split are left out.
    pub stride: usize,
}

/// Windows of another source's records. Times count from the start of each window.
pub struct Windowed {
    records: Box<dyn SampleSource>,
    window: WindowConfig,
    layout: SampleLayout,
    /// Windows of each record.
    each: usize,
}

impl Windowed {
    /// Cuts every record of `records`.
    ///
    /// # Errors
    /// Steady records, windows that do not fit, or unevenly spaced frames.
    pub fn new(records: Box<dyn SampleSource>, window: WindowConfig) -> Result<Self> {
        let refuse = |requirement: String| {
            let value = format!("{} frames every {}", window.frames, window.stride);
            Err(Error::Config { key: "data.window".into(), value, requirement })
        };
        let whole = records.layout();
        let times = &whole.times;
        if whole.is_steady() {
            return refuse("the data are steady: there are no frames to cut".into());
        }
        if window.stride == 0 || !(2..=times.len()).contains(&window.frames) {
            return refuse(format!("needs a stride and 2 to {} frames", times.len()));
        }
        let step = (times[times.len() - 1] - times[0]) / (times.len() - 1) as f64;
        if times.windows(2).any(|pair| ((pair[1] - pair[0]) - step).abs() > 1e-6 * step.abs()) {
            return refuse("the frames of the data are not evenly spaced in time".into());
        }
        let each = (times.len() - window.frames) / window.stride + 1;
        let n_samples = whole.n_samples.saturating_mul(each);
        let layout = SampleLayout {
            n_samples,
            times: times[..window.frames].iter().map(|t| t - times[0]).collect(),
            description: format!(
                "{n_samples} windows of {} frames, every {}, of {}",
                window.frames, window.stride, whole.description
            ),
            ..whole.clone()
        };
        Ok(Self { records, window, layout, each })
    }

    /// Which windows share frames.
    pub fn overlap(&self) -> Overlap {
        Overlap { window: self.window, each: self.each }
    }
}

impl SampleSource for Windowed {
    fn layout(&self) -> &SampleLayout {
        &self.layout
    }

    /// Always: a window is a small part of its record.
    fn by_frame(&self) -> bool {
        true
    }

    /// If records are read whole, all frames of the windows asked for are loaded along.
    fn load(&self, keys: &[Key]) -> Result<Vec<(Key, Vec<f32>)>> {
        let first = |key: &Key| key.sample % self.each * self.window.stride;
        let by_frame = self.records.by_frame();
        let in_record = |key: &Key| {
            let frame = key.frame.filter(|_| by_frame).map(|frame| first(key) + frame);
            Key { sample: key.sample / self.each, frame, ..*key }
        };
        let wanted: HashSet<Key> = keys.iter().map(in_record).collect();
        let loaded = self.records.load(&wanted.into_iter().collect::<Vec<_>>())?;
        let loaded: HashMap<Key, Vec<f32>> = loaded.into_iter().collect();
        let found = |key: &Key| Some((*key, loaded.get(&in_record(key))?));
        if by_frame {
            return Ok(keys.iter().filter_map(found).map(|(key, values)| (key, values.clone())).collect());
        }
        let n_frames = self.records.layout().times.len();
        let windows: HashSet<Key> = keys.iter().map(|key| Key { frame: None, ..*key }).collect();
        let frames = windows.iter().filter_map(found).flat_map(|(key, record)| {
            let size = record.len() / n_frames;
            (0..self.window.frames).map(move |frame| {
                let values = record[(first(&key) + frame) * size..][..size].to_vec();
                (Key { frame: Some(frame), ..key }, values)
            })
        });
        Ok(frames.collect())
    }
}
