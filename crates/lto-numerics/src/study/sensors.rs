//! Sensors placed and compared with other layouts, and the effect of failures and of one more sensor.

use super::judge::{Judge, TOLERANCE, Verdict};
use super::rival::{Compared, Rival};
use crate::design::PointDesign;
use crate::domain::Domain;
use crate::error::Result;
use crate::geometry::{FillDistance, fill_distance};
use crate::memory;
use crate::points::Points;
use crate::theory::plan::{
    Failures, Gap, PlaceGrid, Region, SensorObjective, SensorRequest, WorstPlace, complete, gaps, refine,
    spread,
};
use crate::theory::{Estimator, Regularity};
use serde::{Serialize, Serializer};

/// Number of gaps named.
const GAPS: usize = 3;
/// Most places at which failures are judged.
const FAILURE_PLACES: usize = 20_000;
/// Up to this many sensors, Halton and regular layouts are refined too; larger ones are taken as they are.
const REFINED: usize = 5000;

/// Bytes per sensor, with its eight or more places on two grids and the state kept about them.
const BYTES_A_SENSOR: u128 = 2048;

/// What a layout is to minimize, when each layout may have its own ℓ.
#[derive(Clone, Debug, PartialEq)]
pub enum StudyGoal {
    /// The largest distance from a place to its nearest sensor.
    FillDistance,
    /// The largest bound on the error of an estimate.
    Certificate {
        /// The estimator.
        estimator: Estimator,
        /// What is known about the states.
        regularity: Regularity,
        /// ℓ; if `None`, the best for each layout.
        length_scale: Option<f64>,
    },
}

/// A layout with what is known about it. The keys of its JSON are stable.
#[derive(Clone, Debug, Serialize)]
pub struct SensorStudy {
    /// The domain.
    pub domain: Domain,
    /// `fill_distance` or `certificate`.
    pub objective: &'static str,
    /// Number of existing sensors.
    pub n_existing: usize,
    /// Number of new sensors.
    pub n_new: usize,
    /// The estimator, for the certificate.
    pub estimator: Option<Estimator>,
    /// Its ℓ.
    pub length_scale: Option<f64>,
    /// What is known about the states, for the certificate.
    pub regularity: Option<Regularity>,
    /// δ of the layout.
    pub fill_distance: FillDistance,
    /// The objective after the greedy placement alone.
    pub greedy: f64,
    /// The starting layout: `greedy`, `halton` or `grid`.
    pub from: &'static str,
    /// The final objective, at the worst of the places.
    pub worst: WorstPlace,
    /// Number of places.
    pub n_places: usize,
    /// The layout's value, judged as its rivals are.
    pub judged: Verdict,
    /// Number of places for that, different from those above; `null` for fill distances, which are exact.
    pub n_judged_places: Option<usize>,
    /// Other layouts with the same number of sensors.
    pub comparison: Vec<Compared>,
    /// Regions to avoid that contain none of the places.
    pub idle_regions: Vec<String>,
    /// The cost of failures; `null` for a single sensor.
    pub failures: Option<Failures>,
    /// Where one more sensor helps most.
    pub gaps: Vec<Gap>,
    /// All sensors: the existing ones, then the new ones.
    #[serde(serialize_with = "rows")]
    pub sensors: Points,
    /// The places.
    #[serde(skip)]
    pub places: PlaceGrid,
    /// The objective at each of them.
    #[serde(skip)]
    pub values: Vec<f64>,
    /// The regions to avoid.
    #[serde(skip)]
    pub avoid: Vec<Region>,
}

impl SensorStudy {
    /// Steps of [`SensorStudy::new`], for showing progress.
    pub const STEPS: usize = 6;

    /// Places the sensors and studies the layout; `seed` is for the random layouts it is compared with.
    /// `progress` receives the number of steps done.
    ///
    /// # Errors
    /// As [`complete`], or more sensors than fit into memory.
    pub fn new(
        request: &SensorRequest<StudyGoal>,
        seed: u64,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Self> {
        let SensorRequest { domain, n_new, existing, avoid, .. } = *request;
        if !domain.is_flat() {
            for region in avoid {
                region.check(domain.dim())?;
            }
            let (flat, existing) = (domain.flat(), existing.map(Points::flat).transpose()?);
            let regions: Vec<Region> = avoid.iter().map(|region| region.flat(domain)).collect();
            let objective = request.objective.clone();
            let request = SensorRequest {
                domain: &flat,
                n_new,
                existing: existing.as_ref(),
                avoid: &regions,
                objective,
            };
            return Self::new(&request, seed, progress)?.placed(domain, avoid);
        }
        let n_existing = existing.map_or(0, Points::len);
        let n = n_existing.saturating_add(n_new);
        memory::require(&format!("a layout of {n} sensors"), n as u128 * BYTES_A_SENSOR)?;
        let places = PlaceGrid::new(domain, spread(n))?;
        let sensors = |objective| SensorRequest { domain, n_new, existing, avoid, objective };
        let covering = sensors(SensorObjective::FillDistance);
        let greedy = complete(&covering, &places, &[])?;
        let covered = refine(&covering, &places, greedy.clone())?.sensors;
        progress(1);
        let judge = Judge::new(&request.objective, domain, n)?;
        let rivals = Rival::all(request, seed, &judge)?;
        progress(2);
        // A layout that covers evenly is the start; the certificate may find a better one.
        let asked = sensors(judge.objective(&covered)?);
        let mut candidates = Vec::new();
        if asked.objective != SensorObjective::FillDistance {
            candidates.push(("greedy", refine(&asked, &places, covered.clone())?.sensors));
        }
        candidates.push(("greedy", covered));
        for rival in rivals.iter().filter(|rival| rival.design != PointDesign::Iid) {
            let Some(start) = rival.best().and_then(|new| complete(&asked, &places, new).ok()) else {
                continue;
            };
            if n <= REFINED {
                candidates.push((rival.design.name(), refine(&asked, &places, start.clone())?.sensors));
            }
            candidates.push((rival.design.name(), start));
        }
        progress(3);
        let (mut from, mut sensors) = candidates.remove(0);
        let mut judged = judge.verdict(&sensors)?;
        for (origin, candidate) in candidates {
            let verdict = judge.verdict(&candidate)?;
            if verdict.value < judged.value {
                (judged, from, sensors) = (verdict, origin, candidate);
            }
        }
        let objective = judge.objective(&sensors)?;
        let values = objective.values(&sensors, &places)?;
        progress(4);
        let coarse = PlaceGrid::new(domain, spread(n).min(FAILURE_PLACES))?;
        let failures = Failures::find(&objective, &sensors, &coarse)?;
        progress(5);
        let gaps = gaps(&objective, &sensors, &places, avoid, GAPS)?;
        let compared = |rival: &Rival| rival.compared(domain.dim(), judged.value);
        let (name, estimator, regularity) = match &request.objective {
            StudyGoal::FillDistance => ("fill_distance", None, None),
            StudyGoal::Certificate { estimator, regularity, .. } => {
                ("certificate", Some(*estimator), Some(regularity.clone()))
            }
        };
        let study = Self {
            domain: domain.clone(),
            objective: name,
            n_existing,
            n_new,
            estimator,
            length_scale: judged.length_scale,
            regularity,
            fill_distance: fill_distance(&sensors, TOLERANCE)?,
            greedy: objective.evaluate(&greedy, &places)?.value,
            from,
            worst: WorstPlace::of(&values, &places, domain.dim()),
            n_places: places.points().len(),
            judged,
            n_judged_places: judge.n_places(),
            comparison: rivals.iter().filter_map(compared).collect(),
            idle_regions: idle(avoid, &places).map(Region::to_string).collect(),
            failures,
            gaps,
            sensors,
            places,
            values,
            avoid: avoid.to_vec(),
        };
        progress(Self::STEPS);
        Ok(study)
    }
}

/// The regions that contain none of the places.
pub(super) fn idle<'a>(avoid: &'a [Region], places: &PlaceGrid) -> impl Iterator<Item = &'a Region> {
    let (points, domain) = (places.points().coordinates(), places.points().domain().clone());
    avoid.iter().filter(move |region| !points.chunks_exact(domain.dim()).any(|x| region.contains(&domain, x)))
}

/// Points as a list of their coordinates.
fn rows<S: Serializer>(points: &Points, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(points.coordinates().chunks_exact(points.dim()))
}
