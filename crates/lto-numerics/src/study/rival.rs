//! Other layouts with the same number of sensors, for comparison.

use super::judge::Judge;
use super::sensors::StudyGoal;
use crate::design::PointDesign;
use crate::error::Result;
use crate::pde::sample_rng;
use crate::points::Points;
use crate::theory::plan::SensorRequest;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

type Request<'a> = SensorRequest<'a, StudyGoal>;

/// Layouts drawn per random kind.
const LAYOUTS: u64 = 5;
/// How often the number of points drawn is doubled until enough lie outside the regions to avoid.
const DOUBLINGS: u32 = 6;

/// How layouts of one kind compare with ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// `random`, `halton` or `grid`.
    pub design: &'static str,
    /// Number of new sensors; a grid may have fewer.
    pub n_new: usize,
    /// Number of layouts drawn.
    pub n_layouts: usize,
    /// Their mean value.
    pub value: f64,
    /// Their smallest and largest value.
    pub range: [f64; 2],
    /// 1 − our value / their mean.
    pub gain: f64,
}

/// The layouts of one kind.
pub(super) struct Rival {
    /// The kind.
    pub design: PointDesign,
    /// The new sensors of each layout, and the verdict on it.
    layouts: Vec<(Vec<f64>, f64)>,
}

impl Rival {
    /// Random, Halton and regular layouts, with the same existing sensors and regions to avoid.
    pub fn all(request: &Request, seed: u64, judge: &Judge) -> Result<Vec<Self>> {
        let of = |(design, n_layouts): (PointDesign, u64)| {
            let mut layouts = Vec::new();
            for layout in 0..n_layouts {
                let drawn = match design {
                    PointDesign::Grid => regular(request),
                    _ => drawn(request, design, sample_rng(seed, layout)),
                };
                let Some(new) = drawn else { continue };
                let mut coordinates = request.existing.map(Points::coordinates).unwrap_or_default();
                coordinates.extend_from_slice(&new);
                // A drawn point may coincide with an existing sensor.
                let Ok(sensors) = Points::scattered(request.domain.clone(), coordinates) else { continue };
                layouts.push((new, judge.verdict(&sensors)?.value));
            }
            Ok(Self { design, layouts })
        };
        [(PointDesign::Iid, LAYOUTS), (PointDesign::Halton, LAYOUTS), (PointDesign::Grid, 1)]
            .into_iter()
            .map(of)
            .collect()
    }

    /// The new sensors of the best layout, if any.
    pub fn best(&self) -> Option<&[f64]> {
        let best = self.layouts.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(new, _)| new.as_slice())
    }

    /// The comparison with ours; `None` if none could be drawn.
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

/// The first n points of a design outside the regions to avoid; `None` if these fill the domain.
fn drawn(request: &Request, design: PointDesign, rng: ChaCha8Rng) -> Option<Vec<f64>> {
    let wanted = request.n_new * request.domain.dim();
    (0..DOUBLINGS).find_map(|doubling| {
        let n = request.n_new.saturating_mul(1 << doubling);
        let points = design.points(request.domain, n, &mut rng.clone()).ok()?;
        let mut kept = free(request, &points);
        kept.truncate(wanted);
        (kept.len() == wanted).then_some(kept)
    })
}

/// The largest regular grid of at most n points, without those in regions to avoid.
fn regular(request: &Request) -> Option<Vec<f64>> {
    let mut rng = sample_rng(0, 0);
    let grid =
        (1..=request.n_new).rev().find_map(|n| PointDesign::Grid.points(request.domain, n, &mut rng).ok())?;
    Some(free(request, &grid)).filter(|kept| !kept.is_empty())
}

/// The coordinates of the points outside the regions to avoid.
fn free(request: &Request, points: &Points) -> Vec<f64> {
    let coordinates = points.coordinates();
    let kept = |x: &&[f64]| !request.avoid.iter().any(|region| region.contains(request.domain, x));
    coordinates.chunks_exact(request.domain.dim()).filter(kept).flatten().copied().collect()
}
