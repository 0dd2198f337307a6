//! The Nadaraya–Watson estimate over a box: the mean displacement to the points and its spread, expanded
//! about the center.

use super::box_bound::{BoxBound, Neighbor, Surroundings, left_out};
use super::local_bound::ROUNDING;
use super::neighbors::{dot, largest};
use super::regularity::Regularity;

impl Surroundings<'_> {
    /// The bound of the Nadaraya–Watson estimate.
    pub fn nadaraya_watson(&self) -> BoxBound {
        let Regularity { gradient_bound, oscillation, .. } = *self.place.regularity;
        let BoxBound { at_center, anywhere } = self.mean_of_values();
        let far = (oscillation * self.far[0]).min(gradient_bound * self.far[1]);
        let (mut anywhere, mut least_density) = (anywhere + far, self.least_density);
        if self.turning {
            let (distance, density) = self.mean_distance();
            anywhere = (gradient_bound * distance).min(anywhere);
            least_density = density.max(least_density);
        }
        // NaN says nothing, so the limit holds.
        let limited = |bound: f64, density: f64| {
            let loss = self.place.signal_loss(self.near.largest * density);
            self.place.regularity.limited(bound, loss)
        };
        BoxBound {
            at_center: limited(at_center, self.sums.density),
            anywhere: limited(anywhere, least_density),
        }
    }

    /// Bounds on E|r| and on the density over the box from distances alone, over all points: where most of
    /// the weight is half a period away, displacements are useless.
    fn mean_distance(&self) -> (f64, f64) {
        let (h, rate, near) = (self.radius, self.rate, self.near);
        let growth = |distance: f64| (rate * h * distance).exp();
        let mut most = left_out(near, h) * growth(near.reach) * (near.reach + h);
        let mut least = 0.0;
        for (way, weight) in near.points() {
            let distance = dot(way, way).sqrt();
            most += weight * growth(distance) * (distance + h);
            least += weight / growth(distance);
        }
        let density = least * (-0.5 * rate * h * h).exp();
        (most / density, density)
    }

    /// For the near points alone: min(G|m| + ½M(|m|² + v), G E|r|) with the mean m = E r and the variance v =
    /// E|r − m|² of the displacements r to the points.
    fn mean_of_values(&self) -> BoxBound {
        let Regularity { curvature_bound, gradient_bound, .. } = *self.place.regularity;
        let taylor = |mean: f64, variance: f64| {
            gradient_bound * mean + 0.5 * curvature_bound * (mean * mean + variance)
        };
        let (h, rate, dim) = (self.radius, self.rate, self.place.domain.dim());
        // E|y|^k, k = 1, …, 4, bounded over the box; E yyᵀ and E yyᵀy_d at its center.
        let (mut most, mut covariance, mut thirds) = ([0.0; 4], [[0.0; 3]; 3], [[[0.0; 3]; 3]; 3]);
        for Neighbor { share, centered, spread, growth, .. } in &self.points {
            let mut term = share * growth;
            for moment in &mut most {
                term *= spread;
                *moment += term;
            }
            for d in 0..dim {
                for e in 0..dim {
                    let product = share * centered[d] * centered[e];
                    covariance[d][e] += product;
                    (0..dim).for_each(|f| thirds[d][e][f] += product * centered[f]);
                }
            }
        }
        let skewness: [f64; 3] = std::array::from_fn(|f| (0..dim).map(|d| thirds[d][d][f]).sum());
        let third = thirds.iter().flatten().map(|row| dot(row, row)).sum::<f64>().sqrt();
        let [first, second, most_third, fourth] = most;
        let distance = self.sums.distance / self.sums.density;
        let rounding = ROUNDING * distance;
        // The mean displacement has the derivative Cov/ℓ² − 1.
        let mean = self.mean_length + rounding;
        let coarse = taylor(mean + h * (second * rate - 1.0).max(1.0), second);
        // To second order, with the third moments; the fourth cumulants bound the remainder.
        let drift = (h * rate * second).min(first);
        let moment =
            fourth + drift * (4.0 * most_third + drift * (6.0 * second + drift * (4.0 * first + drift)));
        let cumulant = moment.max(3.0 * second * second);
        let mean_left = (h * rate).powi(2) * (0.5 * third + h * rate * cumulant / 6.0);
        let variance_left = 0.5 * (h * rate).powi(2) * cumulant;
        let variance = covariance[0][0] + covariance[1][1] + covariance[2][2];
        // Largest at a corner.
        let at_corner = |z: [f64; 3]| {
            let moved: [f64; 3] =
                std::array::from_fn(|d| self.mean[d] + rate * dot(&covariance[d], &z) - z[d]);
            let mean = dot(&moved, &moved).sqrt() + rounding + mean_left;
            taylor(mean, (variance + rate * dot(&skewness, &z) + variance_left).min(second))
        };
        let fine = largest(self.cuboid.corners(dim).map(at_corner));
        let coarse = coarse.min(gradient_bound * (distance + h * (1.0 + second * rate)));
        BoxBound {
            at_center: taylor(mean, variance).min(gradient_bound * distance),
            anywhere: if fine < coarse { fine } else { coarse },
        }
    }
}
