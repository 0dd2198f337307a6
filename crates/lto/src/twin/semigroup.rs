//! A learned linear semigroup beside the network: every wave of the source fades and turns at a rate of its own, as every
//! linear equation with constant coefficients on a periodic domain lets it.

use super::config::refuse;
use super::latent_grid::LatentGrid;
use crate::error::Result;
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
/// lead as a share of the trained range. Each channel has its own θ and φ. S_τ S_σ = S_{τ+σ}, no wave grows, and waves
/// beyond m stay as they are.
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
        2.0 * (channels * self.waves(dim).len()) as f64
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
            tensor::<3>(&waves.iter().map(of).collect::<Vec<_>>(), [1, 1, count], &device)
        };
        let [cos, sin] = basis(&waves, &Points::grid(grid.grid().clone()), &device);
        let flat = source.reshape([b * p, n]) / n as f32;
        let coefficient = |wave: Tensor<2>| flat.clone().matmul(wave.transpose()).reshape([b, p, count]);
        let (real, imaginary) = (coefficient(cos), -coefficient(sin));

        let time =
            along(&|[k0, k1]| f64::from(1 + k0 * k0 + k1 * k1)) * tensor::<3>(leads, [b, 1, 1], &device);
        let rate = |weights: &Param<Tensor<2>>| weights.val().reshape([1, p, count]);
        let fade = rate(&self.fade);
        let (left, angle) = ((-(fade.clone() * fade * time.clone())).exp(), rate(&self.turn) * time);
        let (change, turned) = (left.clone() * angle.clone().cos() - 1.0, -(left * angle.sin()));
        let pairs = along(&|k| if *k == [0, 0] { 1.0 } else { 2.0 });
        let even = (real.clone() * change.clone() - imaginary.clone() * turned.clone()) * pairs.clone();
        let odd = (real * turned + imaginary * change) * pairs;

        let bases = queries.iter().map(|query| basis(&waves, query, &device));
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
    [cos, sin]
        .map(|values| Tensor::from_data(burn::tensor::TensorData::new(values, [waves.len(), m]), device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::with_parameters;
    use crate::twin::config::LatentPlacement;
    use lto_numerics::Domain;

    const PLACES: [f64; 6] = [0.03, 0.9, 0.41, 0.77, 0.5, 0.12];

    fn places(dim: usize) -> Vec<Arc<Points>> {
        vec![Arc::new(Points::scattered(Domain::unit(dim, true).unwrap(), PLACES.to_vec()).unwrap())]
    }

    /// With the rates of a function of k for every wave.
    fn semigroup(modes: usize, dim: usize, rate: impl Fn([i32; 2]) -> [f64; 2]) -> Semigroup {
        let config = SemigroupConfig { modes };
        let rates: Vec<_> = config.waves(dim).into_iter().map(rate).collect();
        with_parameters(config.init(1, dim, &Device::flex()), |name, _| {
            let i = usize::from(name == "turn");
            Some(rates.iter().map(|rate| rate[i] as f32).collect())
        })
    }

    fn on_grid(grid: &LatentGrid, of: impl Fn(&[f64]) -> f64) -> Tensor<4> {
        let points = Points::grid(grid.grid().clone());
        let values: Vec<f64> = points.coordinates().chunks_exact(points.dim()).map(of).collect();
        let [n0, n1] = grid.shape();
        tensor::<4>(&values, [1, 1, n0, n1], &Device::flex())
    }

    fn numbers(of: Tensor<3>) -> Vec<f64> {
        of.into_data().iter::<f32>().map(f64::from).collect()
    }

    /// e^{−κθ²τ} cos(2πkx − κφτ) − cos 2πkx, from either placement of the latent grid.
    #[test]
    fn a_wave_fades_and_moves_on() {
        for placement in [LatentPlacement::Left, LatentPlacement::Center] {
            let grid = LatentGrid::new(&Domain::unit(1, true).unwrap(), 7, placement).unwrap();
            let semigroup = semigroup(4, 1, |[_, k]| [0.2, 0.1 * f64::from(k)]);
            let source = on_grid(&grid, |x| (TAU * 3.0 * x[0]).cos());
            let found = numbers(semigroup.change(source, &[0.5], &grid, &places(1)));
            for (x, found) in PLACES.iter().zip(found) {
                let (left, angle) = ((-10.0 * 0.04 * 0.5f64).exp(), TAU * 3.0 * x);
                let expected = left * (angle - 10.0 * 0.3 * 0.5).cos() - angle.cos();
                assert!((found - expected).abs() < 1e-5, "{placement:?} {x}: {found} {expected}");
            }
        }
    }

    /// The closed form of ∂_t u = ν Δu − v·∇u: every wave keeps e^{−4π²ν|k|²t} of itself and moves by v t.
    #[test]
    fn heat_that_is_carried_along_is_exact() {
        let (nu, velocity, t) = (0.002f64, [0.3, -0.2], 0.7);
        let semigroup = semigroup(5, 2, |[k0, k1]| {
            let (square, along) =
                (k0 * k0 + k1 * k1, f64::from(k0) * velocity[0] + f64::from(k1) * velocity[1]);
            let scale = 1.0 / f64::from(1 + square);
            [(scale * TAU * TAU * nu * f64::from(square)).sqrt(), scale * TAU * along]
        });
        let waves =
            [[0, 0], [2, 1], [-3, 4], [4, 0], [0, 2]].map(|[a, b]: [i32; 2]| [f64::from(a), f64::from(b)]);
        let state = |x: &[f64], t: f64| -> f64 {
            let each = waves.iter().enumerate().map(|(i, k)| {
                let way: f64 = (0..2).map(|d| k[d] * (x[d] - velocity[d] * t)).sum();
                let left = (-TAU * TAU * nu * (k[0] * k[0] + k[1] * k[1]) * t).exp();
                (0.5 + i as f64) * left * (TAU * way + i as f64).sin()
            });
            each.sum()
        };
        let grid = LatentGrid::new(&Domain::unit(2, true).unwrap(), 9, LatentPlacement::Left).unwrap();
        let source = on_grid(&grid, |x| state(x, 0.0));
        let found = numbers(semigroup.change(source, &[t], &grid, &places(2)));
        for (x, found) in PLACES.chunks_exact(2).zip(found) {
            let expected = state(x, t) - state(x, 0.0);
            assert!((found - expected).abs() < 2e-5, "{x:?}: {found} {expected}");
        }
    }

    /// Each example has its own lead and points, and two leads one after the other are their sum.
    #[test]
    fn leads_add_up() {
        let grid = LatentGrid::new(&Domain::unit(1, true).unwrap(), 8, LatentPlacement::Left).unwrap();
        let semigroup = semigroup(4, 1, |[_, k]| [0.3, 0.2 * f64::from(k) - 0.1]);
        let source = on_grid(&grid, |x| (TAU * x[0]).sin() + 0.5 * (TAU * 3.0 * x[0]).cos() + 0.2);
        let after = |source: Tensor<4>, lead| {
            let own = [Arc::new(Points::grid(grid.grid().clone()))];
            source.clone() + semigroup.change(source, &[lead], &grid, &own).reshape([1, 1, 1, 8])
        };
        let twice = after(after(source.clone(), 0.3), 0.5);
        let off = (after(source.clone(), 0.8) - twice).abs().max().into_scalar::<f32>();
        assert!(off < 1e-5, "{off}");
        let other = Arc::new(
            Points::scattered(Domain::unit(1, true).unwrap(), vec![0.2, 0.3, 0.31, 0.6, 0.7, 0.95]).unwrap(),
        );
        let both = [places(1)[0].clone(), other.clone()];
        let found = numbers(semigroup.change(source.clone().repeat_dim(0, 2), &[0.3, 0.8], &grid, &both));
        let each = [(0.3, &both[0]), (0.8, &both[1])];
        let apart = each.map(|(t, at)| numbers(semigroup.change(source.clone(), &[t], &grid, &[at.clone()])));
        assert!(found.iter().zip(apart.concat()).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?}");
    }

    #[test]
    fn too_many_waves_and_open_axes_are_refused() {
        let problem = |periodic| Problem {
            domain: Domain::unit(1, periodic).unwrap(),
            source_channels: 1,
            target_channels: 1,
            native: vec![8],
            times: Some([0.0, 1.0]),
            changes: Vec::new(),
        };
        let refused = |modes, periodic| {
            SemigroupConfig { modes }.validate(&problem(periodic), 8).err().map(|e| e.to_string())
        };
        assert_eq!(refused(4, true), None);
        assert!(refused(5, true).unwrap().contains("1 to 4"));
        assert!(refused(0, true).unwrap().contains("semigroup.modes"));
        assert!(refused(4, false).unwrap().contains("periodic"));
    }
}
