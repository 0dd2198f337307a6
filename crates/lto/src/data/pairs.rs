//! Which source and target frames are paired.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// The pairs (s, t) of frames to train on, all equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pairs {
    /// s ≤ t.
    All,
    /// s < t.
    Forward,
    /// t is the frame after s.
    Consecutive,
    /// s < t, at most this many frames apart.
    MaxSteps(usize),
    /// s < t, every factor between leads as likely: as many pairs 1 frame apart as 2 or 3, or 4 to 7.
    Balanced,
}

impl Pairs {
    /// The most frames that a pair may be apart.
    pub fn longest(self) -> usize {
        match self {
            Pairs::All | Pairs::Forward | Pairs::Balanced => usize::MAX,
            Pairs::Consecutive => 1,
            Pairs::MaxSteps(k) => k,
        }
    }

    /// Draws frames `(s, t)` of `n_frames` (at least two).
    pub fn draw(self, n_frames: usize, rng: &mut impl Rng) -> (usize, usize) {
        let most = n_frames.saturating_sub(1).max(1);
        let steps = match self {
            Pairs::All => 0..=most,
            Pairs::Forward => 1..=most,
            Pairs::Consecutive => 1..=1,
            Pairs::MaxSteps(k) => 1..=k.clamp(1, most),
            Pairs::Balanced => {
                // log lead uniform: the share of a lead k is log(1 + 1/k).
                let lead = ((most + 1) as f64).powf(rng.random()) as usize;
                let lead = lead.clamp(1, most);
                lead..=lead
            }
        };
        // Equally likely pairs by rejection; at least every 2nd is accepted, of balanced ones one of all starts.
        if let Pairs::Balanced = self {
            let s = rng.random_range(0..=most - steps.start());
            return (s, s + steps.start());
        }
        loop {
            let (s, lead) = (rng.random_range(0..n_frames.max(2)), rng.random_range(steps.clone()));
            if s + lead <= most {
                return (s, s + lead);
            }
        }
    }
}

/// Training on the model's own errors: some native steps are predicted from the source without gradients, and
/// the result is the context of a supervised step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PushforwardConfig {
    /// Share of the training steps that use it.
    pub probability: f64,
    /// The largest number of native steps before the supervised one; 1 to this many, equally likely.
    pub max_steps: usize,
}

impl Default for PushforwardConfig {
    fn default() -> Self {
        Self { probability: 0.0, max_steps: 1 }
    }
}

impl PushforwardConfig {
    /// Draws the number of unsupervised steps for trajectories of `n_frames`: 0 is no pushforward.
    pub fn draw(self, n_frames: usize, rng: &mut impl Rng) -> usize {
        let most = self.max_steps.min(n_frames.saturating_sub(2));
        if self.probability <= 0.0 || most == 0 || rng.random::<f64>() >= self.probability {
            return 0;
        }
        rng.random_range(1..=most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::pde::sample_rng;
    use std::collections::BTreeMap;

    /// Exactly the intended pairs, all about equally often.
    #[test]
    fn pairs_are_drawn_uniformly() {
        let n = 5;
        let lead = |(s, t): (usize, usize)| t as i64 - s as i64;
        for (pairs, allowed) in [
            (Pairs::All, 0..=4),
            (Pairs::Forward, 1..=4),
            (Pairs::Consecutive, 1..=1),
            (Pairs::MaxSteps(2), 1..=2),
            (Pairs::MaxSteps(99), 1..=4),
        ] {
            let mut counts = BTreeMap::new();
            let mut rng = sample_rng(1, 2);
            let all = (0..n)
                .flat_map(|s| (0..n).map(move |t| (s, t)))
                .filter(|&p| allowed.contains(&lead(p)))
                .count();
            for _ in 0..400 * all {
                *counts.entry(pairs.draw(n, &mut rng)).or_insert(0) += 1;
            }
            assert_eq!(counts.len(), all, "{pairs:?}");
            assert!(
                counts.iter().all(|(&p, &c)| allowed.contains(&lead(p)) && (300..500).contains(&c)),
                "{counts:?}"
            );
        }
    }

    /// Leads 1, 2–3 and 4–7 are about as likely, whatever the number of starts.
    #[test]
    fn balanced_pairs_do_not_starve_short_leads() {
        let mut rng = sample_rng(1, 5);
        let mut counts = [0; 3];
        for _ in 0..6000 {
            let (s, t) = Pairs::Balanced.draw(8, &mut rng);
            assert!(s < t && t < 8);
            counts[(t - s).ilog2() as usize] += 1;
        }
        assert!(counts.iter().all(|c| (1850..2150).contains(c)), "{counts:?}");
    }

    #[test]
    fn pushforward_happens_as_often_as_asked_and_fits_the_trajectory() {
        let mut rng = sample_rng(1, 3);
        let config = PushforwardConfig { probability: 0.25, max_steps: 3 };
        let drawn: Vec<usize> = (0..4000).map(|_| config.draw(4, &mut rng)).collect();
        let count = |k| drawn.iter().filter(|&&d| d == k).count();
        assert!(
            (900..1100).contains(&(count(1) + count(2))) && (400..600).contains(&count(1)) && count(3) == 0
        );
        assert_eq!(config.draw(2, &mut rng), 0);
    }
}
