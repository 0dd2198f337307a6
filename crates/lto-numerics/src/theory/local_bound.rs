//! Bounds on the error at given places, from the actual kernel weights there.

use super::affine_fit::{
    AffineFit, MOST_CHANGE, SAFELY_DETERMINED, UNDETERMINED, largest_lebesgue, underflows,
};
use super::discretization::Estimator;
use super::neighbors::{LEFT_OUT, Near, Neighbors, Sums, dot};
use super::regularity::Regularity;
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::points::Points;
use crate::setconv::{DETERMINED, SetConv};
use rayon::prelude::*;
use serde::Serialize;

/// Relative error of sums of displacements, which may cancel.
pub(super) const ROUNDING: f64 = 1e-12;

/// A bound on |û(x) − u(x)| at one place x, with the quantities it is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LocalBound {
    /// The bound, including rounding and the density floor if sup|u| is known.
    pub bound: f64,
    /// The fraction of sup|u| that the density floor and rounding may cost. To be added to the bound if
    /// sup|u| is not known, since the cost of the floor cannot be bounded without it.
    pub relative_loss: f64,
    /// |Σ w_j (c_j − x)|; zero for an affine fit.
    pub first_moment: f64,
    /// Σ |w_j| |c_j − x|².
    pub second_moment: f64,
    /// Lebesgue constant Σ |w_j|: how much errors of the values are amplified at most. 1 for Nadaraya–Watson
    /// (Lemma encoder-stability).
    pub lebesgue: f64,
}

/// Bounds at M query points, rigorous at each of them; [`super::Supremum`] also covers the places between.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocalBounds {
    /// One for each query point.
    pub bounds: Vec<LocalBound>,
    /// Number of query points where the local linear estimate falls back to Nadaraya–Watson.
    pub n_fallbacks: usize,
}

impl LocalBounds {
    /// The bounds, for every state within `regularity`. With w_j the weights and d_j the shortest
    /// displacement from x to c_j, Taylor's theorem gives û(x) − u(x) = ∇u(x)·Σ w_j d_j + ½ Σ w_j d_jᵀ
    /// D²u(ξ_j) d_j, hence
    ///
    /// Nadaraya–Watson: |û − u| ≤ min(G |Σ w_j d_j| + ½M Σ w_j |d_j|², G Σ w_j |d_j|, sup u − inf u); if
    /// sup|u| is known, plus ε/(ρ+ε) sup|u| for the density floor ε, plus rounding.
    ///
    /// Local linear, whose weights may be negative but satisfy Σ w_j d_j = 0: |û − u| ≤ min(½M Σ |w_j|
    /// |d_j|², G Σ |w_j| |d_j|, Λ (sup u − inf u)). Where the estimate falls back to the signal, the signal's
    /// bound; where rounding may decide, the larger of the two.
    ///
    /// Neither needs periodic axes or any property of the layout. The cost per query point is that of the
    /// points near it.
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
        let place = Place { domain: context.domain(), regularity, setconv, n_points: context.len() };
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

    /// Mean of the bounds over the query points.
    pub fn mean(&self) -> f64 {
        self.bounds.iter().map(|local| local.bound).sum::<f64>() / self.bounds.len().max(1) as f64
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
    pub domain: &'a Domain,
    pub regularity: &'a Regularity,
    pub setconv: &'a SetConv,
    pub n_points: usize,
}

impl Place<'_> {
    /// The fraction of sup|u| that the density floor and rounding may cost the signal.
    pub fn signal_loss(&self, density: f64) -> f64 {
        self.setconv.signal_loss(density, self.n_points, self.domain.dim())
    }

    /// The bound for either estimator, and whether the local linear one falls back.
    pub fn bound(&self, estimator: Estimator, near: &Near) -> (LocalBound, bool) {
        match estimator {
            Estimator::NadarayaWatson => (self.nadaraya_watson(near, &Sums::of(near.points())), false),
            Estimator::LocalLinear => self.local_linear(near),
        }
    }

    /// From the sums over all points. A displacement of half a period may go either way: the weight is the
    /// same, and Taylor's theorem holds both ways.
    fn nadaraya_watson(&self, near: &Near, sums: &Sums) -> LocalBound {
        let Regularity { curvature_bound, gradient_bound, .. } = *self.regularity;
        let diameter = self.domain.diameter();
        // The points left out may all lie at the far end of the domain.
        let distance = sums.distance / sums.density + LEFT_OUT * diameter;
        let mean = sums.mean();
        let first_moment =
            (dot(&mean, &mean).sqrt() + ROUNDING * distance + LEFT_OUT * diameter).min(distance);
        let second_moment = sums.mean_square() + LEFT_OUT * diameter.powi(2);
        let taylor = gradient_bound * first_moment + 0.5 * curvature_bound * second_moment;
        let relative_loss = self.signal_loss(near.largest * sums.density);
        let bound = self.regularity.limited(taylor.min(gradient_bound * distance), relative_loss);
        LocalBound { bound, relative_loss, first_moment, second_moment, lebesgue: 1.0 }
    }

    /// The bound, and whether the estimate falls back to the signal.
    fn local_linear(&self, near: &Near) -> (LocalBound, bool) {
        let (sums, turning) = (Sums::of(near.steady()), near.turning_weight());
        let dim = self.domain.dim();
        let signal = match turning {
            0.0 => self.nadaraya_watson(near, &sums),
            _ => self.nadaraya_watson(near, &Sums::of(near.points())),
        };
        let log_density = (sums.density + turning).ln() - near.exponent;
        let underflow = underflows(log_density, log_density);
        let fit = AffineFit::new(UNDETERMINED, dim, &sums);
        if underflow == Some(true) || (fit.is_none() && turning == 0.0) {
            return (signal, true);
        }
        // Covers whichever the estimator takes.
        let larger = |affine: LocalBound| LocalBound {
            relative_loss: affine.relative_loss.max(signal.relative_loss),
            ..if affine.bound > signal.bound { affine } else { signal }
        };
        let Some((fit, affine)) =
            fit.and_then(|fit| self.affine(near, &sums, turning, &fit).map(|b| (fit, b)))
        else {
            return (larger(self.any_fit(&signal)), false);
        };
        let sure = fit.means.determination > SAFELY_DETERMINED && underflow == Some(false);
        (if sure { affine } else { larger(affine) }, fit.means.determination < DETERMINED)
    }

    /// The bound of an affine fit; `None` if points with an uncertain displacement weigh too much.
    fn affine(&self, near: &Near, sums: &Sums, turning: f64, fit: &AffineFit) -> Option<LocalBound> {
        let Regularity { curvature_bound, gradient_bound, oscillation, .. } = *self.regularity;
        let (dim, diameter) = (self.domain.dim(), self.domain.diameter());
        let size = fit.size(diameter);
        let disturbing = (LEFT_OUT + turning) / sums.density;
        let change = disturbing * size;
        if change > MOST_CHANGE || change.is_nan() {
            return None;
        }
        let offset = 1.0 + dot(&fit.tilt, &fit.mean);
        let (mut lebesgue, mut distance, mut second_moment) = (0.0, 0.0, 0.0);
        for (displacement, weight) in near.steady() {
            let weight = (weight / sums.density * (offset - dot(&fit.tilt, displacement))).abs();
            let squared = dot(displacement, displacement);
            lebesgue += weight;
            distance += weight * squared.sqrt();
            second_moment += weight * squared;
        }
        // The weights of all points change, and those of the perturbing points come in.
        let turned = change / (1.0 - change) * fit.norm * ((1 + dim) as f64).sqrt();
        let added = disturbing * fit.norm * size.sqrt() / (1.0 - change);
        let spread = sums.mean_square().sqrt();
        lebesgue += turned + added;
        distance += turned * spread + added * diameter;
        second_moment += turned * spread * diameter + added * diameter.powi(2);
        let taylor = 0.5 * curvature_bound * second_moment;
        let relative_loss = fit.relative_loss();
        let bound = taylor.min(gradient_bound * distance).min(oscillation * lebesgue)
            + self.regularity.lost(relative_loss);
        Some(LocalBound { bound, relative_loss, first_moment: 0.0, second_moment, lebesgue })
    }

    /// What is known if points half a period away decide the fit: every fit that the estimator accepts has a
    /// bound.
    fn any_fit(&self, signal: &LocalBound) -> LocalBound {
        let lebesgue = largest_lebesgue(self.domain.dim());
        let bound = lebesgue * self.regularity.oscillation + self.regularity.lost(lebesgue);
        let second_moment = lebesgue * self.domain.diameter().powi(2);
        LocalBound { bound, relative_loss: lebesgue, second_moment, lebesgue, ..*signal }
    }
}
