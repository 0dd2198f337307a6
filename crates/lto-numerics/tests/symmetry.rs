//! The symmetries a PDE declares carry its solutions to solutions: moving then solving is solving then moving.

use lto_numerics::pde::advection::Advection;
use lto_numerics::pde::burgers::BurgersLaw;
use lto_numerics::pde::exact::HeatBump;
use lto_numerics::pde::heat::Heat;
use lto_numerics::pde::navier_stokes::NavierStokes;
use lto_numerics::pde::{
    AdvectionConfig, BurgersConfig, DarcyConfig, HeatConfig, NavierStokesConfig, PdeConfig, elliptic,
    finite_volume, sample_rng,
};
use lto_numerics::symmetry::{AxisMove, Isometry, Symmetry};
use lto_numerics::{Domain, Grid, Placement, Points};

fn declared(config: PdeConfig, domain: &Domain) -> &'static [Symmetry] {
    let families = config.symmetries();
    families.iter().for_each(|family| family.check(domain).unwrap());
    families
}

/// Values moved on a grid that the map carries onto itself.
fn moved(map: &Isometry, grid: &Grid, values: &[f64]) -> Vec<f64> {
    let (points, order) = map.apply(&Points::grid(grid.clone())).unwrap();
    let (a, b) = (points.coordinates(), Points::grid(grid.clone()).coordinates());
    assert!(
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12),
        "not a map of the grid onto itself: {map:?}"
    );
    order.iter().map(|&i| map.sign() * values[i]).collect()
}

/// Shifts to whole grid spacings, where values on a grid can be compared.
fn snap(mut map: Isometry, n: usize) -> Isometry {
    map.axes.iter_mut().for_each(|a| a.shift = (a.shift * n as f64).round() / n as f64);
    map
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn heat() {
    let config = HeatConfig { dim: 2, resolution: 24, n_frames: 3, ..Default::default() };
    let heat = Heat::new(&config).unwrap();
    let domain = Domain::unit(2, true).unwrap();
    let families = declared(PdeConfig::Heat(config), &domain);
    for seed in 0..20 {
        let mut rng = sample_rng(5, seed);
        let bumps = heat.draw(&mut rng);
        let map = Isometry::draw(families, &domain, &mut rng);
        let solution = heat.solve(&bumps).unwrap();
        let (points, order) = map.apply(&Points::grid(solution.grid().as_ref().clone())).unwrap();
        // The solution from moved bumps, in closed form and at the moved points: any shift, not only whole spacings.
        let moved: Vec<HeatBump> = bumps
            .iter()
            .map(|bump| {
                let center = Points::scattered(domain.clone(), bump.center.clone()).unwrap();
                let center = map.apply(&center).unwrap().0.coordinates();
                HeatBump { center, amplitude: map.sign() * bump.amplitude, ..bump.clone() }
            })
            .collect();
        let mut x = [0.0; 2];
        for (frame, &amount) in solution.times().iter().enumerate() {
            for (new, &old) in order.iter().enumerate() {
                points.write_point(new, &mut x);
                let exact: f64 = moved.iter().map(|b| b.value(&x, amount)).sum();
                let carried = map.sign() * solution.frame(frame)[old];
                assert!((carried - exact).abs() < 1e-9, "{map:?}");
            }
        }
    }
}

#[test]
fn burgers_and_advection() {
    let n = 64;
    let domain = Domain::unit(1, true).unwrap();
    let grid = Grid::cubic(domain.clone(), n, Placement::Center).unwrap();
    let initial: Vec<f64> =
        grid.coordinates(0).iter().map(|x| 0.3 + (6.3 * x).sin() + (x * 7.0 + 0.2).cos().powi(3)).collect();
    let families = declared(PdeConfig::Burgers(BurgersConfig::default()), &domain);
    let law = BurgersLaw { diffusivity: 1e-3 };
    let solve = |u: &[f64]| finite_volume::solve(&law, u, 1.0 / n as f64, &[0.0, 0.3]).unwrap()[n..].to_vec();
    for seed in 0..10 {
        let map = snap(Isometry::draw(families, &domain, &mut sample_rng(6, seed)), n);
        let difference =
            largest_difference(&solve(&moved(&map, &grid, &initial)), &moved(&map, &grid, &solve(&initial)));
        assert!(difference < 1e-10, "{map:?}: {difference}");
    }
    // A mirror alone is none: the test can tell.
    let mirror = Isometry { axes: vec![AxisMove { from: 0, mirrored: true, shift: 0.0 }], negated: false };
    let wrong = largest_difference(
        &solve(&moved(&mirror, &grid, &initial)),
        &moved(&mirror, &grid, &solve(&initial)),
    );
    assert!(wrong > 0.1);

    let config = AdvectionConfig { resolution: n, n_frames: 2, ..Default::default() };
    let advection = Advection::new(&config).unwrap();
    let families = declared(PdeConfig::Advection(config), &domain);
    let bump = |x: f64| (std::f64::consts::TAU * x).sin().exp();
    for seed in 0..10 {
        let map = snap(Isometry::draw(families, &domain, &mut sample_rng(7, seed)), n);
        let shifted = advection.solve(|x| map.sign() * bump(x - map.axes[0].shift)).unwrap();
        let plain = advection.solve(bump).unwrap();
        assert!(largest_difference(shifted.frame(1), &moved(&map, &grid, plain.frame(1))) < 1e-12);
    }
}

#[test]
fn navier_stokes() {
    let n = 32;
    let config = NavierStokesConfig {
        solve_resolution: n,
        resolutions: vec![n],
        n_frames: 1,
        t_end: 2.0,
        viscosity: 1e-3,
        forcing: 2.0,
        ..Default::default()
    };
    let flow = NavierStokes::new(&config).unwrap();
    let domain = Domain::unit(2, true).unwrap();
    let families = declared(PdeConfig::NavierStokes(config), &domain);
    let grid = Grid::cubic(domain.clone(), n, Placement::Left).unwrap();
    let initial = flow.draw(&mut sample_rng(8, 0));
    let solve = |w: &[f64]| flow.solve(w).unwrap()[0].frame(0).to_vec();
    let solution = solve(&initial);
    let error = |map: &Isometry| {
        largest_difference(&solve(&moved(map, &grid, &initial)), &moved(map, &grid, &solution))
    };
    for seed in 0..8 {
        let map = snap(Isometry::draw(families, &domain, &mut sample_rng(9, seed)), n);
        assert!(error(&map) < 1e-9, "{map:?}: {}", error(&map));
    }
    // What holds without the forcing, or with the wrong sign, does not hold here.
    let mut shift = Isometry::identity(2);
    shift.axes[0].shift = 0.25;
    let swap = |shift, negated| Isometry {
        axes: vec![
            AxisMove { from: 1, mirrored: false, shift },
            AxisMove { from: 0, mirrored: false, shift: 0.0 },
        ],
        negated,
    };
    for map in [shift, swap(0.0, true), swap(0.0, false), swap(0.5, false)] {
        assert!(error(&map) > 1e-2, "{map:?}");
    }
}

#[test]
fn darcy() {
    let n = 17;
    let domain = Domain::unit(2, false).unwrap();
    let families = declared(PdeConfig::Darcy(DarcyConfig::default()), &domain);
    let grid = Grid::cubic(domain.clone(), n, Placement::Vertex).unwrap();
    let coefficient: Vec<f64> =
        (0..n * n).map(|i| if (i * i + 3 * i) % 7 < 3 { 12.0 } else { 3.0 }).collect();
    let solve = |a: &[f64]| elliptic::solve(n, a, &vec![1.0; n * n]).unwrap();
    for seed in 0..8 {
        let map = Isometry::draw(families, &domain, &mut sample_rng(10, seed));
        let difference = largest_difference(
            &solve(&moved(&map, &grid, &coefficient)),
            &moved(&map, &grid, &solve(&coefficient)),
        );
        assert!(difference < 1e-9, "{map:?}: {difference}");
    }
}
