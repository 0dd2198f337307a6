//! Burgers against a reference solution made by others: −sin πx steepening into a standing shock. The state is odd,
//! so the problem with zero ends that the file solves is the periodic one on [−1, 1].

use lto_numerics::Sample;
use lto_numerics::dataset::{Dataset, OpenOptions};
use lto_numerics::pde::burgers::BurgersLaw;
use lto_numerics::pde::finite_volume::solve;
use std::f64::consts::PI;

#[path = "common/shared.rs"]
mod shared;

#[test]
fn the_published_shock_is_met() {
    let Some(path) = shared::shared("burgers_shock.mat") else { return };
    let mut dataset = Dataset::open(&path, &OpenOptions::default()).unwrap();
    let sample = dataset.read(0..1).unwrap().remove(0);
    let Sample::Evolution(reference) = sample else { panic!("a trajectory was expected") };
    let (x, times) = (reference.grid().coordinates(0).to_vec(), reference.times().to_vec());
    assert_eq!((x.len(), times.len()), (256, 100));

    // Eight cells between two points of the reference, which then lie on faces.
    let cells_between = 8;
    let n = cells_between * (x.len() - 1);
    let h = 2.0 / n as f64;
    let initial: Vec<f64> = (0..n).map(|i| -(PI * (-1.0 + (i as f64 + 0.5) * h)).sin()).collect();
    let solved = solve(&BurgersLaw { diffusivity: 0.01 / PI }, &initial, h, &times).unwrap();
    let (mut error, mut norm) = (0.0, 0.0);
    for (index, cells) in solved.chunks(n).enumerate() {
        for (i, exact) in reference.frame(index).iter().enumerate() {
            let face = i * cells_between;
            let u = 0.5 * (cells[(face + n - 1) % n] + cells[face % n]);
            error += (u - exact).powi(2);
            norm += exact * exact;
        }
    }
    let relative = f64::sqrt(error / norm);
    eprintln!("relative L2 over all times: {relative:.2e}");
    assert!(relative < 2e-3, "{relative}");
}
