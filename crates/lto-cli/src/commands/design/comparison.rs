//! Other layouts of as many sensors.

use crate::args::DesignArgs;
use anyhow::Result;
use lto_numerics::geometry::fill_distance;
use lto_numerics::pde::sample_rng;
use lto_numerics::theory::plan::{Objective, Places};
use lto_numerics::{Design, Domain, Points};
use serde::Serialize;

/// Random layouts that are drawn of each kind.
const LAYOUTS: u64 = 5;
/// Relative accuracy of fill distances.
pub const TOLERANCE: f64 = 1e-3;
/// Draws are repeated with twice as many points until enough lie outside the regions to avoid, up to so many times.
const DOUBLINGS: u32 = 6;

/// A kind of layout beside ours.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// How it is made.
    pub design: &'static str,
    /// New sensors; a grid may have fewer.
    pub n_new: usize,
    /// How many were drawn.
    pub n_layouts: usize,
    /// The mean objective; fill distances are exact to a thousandth, not only at the places.
    pub value: f64,
    /// The least and the largest of those drawn.
    pub range: [f64; 2],
    /// By what part ours is smaller.
    pub gain: f64,
}

/// The objective of a layout: the fill distance exactly, the certificate at the places.
///
/// # Errors
/// Places in another domain.
pub fn judge(objective: &Objective, sensors: &Points, places: &Places) -> Result<f64> {
    Ok(match objective {
        Objective::FillDistance => fill_distance(sensors, TOLERANCE)?.upper,
        Objective::Certificate { .. } => objective.evaluate(sensors, places)?.value,
    })
}

/// Random, Halton and regular layouts, with the same existing sensors and regions to avoid.
///
/// # Errors
/// Places in another domain.
pub fn compare(
    args: &DesignArgs,
    domain: &Domain,
    existing: Option<&Points>,
    objective: &Objective,
    places: &Places,
    ours: &Points,
) -> Result<Vec<Compared>> {
    let ours = judge(objective, ours, places)?;
    let mut found = Vec::new();
    for (design, layouts) in [(Design::Iid, LAYOUTS), (Design::Halton, LAYOUTS), (Design::Grid, 1)] {
        let mut values = Vec::new();
        let mut n_new = 0;
        for layout in 0..layouts {
            let drawn = match design {
                Design::Grid => regular(args, domain),
                _ => drawn(args, domain, design, layout),
            };
            let Some(new) = drawn else { continue };
            n_new = new.len() / domain.dim();
            let mut coordinates = existing.map(Points::coordinates).unwrap_or_default();
            coordinates.extend(new);
            // One may fall onto an existing sensor; then there is no such layout.
            let Ok(sensors) = Points::scattered(domain.clone(), coordinates) else { continue };
            values.push(judge(objective, &sensors, places)?);
        }
        if values.is_empty() {
            continue;
        }
        let value = values.iter().sum::<f64>() / values.len() as f64;
        let range = values.iter().fold([f64::INFINITY, 0.0], |[a, b], &v| [f64::min(a, v), f64::max(b, v)]);
        let name = if design == Design::Iid { "random" } else { design.name() };
        let (n_layouts, gain) = (values.len(), 1.0 - ours / value);
        found.push(Compared { design: name, n_new, n_layouts, value, range, gain });
    }
    Ok(found)
}

fn allowed<'a>(args: &'a DesignArgs, domain: &'a Domain) -> impl Fn(&&[f64]) -> bool + use<'a> {
    move |x| !args.avoid.iter().any(|region| region.contains(domain, x))
}

/// The first n of a design that lie outside the regions to avoid; `None` where they fill the domain.
fn drawn(args: &DesignArgs, domain: &Domain, design: Design, layout: u64) -> Option<Vec<f64>> {
    let wanted = args.n * domain.dim();
    for doubling in 0..DOUBLINGS {
        let n = args.n.saturating_mul(1 << doubling);
        let points = design.points(domain, n, &mut sample_rng(args.seed, layout)).ok()?.coordinates();
        let outside = points.chunks_exact(domain.dim()).filter(allowed(args, domain));
        let kept: Vec<f64> = outside.flatten().copied().take(wanted).collect();
        if kept.len() == wanted {
            return Some(kept);
        }
    }
    None
}

/// The largest regular grid of at most n points, without those in regions to avoid.
fn regular(args: &DesignArgs, domain: &Domain) -> Option<Vec<f64>> {
    let mut rng = sample_rng(0, 0);
    let grid = (1..=args.n).rev().find_map(|n| Design::Grid.points(domain, n, &mut rng).ok())?;
    let coordinates = grid.coordinates();
    let kept: Vec<f64> =
        coordinates.chunks_exact(domain.dim()).filter(allowed(args, domain)).flatten().copied().collect();
    Some(kept).filter(|kept| !kept.is_empty())
}
