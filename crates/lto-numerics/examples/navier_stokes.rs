//! Speed and accuracy of the Navier–Stokes solver.
//!
//! `cargo run --release --example navier_stokes -- speed [SECONDS]` prints trajectories a minute and, given the
//! seconds another program takes for a unit of time of one trajectory, the ratio to it.
//! `… -- error` prints, against time, the error of the default steps, how far a disturbance of 1e-10 has grown, and
//! the distance to the solution on a grid twice as fine.

use lto_numerics::pde::navier_stokes::{NavierStokes, Stepper};
use lto_numerics::pde::{NavierStokesConfig, sample_rng};
use lto_numerics::{Result, Trajectory};
use rayon::prelude::*;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("speed") => print_speed(arguments.get(1).map(|s| s.parse()).transpose()?)?,
        Some("error") => print_errors()?,
        _ => return Err("say `speed [SECONDS]` or `error`".into()),
    }
    Ok(())
}

fn print_speed(peer: Option<f64>) -> Result<()> {
    let at =
        |n: usize| NavierStokesConfig { solve_resolution: n, resolutions: vec![64, n], ..Default::default() };
    let published = NavierStokesConfig {
        stepper: Stepper::EulerCrankNicolson,
        time_step: 1e-4,
        n_frames: 1,
        t_end: 0.02,
        ..at(256)
    };
    println!("{} threads, one trajectory each; best of three", rayon::current_num_threads());
    println!("{:<44}{:>14}{:>20}{:>10}", "solver", "trajectories", "s per unit time", "ratio");
    println!("{:<44}{:>14}{:>20}{:>10}", "", "a minute", "and trajectory", "to peer");
    let row = |name: &str, seconds: f64| {
        let ratio = peer.map(|peer| format!("{:.1}", peer / seconds)).unwrap_or_default();
        println!("{name:<44}{:>14.2}{seconds:>20.4}{ratio:>10}", 60.0 / (20.0 * seconds));
    };
    if let Some(peer) = peer {
        row("peer: 256², Euler, Δt = 1e-4", peer);
    }
    row("256², Euler, Δt = 1e-4", seconds_per_unit_time(&published)?);
    row("256², Runge–Kutta, default steps (default)", seconds_per_unit_time(&at(256))?);
    row("128², Runge–Kutta, default steps", seconds_per_unit_time(&at(128))?);
    Ok(())
}

/// Wall-clock seconds for a unit of time of one trajectory when every thread makes one.
fn seconds_per_unit_time(config: &NavierStokesConfig) -> Result<f64> {
    let pde = NavierStokes::new(config)?;
    let n_threads = rayon::current_num_threads() as u64;
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        (0..n_threads)
            .into_par_iter()
            .try_for_each(|i| pde.solve(&pde.draw(&mut sample_rng(0, i))).map(drop))?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best / (n_threads as f64 * config.t_end))
}

fn print_errors() -> Result<()> {
    let default = NavierStokesConfig { solve_resolution: 128, resolutions: vec![128], ..Default::default() };
    let fine_steps = NavierStokesConfig {
        time_step: default.time_step / 10.0,
        courant: default.courant / 10.0,
        ..default.clone()
    };
    let fine_grid = NavierStokesConfig { solve_resolution: 256, ..default.clone() };
    let [default, fine_steps, fine_grid] =
        [default, fine_steps, fine_grid].map(|config| NavierStokes::new(&config));
    let (default, fine_steps, fine_grid) = (default?, fine_steps?, fine_grid?);
    let rows: Vec<_> = (0..4u64)
        .into_par_iter()
        .map(|index| {
            let initial = default.draw(&mut sample_rng(0, index));
            let noise = default.draw(&mut sample_rng(1, index));
            let size = 1e-10 * norm(&initial) / norm(&noise);
            let disturbed: Vec<f64> = initial.iter().zip(&noise).map(|(w, d)| w + size * d).collect();
            let solution = &default.solve(&initial)?[0];
            Ok([
                errors(solution, &fine_steps.solve(&initial)?[0]),
                errors(&default.solve(&disturbed)?[0], solution),
                errors(solution, &fine_grid.solve(&fine_grid.draw(&mut sample_rng(0, index)))?[0]),
            ])
        })
        .collect::<Result<_>>()?;
    println!("relative L2, four random flows at 128², Δt at most 0.02 and 0.6 grid spacings");
    let titles = ["steps ÷ 10", "1e-10 disturbed", "grid 256²"];
    println!("{:>4}{}", "t", titles.map(|title| format!("{title:>40}")).concat());
    for frame in [0, 1, 2, 4, 6, 9, 12, 14, 16, 17, 18, 19] {
        print!("{:>4}", frame + 1);
        for column in 0..titles.len() {
            let values: Vec<String> = rows.iter().map(|row| format!("{:.1e}", row[column][frame])).collect();
            print!("{:>40}", values.join(" "));
        }
        println!();
    }
    Ok(())
}

/// Relative L2 distance of each frame.
fn errors(a: &Trajectory, b: &Trajectory) -> Vec<f64> {
    let distance = |i: usize| {
        let difference: Vec<f64> = a.frame(i).iter().zip(b.frame(i)).map(|(a, b)| a - b).collect();
        norm(&difference) / norm(b.frame(i))
    };
    (0..a.times().len()).map(distance).collect()
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}
