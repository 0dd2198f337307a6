//! Bounds on the error over a whole box of places, from the weights at its center. `docs/theory.md` derives
//! them.

use super::affine_fit::{AffineFit, SAFELY_DETERMINED, UNDETERMINED, underflows};
use super::local_bound::Place;
use super::neighbors::{LEFT_OUT, Near, Sums, dot, steady, turns};
use crate::point_tree::Cuboid;

/// Points that weigh less than this fraction of the nearest one at the center are far: a bound on their
/// weight is enough. It is well below the fractions that decide whether a fit is determined.
const FAR: f64 = 1e-11;
/// Fits determined by less than this at the center are lost to rounding.
const LEAST_DETERMINATION: f64 = 1e-9;

/// Bounds on the error at the center of a box and anywhere in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxBound {
    /// About that of [`super::LocalBound`], without the far points.
    pub at_center: f64,
    pub anywhere: f64,
}

/// The points around a box with center q, seen from q. At a place q + z the weights are those at q times
/// exp(d_j·z/ℓ²), up to a common factor; equivalently times exp((d_j − m)·z/ℓ²), so that their sum is least at q.
pub(super) struct Surroundings<'a> {
    pub place: &'a Place<'a>,
    pub cuboid: &'a Cuboid,
    /// The points that count, and whose shortest displacement stays on the same side throughout the box.
    pub points: Vec<Neighbor>,
    /// Their moments at q.
    pub sums: Sums,
    /// Their mean displacement m from q, and its length.
    pub mean: [f64; 3],
    pub mean_length: f64,
    /// Σ κ r^k over all other points, k = 0, …, 3, over the weight of these points: an upper bound over the
    /// box.
    pub far: [f64; 4],
    /// A lower bound on Σκ over the box, in units of the nearest point's at q.
    pub least_density: f64,
    /// Whether some of the other points count, but their shortest displacement changes side within the box.
    pub turning: bool,
    /// h, half the diagonal of the box.
    pub radius: f64,
    /// ℓ⁻².
    pub rate: f64,
    pub near: &'a Near,
}

/// One of those points.
#[derive(Clone, Copy)]
pub(super) struct Neighbor {
    /// κ_j/Σκ at q.
    pub share: f64,
    /// |d_j|.
    pub distance: f64,
    /// y_j = d_j − m.
    pub centered: [f64; 3],
    /// |y_j|.
    pub spread: f64,
    /// The largest |y_j·z|/ℓ²: the exponent by which the share changes.
    pub tilt: f64,
    /// The share grows by at most the exponential of that.
    pub growth: f64,
}

/// The weight of all points left out, as if they stood at the reach. In boxes that are not too wide, what
/// they add to moments falls with their distance; in others nothing is known.
pub(super) fn left_out(near: &Near, radius: f64) -> f64 {
    if radius < 0.5 * near.reach { LEFT_OUT } else { f64::INFINITY }
}

impl<'a> Surroundings<'a> {
    pub fn new(place: &'a Place<'a>, near: &'a Near, cuboid: &'a Cuboid) -> Self {
        let (radius, rate) = (cuboid.radius(), place.setconv.kernel().length_scale().powi(-2));
        let all_steady = near.reach + radius < steady(place.domain);
        let (mut far, mut kept, mut turning) = ([0.0; 4], Vec::new(), false);
        // From another place of the box the shortest displacement to a point may be another one, and end
        // further from q.
        let mut add_far = |weight: f64, distance: f64| {
            let mut term = weight;
            for sum in &mut far {
                *sum += term;
                term *= distance + 2.0 * radius;
            }
        };
        for (way, weight) in near.points() {
            let turns = !all_steady && turns(place.domain, way, &cuboid.half);
            if weight > FAR && !turns {
                kept.push((way, weight));
            } else {
                turning |= weight > FAR;
                add_far(weight, dot(way, way).sqrt());
            }
        }
        add_far(left_out(near, radius), near.reach);
        let sums = Sums::of(kept.iter().copied());
        let mean = sums.mean();
        let mean_length = dot(&mean, &mean).sqrt();
        // exp is convex: the mean of exp(d_j·z/ℓ²) is at least exp(m·z/ℓ²).
        let least_density = sums.density * (-rate * radius * (mean_length + 0.5 * radius)).exp();
        let most_growth = (rate * radius * near.reach).exp();
        let neighbor = |(way, weight): (&[f64; 3], f64)| {
            let centered: [f64; 3] = std::array::from_fn(|d| way[d] - mean[d]);
            let tilt = rate * dot(&centered.map(f64::abs), &cuboid.half);
            Neighbor {
                share: weight / sums.density,
                distance: dot(way, way).sqrt(),
                centered,
                spread: dot(&centered, &centered).sqrt(),
                tilt,
                growth: tilt.exp(),
            }
        };
        Self {
            points: kept.into_iter().map(neighbor).collect(),
            far: far.map(|sum| sum * most_growth / least_density),
            place,
            cuboid,
            sums,
            mean,
            mean_length,
            least_density,
            turning,
            radius,
            rate,
            near,
        }
    }

    /// Σ κ (r + |m|)² over the far points.
    pub fn far_squares(&self) -> f64 {
        let [weight, first, second, _] = self.far;
        second + self.mean_length * (2.0 * first + self.mean_length * weight)
    }

    /// The local linear estimate; `None` if the box is too large to say.
    pub fn local_linear(&self) -> Option<BoxBound> {
        let most: f64 = self.points.iter().map(|point| point.share * point.growth).sum();
        // Shares were divided by exp(m·z/ℓ²).
        let most = self.sums.density * (most + self.far[0]) * self.sums.density / self.least_density;
        let underflow =
            underflows(self.least_density.ln() - self.near.exponent, most.ln() - self.near.exponent);
        if underflow == Some(true) {
            return Some(self.nadaraya_watson());
        }
        let fit = AffineFit::new(LEAST_DETERMINATION, self.place.domain.dim(), &self.sums);
        let determined = fit.as_ref().is_some_and(|fit| fit.means.determination > UNDETERMINED);
        if !determined && self.is_undetermined() {
            return Some(self.nadaraya_watson());
        }
        let fit = fit?;
        let (affine, least_determination) = self.affine(&fit)?;
        let sure = |determination| determination > SAFELY_DETERMINED && underflow == Some(false);
        if sure(least_determination) {
            return Some(affine);
        }
        // Covers whichever estimate is made.
        let signal = self.nadaraya_watson();
        let at_center = if sure(fit.means.determination) { 0.0 } else { signal.at_center };
        Some(BoxBound {
            at_center: affine.at_center.max(at_center),
            anywhere: affine.anywhere.max(signal.anywhere),
        })
    }

    /// Whether the estimate falls back to the signal throughout the box, because the variance along some axis
    /// is a small fraction of the mean square.
    fn is_undetermined(&self) -> bool {
        (0..self.place.domain.dim()).any(|d| {
            let (mut variance, mut square) = (self.far_squares(), 0.0);
            for Neighbor { share, centered, growth, .. } in &self.points {
                variance += share * growth * centered[d].powi(2);
                let along = (centered[d] + self.mean[d]).abs() - self.cuboid.half[d];
                square += share / growth * along.max(0.0).powi(2);
            }
            variance < UNDETERMINED * square
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::PointDesign;
    use crate::domain::Domain;
    use crate::setconv::SetConv;
    use crate::theory::neighbors::Neighbors;
    use crate::theory::{Estimator, Regularity};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Σ|w_j(x)| |c_j − q|^k, k = 0, 1, 2, of the affine fit at x = q + z, by definition.
    fn moments_about_the_center(dim: usize, near: &Near, z: [f64; 3]) -> [f64; 3] {
        let sums = Sums::of(near.points());
        let fit = AffineFit::new(LEAST_DETERMINATION, dim, &sums).unwrap();
        let mut moments = [0.0; 3];
        for (way, weight) in near.points() {
            let centered = std::array::from_fn(|d| way[d] - fit.mean[d]);
            let from_center: [f64; 3] = std::array::from_fn(|d| way[d] + z[d]);
            let distance = dot(&from_center, &from_center).sqrt();
            let weight = weight / sums.density * (1.0 - dot(&fit.tilt, &centered)).abs();
            (0..3).for_each(|k| moments[k] += weight * distance.powi(k as i32));
        }
        moments
    }

    #[test]
    fn no_place_of_a_box_is_worse_than_its_bound_and_small_boxes_are_hardly_worse_than_their_center() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut n_fits = 0;
        for dim in 1..=3 {
            // Only curvature counts, only slopes, and only Lebesgue constants.
            for (curvature, gradient, sup) in [(2.0, 1e9, None), (1e9, 3.0, None), (1e12, 1e12, Some(0.5))] {
                let domain = Domain::unit(dim, false).unwrap();
                let regularity = Regularity::new(&domain, curvature, sup, Some(gradient)).unwrap();
                let points =
                    PointDesign::Jittered.points(&domain, 12usize.pow(dim as u32), &mut rng).unwrap();
                let setconv = SetConv::new(rng.random_range(0.04..0.08)).unwrap();
                let (domain, regularity, setconv) = (&domain, &regularity, &setconv);
                let place = Place { domain, regularity, setconv, n_points: points.len() };
                let neighbors = Neighbors::new(&points, *setconv.kernel());
                let mut near = Near::default();
                for size in [0.5, 0.1, 0.02, 0.004] {
                    let mut random = |from: f64, to: f64| -> [f64; 3] {
                        std::array::from_fn(|d| if d < dim { rng.random_range(from..to) } else { 0.0 })
                    };
                    let half = random(0.5, 1.0).map(|part| part * size * setconv.kernel().length_scale());
                    let cuboid = Cuboid { center: random(0.1, 0.9), half };
                    let ways: Vec<[f64; 3]> = (0..20).map(|_| random(-1.0, 1.0)).collect();
                    neighbors.gather(&cuboid.center, &mut near);
                    let around = Surroundings::new(&place, &near, &cuboid);
                    let (signal, fit) = (around.nadaraya_watson(), around.local_linear());
                    let mut worst: f64 = 0.0;
                    let corners = cuboid.corners(dim).collect::<Vec<_>>();
                    let inside = ways.iter().map(|part| std::array::from_fn(|d| part[d] * half[d]));
                    for z in inside.chain(corners) {
                        let x = std::array::from_fn(|d| cuboid.center[d] + z[d]);
                        let mut near = Near::default();
                        neighbors.gather(&x, &mut near);
                        let at = |estimator| place.bound(estimator, &near).0;
                        let local = at(Estimator::NadarayaWatson).bound;
                        worst = worst.max(local);
                        assert!(local <= signal.anywhere * (1.0 + 1e-6), "{dim} {size} {local} {signal:?}");
                        let Some(fit) = fit else { continue };
                        let [lebesgue, distance, second] = moments_about_the_center(dim, &near, z);
                        let least = (0.5 * curvature * second).min(gradient * distance);
                        let least = least.min(regularity.oscillation * lebesgue);
                        assert!(least <= fit.anywhere * (1.0 + 1e-6), "{dim} {size} {least} {fit:?}");
                    }
                    if size < 0.1 {
                        // Curvature: the signal's bound is off by second-order terms.
                        let slack = if gradient > curvature { 200.0 * size * size } else { 20.0 * size };
                        assert!(signal.anywhere <= (1.0 + slack) * worst, "{dim} {size} {worst} {signal:?}");
                        let fit = fit.expect("a small box around a fit that is determined");
                        assert!(fit.anywhere <= (1.0 + 20.0 * size) * fit.at_center, "{dim} {size} {fit:?}");
                        n_fits += 1;
                    }
                }
            }
        }
        assert_eq!(n_fits, 18);
    }
}
