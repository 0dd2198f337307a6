//! Bounds of the error at given places, from the actual kernel weights there.

use super::discretization::Estimator;
use super::neighbors::{Near, Neighbors, Sums, TRUNCATION, dot};
use super::regularity::Regularity;
use crate::error::{Error, Result};
use crate::points::Points;
use crate::setconv::{Means, SetConv};
use rayon::prelude::*;
use serde::Serialize;

/// A bound of |û(x) − u(x)| at one place x, with the quantities it is made from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LocalBound {
    /// The bound.
    pub bound: f64,
    /// |Σ w_j (c_j − x)|; zero for an affine fit.
    pub first_moment: f64,
    /// Σ |w_j| |c_j − x|².
    pub second_moment: f64,
    /// Lebesgue constant Σ |w_j|: how much errors of the values are amplified at most. 1 for Nadaraya–Watson (Lemma
    /// encoder-stability).
    pub lebesgue: f64,
}

/// Bounds at M query points, rigorous at each of these; [`super::Supremum`] bounds the error between them too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocalBounds {
    /// One for each query point.
    pub bounds: Vec<LocalBound>,
    /// At how many query points the local linear estimate falls back to Nadaraya–Watson.
    pub n_fallbacks: usize,
}

impl LocalBounds {
    /// The bounds, for every state within `regularity`. With w_j the weights and d_j the shortest way from x to c_j,
    /// Taylor's theorem gives û(x) − u(x) = ∇u(x)·Σ w_j d_j + ½ Σ w_j d_jᵀ D²u(ξ_j) d_j, hence
    ///
    /// Nadaraya–Watson: |û − u| ≤ min(G |Σ w_j d_j| + ½M Σ w_j |d_j|², G Σ w_j |d_j|, sup u − inf u); and where sup|u|
    /// is known, ε/(ρ+ε) sup|u| more for the density floor ε.
    ///
    /// Local linear, whose weights may be negative but have Σ w_j d_j = 0: |û − u| ≤ min(½M Σ |w_j| |d_j|²,
    /// G Σ |w_j| |d_j|, Λ (sup u − inf u)).
    ///
    /// Neither needs periodic axes or any property of the layout. The cost is that of the points near each query
    /// point.
    ///
    /// # Errors
    /// A query in another domain than the points.
    pub fn new(
        setconv: &SetConv,
        estimator: Estimator,
        context: &Points,
        regularity: &Regularity,
        query: &Points,
    ) -> Result<Self> {
        if !context.domain().same_place(query.domain()) {
            let text = |points: &Points| points.domain().to_string();
            return Err(Error::DomainMismatch { context: text(context), query: text(query) });
        }
        let neighbors = Neighbors::new(context, *setconv.kernel());
        let place = Place { dim: context.dim(), diameter: context.domain().diameter(), regularity, setconv };
        let (coordinates, dim) = (query.coordinates(), query.dim());
        let found: Vec<(LocalBound, bool)> = coordinates
            .par_chunks_exact(dim)
            .map_init(Near::default, |near, x| {
                let mut position = [0.0; 3];
                position[..dim].copy_from_slice(x);
                neighbors.gather(&position, near);
                place.bound(estimator, near)
            })
            .collect();
        let n_fallbacks = found.iter().filter(|(_, fallback)| *fallback).count();
        Ok(Self { bounds: found.into_iter().map(|(bound, _)| bound).collect(), n_fallbacks })
    }

    /// The query point with the largest bound, and that bound.
    pub fn worst(&self) -> (usize, &LocalBound) {
        let larger = |best: usize, index: usize| {
            if self.bounds[index].bound > self.bounds[best].bound { index } else { best }
        };
        let index = (1..self.bounds.len()).fold(0, larger);
        (index, &self.bounds[index])
    }
}

/// What the bounds at every place share.
pub(super) struct Place<'a> {
    pub dim: usize,
    pub diameter: f64,
    pub regularity: &'a Regularity,
    pub setconv: &'a SetConv,
}

impl Place<'_> {
    /// The bound for either estimator, and whether the local linear one falls back.
    pub fn bound(&self, estimator: Estimator, near: &Near) -> (LocalBound, bool) {
        let sums = near.sums();
        match estimator {
            Estimator::NadarayaWatson => (self.nadaraya_watson(near, &sums), false),
            Estimator::LocalLinear => match self.local_linear(near, &sums) {
                Some(bound) => (bound, false),
                None => (self.nadaraya_watson(near, &sums), true),
            },
        }
    }

    fn nadaraya_watson(&self, near: &Near, sums: &Sums) -> LocalBound {
        let Regularity { curvature_bound, gradient_bound, oscillation, sup_bound, .. } = *self.regularity;
        let mean = sums.first.map(|s| s / sums.density);
        // The points left out may all lie at the far end of the domain.
        let first_moment = dot(&mean, &mean).sqrt() + TRUNCATION * self.diameter;
        let squares = sums.second[0][0] + sums.second[1][1] + sums.second[2][2];
        let second_moment = squares / sums.density + TRUNCATION * self.diameter.powi(2);
        let distances: f64 =
            near.displacements.iter().zip(&near.weights).map(|(d, w)| w * dot(d, d).sqrt()).sum();
        let distance = distances / sums.density + TRUNCATION * self.diameter;
        let taylor = gradient_bound * first_moment + 0.5 * curvature_bound * second_moment;
        let floor = self.setconv.floor();
        let lost = floor / (near.largest * sums.density + floor);
        let bound = taylor.min(gradient_bound * distance).min(oscillation) + lost * sup_bound.unwrap_or(0.0);
        LocalBound { bound, first_moment, second_moment, lebesgue: 1.0 }
    }

    /// `None` where the neighbors determine no affine function.
    fn local_linear(&self, near: &Near, sums: &Sums) -> Option<LocalBound> {
        let Regularity { curvature_bound, gradient_bound, oscillation, .. } = *self.regularity;
        let scaled = |v: [f64; 3]| v.map(|s| near.largest * s);
        let density = near.largest * sums.density;
        let tilt = Means::new(self.dim, density, scaled(sums.first), sums.second.map(scaled))?.tilt();
        let mean = sums.first.map(|s| s / sums.density);
        let offset = 1.0 + dot(&tilt, &mean);
        let (mut lebesgue, mut distance, mut second_moment) = (0.0, 0.0, 0.0);
        for (displacement, weight) in near.displacements.iter().zip(&near.weights) {
            let weight = (weight / sums.density * (offset - dot(&tilt, displacement))).abs();
            let squared = dot(displacement, displacement);
            lebesgue += weight;
            distance += weight * squared.sqrt();
            second_moment += weight * squared;
        }
        let left_out = TRUNCATION * (1.0 + 2.0 * dot(&tilt, &tilt).sqrt() * self.diameter);
        lebesgue += left_out;
        distance += left_out * self.diameter;
        second_moment += left_out * self.diameter.powi(2);
        let taylor = 0.5 * curvature_bound * second_moment;
        let bound = taylor.min(gradient_bound * distance).min(oscillation * lebesgue);
        Some(LocalBound { bound, first_moment: 0.0, second_moment, lebesgue })
    }
}
