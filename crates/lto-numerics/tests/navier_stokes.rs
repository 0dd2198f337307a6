//! The vorticity solver against closed forms, conservation laws and independent implementations.

use lto_numerics::pde::navier_stokes::{NavierStokes, Stepper, Stepping, VorticitySolver};
use lto_numerics::pde::random_field::periodic_gaussian_field;
use lto_numerics::pde::{NavierStokesConfig, Pde, sample_rng};
use lto_numerics::{Error, Sample};
use std::f64::consts::{PI, TAU};

/// Runge–Kutta with a fixed step.
fn fixed(time_step: f64) -> Stepping {
    Stepping { stepper: Stepper::RungeKutta4, time_step, courant: f64::INFINITY }
}

/// A function of (x, y) on the n × n grid.
fn on_grid(n: usize, f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    (0..n * n).map(|i| f((i / n) as f64 / n as f64, (i % n) as f64 / n as f64)).collect()
}

/// A smooth random vorticity of unit order, the same on every grid.
fn smooth_random(n: usize, index: u64) -> Vec<f64> {
    periodic_gaussian_field(n, |k2| 3.0 * (-0.3 * k2).exp(), &mut sample_rng(17, index))
}

/// The state at `t`.
fn solve(n: usize, viscosity: f64, forcing: &[f64], stepping: Stepping, initial: &[f64], t: f64) -> Vec<f64> {
    let solver = VorticitySolver::new(n, viscosity, forcing, stepping).unwrap();
    let mut end = Vec::new();
    solver.solve(initial, &[t], |frame| end = frame.to_vec()).unwrap();
    end
}

fn relative_error(got: &[f64], expected: &[f64]) -> f64 {
    let square = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>();
    let difference = square(&mut got.iter().zip(expected).map(|(a, b)| a - b));
    (difference / square(&mut expected.iter().copied())).sqrt()
}

/// Sums of waves of one length are steady in shape, though each pair of them interacts: u·∇ω = 0 in total.
#[test]
fn vortices_of_one_wavelength_decay_exactly() {
    let waves = [(5.0, 0.0, 0.7, 0.3), (0.0, 5.0, -1.1, 1.9), (3.0, 4.0, 0.9, 4.0), (-4.0, 3.0, 1.3, 2.2)];
    let (n, viscosity, t) = (32, 1e-3, 1.0);
    let state = |t: f64| {
        let decay = (-viscosity * TAU * TAU * 25.0 * t).exp();
        on_grid(n, |x, y| {
            waves.iter().map(|(kx, ky, a, p)| decay * a * (TAU * (kx * x + ky * y) + p).cos()).sum()
        })
    };
    let zero = vec![0.0; n * n];
    let end = solve(n, viscosity, &zero, fixed(0.01), &state(0.0), t);
    assert!(relative_error(&end, &state(t)) < 1e-12, "{}", relative_error(&end, &state(t)));
    // Taylor–Green itself, on a grid that is no power of two.
    let vortex = |n: usize, t: f64| {
        on_grid(n, |x, y| (-viscosity * TAU * TAU * 2.0 * t).exp() * (TAU * x).sin() * (TAU * y).sin())
    };
    let end = solve(30, viscosity, &[0.0; 900], fixed(0.02), &vortex(30, 0.0), 3.0);
    assert!(relative_error(&end, &vortex(30, 3.0)) < 1e-12);
}

/// ψ = Σ A cos(2πk·x + φ) with waves of several lengths, and what follows from it by hand.
struct Stream([(f64, f64, f64, f64); 3]);

impl Stream {
    const MIXED: Stream = Stream([(1.0, 0.0, 0.05, 0.4), (1.0, 2.0, -0.02, 1.0), (2.0, -1.0, 0.01, 2.5)]);

    /// Σ A (2π|k|)^{2p} · (∂ of order (a, b), a + b ≤ 1, of cos).
    fn sum(&self, x: f64, y: f64, p: i32, derivative: Option<usize>) -> f64 {
        let term = |&(kx, ky, amplitude, phase): &(f64, f64, f64, f64)| {
            let angle = TAU * (kx * x + ky * y) + phase;
            let wave = match derivative {
                None => angle.cos(),
                Some(axis) => -TAU * [kx, ky][axis] * angle.sin(),
            };
            amplitude * (TAU * TAU * (kx * kx + ky * ky)).powi(p) * wave
        };
        self.0.iter().map(term).sum()
    }

    fn vorticity(&self, x: f64, y: f64) -> f64 {
        self.sum(x, y, 1, None)
    }

    /// u·∇ω with u = (∂_yψ, −∂_xψ).
    fn advection(&self, x: f64, y: f64) -> f64 {
        let (u, v) = (self.sum(x, y, 0, Some(1)), -self.sum(x, y, 0, Some(0)));
        u * self.sum(x, y, 1, Some(0)) + v * self.sum(x, y, 1, Some(1))
    }
}

#[test]
fn the_forcing_that_balances_a_flow_holds_it_still() {
    let (n, viscosity) = (24, 2e-3);
    let flow = Stream::MIXED;
    let state = on_grid(n, |x, y| flow.vorticity(x, y));
    // f = u·∇ω − νΔω.
    let forcing = on_grid(n, |x, y| flow.advection(x, y) + viscosity * flow.sum(x, y, 2, None));
    let end = solve(n, viscosity, &forcing, fixed(0.01), &state, 1.0);
    assert!(relative_error(&end, &state) < 1e-8, "{}", relative_error(&end, &state));
    // The balance is one of advection: with its sign turned the flow is far away by then.
    let wrong = on_grid(n, |x, y| -flow.advection(x, y) + viscosity * flow.sum(x, y, 2, None));
    assert!(relative_error(&solve(n, viscosity, &wrong, fixed(0.01), &state, 1.0), &state) > 0.1);
}

#[test]
fn vorticity_is_carried_along_the_stream() {
    let (n, dt) = (32, 1e-4);
    let flow = Stream::MIXED;
    let state = on_grid(n, |x, y| flow.vorticity(x, y));
    let after = solve(n, 0.0, &vec![0.0; n * n], fixed(dt), &state, dt);
    // u and ∇ω by differences of ψ and ω, independent of every transform.
    let psi = |x: f64, y: f64| flow.sum(x, y, 0, None);
    let h = 1e-4;
    let rate = on_grid(n, |x, y| {
        let (u, v) =
            ((psi(x, y + h) - psi(x, y - h)) / (2.0 * h), -(psi(x + h, y) - psi(x - h, y)) / (2.0 * h));
        let along_x = flow.vorticity(x + h, y) - flow.vorticity(x - h, y);
        let along_y = flow.vorticity(x, y + h) - flow.vorticity(x, y - h);
        -(u * along_x + v * along_y) / (2.0 * h)
    });
    let measured: Vec<f64> = after.iter().zip(&state).map(|(a, b)| (a - b) / dt).collect();
    assert!(relative_error(&measured, &rate) < 2e-3, "{}", relative_error(&measured, &rate));
}

/// The Galerkin system written out: d ω̂_k/dt = Σ_{p+q=k} (p × q)/|p|² ω̂_p ω̂_q − ν(2π|k|)² ω̂_k + f̂_k, no transform.
struct Galerkin {
    cutoff: i64,
    viscosity: f64,
    forcing: Vec<(f64, f64)>,
}

impl Galerkin {
    fn waves(&self) -> impl Iterator<Item = (i64, i64)> + use<> {
        let c = self.cutoff;
        (-c..=c).flat_map(move |kx| (-c..=c).map(move |ky| (kx, ky)))
    }

    fn modes(&self, values: &[f64], n: usize) -> Vec<(f64, f64)> {
        let mode = |(kx, ky): (i64, i64)| {
            let phase = |i: usize| TAU * (kx * (i / n) as i64 + ky * (i % n) as i64) as f64 / n as f64;
            let sum =
                |f: fn(f64) -> f64| values.iter().enumerate().map(|(i, w)| w * f(phase(i))).sum::<f64>();
            (sum(f64::cos) / (n * n) as f64, -sum(f64::sin) / (n * n) as f64)
        };
        self.waves().map(mode).collect()
    }

    fn rate(&self, w: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let (c, width) = (self.cutoff, 2 * self.cutoff + 1);
        let at = |k: (i64, i64)| w[((k.0 + c) * width + k.1 + c) as usize];
        let rate = |(i, k): (usize, (i64, i64))| {
            let damping = self.viscosity * TAU * TAU * (k.0 * k.0 + k.1 * k.1) as f64;
            let (mut re, mut im) =
                (self.forcing[i].0 - damping * w[i].0, self.forcing[i].1 - damping * w[i].1);
            for p in self.waves().filter(|&p| p != (0, 0)) {
                let q = (k.0 - p.0, k.1 - p.1);
                if q.0.abs() <= c && q.1.abs() <= c {
                    // û_p·(2πi q) ω̂_q with û_p = 2πi (p_y, −p_x) ω̂_p / (2π|p|)².
                    let cross = (p.1 * q.0 - p.0 * q.1) as f64 / (p.0 * p.0 + p.1 * p.1) as f64;
                    let (a, b) = (at(p), at(q));
                    re += cross * (a.0 * b.0 - a.1 * b.1);
                    im += cross * (a.0 * b.1 + a.1 * b.0);
                }
            }
            (re, im)
        };
        self.waves().enumerate().map(rate).collect()
    }

    /// One step of Kutta's 3/8 rule, a fourth-order scheme that shares no coefficients with the solver's.
    fn step(&self, w: &[(f64, f64)], dt: f64) -> Vec<(f64, f64)> {
        let combine = |terms: &[(f64, &[(f64, f64)])]| -> Vec<(f64, f64)> {
            let add = |i: usize| {
                terms.iter().fold(w[i], |s, (c, k)| (s.0 + dt * c * k[i].0, s.1 + dt * c * k[i].1))
            };
            (0..w.len()).map(add).collect()
        };
        let k1 = self.rate(w);
        let k2 = self.rate(&combine(&[(1.0 / 3.0, &k1)]));
        let k3 = self.rate(&combine(&[(-1.0 / 3.0, &k1), (1.0, &k2)]));
        let k4 = self.rate(&combine(&[(1.0, &k1), (-1.0, &k2), (1.0, &k3)]));
        combine(&[(0.125, &k1), (0.375, &k2), (0.375, &k3), (0.125, &k4)])
    }
}

#[test]
fn transforms_give_the_galerkin_sums() {
    let (n, viscosity, t, n_steps) = (16, 5e-4, 0.5, 800);
    let initial = smooth_random(n, 1);
    let forcing = on_grid(n, |x, y| 0.8 * (TAU * (x + y)).sin() - 0.5 * (TAU * (2.0 * x - y)).cos());
    let mut galerkin = Galerkin { cutoff: 5, viscosity, forcing: Vec::new() };
    galerkin.forcing = galerkin.modes(&forcing, n);
    let mut modes = galerkin.modes(&initial, n);
    for _ in 0..n_steps {
        modes = galerkin.step(&modes, t / n_steps as f64);
    }
    let expected = on_grid(n, |x, y| {
        let value = |((kx, ky), (re, im)): ((i64, i64), &(f64, f64))| {
            let angle = TAU * (kx as f64 * x + ky as f64 * y);
            re * angle.cos() - im * angle.sin()
        };
        galerkin.waves().zip(&modes).map(value).sum()
    });
    let got = solve(n, viscosity, &forcing, fixed(0.0005), &initial, t);
    assert!(relative_error(&expected, &initial) > 0.5, "the flow must have moved");
    assert!(relative_error(&got, &expected) < 1e-8, "{}", relative_error(&got, &expected));
}

/// `data/navier_stokes_euler.json` is what `bench/peers/navier_stokes.py fixture` prints.
#[derive(serde::Deserialize)]
struct Published {
    n: usize,
    viscosity: f64,
    forcing: f64,
    time_step: f64,
    t: f64,
    initial: Vec<f64>,
    #[serde(rename = "final")]
    end: Vec<f64>,
    limit: Vec<f64>,
}

#[test]
fn the_published_scheme_is_that_of_the_public_data() {
    let run: Published = serde_json::from_str(include_str!("data/navier_stokes_euler.json")).unwrap();
    let forcing = on_grid(run.n, |x, y| run.forcing * ((TAU * (x + y)).sin() + (TAU * (x + y)).cos()));
    let stepper = Stepper::EulerCrankNicolson;
    let stepping = Stepping { stepper, time_step: run.time_step, courant: f64::INFINITY };
    let end = solve(run.n, run.viscosity, &forcing, stepping, &run.initial, run.t);
    assert!(relative_error(&run.end, &run.initial) > 0.5, "the flow must have moved");
    assert!(relative_error(&end, &run.end) < 1e-11, "{}", relative_error(&end, &run.end));
    // The higher order is at the limit to which shorter and shorter steps of Euler's scheme tend.
    let end = solve(run.n, run.viscosity, &forcing, fixed(run.time_step), &run.initial, run.t);
    assert!(relative_error(&end, &run.limit) < 1e-7, "{}", relative_error(&end, &run.limit));
}

#[test]
fn steppers_have_their_order() {
    let (n, viscosity) = (32, 1e-3);
    let initial = smooth_random(n, 2);
    let forcing = on_grid(n, |x, y| (TAU * (x + y)).sin());
    let reference = solve(n, viscosity, &forcing, fixed(1.0 / 512.0), &initial, 1.0);
    for stepper in Stepper::ALL {
        let coarsest = match stepper {
            Stepper::RungeKutta4 => 1.0 / 32.0,
            Stepper::EulerCrankNicolson => 1.0 / 512.0,
        };
        let error = |time_step: f64| {
            let stepping = Stepping { stepper, time_step, courant: f64::INFINITY };
            relative_error(&solve(n, viscosity, &forcing, stepping, &initial, 1.0), &reference)
        };
        let slope = (error(coarsest) / error(coarsest / 4.0)).log2() / 2.0;
        assert!((slope - f64::from(stepper.order())).abs() < 0.15, "{stepper:?}: order {slope}");
    }
}

#[test]
fn refinement_in_space_converges_faster_than_any_power() {
    let t = 0.5;
    let state =
        |n: usize| on_grid(n, |x, y| (TAU * x).sin().exp() * (TAU * y).cos() + (TAU * (x + 2.0 * y)).sin());
    let end = |n: usize| solve(n, 1e-3, &vec![0.0; n * n], fixed(0.01), &state(n), t);
    let reference = end(96);
    let errors: Vec<f64> = [12, 24, 48]
        .iter()
        .map(|&n| {
            let stride = 96 / n;
            let same_places: Vec<f64> =
                (0..n * n).map(|i| reference[(i / n) * stride * 96 + (i % n) * stride]).collect();
            relative_error(&end(n), &same_places)
        })
        .collect();
    let slopes = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
    assert!(slopes[0] > 4.0 && slopes[1] > 1.6 * slopes[0], "errors {errors:?}, slopes {slopes:?}");
}

/// Energy ½⟨|u|²⟩ and enstrophy ½⟨ω²⟩ of a vorticity on the grid, by sums over its modes.
fn invariants(values: &[f64], n: usize) -> (f64, f64) {
    let galerkin = Galerkin { cutoff: (n as i64 - 1) / 3, viscosity: 0.0, forcing: Vec::new() };
    let modes = galerkin.modes(values, n);
    let add = |(energy, enstrophy): (f64, f64), ((kx, ky), (re, im)): ((i64, i64), &(f64, f64))| {
        let (half, k2) = (0.5 * (re * re + im * im), (kx * kx + ky * ky).max(1) as f64);
        (energy + half / (4.0 * PI * PI * k2), enstrophy + half)
    };
    galerkin.waves().zip(&modes).fold((0.0, 0.0), add)
}

#[test]
fn flows_without_viscosity_keep_energy_and_enstrophy() {
    let n = 24;
    let initial = smooth_random(n, 3);
    let drift = |time_step: f64| {
        let end = solve(n, 0.0, &vec![0.0; n * n], fixed(time_step), &initial, 2.0);
        let (before, after) = (invariants(&initial, n), invariants(&end, n));
        assert!(relative_error(&end, &initial) > 0.5, "the flow must have moved");
        [(after.0 / before.0 - 1.0).abs(), (after.1 / before.1 - 1.0).abs()]
    };
    let (coarse, fine) = (drift(0.01), drift(0.0025));
    for (invariant, (coarse, fine)) in ["energy", "enstrophy"].iter().zip(coarse.into_iter().zip(fine)) {
        assert!(fine < 1e-8, "{invariant} drifts by {fine}");
        // What is lost, Runge–Kutta loses: one order beyond its own.
        assert!(coarse / fine > 4f64.powf(4.5), "{invariant}: {coarse} → {fine}");
    }
}

/// Default steps against ten times finer ones, with the growth of a tiny disturbance for scale.
#[test]
fn default_steps_are_accurate_to_the_last_frame() {
    let config =
        NavierStokesConfig { solve_resolution: 32, resolutions: vec![32], n_frames: 4, ..Default::default() };
    let finer = NavierStokesConfig {
        time_step: config.time_step / 10.0,
        courant: config.courant / 10.0,
        ..config.clone()
    };
    let (pde, fine) = (NavierStokes::new(&config).unwrap(), NavierStokes::new(&finer).unwrap());
    let initial = pde.draw(&mut sample_rng(1, 1));
    let disturbed: Vec<f64> =
        initial.iter().enumerate().map(|(i, w)| w + 1e-10 * ((i % 7) as f64 - 3.0)).collect();
    let (coarse, reference, moved) = (
        &pde.solve(&initial).unwrap()[0],
        &fine.solve(&initial).unwrap()[0],
        &pde.solve(&disturbed).unwrap()[0],
    );
    for frame in 0..4 {
        let error = relative_error(coarse.frame(frame), reference.frame(frame));
        assert!(error < 2e-4, "frame {frame}: {error}");
        let growth = relative_error(moved.frame(frame), coarse.frame(frame)) / 1e-9;
        assert!(
            growth < 1e4,
            "frame {frame}: a disturbance grew {growth} times; the bound above means nothing"
        );
    }
}

#[test]
fn saved_grids_are_points_of_one_solution() {
    let config = NavierStokesConfig {
        solve_resolution: 48,
        resolutions: vec![12, 24, 48],
        n_frames: 2,
        t_end: 3.0,
        ..Default::default()
    };
    let pde = NavierStokes::new(&config).unwrap();
    assert_eq!(pde.times(), [1.5, 3.0]);
    let samples = pde.sample(&mut sample_rng(4, 0)).unwrap();
    let values = |sample: &Sample| match sample {
        Sample::Evolution(trajectory) => trajectory.frame(1).to_vec(),
        Sample::Steady { .. } => panic!("a flow has times"),
    };
    let finest = values(&samples[2]);
    for (sample, n) in samples.iter().zip([12, 24, 48]) {
        let stride = 48 / n;
        let expected: Vec<f64> =
            (0..n * n).map(|i| finest[(i / n) * stride * 48 + (i % n) * stride]).collect();
        assert_eq!(values(sample), expected);
        assert_eq!(sample.grid().coordinates(1)[1], 1.0 / n as f64);
    }
}

#[test]
fn the_same_seed_gives_the_same_flow_at_every_solve_resolution() {
    let flow = |solve_resolution: usize| {
        let config = NavierStokesConfig {
            solve_resolution,
            resolutions: vec![32],
            n_frames: 1,
            t_end: 1.0,
            ..Default::default()
        };
        let pde = NavierStokes::new(&config).unwrap();
        pde.solve(&pde.draw(&mut sample_rng(9, 9))).unwrap()[0].frame(0).to_vec()
    };
    let error = relative_error(&flow(32), &flow(64));
    assert!(error < 0.05, "{error}");
}

#[test]
fn flows_that_blow_up_are_errors() {
    let config = NavierStokesConfig {
        solve_resolution: 16,
        resolutions: vec![16],
        forcing: 50.0,
        stepper: Stepper::EulerCrankNicolson,
        time_step: 0.5,
        courant: f64::INFINITY,
        ..Default::default()
    };
    let sample =
        |config: &NavierStokesConfig| NavierStokes::new(config).unwrap().sample(&mut sample_rng(0, 0));
    assert!(matches!(sample(&config), Err(Error::Diverged { .. })));
    let endless = NavierStokesConfig { forcing: 1e200, courant: 0.6, ..config };
    assert!(matches!(sample(&endless), Err(Error::Diverged { .. })));
}

#[test]
fn parameters_out_of_range_are_named() {
    let good = NavierStokesConfig::default();
    for (config, name) in [
        (NavierStokesConfig { solve_resolution: 3, ..good.clone() }, "solve_resolution"),
        (NavierStokesConfig { solve_resolution: usize::MAX, ..good.clone() }, "solve_resolution"),
        (NavierStokesConfig { resolutions: vec![0, 64], ..good.clone() }, "resolutions"),
        (NavierStokesConfig { resolutions: vec![64, 96], ..good.clone() }, "resolutions"),
        (NavierStokesConfig { resolutions: vec![128, 64], ..good.clone() }, "resolutions"),
        (NavierStokesConfig { n_frames: 0, ..good.clone() }, "n_frames"),
        (NavierStokesConfig { t_end: f64::INFINITY, ..good.clone() }, "t_end"),
        (NavierStokesConfig { viscosity: -1.0, ..good.clone() }, "viscosity"),
        (NavierStokesConfig { forcing: f64::NAN, ..good.clone() }, "forcing"),
        (NavierStokesConfig { time_step: 0.0, ..good.clone() }, "time_step"),
        (NavierStokesConfig { courant: f64::NAN, ..good }, "courant"),
    ] {
        let message = NavierStokes::new(&config).err().unwrap().to_string();
        assert!(message.starts_with(name), "{message}");
    }
}
