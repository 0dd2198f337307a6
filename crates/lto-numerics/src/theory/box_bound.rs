//! Bounds of the error over a whole box of places, from the weights at its center. `docs/theory.md` derives them.

use super::affine_fit::{AffineFit, MOST_CHANGE, SAFELY_DETERMINED, UNDETERMINED, underflows};
use super::local_bound::Place;
use super::loss::{fit_loss, signal_loss};
use super::neighbors::{Near, Sums, dot, turns};
use super::regularity::Regularity;

/// Fits determined by less than this at the center say nothing: rounding has taken them.
const LEAST_DETERMINATION: f64 = 1e-9;
/// Where the fit is determined by this much at the center, it is safely determined all over the box: with moments that
/// change by half, and mean squares by four, it falls by twelve at most.
const SAFELY_EVERYWHERE: f64 = 12.0 * SAFELY_DETERMINED;

/// The points around a box.
pub(super) struct Surroundings<'a> {
    place: &'a Place<'a>,
    /// Those whose shortest way stays the same one all over the box.
    points: Vec<Neighbor>,
    /// Bound of the weight of all others, anywhere in the box; in units of the nearest's at the center.
    far: f64,
    /// Half the diagonal: no place of the box is further from its center.
    radius: f64,
    half: [f64; 3],
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
    pub fn new(place: &'a Place<'a>, near: &'a Near, half: &[f64; 3], n_points: usize) -> Self {
        let radius = dot(half, half).sqrt();
        let length_scale = place.setconv.kernel().length_scale();
        let mut around =
            Self { place, points: Vec::new(), far: 0.0, radius, half: *half, near, length_scale };
        around.far = n_points as f64 * around.weight(near.reach - radius);
        for (&displacement, weight) in near.points() {
            let distance = dot(&displacement, &displacement).sqrt();
            if turns(place.domain, &displacement, half) {
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

    fn sums(&self) -> Sums {
        Sums::of(self.points.iter().map(|point| (&point.displacement, point.weight)))
    }

    /// Bound of the error of the Nadaraya–Watson estimate.
    pub fn nadaraya_watson(&self) -> f64 {
        let regularity = self.place.regularity;
        let least_density: f64 =
            self.points.iter().map(|point| self.weight(point.distance + self.radius)).sum();
        let relative_loss = signal_loss(self.near.largest * least_density, self.place.setconv.floor());
        // What is no number says nothing: the limit holds.
        regularity.limited(self.mean_of_values(least_density), relative_loss)
    }

    fn mean_of_values(&self, least_density: f64) -> f64 {
        let Regularity { curvature_bound, gradient_bound, oscillation, .. } = *self.place.regularity;
        let (h, rate) = (self.radius, self.length_scale.powi(-2));
        // Largest moments of the distance anywhere in the box, times the density.
        let mut most = [0.0; 3];
        for point in &self.points {
            let largest = self.weight(point.distance - h);
            (0..3).for_each(|k| most[k] += largest * (point.distance + h).powi(k as i32 + 1));
        }
        let most = most.map(|sum| sum / least_density);
        if !most.iter().all(|moment| moment.is_finite()) {
            return f64::INFINITY;
        }
        let [most_distance, most_second, most_third] = most;
        let sums = self.sums();
        let mean = sums.mean();
        // Slopes of the moments: that of the mean is Cov/ℓ² − 1, and so on.
        let mean = dot(&mean, &mean).sqrt() + h * (most_second * rate - 1.0).max(1.0);
        let mean = mean.min(most_distance);
        let slope = 2.0 * mean + (most_third + most_second * mean) * rate;
        let second = (sums.mean_square() + h * slope).min(most_second);
        let slope = 1.0 + (most_second + most_distance * mean) * rate;
        let distance = (sums.distance / sums.density + h * slope).min(most_distance);
        let taylor = gradient_bound * mean + 0.5 * curvature_bound * second;
        taylor.min(gradient_bound * distance) + oscillation * self.far / least_density
    }

    /// Bound of the error of the local linear estimate; `None` where the box is too large to say.
    pub fn local_linear(&self) -> Option<f64> {
        let [mut least, mut most] = [0.0, self.far];
        for point in &self.points {
            least += self.weight(point.distance + self.radius);
            most += self.weight(point.distance - self.radius);
        }
        let underflow = underflows(least.ln() - self.near.exponent, most.ln() - self.near.exponent);
        if underflow == Some(true) || self.is_undetermined() {
            return Some(self.nadaraya_watson());
        }
        let (bound, determination) = self.affine()?;
        let sure = determination > SAFELY_EVERYWHERE && underflow == Some(false);
        Some(if sure { bound } else { bound.max(self.nadaraya_watson()) })
    }

    /// Whether the estimate falls back to the signal all over the box, as the variance along some axis is a small part
    /// of the mean square.
    fn is_undetermined(&self) -> bool {
        let mean = self.sums().mean();
        let away = self.place.domain.diameter() + self.radius;
        (0..self.place.domain.dim()).any(|d| {
            let (mut variance, mut square) = (self.far * away * away, 0.0);
            for point in &self.points {
                let along = point.displacement[d];
                variance += self.weight(point.distance - self.radius) * (along - mean[d]).powi(2);
                square +=
                    self.weight(point.distance + self.radius) * (along.abs() - self.half[d]).max(0.0).powi(2);
            }
            variance < UNDETERMINED * square
        })
    }

    /// The bound of an affine fit, which need not be the estimate, and how well it is determined at the center.
    fn affine(&self) -> Option<(f64, f64)> {
        let Regularity { curvature_bound, gradient_bound, oscillation, .. } = *self.place.regularity;
        let (h, rate, dim) = (self.radius, self.length_scale.powi(-2), self.place.domain.dim());
        let sums = self.sums();
        // In units of the nearest's weight the density is 1 or more.
        let fit = AffineFit::new(LEAST_DETERMINATION, dim, &sums)?;
        if (0..dim).any(|d| h * h * sums.density > sums.second[d][d]) {
            return None;
        }
        let away = self.place.domain.diameter() + h;
        let far = self.far * (0.5 * h * h * rate).exp() / sums.density;
        let far_size = fit.size(away);
        // By how much the weight of a point may change over the box: all by the usual, the furthest by more.
        let change = |r: f64| (r * h * rate).exp_m1();
        let usual = change(sums.distance / sums.density);
        let mut terms = Vec::with_capacity(self.points.len());
        let mut moments_change = usual + far * far_size;
        for point in &self.points {
            let centered = std::array::from_fn(|d| point.displacement[d] - fit.mean[d]);
            let scaled = fit.means.forward(centered);
            let inverse = fit.means.backward(scaled);
            let size = 1.0 + dot(&scaled, &scaled);
            let weight = point.weight / sums.density;
            moments_change += weight * (change(point.distance) - usual).max(0.0) * size;
            let at_center = (1.0 - dot(&fit.tilt, &centered)).abs() + h * dot(&inverse, &inverse).sqrt();
            terms.push((weight * (1.0 + change(point.distance)), at_center, size.sqrt(), point.distance));
        }
        if moments_change > MOST_CHANGE || moments_change.is_nan() {
            return None;
        }
        let norm = fit.norm + h * fit.trace.sqrt();
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
        let bound = taylor.min(gradient_bound * (distance + h)).min(oscillation * lebesgue);
        // Over the box the moments change by the factors 1 ± β, and the mean squares by the way from the center.
        let grown = (1.0 + moments_change) / (1.0 - moments_change);
        let conditioning = grown * (fit.conditioning.sqrt() + h * fit.trace.sqrt()).powi(2);
        let lost = self.place.regularity.lost(fit_loss(norm * grown.sqrt(), conditioning));
        (second.is_finite()).then_some((bound + lost, fit.means.determination))
    }
}
