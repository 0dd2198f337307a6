//! Other layouts of as many sensors.

use super::judge::Judge;
use crate::args::DesignArgs;
use anyhow::Result;
use lto_numerics::pde::sample_rng;
use lto_numerics::{Domain, PointDesign, Points};
use serde::Serialize;

/// Random layouts that are drawn of each kind.
const LAYOUTS: u64 = 5;
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
    /// The mean of what they are worth.
    pub value: f64,
    /// The least and the largest of those drawn.
    pub range: [f64; 2],
    /// By what part ours is smaller.
    pub gain: f64,
}

/// The layouts of one kind.
pub struct Rival {
    /// How they are made.
    pub design: PointDesign,
    /// The new sensors of each, and what the layout is worth.
    layouts: Vec<(Vec<f64>, f64)>,
}

impl Rival {
    /// Random, Halton and regular layouts, with the same existing sensors and regions to avoid.
    ///
    /// # Errors
    /// Sensors in another domain.
    pub fn all(
        args: &DesignArgs,
        domain: &Domain,
        existing: Option<&Points>,
        judge: &Judge,
    ) -> Result<Vec<Self>> {
        let mut rivals = Vec::new();
        for (design, layouts) in
            [(PointDesign::Iid, LAYOUTS), (PointDesign::Halton, LAYOUTS), (PointDesign::Grid, 1)]
        {
            let mut judged = Vec::new();
            for layout in 0..layouts {
                let drawn = match design {
                    PointDesign::Grid => regular(args, domain),
                    _ => drawn(args, domain, design, layout),
                };
                let Some(new) = drawn else { continue };
                let mut coordinates = existing.map(Points::coordinates).unwrap_or_default();
                coordinates.extend_from_slice(&new);
                // One may fall onto an existing sensor; then there is no such layout.
                let Ok(sensors) = Points::scattered(domain.clone(), coordinates) else { continue };
                judged.push((new, judge.verdict(&sensors)?.value));
            }
            rivals.push(Self { design, layouts: judged });
        }
        Ok(rivals)
    }

    /// The new sensors of the best of them, if there is any.
    pub fn best(&self) -> Option<&[f64]> {
        let best = self.layouts.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(new, _)| new.as_slice())
    }

    /// Beside ours, in numbers; `None` where none could be drawn.
    pub fn compared(&self, dim: usize, ours: f64) -> Option<Compared> {
        let (new, _) = self.layouts.first()?;
        let values = || self.layouts.iter().map(|(_, value)| *value);
        let value = values().sum::<f64>() / self.layouts.len() as f64;
        Some(Compared {
            design: if self.design == PointDesign::Iid { "random" } else { self.design.name() },
            n_new: new.len() / dim,
            n_layouts: self.layouts.len(),
            value,
            range: [values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max)],
            gain: 1.0 - ours / value,
        })
    }
}

fn allowed<'a>(args: &'a DesignArgs, domain: &'a Domain) -> impl Fn(&&[f64]) -> bool + use<'a> {
    move |x| !args.avoid.iter().any(|region| region.contains(domain, x))
}

/// The first n of a design that lie outside the regions to avoid; `None` where they fill the domain.
fn drawn(args: &DesignArgs, domain: &Domain, design: PointDesign, layout: u64) -> Option<Vec<f64>> {
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
    let grid = (1..=args.n).rev().find_map(|n| PointDesign::Grid.points(domain, n, &mut rng).ok())?;
    let coordinates = grid.coordinates();
    let kept: Vec<f64> =
        coordinates.chunks_exact(domain.dim()).filter(allowed(args, domain)).flatten().copied().collect();
    Some(kept).filter(|kept| !kept.is_empty())
}
