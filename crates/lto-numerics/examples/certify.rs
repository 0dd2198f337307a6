//! How far certificates lie above true errors, as a table: `cargo run --release -p lto-numerics --example certify [N …]`.
//!
//! A wave of range 2 on the periodic unit square; each bound at its own best ℓ, over the true error with that ℓ.

use lto_numerics::theory::plan::PlaceGrid;
use lto_numerics::theory::{Certificate, Estimator, Supremum, TrialField, discretization_error};
use lto_numerics::{Domain, PointDesign, Points, Result, SetConv};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn main() -> Result<()> {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|n| n.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![64, 256, 1024, 4096] } else { sizes };
    println!(
        "| design | N | theorem | Lipschitz form | Nadaraya–Watson, weights | … everywhere | local linear, weights | … everywhere |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for design in [PointDesign::Grid, PointDesign::Jittered, PointDesign::Halton, PointDesign::Iid] {
        for &n in &sizes {
            println!("{}", row(design, n)?);
        }
    }
    Ok(())
}

fn row(design: PointDesign, n: usize) -> Result<String> {
    let domain = Domain::unit(2, true)?;
    let wave = TrialField::wave(&domain, 1.0, 1);
    let places = PlaceGrid::new(&domain, 8000)?;
    let points = design.points(&domain, n, &mut ChaCha8Rng::seed_from_u64(1))?;
    let regularity = wave.regularity(&domain)?;
    let certificate = Certificate::new(&points, regularity.clone())?;
    let error = |estimator: Estimator, points: &Points, ell: f64| {
        let states = [|x: &[f64]| wave.value(x)];
        discretization_error(estimator, &SetConv::new(ell)?, points, places.points(), &states)
    };
    let cell = |bound: f64, error: f64| format!("{bound:.3} / {error:.4} = {:.1}", bound / error);
    let mark = if certificate.is_certain() { "" } else { " (est.)" };
    let from_fill = |found: Option<(f64, f64)>| -> Result<String> {
        let Some((ell, bound)) = found else { return Ok("–".into()) };
        Ok(cell(bound, error(Estimator::NadarayaWatson, &points, ell)?) + mark)
    };
    let theorem = certificate.best_theorem_bound()?.map(|b| (b.length_scale, b.bound));
    let lipschitz = certificate.best_lipschitz_bound()?.map(|b| (b.length_scale, b.bound));
    let mut cells = vec![design.name().into(), n.to_string(), from_fill(theorem)?, from_fill(lipschitz)?];
    for estimator in Estimator::ALL {
        let tuned = certificate.tuned(&points, estimator, places.points())?;
        let ell = tuned.length_scale;
        let truth = error(estimator, &points, ell)?;
        cells.push(cell(tuned.local.worst().1.bound, truth));
        let everywhere = Supremum::find(&SetConv::new(ell)?, estimator, &points, &regularity, 0.1)?.upper;
        cells.push(everywhere.map_or("–".into(), |upper| format!("{upper:.3} = {:.1}", upper / truth)));
    }
    Ok(format!("| {} |", cells.join(" | ")))
}
