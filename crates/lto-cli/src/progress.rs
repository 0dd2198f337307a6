//! Progress on standard error: a bar on a terminal, else a line now and then, or nothing.

use crate::output;
use indicatif::{ProgressBar, ProgressStyle};
use lto_report::words::duration;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Time between two plain lines.
const EVERY: Duration = Duration::from_secs(10);

/// Progress through a number of things, known from the start or learned along the way.
pub struct Progress {
    what: &'static str,
    total: usize,
    first: usize,
    started: Instant,
    shown: Shown,
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
        Self { what, total, first: done, started, shown }
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
        let progress = Progress { what: "samples", total: 1000, first: 900, started, shown: Shown::Nothing };
        assert_eq!(progress.pace(900), "");
        assert_eq!(progress.pace(950), ", 5.0/s, 10 s left");
    }
}
