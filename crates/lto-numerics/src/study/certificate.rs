//! The certificate of a sensor layout and everything that goes with it: bounds at every place and every ℓ,
//! the cost of failures, and where one more sensor helps most.

use super::EstimatedRegularity;
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::points::Points;
use crate::setconv::SetConv;
use crate::theory::plan::{Failures, Gap, PlaceGrid, SensorObjective, gaps, spread};
use crate::theory::{
    Certificate, Estimator, LipschitzBound, LocalBounds, LocalNoise, Regularity, Supremum, TheoremBound,
};
use serde::Serialize;

/// Number of gaps filled, one after the other.
const GAPS: usize = 5;
/// Places per sensor at which ℓ is chosen and failures are judged, with the fewest and the most overall.
const TUNING: (usize, usize, usize) = (8, 2000, 20_000);
/// The same for the bounds over ℓ.
const SCALE_PLACES: (usize, usize, usize) = (8, 1000, 4000);
/// A kernel wider than this many fill distances sees far more sensors than it needs, which takes too long if
/// there are more than this many.
const WIDE: (f64, usize) = (4.0, 300);
/// Relative gap at which the search for the supremum stops.
const TOLERANCE: f64 = 0.1;
/// Number of ℓ at which the bounds are computed.
const SCALES: usize = 25;

/// A certified layout. The keys of its JSON are stable.
#[derive(Clone, Debug, Serialize)]
pub struct SensorCertificate {
    /// The domain.
    pub domain: Domain,
    /// N, δ, the assumptions of the theorem and what is known about the states.
    pub certificate: Certificate,
    /// Whether nothing rests on estimates from data.
    pub certain: bool,
    /// The data from which the states' regularity was estimated, if any.
    pub data: Option<EstimatedRegularity>,
    /// The paper's theorem, for Nadaraya–Watson: at the given ℓ, else at its ℓ*.
    pub theorem: Option<TheoremBound>,
    /// The sharper Lipschitz form.
    pub lipschitz: Option<LipschitzBound>,
    /// Whether these two are certain: they also need a partition into equal volumes.
    pub fill_distance_bounds_certain: bool,
    /// Bounds from the actual weights, for each estimator; for local linear alone if nothing bounds the range of the states.
    pub weights: Vec<WeightBound>,
    /// Number of places of the local bounds.
    pub n_places: usize,
    /// Whether ℓ was chosen here: for each estimator, the widest whose largest bound is about the least.
    pub length_scale_chosen: bool,
    /// Number of places at which ℓ was chosen and failures were judged.
    pub n_tuning_places: usize,
    /// The cost of failures, by the bound of the local linear estimate; `null` for a single sensor.
    pub failures: Option<Failures>,
    /// Where one more sensor helps most, by the same bound.
    pub gaps: Vec<Gap>,
    /// The bounds over ℓ.
    pub scales: Vec<BoundsAtScale>,
    /// The sensors.
    #[serde(skip)]
    pub sensors: Points,
    /// The places.
    #[serde(skip)]
    pub places: PlaceGrid,
    /// The local bounds at the places, for each of `weights`.
    #[serde(skip)]
    pub maps: Vec<Vec<f64>>,
}

/// The bound from the actual weights of one estimator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WeightBound {
    /// The estimator.
    pub estimator: Estimator,
    /// ℓ, given or chosen.
    pub length_scale: f64,
    /// ε in the denominator of the signal.
    pub density_floor: f64,
    /// See [`Certificate::relative_loss`]; the largest at the places if that is more.
    #[serde(skip)]
    pub relative_loss: f64,
    /// The largest local bound found.
    pub bound: f64,
    /// Where that bound is.
    pub at: Vec<f64>,
    /// The median over the places.
    pub median: f64,
    /// Rigorous everywhere, including between the places; `null` if the search did not finish.
    pub everywhere: Option<f64>,
    /// The largest Lebesgue constant at the places: how much sensor errors are amplified at most.
    pub lebesgue: f64,
    /// Number of places where the sensors do not determine an affine function.
    pub n_fallbacks: usize,
    /// What noise of the sensors adds, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<NoiseTerm>,
}

/// What noise of the sensors adds to the bound of one estimator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoiseTerm {
    /// The most that the bound grows at the places, if no reading is off by more than its deviation: the largest Σ |w_j| σ_j.
    pub worst: f64,
    /// The same everywhere, also between the places; `null` where it is known at the places only.
    pub everywhere: Option<f64>,
    /// The largest standard deviation at the places, √(Σ w_j² σ_j²), of independent noise.
    pub deviation: f64,
    /// The median over the places of that deviation.
    pub median: f64,
    /// The largest sum of bound and worst noise at the places.
    pub bound: f64,
}

/// The largest bounds at one ℓ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoundsAtScale {
    /// ℓ.
    pub length_scale: f64,
    /// The theorem's bound.
    pub theorem: Option<f64>,
    /// The bound of the Nadaraya–Watson estimate; `null` if it would take too long, or if there is none.
    pub nadaraya_watson: Option<f64>,
    /// The bound of the local linear estimate, likewise.
    pub local_linear: Option<f64>,
}

impl SensorCertificate {
    /// Steps of [`SensorCertificate::new`], for showing progress.
    pub const STEPS: usize = 6;

    /// Certifies `sensors` for states within `regularity`; `data` names what that was estimated from, if
    /// anything, per unit of distance: on the Earth a degree of a great circle. ℓ is chosen for each estimator unless a set convolution is given. `progress` receives the
    /// number of steps done.
    ///
    /// # Errors
    /// Sensors that determine no affine function somewhere, if nothing bounds the range of the states.
    pub fn new(
        sensors: Points,
        regularity: Regularity,
        data: Option<EstimatedRegularity>,
        setconv: Option<SetConv>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Self> {
        if !sensors.domain().is_flat() {
            return Self::new(sensors.flat()?, regularity, data, setconv, progress)?.placed(sensors);
        }
        let domain = sensors.domain();
        let places = PlaceGrid::new(domain, spread(sensors.len()))?;
        let coarse = some_places(&sensors, TUNING)?;
        let certificate = Certificate::new(&sensors, regularity)?;
        progress(1);
        let (theorem, lipschitz) = match &setconv {
            Some(setconv) => (certificate.theorem_bound(setconv), certificate.lipschitz_bound(setconv)),
            None => (certificate.best_theorem_bound()?, certificate.best_lipschitz_bound()?),
        };
        let chosen = |estimator| match setconv {
            Some(setconv) => Ok(setconv),
            None => SetConv::new(certificate.tuned(&sensors, estimator, coarse.points())?.length_scale),
        };
        let linear = chosen(Estimator::LocalLinear)?;
        let mut bounded = vec![(Estimator::LocalLinear, linear)];
        if certificate.regularity.bounds_range() {
            bounded.insert(0, (Estimator::NadarayaWatson, chosen(Estimator::NadarayaWatson)?));
        }
        let (mut weights, mut maps) = (Vec::new(), Vec::new());
        for (estimator, setconv) in &bounded {
            let (found, map) = WeightBound::find(&certificate, &sensors, *estimator, setconv, &places)?;
            if !found.bound.is_finite() {
                return Err(Error::Unbounded { at: found.at });
            }
            weights.push(found);
            maps.push(map);
            progress(1 + weights.len());
        }
        let objective = SensorObjective::Certificate {
            setconv: linear,
            estimator: Estimator::LocalLinear,
            regularity: certificate.regularity.clone(),
        };
        let failures = Failures::find(&objective, &sensors, &coarse)?;
        progress(4);
        let gaps = gaps(&objective, &sensors, &places, &[], GAPS)?;
        progress(5);
        let scales = BoundsAtScale::all(&certificate, &sensors, linear)?;
        progress(Self::STEPS);
        Ok(Self {
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
            sensors,
            places,
            maps,
        })
    }
}

impl SensorCertificate {
    /// The same with what noise adds, given the standard deviation of each sensor's.
    ///
    /// # Errors
    /// Not one deviation for each sensor, or one that is negative or not finite.
    pub fn with_noise(mut self, deviations: &[f64]) -> Result<Self> {
        if let Some(index) = deviations.iter().position(|s| !(*s >= 0.0 && s.is_finite())) {
            let (what, value) = ("deviations of the sensors".into(), deviations[index]);
            return Err(Error::NonFiniteValue { what, index: vec![index], value });
        }
        let (sensors, places) = (self.sensors.flat()?, self.places.points().flat()?);
        let most = deviations.iter().fold(0.0, |a: f64, &b| a.max(b));
        for (found, map) in self.weights.iter_mut().zip(&self.maps) {
            let setconv = SetConv::new(found.length_scale)?.with_density_floor(found.density_floor)?;
            let noise = LocalNoise::at(&setconv, found.estimator, &sensors, deviations, &places)?;
            let largest = |of: &dyn Fn(usize) -> f64| (0..noise.len()).map(of).fold(0.0, f64::max);
            let mut sorted: Vec<f64> = noise.iter().map(|at| at.deviation).collect();
            sorted.sort_by(f64::total_cmp);
            // The signal's weights are positive and sum to at most one.
            let proved = found.estimator == Estimator::NadarayaWatson;
            found.noise = Some(NoiseTerm {
                worst: largest(&|i| noise[i].worst),
                everywhere: proved.then_some(most),
                deviation: largest(&|i| noise[i].deviation),
                median: sorted.get(sorted.len() / 2).copied().unwrap_or(0.0),
                bound: largest(&|i| noise[i].worst + map[i]),
            });
        }
        Ok(self)
    }
}

impl WeightBound {
    /// The bounds from the weights at the places and everywhere, and at each place.
    fn find(
        certificate: &Certificate,
        sensors: &Points,
        estimator: Estimator,
        setconv: &SetConv,
        places: &PlaceGrid,
    ) -> Result<(Self, Vec<f64>)> {
        let regularity = &certificate.regularity;
        let local = LocalBounds::new(setconv, estimator, sensors, regularity, places.points())?;
        let supremum = Supremum::find(setconv, estimator, sensors, regularity, TOLERANCE)?;
        let map: Vec<f64> = local.bounds.iter().map(|at| at.bound).collect();
        let (index, worst) = local.worst();
        let mut at = vec![0.0; sensors.dim()];
        places.points().write_point(index, &mut at);
        // The search may have found a worse place than those of the grid.
        let (bound, at) =
            if supremum.lower > worst.bound { (supremum.lower, supremum.at) } else { (worst.bound, at) };
        let mut sorted = map.clone();
        sorted.sort_by(f64::total_cmp);
        let found = Self {
            estimator,
            length_scale: setconv.kernel().length_scale(),
            density_floor: setconv.density_floor(),
            relative_loss: local
                .bounds
                .iter()
                .fold(certificate.relative_loss(setconv), |most, at| most.max(at.relative_loss)),
            bound,
            at,
            median: sorted.get(sorted.len() / 2).copied().unwrap_or(bound),
            everywhere: supremum.upper.map(|upper| upper.max(bound)),
            lebesgue: local.bounds.iter().map(|at| at.lebesgue).fold(1.0, f64::max),
            n_fallbacks: local.n_fallbacks,
            noise: None,
        };
        Ok((found, map))
    }
}

impl BoundsAtScale {
    /// From ℓ far below the fill distance to half the diameter of the domain.
    fn all(certificate: &Certificate, sensors: &Points, setconv: SetConv) -> Result<Vec<Self>> {
        let places = some_places(sensors, SCALE_PLACES)?;
        let delta = certificate.fill_distance.upper;
        let (lower, upper) = (0.15 * delta, (0.5 * sensors.domain().diameter()).max(3.0 * delta));
        let at = |number: usize| {
            let length_scale = lower * (upper / lower).powf(number as f64 / (SCALES - 1) as f64);
            let setconv = setconv.with_length_scale(length_scale)?;
            let too_wide = length_scale > WIDE.0 * delta && sensors.len() > WIDE.1;
            let largest = |estimator| -> Result<Option<f64>> {
                if too_wide {
                    return Ok(None);
                }
                let (known, query) = (&certificate.regularity, places.points());
                let found = LocalBounds::new(&setconv, estimator, sensors, known, query)?.worst().1.bound;
                Ok(Some(found).filter(|bound| bound.is_finite()))
            };
            Ok(Self {
                length_scale,
                theorem: certificate.theorem_bound(&setconv).map(|bound| bound.bound),
                nadaraya_watson: largest(Estimator::NadarayaWatson)?,
                local_linear: largest(Estimator::LocalLinear)?,
            })
        };
        (0..SCALES).map(at).collect()
    }
}

/// A number of places proportional to the sensors, within the given limits.
fn some_places(sensors: &Points, (each, least, most): (usize, usize, usize)) -> Result<PlaceGrid> {
    PlaceGrid::new(sensors.domain(), sensors.len().saturating_mul(each).clamp(least, most))
}
