//! The placement, and all that is said about it.

use super::comparison::{Compared, Rival};
use super::judge::{Judge, TOLERANCE, Verdict};
use crate::args::DesignArgs;
use crate::commands::failures::Failures;
use crate::progress::Progress;
use crate::usage::with_flag;
use anyhow::{Context, Result};
use lto_numerics::geometry::{FillDistance, fill_distance};
use lto_numerics::theory::plan::{
    Gap, PlaceGrid, SensorObjective, SensorRequest, WorstPlace, complete, gaps, refine, spread,
};
use lto_numerics::theory::{Estimator, Regularity};
use lto_numerics::{Domain, PointDesign, Points};
use serde::Serialize;

/// How many gaps are named.
const GAPS: usize = 3;
/// Places at which failures are judged, at most.
const FAILURES: usize = 20_000;
/// Up to so many sensors Halton and regular layouts are moved too, not only taken as they are.
const MOVED: usize = 5000;

/// A layout with what is known about it.
pub struct Study {
    /// All sensors: the existing ones, then the new ones.
    pub sensors: Points,
    /// Where it was judged.
    pub places: PlaceGrid,
    /// The objective at each of the places.
    pub values: Vec<f64>,
    /// For people and programs.
    pub summary: Summary,
}

/// What is told. The keys are stable.
#[derive(Serialize)]
pub struct Summary {
    /// Where.
    pub domain: Domain,
    /// `fill_distance` or `certificate`.
    pub objective: &'static str,
    /// Sensors that stood already.
    pub n_existing: usize,
    /// Sensors added.
    pub n_new: usize,
    /// The estimate and its ℓ, for the certificate.
    pub estimator: Option<Estimator>,
    /// See there.
    pub length_scale: Option<f64>,
    /// What the states satisfy, for the certificate.
    pub regularity: Option<Regularity>,
    /// δ of the layout, exactly.
    pub fill_distance: FillDistance,
    /// The objective after the first, greedy placement.
    pub greedy: f64,
    /// What the layout was made from: `greedy`, `halton` or `grid`.
    pub from: &'static str,
    /// The objective in the end and where it is worst, among the places.
    pub worst: WorstPlace,
    /// At how many places.
    pub n_places: usize,
    /// What the layout is worth, judged as the others are.
    pub judged: Verdict,
    /// At how many places, other than those above; `null` for fill distances, which are exact.
    pub n_judged_places: Option<usize>,
    /// Other layouts of as many sensors.
    pub comparison: Vec<Compared>,
    /// Regions to avoid that hold none of the places.
    pub idle_regions: Vec<String>,
    /// What failures cost; none of a single sensor.
    pub failures: Option<Failures>,
    /// Where one more sensor helps most.
    pub gaps: Vec<Gap>,
    /// Coordinates of all sensors, the new ones last.
    pub sensors: Vec<Vec<f64>>,
}

impl Study {
    /// Places the sensors and looks at the layout from all sides.
    ///
    /// # Errors
    /// No place for a sensor.
    pub fn make(
        args: &DesignArgs,
        domain: &Domain,
        existing: Option<&Points>,
        regularity: Option<Regularity>,
        quiet: bool,
    ) -> Result<Self> {
        let n_existing = existing.map_or(0, Points::len);
        let n = n_existing + args.n;
        let places = PlaceGrid::new(domain, spread(n))?;
        let mut progress = Progress::new("steps", 6, 0, quiet);
        let request =
            |objective| SensorRequest { domain, n_new: args.n, existing, avoid: &args.avoid, objective };
        let covering = request(SensorObjective::FillDistance);
        let greedy = complete(&covering, &places, &[]).map_err(with_flag)?;
        let plan = refine(&covering, &places, greedy.clone())?;
        progress.set(1);
        let judge = Judge::new(args, domain, n, regularity.as_ref())?;
        let rivals = Rival::all(args, domain, existing, &judge)?;
        progress.set(2);
        // A layout that covers evenly is the start; the certificate may find a better one.
        let asked = request(judge.objective(&plan.sensors)?);
        let mut candidates = match asked.objective {
            SensorObjective::FillDistance => vec![("greedy", plan.sensors)],
            SensorObjective::Certificate { .. } => {
                vec![
                    ("greedy", refine(&asked, &places, plan.sensors.clone())?.sensors),
                    ("greedy", plan.sensors),
                ]
            }
        };
        for rival in rivals.iter().filter(|rival| rival.design != PointDesign::Iid) {
            let Some(start) = rival.best().and_then(|new| complete(&asked, &places, new).ok()) else {
                continue;
            };
            if n <= MOVED {
                candidates.push((rival.design.name(), refine(&asked, &places, start.clone())?.sensors));
            }
            candidates.push((rival.design.name(), start));
        }
        progress.set(3);
        let judged =
            candidates.into_iter().map(|(from, sensors)| Ok((judge.verdict(&sensors)?, from, sensors)));
        let judged = judged.collect::<Result<Vec<_>>>()?;
        let best = judged.into_iter().min_by(|a, b| a.0.value.total_cmp(&b.0.value));
        let (judged, from, sensors) = best.context("no layout was found")?;
        let objective = judge.objective(&sensors)?;
        let values = objective.values(&sensors, &places)?;
        progress.set(4);
        let coarse = PlaceGrid::new(domain, spread(n).min(FAILURES))?;
        let failures = Failures::of(&objective, &sensors, &coarse)?;
        progress.set(5);
        let gaps = gaps(&objective, &sensors, &places, &args.avoid, GAPS)?;
        let delta = fill_distance(&sensors, TOLERANCE)?;
        progress.finish();
        let coordinates = sensors.coordinates();
        let held = |x: &[f64]| args.avoid.iter().map(|region| region.contains(domain, x)).collect::<Vec<_>>();
        let mut idle = vec![true; args.avoid.len()];
        for x in places.points().coordinates().chunks_exact(domain.dim()) {
            idle.iter_mut().zip(held(x)).for_each(|(idle, held)| *idle &= !held);
        }
        let idle_regions = args.avoid.iter().zip(idle).filter(|(_, idle)| *idle);
        let summary = Summary {
            domain: domain.clone(),
            objective: name(&objective),
            n_existing,
            n_new: args.n,
            estimator: estimate(&objective),
            length_scale: judged.length_scale,
            regularity: regularity.clone(),
            fill_distance: delta,
            greedy: objective.evaluate(&greedy, &places)?.value,
            from,
            worst: WorstPlace::of(&values, &places, domain.dim()),
            n_places: places.points().len(),
            judged,
            n_judged_places: judge.n_places(),
            comparison: rivals
                .iter()
                .filter_map(|rival| rival.compared(domain.dim(), judged.value))
                .collect(),
            idle_regions: idle_regions.map(|(region, _)| region.to_string()).collect(),
            failures,
            gaps,
            sensors: coordinates.chunks_exact(domain.dim()).map(<[f64]>::to_vec).collect(),
        };
        Ok(Self { sensors, places, values, summary })
    }

    /// The sensors as a table: coordinates, and 1 for the new ones.
    pub fn csv(&self) -> String {
        let names: Vec<&str> = self.summary.domain.axes().iter().map(|axis| axis.name.as_str()).collect();
        let mut text = names.join(",") + ",new\n";
        for (index, sensor) in self.summary.sensors.iter().enumerate() {
            let numbers: Vec<String> = sensor.iter().map(f64::to_string).collect();
            let new = u8::from(index >= self.summary.n_existing);
            text.push_str(&format!("{},{new}\n", numbers.join(",")));
        }
        text
    }
}

fn name(objective: &SensorObjective) -> &'static str {
    match objective {
        SensorObjective::FillDistance => "fill_distance",
        SensorObjective::Certificate { .. } => "certificate",
    }
}

fn estimate(objective: &SensorObjective) -> Option<Estimator> {
    match objective {
        SensorObjective::FillDistance => None,
        SensorObjective::Certificate { estimator, .. } => Some(*estimator),
    }
}
