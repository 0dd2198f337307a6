//! All that is found out about a layout.

use crate::commands::failures::Failures;
use crate::commands::states::Estimated;
use crate::progress::Progress;
use anyhow::Result;
use lto_numerics::theory::plan::{Gap, PlaceGrid, SensorObjective, gaps, spread};
use lto_numerics::theory::{
    Certificate, Estimator, LipschitzBound, LocalBounds, Regularity, Supremum, TheoremBound,
};
use lto_numerics::{Domain, Points, SetConv};
use serde::Serialize;

/// How many gaps are filled, one after the other.
const GAPS: usize = 5;
/// Places for each sensor at which ℓ is chosen and failures are judged, and how many at least and at most.
const TUNING: (usize, usize, usize) = (8, 2000, 20_000);
/// Places at which the bounds over ℓ are taken, at most.
const SCALE_PLACES: usize = 4000;
/// Kernels wider than so many fill distances are left out where there are more than so many sensors: they see far more
/// sensors than they need, and take too long.
const WIDE: (f64, usize) = (4.0, 300);
/// How far the search for the supremum may stay above the largest found.
const TOLERANCE: f64 = 0.1;
/// Values of ℓ at which the bounds are shown.
const SCALES: usize = 25;

/// A certified layout.
pub struct Analysis {
    /// The sensors.
    pub sensors: Points,
    /// Where the local bounds were taken.
    pub places: PlaceGrid,
    /// The local bounds at each place, for each estimator.
    pub maps: Vec<Vec<f64>>,
    /// For people and programs.
    pub summary: Summary,
}

/// What is told. The keys are stable.
#[derive(Serialize)]
pub struct Summary {
    /// The sensors' domain.
    pub domain: Domain,
    /// N, δ, the assumptions of the theorem and what is known about the states.
    pub certificate: Certificate,
    /// Whether nothing rests on estimates from data.
    pub certain: bool,
    /// Where the knowledge about the states comes from, if from data.
    pub data: Option<Estimated>,
    /// The paper's theorem, for Nadaraya–Watson: at the ℓ asked for, or its ℓ*.
    pub theorem: Option<TheoremBound>,
    /// Our sharper form of it.
    pub lipschitz: Option<LipschitzBound>,
    /// Whether these two hold for sure: they also need a partition into equal volumes.
    pub fill_distance_bounds_certain: bool,
    /// Bounds from the actual weights, for each estimator.
    pub weights: Vec<Weights>,
    /// At how many places the local bounds were taken.
    pub n_places: usize,
    /// Whether ℓ was chosen here: for each estimate the widest whose largest bound is about the least.
    pub length_scale_chosen: bool,
    /// At how many places ℓ was chosen and failures were judged.
    pub n_tuning_places: usize,
    /// What failures cost, by the bound of the local linear estimate; none of a single sensor.
    pub failures: Option<Failures>,
    /// Where one more sensor helps most, by the same bound.
    pub gaps: Vec<Gap>,
    /// The bounds over ℓ.
    pub scales: Vec<AtScale>,
}

/// The bound from actual weights of one estimator.
#[derive(Clone, Serialize)]
pub struct Weights {
    /// The estimator.
    pub estimator: Estimator,
    /// ℓ: asked for, or chosen.
    pub length_scale: f64,
    /// ε in the denominator of the signal.
    pub density_floor: f64,
    /// See [`Certificate::relative_loss`].
    #[serde(skip)]
    pub relative_loss: f64,
    /// The largest local bound at the places.
    pub bound: f64,
    /// The place where it is found.
    pub at: Vec<f64>,
    /// The median over the places.
    pub median: f64,
    /// Rigorous everywhere, between the places too; `null` where the search did not come to an end.
    pub everywhere: Option<f64>,
    /// The largest Lebesgue constant at the places: by how much errors of the sensors are amplified at most.
    pub lebesgue: f64,
    /// At how many places the sensors determine no affine function.
    pub n_fallbacks: usize,
}

/// Bounds at one ℓ.
#[derive(Serialize)]
pub struct AtScale {
    /// ℓ.
    pub length_scale: f64,
    /// The theorem's.
    pub theorem: Option<f64>,
    /// The largest local bound of the Nadaraya–Watson estimate; not asked for where it would take too long.
    pub nadaraya_watson: Option<f64>,
    /// The largest local bound of the local linear estimate, likewise.
    pub local_linear: Option<f64>,
}

impl Analysis {
    /// Everything about a layout, for the set convolution of an encoder; without one ℓ is chosen for each estimate.
    ///
    /// # Errors
    /// None for sound sensors and bounds.
    pub fn make(
        setconv: Option<SetConv>,
        sensors: &Points,
        regularity: Regularity,
        data: Option<Estimated>,
        quiet: bool,
    ) -> Result<Self> {
        let mut progress = Progress::new("steps", 6, 0, quiet);
        let (domain, n) = (sensors.domain(), sensors.len());
        let places = PlaceGrid::new(domain, spread(n))?;
        let (each, least, most) = TUNING;
        let coarse = PlaceGrid::new(domain, n.saturating_mul(each).clamp(least, most))?;
        let certificate = Certificate::new(sensors, regularity)?;
        progress.set(1);
        let (theorem, lipschitz) = match &setconv {
            Some(setconv) => (certificate.theorem_bound(setconv), certificate.lipschitz_bound(setconv)),
            None => (certificate.best_theorem_bound()?, certificate.best_lipschitz_bound()?),
        };
        let (mut weights, mut maps) = (Vec::new(), Vec::new());
        for estimator in Estimator::ALL {
            let used = match setconv {
                Some(setconv) => setconv,
                None => SetConv::new(certificate.tuned(sensors, estimator, coarse.points())?.length_scale)?,
            };
            let (found, map) = of_weights(&certificate, sensors, estimator, used, &places)?;
            weights.push(found);
            maps.push(map);
            progress.set(1 + weights.len());
        }
        let ell = weights.last().map_or(certificate.fill_distance.upper, |found| found.length_scale);
        let any = match setconv {
            Some(setconv) => setconv,
            None => SetConv::new(ell)?,
        };
        let objective = SensorObjective::Certificate {
            setconv: any,
            estimator: Estimator::LocalLinear,
            regularity: certificate.regularity.clone(),
        };
        let failures = Failures::of(&objective, sensors, &coarse)?;
        progress.set(4);
        let gaps = gaps(&objective, sensors, &places, &[], GAPS)?;
        progress.set(5);
        let scales = scales(&certificate, sensors, any)?;
        progress.finish();
        let summary = Summary {
            domain: domain.clone(),
            certain: data.is_none(),
            data,
            theorem,
            lipschitz,
            fill_distance_bounds_certain: certificate.is_certain(),
            weights,
            n_places: places.points().len(),
            length_scale_chosen: setconv.is_none(),
            n_tuning_places: coarse.points().len(),
            failures,
            gaps,
            scales,
            certificate,
        };
        Ok(Self { sensors: sensors.clone(), places, maps, summary })
    }
}

/// The bounds from the weights at the places and everywhere, and the map of them.
fn of_weights(
    certificate: &Certificate,
    sensors: &Points,
    estimator: Estimator,
    setconv: SetConv,
    places: &PlaceGrid,
) -> Result<(Weights, Vec<f64>)> {
    let regularity = &certificate.regularity;
    let local = LocalBounds::new(&setconv, estimator, sensors, regularity, places.points())?;
    let supremum = Supremum::find(&setconv, estimator, sensors, regularity, TOLERANCE)?;
    let map: Vec<f64> = local.bounds.iter().map(|at| at.bound).collect();
    let (index, worst) = local.worst();
    let mut at = vec![0.0; sensors.dim()];
    places.points().write_point(index, &mut at);
    // The search may have found a worse place than the grid has.
    let (bound, at) =
        if supremum.lower > worst.bound { (supremum.lower, supremum.at) } else { (worst.bound, at) };
    let mut sorted = map.clone();
    sorted.sort_by(f64::total_cmp);
    let weights = Weights {
        estimator,
        length_scale: setconv.kernel().length_scale(),
        density_floor: setconv.density_floor(),
        relative_loss: certificate.relative_loss(&setconv),
        bound,
        at,
        median: sorted.get(sorted.len() / 2).copied().unwrap_or(bound),
        everywhere: supremum.upper.map(|upper| upper.max(bound)),
        lebesgue: local.bounds.iter().map(|at| at.lebesgue).fold(1.0, f64::max),
        n_fallbacks: local.n_fallbacks,
    };
    Ok((weights, map))
}

fn scales(certificate: &Certificate, sensors: &Points, setconv: SetConv) -> Result<Vec<AtScale>> {
    let places = PlaceGrid::new(sensors.domain(), sensors.len().saturating_mul(8).clamp(1000, SCALE_PLACES))?;
    let delta = certificate.fill_distance.upper;
    let (lower, upper) = (0.15 * delta, (0.5 * sensors.domain().diameter()).max(3.0 * delta));
    let at = |number: usize| {
        let length_scale = lower * (upper / lower).powf(number as f64 / (SCALES - 1) as f64);
        let setconv = setconv.with_length_scale(length_scale)?;
        let wide = length_scale > WIDE.0 * delta && sensors.len() > WIDE.1;
        let largest = |estimator| -> Result<Option<f64>> {
            if wide {
                return Ok(None);
            }
            let bounds =
                LocalBounds::new(&setconv, estimator, sensors, &certificate.regularity, places.points())?;
            Ok(Some(bounds.worst().1.bound))
        };
        let nadaraya_watson = largest(Estimator::NadarayaWatson)?;
        let local_linear = largest(Estimator::LocalLinear)?;
        let theorem = certificate.theorem_bound(&setconv).map(|bound| bound.bound);
        Ok(AtScale { length_scale, theorem, nadaraya_watson, local_linear })
    };
    (0..SCALES).map(at).collect()
}
