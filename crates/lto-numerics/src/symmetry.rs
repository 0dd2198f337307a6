//! Maps of the domain onto itself that carry solutions of a PDE to solutions. They act on coordinates, so
//! they are exact on any grid and on scattered points. Values are kept or negated, which is right for scalar
//! fields (a vector's components would have to turn with the map).

use crate::domain::{Axis, Domain};
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::points::{PointStructure, Points};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// A family of symmetries to draw from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Symmetry {
    /// Any shift along the periodic axes.
    Translation,
    /// `x_d ↦ lower + upper − x_d` on any of the axes.
    Mirror,
    /// Any permutation of the axes.
    Transpose,
    /// `u ↦ −u`.
    Negation,
    /// All axes mirrored, and `u ↦ −u` (Burgers).
    OddMirror,
    /// Shifts `(δ, −δ)`, which preserve `x + y`: for a forcing that depends on `x + y` only.
    DiagonalTranslation,
    /// `(x, y) ↦ (y + L/2, x)` and `u ↦ −u`. The reflection flips the sign of a vorticity; half a period
    /// flips that of a forcing A (sin 2π(x + y)/L + cos 2π(x + y)/L).
    ShiftedTranspose,
    /// `(x, y) ↦ (L/4 − x, −y)`, half a turn about a point where that forcing is symmetric.
    ShiftedRotation,
}

impl Symmetry {
    /// All families, for help texts and tests.
    pub const ALL: [Symmetry; 8] = [
        Symmetry::Translation,
        Symmetry::Mirror,
        Symmetry::Transpose,
        Symmetry::Negation,
        Symmetry::OddMirror,
        Symmetry::DiagonalTranslation,
        Symmetry::ShiftedTranspose,
        Symmetry::ShiftedRotation,
    ];

    /// Name as written in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Symmetry::Translation => "translation",
            Symmetry::Mirror => "mirror",
            Symmetry::Transpose => "transpose",
            Symmetry::Negation => "negation",
            Symmetry::OddMirror => "odd_mirror",
            Symmetry::DiagonalTranslation => "diagonal_translation",
            Symmetry::ShiftedTranspose => "shifted_transpose",
            Symmetry::ShiftedRotation => "shifted_rotation",
        }
    }

    /// Refuses a domain that the family does not map onto itself.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the family and what it requires.
    pub fn check(self, domain: &Domain) -> Result<()> {
        let axes = domain.axes();
        let equal = axes.iter().all(|axis| axis.same_place(&axes[0]));
        let (fits, requirement) = match self {
            Symmetry::Translation => (axes.iter().any(|a| a.periodic), "needs a periodic axis"),
            Symmetry::Transpose => (equal, "needs axes with the same bounds, all periodic or none"),
            Symmetry::DiagonalTranslation | Symmetry::ShiftedTranspose | Symmetry::ShiftedRotation => {
                (axes.len() == 2 && equal && domain.is_periodic(), "needs two equal periodic axes")
            }
            Symmetry::Mirror | Symmetry::Negation | Symmetry::OddMirror => (true, ""),
        };
        if fits {
            return Ok(());
        }
        Err(Error::Parameter { name: "symmetry", value: self.name().into(), requirement })
    }

    /// A random member of the family, for a domain that supports it.
    pub fn draw(self, domain: &Domain, rng: &mut impl Rng) -> Isometry {
        let axes = domain.axes();
        let mut drawn = Isometry::identity(domain.dim());
        match self {
            Symmetry::Translation => {
                for (to, axis) in drawn.axes.iter_mut().zip(axes).filter(|(_, axis)| axis.periodic) {
                    to.shift = axis.length() * rng.random::<f64>();
                }
            }
            Symmetry::Mirror => drawn.axes.iter_mut().for_each(|to| to.mirrored = rng.random()),
            Symmetry::Transpose => {
                let mut order: Vec<usize> = (0..domain.dim()).collect();
                order.shuffle(rng);
                drawn.axes.iter_mut().zip(order).for_each(|(to, from)| to.from = from);
            }
            Symmetry::Negation => drawn.negated = rng.random(),
            Symmetry::OddMirror => {
                drawn.negated = rng.random();
                drawn.axes.iter_mut().for_each(|to| to.mirrored = drawn.negated);
            }
            Symmetry::DiagonalTranslation => {
                let shift = axes[0].length() * rng.random::<f64>();
                drawn.axes.iter_mut().zip([shift, -shift]).for_each(|(to, shift)| to.shift = shift);
            }
            Symmetry::ShiftedTranspose if rng.random() => drawn = shifted_transpose(axes),
            Symmetry::ShiftedRotation if rng.random() => drawn = shifted_rotation(axes),
            Symmetry::ShiftedTranspose | Symmetry::ShiftedRotation => {}
        }
        drawn
    }

    /// Its members, the identity first, for a domain that supports it; of the shifts, of which there are endlessly many, the
    /// identity alone.
    pub fn members(self, domain: &Domain) -> Vec<Isometry> {
        let (axes, identity) = (domain.axes(), Isometry::identity(domain.dim()));
        let mirrored = |which: usize| {
            let mut map = identity.clone();
            map.axes.iter_mut().enumerate().for_each(|(d, to)| to.mirrored = which >> d & 1 == 1);
            map
        };
        let negated = |map: Isometry| Isometry { negated: true, ..map };
        match self {
            Symmetry::Translation | Symmetry::DiagonalTranslation => vec![identity],
            Symmetry::Mirror => (0..1 << axes.len()).map(mirrored).collect(),
            Symmetry::Transpose => permutations(axes.len())
                .into_iter()
                .map(|order| {
                    let axes = order.into_iter().map(|from| AxisMove { from, mirrored: false, shift: 0.0 });
                    Isometry { axes: axes.collect(), negated: false }
                })
                .collect(),
            Symmetry::Negation => vec![identity.clone(), negated(identity)],
            Symmetry::OddMirror => vec![identity.clone(), negated(mirrored((1 << axes.len()) - 1))],
            Symmetry::ShiftedTranspose => vec![identity, shifted_transpose(axes)],
            Symmetry::ShiftedRotation => vec![identity, shifted_rotation(axes)],
        }
    }
}

/// The other member of [`Symmetry::ShiftedTranspose`].
fn shifted_transpose(axes: &[Axis]) -> Isometry {
    let moves = [(1, 0.5 * axes[0].length()), (0, 0.0)];
    let axes = moves.map(|(from, shift)| AxisMove { from, mirrored: false, shift });
    Isometry { axes: axes.into(), negated: true }
}

/// The other member of [`Symmetry::ShiftedRotation`].
fn shifted_rotation(axes: &[Axis]) -> Isometry {
    let moves = [(0, 0.25 * axes[0].length()), (1, 0.0)];
    let axes = moves.map(|(from, shift)| AxisMove { from, mirrored: true, shift });
    Isometry { axes: axes.into(), negated: false }
}

/// All orders of 0 … n − 1, the increasing one first.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    (0..n).fold(vec![Vec::new()], |orders, _| {
        let longer = |order: Vec<usize>| {
            let rest: Vec<usize> = (0..n).filter(|i| !order.contains(i)).collect();
            rest.into_iter().map(move |i| [order.clone(), vec![i]].concat())
        };
        orders.into_iter().flat_map(longer).collect()
    })
}

/// Where the new coordinate along one axis comes from: `x ↦ shift + x_from`, or
/// `shift + lower + upper − x_from`, wrapped if the axis is periodic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisMove {
    /// The axis it comes from.
    pub from: usize,
    /// Whether that axis is first mirrored about its middle.
    pub mirrored: bool,
    /// The shift; 0 on an axis that is not periodic.
    pub shift: f64,
}

impl AxisMove {
    /// The new coordinate of `x`, along `axis`.
    fn apply(self, axis: &Axis, x: f64) -> f64 {
        let x = if self.mirrored { axis.lower + axis.upper - x } else { x };
        // The sum of the bounds is rounded, so a mirrored end may just miss the domain.
        if axis.periodic { axis.wrap(x + self.shift) } else { x.clamp(axis.lower, axis.upper) }
    }
}

/// A map of the domain onto itself, and its effect on the values.
#[derive(Clone, Debug, PartialEq)]
pub struct Isometry {
    /// For each axis, where its new coordinate comes from.
    pub axes: Vec<AxisMove>,
    /// Whether values change sign.
    pub negated: bool,
}

impl Isometry {
    /// The identity.
    pub fn identity(dim: usize) -> Self {
        let axes = (0..dim).map(|from| AxisMove { from, mirrored: false, shift: 0.0 }).collect();
        Self { axes, negated: false }
    }

    /// A random member of every family, one after the other.
    pub fn draw(families: &[Symmetry], domain: &Domain, rng: &mut impl Rng) -> Self {
        let start = Self::identity(domain.dim());
        families.iter().fold(start, |map, family| map.then(&family.draw(domain, rng)))
    }

    /// Every [member](Symmetry::members) of every family, one after the other; the identity first.
    pub fn all(families: &[Symmetry], domain: &Domain) -> Vec<Self> {
        let start = vec![Self::identity(domain.dim())];
        families.iter().fold(start, |maps, family| {
            let members = family.members(domain);
            maps.iter().flat_map(|map| members.iter().map(|next| map.then(next))).collect()
        })
    }

    /// This map, then `next`.
    pub fn then(&self, next: &Isometry) -> Self {
        let axes = next.axes.iter().map(|after| {
            let before = self.axes[after.from];
            let carried = if after.mirrored { -before.shift } else { before.shift };
            AxisMove {
                from: before.from,
                mirrored: before.mirrored != after.mirrored,
                shift: carried + after.shift,
            }
        });
        Self { axes: axes.collect(), negated: self.negated != next.negated }
    }

    /// The factor applied to values.
    pub fn sign(&self) -> f64 {
        if self.negated { -1.0 } else { 1.0 }
    }

    /// The moved points, and where their values come from: value `j` of the result is value `order[j]` of the
    /// original (times [`Isometry::sign`]). A grid stays a grid.
    ///
    /// # Errors
    /// None on a domain that supports the map.
    pub fn apply(&self, points: &Points) -> Result<(Points, Vec<usize>)> {
        match points.structure() {
            PointStructure::Scattered(coordinates) => {
                let axes = points.domain().axes();
                let moved = coordinates.chunks_exact(axes.len()).flat_map(|point| {
                    self.axes.iter().zip(axes).map(|(to, axis)| to.apply(axis, point[to.from]))
                });
                let moved = Points::scattered(points.domain().clone(), moved.collect())?;
                Ok((moved, (0..points.len()).collect()))
            }
            PointStructure::Grid(grid) => {
                let (grid, order) = self.apply_to_grid(grid)?;
                Ok((Points::grid(grid), order))
            }
            PointStructure::Masked { grid, indices } => {
                let (grid, order) = self.apply_to_grid(grid)?;
                let mut place = vec![usize::MAX; order.len()];
                indices.iter().enumerate().for_each(|(j, &index)| place[index] = j);
                let kept = order.iter().enumerate().filter(|&(_, &old)| place[old] != usize::MAX);
                let (indices, order) = kept.map(|(new, &old)| (new, place[old])).unzip();
                Ok((Points::masked(grid, indices)?, order))
            }
        }
    }

    /// The moved grid, and for each of its points the index of the original point.
    fn apply_to_grid(&self, grid: &Grid) -> Result<(Grid, Vec<usize>)> {
        let old_shape = grid.shape();
        let mut steps = vec![1; old_shape.len()];
        for d in (1..old_shape.len()).rev() {
            steps[d - 1] = steps[d] * old_shape[d];
        }
        let mut coordinates = Vec::with_capacity(old_shape.len());
        let mut order = vec![0];
        for (to, axis) in self.axes.iter().zip(grid.domain().axes()) {
            let moved = grid.coordinates(to.from).iter().map(|&x| to.apply(axis, x));
            let mut line: Vec<(f64, usize)> = moved.enumerate().map(|(i, x)| (x, i)).collect();
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            let step = steps[to.from];
            order = order.iter().flat_map(|base| line.iter().map(move |&(_, i)| base + i * step)).collect();
            coordinates.push(line.into_iter().map(|(x, _)| x).collect());
        }
        Ok((Grid::from_coordinates(grid.domain().clone(), coordinates)?, order))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Placement;
    use crate::pde::sample_rng;
    use crate::setconv::SetConv;

    /// Grid, masked grid and scattered points agree on where every value goes, for any map.
    #[test]
    fn every_layout_is_moved_alike() {
        let domain = Domain::unit(2, true).unwrap();
        for (n, placement) in [(5, Placement::Left), (6, Placement::Center)] {
            let grid = Grid::cubic(domain.clone(), n, placement).unwrap();
            for seed in 0..40 {
                let map = Isometry::draw(&Symmetry::ALL, &domain, &mut sample_rng(1, seed));
                let some: Vec<usize> = (0..grid.len()).filter(|i| i % 3 != 0).collect();
                let masked = Points::masked(grid.clone(), some).unwrap();
                for points in [Points::grid(grid.clone()), masked] {
                    let (moved, order) = map.apply(&points).unwrap();
                    let (scattered, _) = map.apply(&points.to_scattered()).unwrap();
                    assert_eq!(
                        std::mem::discriminant(moved.structure()),
                        std::mem::discriminant(points.structure())
                    );
                    let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
                    for (new, &old) in order.iter().enumerate() {
                        moved.write_point(new, &mut a);
                        scattered.write_point(old, &mut b);
                        assert!(domain.distance(&a, &b) < 1e-12, "{map:?}: {a:?} {b:?}");
                    }
                }
            }
        }
    }

    /// Whatever is drawn of a family without shifts is one of its members, and no member comes twice.
    #[test]
    fn members_are_all_that_is_drawn() {
        let domain = Domain::unit(2, true).unwrap();
        for (symmetry, n) in Symmetry::ALL.into_iter().zip([1, 4, 2, 2, 2, 1, 2, 2]) {
            let members = symmetry.members(&domain);
            assert!(members.len() == n && members[0] == Isometry::identity(2), "{symmetry:?}");
            let drawn = (0..60).map(|seed| symmetry.draw(&domain, &mut sample_rng(3, seed)));
            if !matches!(symmetry, Symmetry::Translation | Symmetry::DiagonalTranslation) {
                let mut missing = members;
                drawn.for_each(|map| missing.retain(|member| *member != map));
                assert!(missing.is_empty(), "{symmetry:?} never drew {missing:?}");
            }
        }
    }

    /// The estimate from moved sensors is the moved estimate, for all members together.
    #[test]
    fn set_convolutions_move_along() {
        let domain = Domain::unit(2, true).unwrap();
        let at = |n: usize, k: f64| (0..2 * n).map(|i| (k * i as f64).fract()).collect();
        let sensors = Points::scattered(domain.clone(), at(20, 0.381_966)).unwrap();
        let places = Points::scattered(domain.clone(), at(30, 0.271_828)).unwrap();
        let values: Vec<f64> = (0..20).map(|i| (1.7 * f64::from(i)).sin()).collect();
        let convolution = SetConv::new(0.15).unwrap();
        let still = convolution.apply(&sensors, &values, &places).unwrap();
        let families = [Symmetry::Mirror, Symmetry::ShiftedTranspose, Symmetry::ShiftedRotation];
        for map in Isometry::all(&families, &domain) {
            let ((sensors, _), (places, _)) = (map.apply(&sensors).unwrap(), map.apply(&places).unwrap());
            let values: Vec<f64> = values.iter().map(|value| map.sign() * value).collect();
            let moved = convolution.apply(&sensors, &values, &places).unwrap();
            for (a, b) in still.signal.iter().zip(&moved.signal) {
                assert!((map.sign() * a - b).abs() < 1e-11, "{map:?}: {a} {b}");
            }
        }
    }

    /// Composing two maps equals applying one after the other.
    #[test]
    fn maps_compose() {
        let domain = Domain::unit(2, true).unwrap();
        let points = Points::scattered(domain.clone(), vec![0.1, 0.7, 0.35, 0.2]).unwrap();
        for seed in 0..20 {
            let mut rng = sample_rng(2, seed);
            let (a, b) = (
                Isometry::draw(&Symmetry::ALL, &domain, &mut rng),
                Isometry::draw(&Symmetry::ALL, &domain, &mut rng),
            );
            let one_by_one = b.apply(&a.apply(&points).unwrap().0).unwrap().0;
            let together = a.then(&b).apply(&points).unwrap().0;
            let pairs = one_by_one.coordinates();
            for (x, y) in pairs.chunks_exact(2).zip(together.coordinates().chunks_exact(2)) {
                assert!(domain.distance(x, y) < 1e-12);
            }
            assert_eq!(a.then(&b).sign(), a.sign() * b.sign());
        }
    }

    #[test]
    fn a_mirror_by_hand() {
        let domain =
            Domain::new(vec![Axis::new("x", -1.0, 3.0, false), Axis::new("y", 0.0, 1.0, true)]).unwrap();
        let grid = Grid::from_coordinates(domain, vec![vec![-1.0, 0.0, 2.0], vec![0.25, 0.5]]).unwrap();
        let map = Isometry {
            axes: vec![
                AxisMove { from: 0, mirrored: true, shift: 0.0 },
                AxisMove { from: 1, mirrored: false, shift: 0.5 },
            ],
            negated: false,
        };
        let (moved, order) = map.apply(&Points::grid(grid)).unwrap();
        // x: 3, 2, 0 sorted; y: 0.75 and 0 (wrapped) sorted.
        assert_eq!(moved.coordinates(), [0.0, 0.0, 0.0, 0.75, 2.0, 0.0, 2.0, 0.75, 3.0, 0.0, 3.0, 0.75]);
        assert_eq!(order, [5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn domains_that_do_not_fit_are_refused() {
        let plain = Domain::unit(2, false).unwrap();
        let oblong =
            Domain::new(vec![Axis::new("x", 0.0, 1.0, true), Axis::new("y", 0.0, 2.0, true)]).unwrap();
        assert!(Symmetry::Translation.check(&plain).unwrap_err().to_string().contains("translation"));
        assert!(Symmetry::Transpose.check(&oblong).is_err());
        assert!(Symmetry::DiagonalTranslation.check(&oblong).is_err());
        assert!(Symmetry::Mirror.check(&oblong).is_ok() && Symmetry::Transpose.check(&plain).is_ok());
        for symmetry in Symmetry::ALL {
            assert_eq!(serde_json::to_value(symmetry).unwrap(), symmetry.name());
        }
    }
}
