//! Windows that share frames must not be on two sides of a split: test frames would have been trained on.

use super::config::SplitConfig;
use super::window::WindowConfig;
use crate::error::{Error, Result};
use lto_numerics::dataset::Split;

/// Which windows share frames.
#[derive(Clone, Copy, Debug)]
pub struct Overlap {
    /// The windows.
    pub window: WindowConfig,
    /// Windows of each record.
    pub each: usize,
}

impl Overlap {
    /// Whether a window shares a frame with any of `others`, which ascend.
    fn shares(&self, window: usize, others: &[usize]) -> bool {
        let neighbors = (self.window.frames - 1) / self.window.stride;
        let first = window / self.each * self.each;
        let near =
            window.saturating_sub(neighbors).max(first)..=(window + neighbors).min(first + self.each - 1);
        others
            .get(others.partition_point(|other| other < near.start()))
            .is_some_and(|other| near.contains(other))
    }

    /// Leaves out validation windows that share frames with training or test windows, and training windows
    /// that share frames with test windows. Says how many were left out, if any.
    ///
    /// # Errors
    /// A random split of overlapping windows, or a split that leaves nothing to train on.
    pub fn separate(&self, split: Split, config: &SplitConfig) -> Result<(Split, Option<String>)> {
        if self.window.stride >= self.window.frames || self.each < 2 || *config == SplitConfig::Test {
            return Ok((split, None));
        }
        if matches!(config, SplitConfig::Random { .. }) && split.validation.len() + split.test.len() > 0 {
            return self.refuse(
                "random",
                "overlapping windows would share frames between training and test: use data.split = { counts = { train, \
                 validation, test } }, or a window.stride of at least window.frames",
            );
        }
        let apart = |part: &[usize], others: &[&[usize]]| -> Vec<usize> {
            part.iter().copied().filter(|&w| !others.iter().any(|others| self.shares(w, others))).collect()
        };
        let validation = apart(&split.validation, &[&split.train, &split.test]);
        let train = apart(&split.train, &[&split.test]);
        if train.is_empty() {
            return self.refuse(
                &format!("{config:?}"),
                "every window to train on shares frames with one to test on",
            );
        }
        let lost = [split.train.len() - train.len(), split.validation.len() - validation.len()];
        let note = (lost != [0, 0]).then(|| {
            format!(
                "windows that share frames with another part of the split are left out: {} of {} to train on, {} of {} to \
                 validate on",
                lost[0],
                split.train.len(),
                lost[1],
                split.validation.len()
            )
        });
        Ok((Split { train, validation, test: split.test }, note))
    }

    fn refuse<T>(&self, value: &str, requirement: &str) -> Result<T> {
        let WindowConfig { frames, stride } = self.window;
        let value = format!("{value} of windows of {frames} frames every {stride}");
        Err(Error::Config { key: "data.split".into(), value, requirement: requirement.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn separated(
        frames: usize,
        stride: usize,
        each: usize,
        counts: [usize; 3],
    ) -> Result<(Split, Option<String>)> {
        let overlap = Overlap { window: WindowConfig { frames, stride }, each };
        let [train, validation, test] = counts;
        let config = SplitConfig::Counts { train, validation, test };
        overlap.separate(config.split(train + validation + test, 0)?, &config)
    }

    /// By the frames themselves: no frame is in two parts, test windows stay, and no window is left out
    /// needlessly.
    #[test]
    fn no_frame_is_in_two_parts() {
        for (frames, stride, each, counts) in [
            (48, 24, 23, [15, 1, 7]),
            (5, 2, 30, [12, 8, 10]),
            (3, 1, 6, [13, 9, 8]),
            (4, 4, 30, [12, 8, 10]),
        ] {
            let (split, note) = separated(frames, stride, each, counts).unwrap();
            let shown = |windows: &[usize]| -> std::collections::BTreeSet<(usize, usize)> {
                let of = |&w: &usize| (0..frames).map(move |f| (w / each, w % each * stride + f));
                windows.iter().flat_map(of).collect()
            };
            let [train, validation, test] =
                [&split.train, &split.validation, &split.test].map(|part| shown(part));
            assert!(
                train.is_disjoint(&test) && train.is_disjoint(&validation) && validation.is_disjoint(&test)
            );
            assert_eq!(split.test.len(), counts[2]);
            assert_eq!(note.is_some(), stride < frames, "{note:?}");
            let lost = counts.iter().sum::<usize>() - split.train.len() - split.validation.len() - counts[2];
            let neighbors = (frames - 1) / stride;
            assert!(lost <= 2 * neighbors, "{lost}");
        }
        let (era5, note) = separated(48, 24, 23, [15, 1, 7]).unwrap();
        assert_eq!((era5.train.len(), era5.validation.len(), era5.test), (15, 0, (16..23).collect()));
        assert!(note.unwrap().ends_with("0 of 15 to train on, 1 of 1 to validate on"));
        assert!(separated(20, 1, 10, [3, 0, 7]).unwrap_err().to_string().contains("every window"));
    }
}
