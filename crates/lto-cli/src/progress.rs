//! Progress on standard error: a bar on a terminal, else a line now and then, or nothing.

use crate::output;
use indicatif::{ProgressBar, ProgressStyle};
use lto_report::words::duration;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Time between two plain lines.
const EVERY: Duration = Duration::from_secs(10);

/// The whole is estimated after this many things, or a twentieth of them if that is fewer.
const MEASURED: usize = 10;

/// Seconds of work from which on an estimate is worth a line.
const LONG: f64 = 60.0;

/// Progress through a number of things, known from the start or learned along the way.
pub struct Progress {
    what: &'static str,
    total: usize,
    first: usize,
    started: Instant,
    shown: Shown,
    /// Whether the estimate of the whole was made.
    estimated: bool,
}

enum Shown {
    Bar(ProgressBar),
    Lines { last: Instant },
    Nothing,
}

impl Progress {
    /// Starts at `done` of `total` things, called `what`.
    pub fn new(what: &'static str, total: usize, done: usize, quiet: bool) -> Self {
        let started = Instant::now();
        let shown = if quiet {
            Shown::Nothing
        } else if stderr().is_terminal() {
            // The bar fills the rest of the line.
            let template = "{spinner} [{wide_bar}] {pos}/{len}{msg}";
            let style =
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::new(total as u64).with_position(done as u64).with_style(style);
            bar.enable_steady_tick(Duration::from_millis(200));
            Shown::Bar(bar)
        } else {
            Shown::Lines { last: started }
        };
        Self { what, total, first: done, started, shown, estimated: false }
    }

    /// Does `work`, which reports how many of `total` things are done.
    pub fn over<T>(
        what: &'static str,
        total: usize,
        quiet: bool,
        work: impl FnOnce(&mut dyn FnMut(usize)) -> T,
    ) -> T {
        let mut progress = Self::new(what, total, 0, quiet);
        let result = work(&mut |done| progress.set(done));
        progress.finish();
        result
    }

    /// Shows how many are done, and the pace.
    pub fn set(&mut self, done: usize) {
        let pace = self.pace(done);
        self.show(done, None, || pace);
    }

    /// Shows how many are done, of a total that may have changed, with a message.
    pub fn show(&mut self, done: usize, total: Option<usize>, message: impl FnOnce() -> String) {
        self.total = total.unwrap_or(self.total);
        let done_now = done.saturating_sub(self.first);
        if !self.estimated && done_now >= MEASURED.min(self.left_at_first() / 20).max(1) {
            self.estimated = true;
            let seconds = self.started.elapsed().as_secs_f64();
            self.estimate(done_now, seconds).iter().for_each(|line| self.say(line));
        }
        match &mut self.shown {
            Shown::Bar(bar) => {
                bar.set_length(self.total as u64);
                bar.set_position(done as u64);
                bar.set_message(message());
            }
            Shown::Lines { last } if last.elapsed() >= EVERY && done > self.first => {
                *last = Instant::now();
                output::say(format_args!("{done}/{} {}{}", self.total, self.what, message()));
            }
            _ => {}
        }
    }

    /// What there was to do at the start.
    fn left_at_first(&self) -> usize {
        self.total.saturating_sub(self.first)
    }

    /// `about 35 min for 6000 steps (measured over the first 10)`; `None` if it is not long.
    fn estimate(&self, done: usize, seconds: f64) -> Option<String> {
        let (all, what) = (self.left_at_first(), self.what);
        let whole = seconds / done as f64 * all as f64;
        (whole >= LONG)
            .then(|| format!("about {} for {all} {what} (measured over the first {done})", duration(whole)))
    }

    /// Writes a line above the bar.
    pub fn say(&self, line: &str) {
        match &self.shown {
            Shown::Bar(bar) => bar.suspend(|| output::say(line)),
            Shown::Lines { .. } => output::say(line),
            Shown::Nothing => {}
        }
    }

    /// `, 12.3/s, 4 min left`, from what this run itself has done; empty before the first.
    fn pace(&self, done: usize) -> String {
        let rate = done.saturating_sub(self.first) as f64 / self.started.elapsed().as_secs_f64();
        if rate > 0.0 {
            format!(", {rate:.1}/s, {} left", duration(self.total.saturating_sub(done) as f64 / rate))
        } else {
            String::new()
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_that_of_this_run() {
        let started = Instant::now() - Duration::from_secs(10);
        let shown = Shown::Nothing;
        let progress =
            Progress { what: "samples", total: 1000, first: 900, started, shown, estimated: false };
        assert_eq!(progress.pace(900), "");
        assert_eq!(progress.pace(950), ", 5.0/s, 10 s left");
    }
    /// Once, after ten or a twentieth of the things, and only where it takes long.
    #[test]
    fn the_whole_is_estimated_from_the_first_few() {
        let mut progress = Progress::new("steps", 6900, 900, true);
        assert_eq!(
            progress.estimate(10, 3.5).as_deref(),
            Some("about 35 min for 6000 steps (measured over the first 10)")
        );
        assert_eq!(progress.estimate(10, 0.05), None, "half a minute");
        progress.set(909);
        assert!(!progress.estimated);
        progress.set(910);
        assert!(progress.estimated);
        let mut few = Progress::new("samples", 40, 0, true);
        few.set(1);
        assert!(!few.estimated);
        few.set(2);
        assert!(few.estimated);
    }
}
