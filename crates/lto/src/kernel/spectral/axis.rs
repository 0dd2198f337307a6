//! Which wavenumbers of an axis are kept.

use std::f64::consts::TAU;

/// The points of one grid axis and the wavenumbers kept of a signal on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    points: usize,
    period: usize,
    /// Wavenumbers, each with how often the inverse transform counts it; 0 drops it.
    waves: Vec<(i64, f64)>,
}

impl Axis {
    /// A single point: the missing axis of a one-dimensional state.
    pub fn single() -> Self {
        Self { points: 1, period: 1, waves: vec![(0, 1.0)] }
    }

    /// Wavenumbers `0..modes` of a real signal, whose others are their conjugates: the inverse counts all but 0 and the
    /// Nyquist number twice. `points` of a longer `period`, if padded; wavenumbers past the Nyquist number
    /// are dropped.
    pub fn half(points: usize, period: usize, modes: usize) -> Self {
        let weight = |k: usize| match 2 * k {
            0 => 1.0,
            twice if twice == period => 1.0,
            twice if twice > period => 0.0,
            _ => 2.0,
        };
        Self { points, period, waves: (0..modes).map(|k| (k as i64, weight(k))).collect() }
    }

    /// Wavenumbers `−modes < k < modes` of a complex signal, those past the Nyquist number dropped.
    pub fn symmetric(points: usize, period: usize, modes: usize) -> Self {
        let kept = |k: i64| if 2 * k.unsigned_abs() as usize <= period { 1.0 } else { 0.0 };
        Self { points, period, waves: (1 - modes as i64..modes as i64).map(|k| (k, kept(k))).collect() }
    }

    /// Two blocks of `modes` rows of a transform: the first ones `0, 1, …`, then the last ones
    /// `−modes, …, −1`. Where they overlap, on a grid of fewer than `2 modes` points, the last ones replace
    /// the first.
    pub fn blocks(points: usize, modes: usize) -> Self {
        let m = modes as i64;
        let first = (0..m).map(|k| (k, if k + m < points as i64 { 1.0 } else { 0.0 }));
        Self { points, period: points, waves: first.chain((-m..0).map(|k| (k, 1.0))).collect() }
    }

    /// `n` wavenumbers in increasing order with 0 in the middle, `−n/2` the first; on a grid of fewer points,
    /// only as many as points.
    pub fn centered(points: usize, n: usize) -> Self {
        let middle = |n: usize| -(n as i64 / 2)..n as i64 - n as i64 / 2;
        let kept = middle(n.min(points));
        let waves = middle(n).map(|k| (k, if kept.contains(&k) { 1.0 } else { 0.0 })).collect();
        Self { points, period: points, waves }
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Number of wavenumbers, dropped ones included.
    pub fn modes(&self) -> usize {
        self.waves.len()
    }

    /// What the inverse transform multiplies each wavenumber by.
    pub fn factors(&self) -> impl Iterator<Item = f64> {
        self.waves.iter().map(|(_, weight)| weight / self.period as f64)
    }

    /// `cos 2πkj/P` and `sin 2πkj/P` for wavenumber number `wave` and every point j.
    pub fn angles(&self) -> impl Fn(usize, usize) -> (f32, f32) {
        let circle = self.circle();
        move |wave, j| circle(self.waves[wave].0, j)
    }

    /// `cos 2πkj/P` and `sin 2πkj/P` for any wavenumber k and every point j.
    pub fn circle(&self) -> impl Fn(i64, usize) -> (f32, f32) {
        let period = self.period;
        let circle: Vec<(f32, f32)> = (0..period)
            .map(|i| {
                let (sin, cos) = (TAU * i as f64 / period as f64).sin_cos();
                (cos as f32, sin as f32)
            })
            .collect();
        move |k, j| circle[(k * j as i64).rem_euclid(period as i64) as usize]
    }

    /// The sizes |k| of the wavenumbers, each once, and for every wavenumber the place of its size and its sign.
    pub fn folded(&self) -> (Vec<i64>, Vec<(usize, f32)>) {
        let mut sizes: Vec<i64> = Vec::new();
        let fold = |&(k, _): &(i64, f64)| {
            let place = sizes.iter().position(|size| *size == k.abs()).unwrap_or_else(|| {
                sizes.push(k.abs());
                sizes.len() - 1
            });
            (place, if k < 0 { -1.0 } else { 1.0 })
        };
        let folds = self.waves.iter().map(fold).collect();
        (sizes, folds)
    }
}
