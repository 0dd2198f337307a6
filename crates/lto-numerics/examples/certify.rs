//! How far certificates lie above true errors: `cargo run --release -p lto-numerics --example certify [N]`.

use lto_numerics::theory::plan::Places;
use lto_numerics::theory::{Certificate, Estimator, LocalBounds, TrialField, discretization_error};
use lto_numerics::{Design, Domain, Result, SetConv};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

fn main() -> Result<()> {
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1024);
    let domain = Domain::unit(2, true)?;
    let wave = TrialField::wave(&domain, 1.0, 1);
    let states = [|x: &[f64]| wave.value(x)];
    let places = Places::grid(&domain, 4000)?;
    println!("a wave of range 2 on the periodic unit square, {n} points");
    for design in [Design::Grid, Design::Jittered, Design::Halton, Design::Iid] {
        let points = design.points(&domain, n, &mut ChaCha8Rng::seed_from_u64(1))?;
        let regularity = wave.regularity(&domain)?;
        let certificate = Certificate::new(&points, regularity.clone())?;
        println!("{}: fill distance {:.4}", design.name(), certificate.fill_distance.upper);
        let certain = if certificate.is_certain() { "" } else { " (estimate: unequal cells)" };
        if let Some(theorem) = certificate.best_theorem_bound()? {
            let (ell, constant) = (theorem.length_scale, theorem.constant);
            println!("  theorem: {:.3} at ℓ* = {ell:.3}, C = {constant:.2}{certain}", theorem.bound);
        }
        if let Some(lipschitz) = certificate.best_lipschitz_bound()? {
            println!(
                "  Lipschitz form: {:.3} at ℓ = {:.3}{certain}",
                lipschitz.bound, lipschitz.length_scale
            );
        }
        for estimator in Estimator::ALL {
            let tuned = certificate.tuned(&points, estimator, places.points())?;
            let (bound, setconv) = (tuned.local.worst().1.bound, SetConv::new(tuned.length_scale)?);
            let error = discretization_error(estimator, &setconv, &points, places.points(), &states)?;
            let (ell, ratio) = (tuned.length_scale, bound / error);
            println!(
                "  {}: {bound:.4} from weights at ℓ = {ell:.4}, true error {error:.4}: {ratio:.1} times",
                estimator.name()
            );
            let start = Instant::now();
            LocalBounds::new(&setconv, estimator, &points, &regularity, places.points())?;
            println!("    {} places in {:.1?}", places.points().len(), start.elapsed());
        }
    }
    Ok(())
}
