//! Context augmentation: how much of a source state is observed, and where, drawn anew for every example.

mod clustered;
mod failed_region;
mod full;
mod random;
mod strided;

use super::refine::refine;
use crate::error::{Error, Result};
use lto_numerics::dataset::{Context, ContextDesign, ContextSampler};
use lto_numerics::{Field, Points};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// The `[train.context]` of a configuration file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContextConfig {
    /// Smallest and largest `context_fraction`: observed points ÷ native points. Above 1 the points lie on a finer grid.
    pub fraction: [f64; 2],
    /// How fractions are drawn between the two.
    pub draw: FractionDraw,
    /// How often each design is drawn, relative to the others.
    pub designs: DesignWeights,
    /// Standard deviation of the normal noise on every value, as a share of its channel's: that many in normalized units.
    pub noise: f64,
}

impl Default for ContextConfig {
    fn default() -> Self {
        let designs = DesignWeights { random: 3.0, full: 1.0, ..DesignWeights::default() };
        Self { fraction: [0.05, 1.0], draw: FractionDraw::default(), designs, noise: 0.0 }
    }
}

/// How fractions are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FractionDraw {
    /// Every factor is as likely: as many contexts from 5 % to 10 % as from 50 % to 100 %.
    #[default]
    Logarithmic,
    /// Every fraction is as likely.
    Uniform,
}

/// All designs, one line each: the variant, its file, and its name in files and on the command line, with an older one.
macro_rules! designs {
    ($($(#[$doc:meta])* $kind:ident: $module:ident = $name:literal $(or $older:literal)?,)+) => {
        /// Which design was drawn.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum DesignKind {
            $($(#[$doc])* #[serde(rename = $name)] $kind,)+
        }

        /// Relative weights of the designs; one that is not named is never drawn.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct DesignWeights {
            $($(#[$doc])* #[serde(rename = $name $(, alias = $older)?)] pub $module: f64,)+
        }

        impl DesignKind {
            /// All designs, for help texts and tests.
            pub const ALL: [DesignKind; [$($name),+].len()] = [$(DesignKind::$kind),+];

            /// Name as written in files and on the command line.
            pub fn name(self) -> &'static str {
                match self { $(DesignKind::$kind => $name,)+ }
            }

            fn observe(self, state: &State, rng: &mut impl Rng) -> Result<Context> {
                match self { $(DesignKind::$kind => $module::observe(state, rng),)+ }
            }
        }

        impl DesignWeights {
            /// The weight of a design.
            fn of(&self, design: DesignKind) -> f64 {
                match design { $(DesignKind::$kind => self.$module,)+ }
            }
        }
    };
}

designs! {
    /// Uniformly random grid points.
    Random: random = "random",
    /// A coarser grid: every n-th point along each axis, with the stride nearest to the fraction.
    Strided: strided = "grid" or "strided",
    /// Random points, denser near three random centers.
    Clustered: clustered = "clustered",
    /// Random points, none in a ball that holds a fifth of the domain.
    FailedRegion: failed_region = "failed" or "failed_region",
    /// The whole native grid, whatever the fraction.
    Full: full = "full",
}

/// A state to be observed.
struct State<'a> {
    /// It, on its own grid.
    native: &'a Field,
    /// It, on a grid with enough points: its own, or a finer one.
    base: &'a Field,
    /// Observed points ÷ native points.
    fraction: f64,
    /// How many points that are.
    n: usize,
}

impl State<'_> {
    fn sample(&self, design: ContextDesign, rng: &mut impl Rng) -> lto_numerics::Result<Context> {
        ContextSampler { design }.sample(self.native, Some(self.base), rng)
    }
}

/// A drawn design and size of a context; not yet its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContextChoice {
    /// The kind of design.
    pub design: DesignKind,
    /// How much, observed points ÷ native points.
    pub fraction: f64,
}

impl ContextConfig {
    /// Checks what types cannot say.
    ///
    /// # Errors
    /// Fractions that are not positive and ordered, weights that are negative or all zero, negative noise.
    pub fn validate(&self) -> Result<()> {
        let refuse = |key: &str, value: String, requirement: &str| {
            Err(Error::Config { key: format!("train.context.{key}"), value, requirement: requirement.into() })
        };
        let [low, high] = self.fraction;
        if !(low > 0.0 && low <= high && high.is_finite()) {
            return refuse(
                "fraction",
                format!("[{low}, {high}]"),
                "must be [smallest, largest], both positive",
            );
        }
        let weights = DesignKind::ALL.map(|design| self.designs.of(design));
        if !(weights.iter().all(|w| *w >= 0.0 && w.is_finite()) && weights.iter().sum::<f64>() > 0.0) {
            return refuse(
                "designs",
                format!("{weights:?}"),
                "weights must not be negative, and one must be positive",
            );
        }
        if !(self.noise >= 0.0 && self.noise.is_finite()) {
            return refuse("noise", self.noise.to_string(), "must not be negative");
        }
        Ok(())
    }

    /// How often a design is drawn, relative to the others.
    pub fn weight(&self, design: DesignKind) -> f64 {
        self.designs.of(design)
    }

    /// The largest fraction that can be drawn.
    pub fn largest_fraction(&self) -> f64 {
        if self.only_full() { 1.0 } else { self.fraction[1] }
    }

    /// Whether every context is the whole native grid.
    pub fn only_full(&self) -> bool {
        DesignKind::ALL.iter().all(|&design| design == DesignKind::Full || self.designs.of(design) == 0.0)
    }

    /// Draws a design and a size.
    pub fn draw(&self, rng: &mut impl Rng) -> ContextChoice {
        let weight = |design: &DesignKind| self.designs.of(*design);
        let mut left = rng.random::<f64>() * DesignKind::ALL.iter().map(weight).sum::<f64>();
        let drawn = DesignKind::ALL.into_iter().filter(|design| weight(design) > 0.0).find(|design| {
            left -= weight(design);
            left < 0.0
        });
        let design = drawn.unwrap_or(DesignKind::Random);
        let ([low, high], share) = (self.fraction, rng.random::<f64>());
        let fraction = match (design, self.draw) {
            (DesignKind::Full, _) => 1.0,
            (_, FractionDraw::Logarithmic) => low * (high / low).powf(share),
            (_, FractionDraw::Uniform) => low + (high - low) * share,
        };
        ContextChoice { design, fraction }
    }
}

impl ContextChoice {
    /// The whole native grid.
    pub const FULL: ContextChoice = ContextChoice { design: DesignKind::Full, fraction: 1.0 };

    /// Whether it takes more points than the `native` ones.
    pub fn above(&self, native: usize) -> bool {
        self.design != DesignKind::Full && self.count(native) > native
    }

    /// Observes a state. More points than it has are taken from `finer`, the same state on a finer grid, if that has
    /// enough, else from a refinement of the field.
    ///
    /// # Errors
    /// A field that cannot be refined so far.
    pub fn observe(&self, native: &Field, finer: Option<&Field>, rng: &mut impl Rng) -> Result<Context> {
        let n = self.count(native.grid().len());
        let refined;
        let base = match finer {
            _ if !self.above(native.grid().len()) => native,
            Some(finer) if finer.grid().len() >= n => finer,
            _ => {
                refined = refine(native, n)?;
                &refined
            }
        };
        self.design.observe(&State { native, base, fraction: self.fraction, n }, rng)
    }

    fn count(&self, native: usize) -> usize {
        ((self.fraction * native as f64).round() as usize).max(1)
    }
}

/// A field observed at every point of its grid.
fn whole(field: &Field) -> Context {
    let points = Points::grid(field.grid().as_ref().clone());
    Context { points, n_channels: field.n_channels(), values: field.values().to_vec(), deviations: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::pde::sample_rng;
    use lto_numerics::{Domain, Grid, Placement, PointStructure};
    use std::f64::consts::TAU;
    use std::sync::Arc;

    fn wave(x: &[f64]) -> f64 {
        (TAU * x[0]).sin() * (TAU * x[1]).cos()
    }

    fn field(n: usize) -> Field {
        Field::from_fn(
            Arc::new(Grid::cubic(Domain::unit(2, true).unwrap(), n, Placement::Left).unwrap()),
            wave,
        )
    }

    /// Sizes are those asked for, below and above native, and every value is that of the field at its point.
    #[test]
    fn contexts_of_any_design_and_size_observe_the_field() {
        let (native, finer) = (field(16), field(32));
        let mut rng = sample_rng(1, 0);
        for design in DesignKind::ALL {
            for fraction in [0.004, 0.1, 0.5, 1.0, 1.7, 4.0, 9.0] {
                for finer in [None, Some(&finer)] {
                    let choice = ContextChoice { design, fraction };
                    let context = choice.observe(&native, finer, &mut rng).unwrap();
                    let n = (fraction * 256.0).round() as usize;
                    match design {
                        DesignKind::Random | DesignKind::Clustered => {
                            assert_eq!(context.points.len(), n.max(1))
                        }
                        DesignKind::FailedRegion => assert!(context.points.len() <= n.max(1)),
                        DesignKind::Full => assert_eq!(context.points.len(), 256),
                        DesignKind::Strided => {
                            assert!(matches!(context.points.structure(), PointStructure::Grid(_)))
                        }
                    }
                    let mut x = [0.0; 2];
                    for (i, value) in context.values.iter().enumerate() {
                        context.points.write_point(i, &mut x);
                        assert!((value - wave(&x)).abs() < 1e-12, "{choice:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn strides_come_near_the_fraction() {
        let mut rng = sample_rng(1, 1);
        for (fraction, n) in [(1.0, 256), (0.25, 64), (0.06, 16), (4.0, 1024)] {
            let choice = ContextChoice { design: DesignKind::Strided, fraction };
            assert_eq!(choice.observe(&field(16), None, &mut rng).unwrap().points.len(), n);
        }
    }

    #[test]
    fn fractions_and_designs_follow_the_configuration() {
        let mut rng = sample_rng(1, 2);
        let designs = DesignWeights { random: 1.0, strided: 2.0, full: 1.0, ..DesignWeights::default() };
        let config = ContextConfig { fraction: [0.01, 1.0], designs, ..ContextConfig::default() };
        let drawn: Vec<ContextChoice> = (0..4000).map(|_| config.draw(&mut rng)).collect();
        let count = |design| drawn.iter().filter(|d| d.design == design).count();
        assert!(
            (900..1100).contains(&count(DesignKind::Random))
                && (1900..2100).contains(&count(DesignKind::Strided))
        );
        assert_eq!(count(DesignKind::Clustered), 0);
        let random: Vec<f64> =
            drawn.iter().filter(|d| d.design == DesignKind::Random).map(|d| d.fraction).collect();
        let below = random.iter().filter(|f| **f < 0.1).count() as f64 / random.len() as f64;
        assert!((below - 0.5).abs() < 0.06, "the middle of the logarithms: {below}");
        let uniform = ContextConfig { draw: FractionDraw::Uniform, ..config };
        let below = (0..2000).filter(|_| uniform.draw(&mut rng).fraction < 0.1).count();
        assert!((100..200).contains(&below), "9 % of three quarters of 2000: {below}");
    }
}
