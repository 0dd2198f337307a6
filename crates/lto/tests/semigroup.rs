//! A learned semigroup against the closed forms of linear equations.

use burn::tensor::{Device, Tensor};
use lto::operator::tensor;
use lto::parameters::with_parameters;
use lto::problem::Problem;
use lto::twin::Twin;
use lto::twin::config::{LatentPlacement, TwinConfig};
use lto::twin::latent_grid::LatentGrid;
use lto::twin::semigroup::{Semigroup, SemigroupConfig};
use lto_numerics::{Domain, Points};
use std::f64::consts::TAU;
use std::sync::Arc;

const PLACES: [f64; 6] = [0.03, 0.9, 0.41, 0.77, 0.5, 0.12];

fn places(dim: usize) -> Vec<Arc<Points>> {
    vec![Arc::new(Points::scattered(Domain::unit(dim, true).unwrap(), PLACES.to_vec()).unwrap())]
}

fn grid(dim: usize, n: usize, placement: LatentPlacement) -> LatentGrid {
    LatentGrid::new(&Domain::unit(dim, true).unwrap(), n, placement).unwrap()
}

/// With θ and φ as a function of k.
fn semigroup(modes: usize, dim: usize, rate: impl Fn([i32; 2]) -> [f64; 2]) -> Semigroup {
    let m = modes as i32;
    let first = if dim == 2 { 1 - m..m } else { 0..1 };
    let waves = first.flat_map(|k0| (0..m).map(move |k1| [k0, k1])).filter(|[k0, k1]| *k1 > 0 || *k0 >= 0);
    let rates: Vec<_> = waves.map(rate).collect();
    with_parameters(SemigroupConfig { modes }.init(1, dim, &Device::flex()), |name, shape| {
        assert_eq!(shape, [1, rates.len()]);
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
        let grid = grid(1, 7, placement);
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

/// ∂_t u = ν Δu − v·∇u: every wave keeps e^{−4π²ν|k|²t} of itself and moves by v t.
#[test]
fn heat_that_is_carried_along_is_exact() {
    let (nu, velocity, t) = (0.002f64, [0.3, -0.2], 0.7);
    let semigroup = semigroup(5, 2, |[k0, k1]| {
        let (square, scale) = (f64::from(k0 * k0 + k1 * k1), 1.0 / f64::from(1 + k0 * k0 + k1 * k1));
        let along = f64::from(k0) * velocity[0] + f64::from(k1) * velocity[1];
        [(scale * TAU * TAU * nu * square).sqrt(), scale * TAU * along]
    });
    let waves = [[0.0, 0.0], [2.0, 1.0], [-3.0, 4.0], [4.0, 0.0], [0.0, 2.0]];
    let state = |x: &[f64], t: f64| -> f64 {
        let each = waves.iter().enumerate().map(|(i, k): (usize, &[f64; 2])| {
            let way: f64 = (0..2).map(|d| k[d] * (x[d] - velocity[d] * t)).sum();
            let left = (-TAU * TAU * nu * (k[0] * k[0] + k[1] * k[1]) * t).exp();
            (0.5 + i as f64) * left * (TAU * way + i as f64).sin()
        });
        each.sum()
    };
    let grid = grid(2, 9, LatentPlacement::Left);
    let source = on_grid(&grid, |x| state(x, 0.0));
    let found = numbers(semigroup.change(source, &[t], &grid, &places(2)));
    for (x, found) in PLACES.chunks_exact(2).zip(found) {
        let expected = state(x, t) - state(x, 0.0);
        assert!((found - expected).abs() < 2e-5, "{x:?}: {found} {expected}");
    }
}

/// Two leads one after the other are their sum.
#[test]
fn leads_add_up() {
    let grid = grid(1, 8, LatentPlacement::Left);
    let semigroup = semigroup(4, 1, |[_, k]| [0.3, 0.2 * f64::from(k) - 0.1]);
    let source = on_grid(&grid, |x| (TAU * x[0]).sin() + 0.5 * (TAU * 3.0 * x[0]).cos() + 0.2);
    let after = |source: Tensor<4>, lead| {
        let own = [Arc::new(Points::grid(grid.grid().clone()))];
        source.clone() + semigroup.change(source, &[lead], &grid, &own).reshape([1, 1, 1, 8])
    };
    let twice = after(after(source.clone(), 0.3), 0.5);
    let off = (after(source, 0.8) - twice).abs().max().into_scalar::<f32>();
    assert!(off < 1e-5, "{off}");
}

#[test]
fn each_example_has_its_own_lead_and_points() {
    let grid = grid(1, 8, LatentPlacement::Left);
    let semigroup = semigroup(4, 1, |[_, k]| [0.3, 0.2 * f64::from(k) - 0.1]);
    let source = on_grid(&grid, |x| (TAU * x[0]).sin() + 0.5 * (TAU * 3.0 * x[0]).cos());
    let other = Points::scattered(Domain::unit(1, true).unwrap(), vec![0.2, 0.3, 0.31, 0.6, 0.7, 0.95]);
    let queries = [places(1)[0].clone(), Arc::new(other.unwrap())];
    let both = semigroup.change(source.clone().repeat_dim(0, 2), &[0.3, 0.8], &grid, &queries);
    let each = [0.3, 0.8].into_iter().zip(&queries);
    let apart = each.flat_map(|(t, query)| {
        numbers(semigroup.change(source.clone(), &[t], &grid, std::slice::from_ref(query)))
    });
    assert!(numbers(both).into_iter().zip(apart).all(|(a, b)| (a - b).abs() < 1e-5));
}

#[test]
fn too_many_waves_open_axes_and_direct_outputs_are_refused() {
    let refused = |modes: usize, periodic: bool, output: &str| {
        let problem = Problem {
            domain: Domain::unit(1, periodic).unwrap(),
            source_channels: 1,
            target_channels: 1,
            native: vec![8],
            times: Some([0.0, 1.0]),
            changes: Vec::new(),
            measured: Default::default(),
        };
        let config: TwinConfig = toml::from_str(&format!(
            "latent_points = 8\nlatent_channels = 2\noutput = '{output}'\nsemigroup = {{ modes = {modes} }}
            encoder = {{ kind = 'set_conv', hidden = 3 }}\nevolution = {{ kind = 'timed', width = 4 }}
            decoder = {{ hidden = 4 }}"
        ))
        .unwrap();
        Twin::new(&config, &problem, &Device::flex()).err().map(|error| error.to_string())
    };
    assert_eq!(refused(4, true, "gated"), None);
    assert!(refused(5, true, "gated").unwrap().contains("1 to 4"));
    assert!(refused(0, true, "gated").unwrap().contains("semigroup.modes"));
    assert!(refused(4, false, "residual").unwrap().contains("periodic"));
    assert!(refused(4, true, "direct").unwrap().contains("model.output"));
}
