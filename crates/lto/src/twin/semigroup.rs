//! A learned linear semigroup beside the network: every wave of the source fades and turns at a rate of its own, as every
//! linear equation with constant coefficients on a periodic domain lets it.

use super::config::refuse;
use super::latent_grid::LatentGrid;
use crate::device::{is_processor, table};
use crate::error::Result;
use crate::kernel::places::of_points;
use crate::operator::tensor;
use crate::problem::Problem;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use lto_numerics::Points;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Initial √fade of every wave: small, and not zero, where its square has no slope.
const FADE: f32 = 0.1;

/// Configuration of a [`Semigroup`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SemigroupConfig {
    /// Wavenumbers along each axis, from zero.
    pub modes: usize,
}

/// (S_τ − 1) û_s = Re Σ_k w_k (e^{−(1 + |k|²)(θ_k² + i φ_k) τ} − 1) ĉ_k e^{2πi k·ξ}: over one k of each pair ±k with |k_d| < m,
/// w_k = 2 but w_0 = 1, ĉ_k the Fourier coefficients of û_s on the latent grid, ξ the place as a share of each axis and τ the
/// lead as a share of the trained range. Each channel has its own θ and φ; a mean does not turn, φ_0 = 0. S_τ S_σ = S_{τ+σ}, no wave grows, and waves
/// beyond m stay as they are. Waves are in the order of k_0, then of k_1.
#[derive(Module, Debug)]
pub struct Semigroup {
    /// θ `[p, K]`.
    fade: Param<Tensor<2>>,
    /// φ `[p, K]`.
    turn: Param<Tensor<2>>,
    #[module(skip)]
    modes: usize,
}

impl SemigroupConfig {
    /// Its waves: (k_0, k_1) in two dimensions, (0, k) in one.
    fn waves(self, dim: usize) -> Vec<[i32; 2]> {
        let m = self.modes as i32;
        let first = if dim == 2 { 1 - m..m } else { 0..1 };
        let all = first.flat_map(|k0| (0..m).map(move |k1| [k0, k1]));
        all.filter(|[k0, k1]| *k1 > 0 || *k0 >= 0).collect()
    }

    /// Number of weights.
    pub(super) fn weights(self, channels: usize, dim: usize) -> f64 {
        let m = self.modes as f64;
        let waves = if dim == 2 { m * (2.0 * m - 1.0) - (m - 1.0) } else { m };
        2.0 * channels as f64 * waves
    }

    /// Checks it against the problem and the latent grid.
    pub(super) fn validate(self, problem: &Problem, points: usize) -> Result<()> {
        if self.modes == 0 || 2 * self.modes > points + 1 {
            let requirement = format!("must be 1 to {}, for {points} latent points", points.div_ceil(2));
            return refuse("semigroup.modes", self.modes.to_string(), &requirement);
        }
        if problem.domain.axes().iter().any(|axis| !axis.periodic) {
            let requirement = "needs a domain whose axes are all periodic";
            return refuse("semigroup", problem.domain.to_string(), requirement);
        }
        if problem.source_channels != problem.target_channels {
            let found =
                format!("{} source, {} target channels", problem.source_channels, problem.target_channels);
            return refuse(
                "semigroup",
                found,
                "needs sources and targets of the same channels, without history",
            );
        }
        Ok(())
    }

    /// A new semigroup of `channels` channels.
    pub fn init(self, channels: usize, dim: usize, device: &Device) -> Semigroup {
        let shape = [channels, self.waves(dim).len()];
        Semigroup {
            fade: Param::from_tensor(Tensor::full(shape, FADE, device)),
            turn: Param::from_tensor(Tensor::zeros(shape, device)),
            modes: self.modes,
        }
    }
}

impl Semigroup {
    /// (S_τ − 1) û_s at the query points.
    ///
    /// # Shapes
    /// `source [b, p, n0, n1]` on the latent grid, b leads, one or b sets of M points → `[b, p, M]`.
    pub fn change(
        &self,
        source: Tensor<4>,
        leads: &[f64],
        grid: &LatentGrid,
        queries: &[Arc<Points>],
    ) -> Tensor<3> {
        let ([b, p, n0, n1], device) = (source.dims(), source.device());
        let waves = SemigroupConfig { modes: self.modes }.waves(grid.grid().dim());
        let (count, n) = (waves.len(), n0 * n1);
        let along = |of: &dyn Fn(&[i32; 2]) -> f64| {
            table(waves.iter().map(|wave| of(wave) as f32).collect(), [1, 1, count], &device)
        };
        let [cos, sin] = basis(&waves, &Points::grid(grid.grid().clone()), &device);
        let flat = source.reshape([b * p, n]) / n as f32;
        let coefficient = |wave: Tensor<2>| flat.clone().matmul(wave.transpose()).reshape([b, p, count]);
        let (real, imaginary) = (coefficient(cos), -coefficient(sin));

        let pairs = along(&|k| if *k == [0, 0] { 1.0 } else { 2.0 });
        let time =
            along(&|[k0, k1]| f64::from(1 + k0 * k0 + k1 * k1)) * tensor::<3>(leads, [b, 1, 1], &device);
        let rate = |weights: &Param<Tensor<2>>| weights.val().reshape([1, p, count]);
        let (fade, turn) = (rate(&self.fade), rate(&self.turn) * (pairs.clone() - 1.0));
        let (left, angle) = ((-(fade.clone() * fade * time.clone())).exp(), turn * time);
        let (change, turned) = (left.clone() * angle.clone().cos() - 1.0, -(left * angle.sin()));
        let even = (real.clone() * change.clone() - imaginary.clone() * turned.clone()) * pairs.clone();
        let odd = (real * turned + imaginary * change) * pairs;

        let bases = queries.iter().map(|query| match is_processor(&device) {
            true => basis(&waves, query, &device),
            false => basis_there(&waves, query, &device),
        });
        let (cos, sin): (Vec<_>, Vec<_>) = bases.map(|[cos, sin]| (cos, sin)).unzip();
        let m = queries[0].len();
        // One set of points serves all examples; otherwise each has its own.
        let rows = if queries.len() == 1 { [1, b * p, count] } else { [b, p, count] };
        let at = |part: Tensor<3>, waves| part.reshape(rows).matmul(Tensor::stack::<3>(waves, 0));
        (at(even, cos) - at(odd, sin)).reshape([b, p, m])
    }
}

/// cos and sin of 2π k·ξ.
///
/// # Shapes
/// K waves, M points → two `[K, M]`.
fn basis(waves: &[[i32; 2]], points: &Points, device: &Device) -> [Tensor<2>; 2] {
    let (m, dim) = (points.len(), points.dim());
    let angles: Vec<f64> = {
        let axes = points.domain().axes();
        let each = points.coordinates().into_iter().enumerate();
        each.map(|(i, x)| TAU * (x - axes[i % dim].lower) / axes[i % dim].length()).collect()
    };
    // e^{ikα} of every axis for k = 0, 1, … by products, then of every wave.
    let (mut cos, mut sin) = (vec![0.0f32; waves.len() * m], vec![0.0f32; waves.len() * m]);
    let most = waves.iter().flatten().map(|k| k.unsigned_abs() as usize).max().unwrap_or(0);
    let mut powers = vec![(1.0, 0.0); dim * (most + 1)];
    for (j, angles) in angles.chunks_exact(dim).enumerate() {
        for (powers, angle) in powers.chunks_exact_mut(most + 1).zip(angles) {
            let (s, c) = angle.sin_cos();
            for k in 1..=most {
                let (re, im) = powers[k - 1];
                powers[k] = (re * c - im * s, re * s + im * c);
            }
        }
        for (i, [k0, k1]) in waves.iter().enumerate() {
            let (mut re, mut im) = powers[(dim - 1) * (most + 1) + *k1 as usize];
            if *k0 != 0 {
                let (c, s) = powers[k0.unsigned_abs() as usize];
                let s = if *k0 < 0 { -s } else { s };
                (re, im) = (re * c - im * s, re * s + im * c);
            }
            (cos[i * m + j], sin[i * m + j]) = (re as f32, im as f32);
        }
    }
    [cos, sin].map(|values| table(values, [waves.len(), m], device))
}

/// The same by stock operations: other devices than the processor make it there, from the coordinates.
fn basis_there(waves: &[[i32; 2]], points: &Points, device: &Device) -> [Tensor<2>; 2] {
    let (m, dim) = (points.len(), points.dim());
    let mut turns = Tensor::zeros([waves.len(), m], device);
    for (d, (axis, places)) in points.domain().axes().iter().zip(of_points(points, device)).enumerate() {
        let numbers = waves.iter().map(|wave| wave[2 - dim + d] as f32).collect();
        let shares = (places / axis.length()).reshape([1, m]);
        turns = turns + table(numbers, [waves.len(), 1], device) * shares;
    }
    // Sines are the most precise within half a turn.
    let angles = (turns.clone() - turns.round()) * TAU;
    [angles.clone().cos(), angles.sin()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::fetch;
    use crate::kernel::testing::difference;
    use lto_numerics::{Axis, Domain, Grid, Placement};

    /// On a grid and anywhere, in one and two dimensions, on axes that begin elsewhere than at zero.
    #[test]
    fn waves_equal_stock_operations() {
        let axes = [Axis::new("x", -1.0, 3.0, true), Axis::new("y", 2.0, 3.0, true)];
        for dim in [1, 2] {
            let domain = Domain::new(axes[..dim].to_vec()).unwrap();
            let grid = Points::grid(Grid::cubic(domain.clone(), 7, Placement::Center).unwrap());
            let anywhere = Points::scattered(domain, [0.1, 2.7, -0.9, 2.2][..2 * dim].to_vec()).unwrap();
            for points in [grid, anywhere] {
                let waves = SemigroupConfig { modes: 16 }.waves(dim);
                let device = Device::flex();
                let both = [basis(&waves, &points, &device), basis_there(&waves, &points, &device)];
                let [exact, found] = both.map(|parts| parts.map(fetch).concat());
                let off = difference(&found, &exact);
                assert!(off < 2e-5, "{dim}: {off}");
            }
        }
    }
}
