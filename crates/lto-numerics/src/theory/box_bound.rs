//! Bounds of the error over a whole box of places, from the weights at its center. `docs/theory.md` derives them.

use super::local_bound::Place;
use super::neighbors::{Near, dot};
use super::regularity::Regularity;
use crate::domain::Axis;
use crate::setconv::Means;

/// The affine fit is not trusted to be determined all over a box where it is determined by less than this at the
/// center: a hundred times what the fit itself asks for.
const DETERMINED: f64 = 1e-4;
/// The moments of the fit may change by this part over a box, at most.
const MOST_CHANGE: f64 = 0.5;

/// The points around a box.
pub(super) struct Surroundings<'a> {
    /// Those whose shortest way stays the same one all over the box.
    points: Vec<Neighbor>,
    /// Bound of the weight of all others, anywhere in the box; in units of the nearest's at the center.
    far: f64,
    /// Half the diagonal: no place of the box is further from its center.
    radius: f64,
    near: &'a Near,
    length_scale: f64,
}

#[derive(Clone, Copy)]
struct Neighbor {
    displacement: [f64; 3],
    distance: f64,
    /// κ at the center, in units of the nearest's.
    weight: f64,
}

impl<'a> Surroundings<'a> {
    pub fn new(axes: &[Axis], near: &'a Near, half: &[f64; 3], n_points: usize, length_scale: f64) -> Self {
        let radius = dot(half, half).sqrt();
        let mut around = Self { points: Vec::new(), far: 0.0, radius, near, length_scale };
        around.far = n_points as f64 * around.weight(near.reach - radius);
        for (&displacement, &weight) in near.displacements.iter().zip(&near.weights) {
            let distance = dot(&displacement, &displacement).sqrt();
            let turns = |(d, axis): (usize, &Axis)| {
                axis.periodic && displacement[d].abs() + half[d] >= 0.5 * axis.length()
            };
            if axes.iter().enumerate().any(turns) {
                around.far += around.weight(distance - radius);
            } else {
                around.points.push(Neighbor { displacement, distance, weight });
            }
        }
        around
    }

    /// κ at a distance, in units of the nearest's at the center.
    fn weight(&self, distance: f64) -> f64 {
        let squared = distance.max(0.0).powi(2);
        (0.5 * (self.near.least - squared) / self.length_scale.powi(2)).exp()
    }

    /// Bound of the error of the Nadaraya–Watson estimate.
    pub fn nadaraya_watson(&self, place: &Place) -> f64 {
        let Regularity { curvature_bound, gradient_bound, oscillation, sup_bound, .. } = *place.regularity;
        let (h, rate) = (self.radius, self.length_scale.powi(-2));
        let (mut density, mut least_density) = (0.0, 0.0);
        let (mut first, mut distance, mut second) = ([0.0; 3], 0.0, 0.0);
        // Largest moments of the distance anywhere in the box, times the density.
        let mut most = [0.0; 3];
        for point in &self.points {
            let r = point.distance;
            density += point.weight;
            distance += point.weight * r;
            second += point.weight * r * r;
            (0..3).for_each(|d| first[d] += point.weight * point.displacement[d]);
            least_density += self.weight(r + h);
            let largest = self.weight(r - h);
            (0..3).for_each(|k| most[k] += largest * (r + h).powi(k as i32 + 1));
        }
        if density == 0.0 {
            return oscillation + sup_bound.unwrap_or(0.0);
        }
        let [most_distance, most_second, most_third] = most.map(|sum| sum / least_density);
        // Slopes of the moments: that of the mean is Cov/ℓ² − 1, and so on.
        let mean = dot(&first, &first).sqrt() / density + h * (most_second * rate - 1.0).max(1.0);
        let mean = mean.min(most_distance);
        let slope = 2.0 * mean + (most_third + most_second * mean) * rate;
        let second = (second / density + h * slope).min(most_second);
        let slope = 1.0 + (most_second + most_distance * mean) * rate;
        let distance = (distance / density + h * slope).min(most_distance);
        let taylor = gradient_bound * mean + 0.5 * curvature_bound * second;
        let bound = taylor.min(gradient_bound * distance) + oscillation * self.far / least_density;
        let floor = place.setconv.floor();
        let lost = floor / (self.near.largest * least_density + floor);
        bound.min(oscillation) + lost * sup_bound.unwrap_or(0.0)
    }

    /// Bound of the error of the local linear estimate; `None` where the box is too large to say.
    pub fn local_linear(&self, place: &Place) -> Option<f64> {
        let Regularity { curvature_bound, gradient_bound, oscillation, .. } = *place.regularity;
        let (h, rate) = (self.radius, self.length_scale.powi(-2));
        let mut sums = (0.0, [0.0; 3], [[0.0; 3]; 3], 0.0);
        for point in &self.points {
            let d = &point.displacement;
            sums.0 += point.weight;
            sums.3 += point.weight * point.distance;
            for i in 0..3 {
                sums.1[i] += point.weight * d[i];
                (0..3).for_each(|j| sums.2[i][j] += point.weight * d[i] * d[j]);
            }
        }
        let (density, first, second, distance) = sums;
        // In units of the nearest's weight the density is 1 or more; where it truly underflows the fit is none.
        let means = Means::new(place.dim, density, first, second)?;
        let narrow = (0..place.dim).any(|d| h * h * density > second[d][d]);
        if means.determination < DETERMINED || self.near.largest < 1e-270 || narrow {
            return None;
        }
        let mean = first.map(|sum| sum / density);
        let tilt = means.tilt();
        let trace: f64 = (0..place.dim)
            .map(|d| {
                let axis = means.forward(std::array::from_fn(|e| f64::from(u8::from(d == e))));
                dot(&axis, &axis)
            })
            .sum();
        let away = place.diameter + h;
        let far = self.far * (0.5 * h * h * rate).exp() / density;
        let far_size = 1.0 + trace * (away + dot(&mean, &mean).sqrt()).powi(2);
        // By how much the weight of a point may change over the box: all by the usual, the furthest by more.
        let change = |r: f64| (r * h * rate).exp_m1();
        let usual = change(distance / density);
        let mut terms = Vec::with_capacity(self.points.len());
        let mut moments_change = usual + far * far_size;
        for point in &self.points {
            let centered = std::array::from_fn(|d| point.displacement[d] - mean[d]);
            let scaled = means.forward(centered);
            let inverse = means.backward(scaled);
            let size = 1.0 + dot(&scaled, &scaled);
            let weight = point.weight / density;
            moments_change += weight * (change(point.distance) - usual).max(0.0) * size;
            let at_center = (1.0 - dot(&tilt, &centered)).abs() + h * dot(&inverse, &inverse).sqrt();
            terms.push((weight * (1.0 + change(point.distance)), at_center, size.sqrt(), point.distance));
        }
        if moments_change > MOST_CHANGE {
            return None;
        }
        let norm = (1.0 + dot(&mean, &tilt)).sqrt() + h * trace.sqrt();
        let turned = moments_change / (1.0 - moments_change) * norm;
        let far = far * norm * far_size.sqrt() / (1.0 - moments_change);
        let (mut lebesgue, mut distance, mut second) = (far, far * away, far * away * away);
        for (weight, at_center, size, r) in terms {
            let weight = weight * (at_center + turned * size);
            lebesgue += weight;
            distance += weight * r;
            second += weight * r * r;
        }
        let taylor = 0.5 * curvature_bound * (second + h * h);
        Some(taylor.min(gradient_bound * (distance + h)).min(oscillation * lebesgue))
    }
}
