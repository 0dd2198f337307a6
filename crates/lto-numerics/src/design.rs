//! Designs: ways to place n points in a domain, from regular to clustered. Each design is one file and one line of
//! the list below.

mod clustered;
mod grid;
mod iid;
mod jittered;
mod low_discrepancy;
mod poisson_disc;

use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::memory;
use crate::points::Points;
use rand::Rng;
use serde::{Deserialize, Serialize};

/// All designs, one line each: the variant, its name in files and on the command line, and how n points are placed.
macro_rules! designs {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, |$domain:ident, $n:ident, $rng:ident| $points:expr;)+) => {
        /// A way to place points.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum PointDesign {
            $($(#[$doc])* #[serde(rename = $name)] $kind,)+
        }

        impl PointDesign {
            /// All designs, for help texts and tests.
            pub const ALL: [PointDesign; [$($name),+].len()] = [$(PointDesign::$kind),+];

            /// Name as written in files and on the command line.
            pub fn name(self) -> &'static str {
                match self { $(PointDesign::$kind => $name,)+ }
            }

            /// Exactly `n` distinct points of the domain.
            ///
            /// # Errors
            /// `n` is zero, or more than fit into memory; or, for [`PointDesign::Grid`], has no nearly cubic shape (the
            /// error names the nearest that have).
            pub fn points(self, domain: &Domain, n: usize, rng: &mut impl Rng) -> Result<Points> {
                if n == 0 {
                    return Err(Error::NoPoints);
                }
                memory::require(&format!("a design of {n} points"), n as u128 * BYTES_A_POINT)?;
                match self {
                    $(PointDesign::$kind => {
                        let ($domain, $n, $rng) = (domain, n, rng);
                        $points
                    })+
                }
            }
        }
    };
}

designs! {
    /// A uniform grid with cells at most twice as long as wide: periodic axes from their lower bound on, cell
    /// centers on others. Needs an n that factors accordingly.
    Grid = "grid", |domain, n, _rng| grid::points(domain, n);
    /// One uniform point in each of n boxes of equal volume.
    Jittered = "jittered", |domain, n, rng| placed(domain, jittered::unit_points(domain, n, rng));
    /// Independent and uniform.
    Iid = "iid", |domain, n, rng| placed(domain, iid::unit_points(domain.dim(), n, rng));
    /// Halton's sequence in the bases 2, 3, 5, shifted at random.
    Halton = "halton", |domain, n, rng| placed(domain, low_discrepancy::halton(domain.dim(), n, rng));
    /// Sobol's sequence with Owen's scrambling; beyond 65,536 points, one sequence after another.
    Sobol = "sobol", |domain, n, rng| placed(domain, low_discrepancy::sobol(domain.dim(), n, rng));
    /// Uniform, but no two points closer than a radius, which is lowered until n points fit.
    PoissonDisc = "poisson_disc", |domain, n, rng| placed(domain, poisson_disc::unit_points(domain, n, rng));
    /// Normal clusters of a fiftieth of each axis around ½√n uniform centers.
    Clustered = "clustered", |domain, n, rng| placed(domain, clustered::unit_points(domain, n, rng));
}

/// Points of the unit cube, in the domain.
fn placed(domain: &Domain, unit: Vec<UnitPoint>) -> Result<Points> {
    let coordinates = unit.iter().flat_map(|u| {
        // `min` because lower + L·u may round above `upper`.
        domain.axes().iter().zip(u).map(|(axis, u)| (axis.lower + axis.length() * u).min(axis.upper))
    });
    Points::scattered(domain.clone(), coordinates.collect())
}

/// Bytes per point while a design is drawn: in the unit cube, in the domain, and in a table (at most half
/// empty) that finds duplicates; in a Poisson-disc design, also in a cell.
const BYTES_A_POINT: u128 = 192;

/// A point of the unit cube; axes beyond the domain's are zero.
type UnitPoint = [f64; 3];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Axis;
    use crate::geometry::{fill_distance, separation};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn domains() -> Vec<Domain> {
        let mixed = vec![Axis::new("x", -3.0, 1.0, true), Axis::new("y", 10.0, 11.0, false)];
        let flat = [(0.0, 1.0), (0.0, 5.0), (-1.0, 0.0)].map(|(a, b)| Axis::new("x", a, b, false));
        vec![
            Domain::unit(1, true).unwrap(),
            Domain::new(mixed).unwrap(),
            Domain::unit(2, false).unwrap(),
            Domain::new(flat.to_vec()).unwrap(),
        ]
    }

    /// `Points` itself refuses points that are not distinct or not in the domain.
    #[test]
    fn every_design_makes_exactly_n_points_that_follow_from_the_seed() {
        for design in PointDesign::ALL {
            for domain in domains() {
                // The grid supports 500 in each of these domains.
                for n in [1, 4, 500] {
                    let draw = |seed| design.points(&domain, n, &mut ChaCha8Rng::seed_from_u64(seed));
                    let Ok(points) = draw(1) else {
                        assert!(design == PointDesign::Grid && n < 500, "{design:?} {n}");
                        continue;
                    };
                    assert_eq!(points.len(), n, "{design:?}");
                    assert_eq!(points, draw(1).unwrap(), "{design:?}");
                    assert_eq!(points == draw(2).unwrap(), design == PointDesign::Grid, "{design:?}");
                }
            }
            assert!(matches!(
                design.points(&domains()[0], 0, &mut ChaCha8Rng::seed_from_u64(0)),
                Err(Error::NoPoints)
            ));
        }
    }

    #[test]
    fn more_points_than_fit_into_memory_are_refused_before_any_is_drawn() {
        for design in PointDesign::ALL {
            for n in [10_000_000_000_000, usize::MAX] {
                let error = design.points(&domains()[1], n, &mut ChaCha8Rng::seed_from_u64(0)).unwrap_err();
                assert!(matches!(error, Error::Memory { .. }), "{design:?}: {error}");
            }
        }
    }

    #[test]
    fn names_are_those_of_files() {
        for design in PointDesign::ALL {
            assert_eq!(serde_json::to_string(&design).unwrap(), format!("{:?}", design.name()));
        }
    }

    /// Means over seeds of fill distance and separation, in units of a square grid's.
    fn quality(design: PointDesign, n: usize) -> (f64, f64) {
        let domain = Domain::unit(2, true).unwrap();
        let seeds = 8;
        let mut sums = (0.0, 0.0);
        for seed in 0..seeds {
            let points = design.points(&domain, n, &mut ChaCha8Rng::seed_from_u64(seed)).unwrap();
            sums.0 += fill_distance(&points, 1e-2).unwrap().upper;
            sums.1 += separation(&points).unwrap();
        }
        let spacing = (n as f64).sqrt() / seeds as f64;
        (sums.0 * spacing / 0.5f64.sqrt(), sums.1 * spacing / 0.5)
    }

    #[test]
    fn the_more_regular_the_design_the_smaller_the_holes() {
        let [grid, jittered, iid, halton, sobol, poisson_disc, clustered] =
            PointDesign::ALL.map(|d| quality(d, 256).0);
        assert!((grid - 1.0).abs() < 0.02, "{grid}");
        for even in [jittered, halton, sobol, poisson_disc] {
            assert!(grid < even && even < 0.9 * iid, "{even} between {grid} and {iid}");
        }
        assert!(iid < 0.7 * clustered, "{iid} {clustered}");
    }

    #[test]
    fn poisson_discs_keep_points_apart_and_independent_points_do_not() {
        let (apart, close) = (quality(PointDesign::PoissonDisc, 256).1, quality(PointDesign::Iid, 256).1);
        assert!(apart > 0.6 && close < 0.2, "{apart} {close}");
    }
}
