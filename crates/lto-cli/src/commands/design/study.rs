//! The placement, and all that is said about it.

use super::comparison::{self, Compared};
use crate::args::{DesignArgs, ObjectiveArg};
use crate::commands::failures::Failures;
use crate::commands::layout;
use crate::progress::Progress;
use crate::usage::with_flag;
use anyhow::Result;
use lto_numerics::geometry::{FillDistance, fill_distance};
use lto_numerics::theory::plan::{Gap, Objective, Places, Request, Worst, gaps, place_sensors, spread};
use lto_numerics::theory::{Certificate, Estimator, Regularity};
use lto_numerics::{Domain, Points, SetConv};
use serde::Serialize;

/// How many gaps are named.
const GAPS: usize = 3;
/// Places at which ℓ is tuned, at most.
const TUNED: usize = 20_000;

/// A layout with what is known about it.
pub struct Study {
    /// All sensors: the existing ones, then the new ones.
    pub sensors: Points,
    /// Where it was judged.
    pub places: Places,
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
    /// ℓ of the estimate, for the certificate.
    pub length_scale: Option<f64>,
    /// What the states satisfy, for the certificate.
    pub regularity: Option<Regularity>,
    /// δ of the layout, exactly.
    pub fill_distance: FillDistance,
    /// The objective after the first, greedy placement.
    pub greedy: f64,
    /// The objective in the end and where it is worst, among the places.
    pub worst: Worst,
    /// At how many places.
    pub n_places: usize,
    /// Other layouts of as many sensors.
    pub comparison: Vec<Compared>,
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
    /// A region of another dimension, no place for a sensor, or too little known for a certificate.
    pub fn make(args: &DesignArgs, domain: &Domain, existing: Option<&Points>, quiet: bool) -> Result<Self> {
        let n_existing = existing.map_or(0, Points::len);
        let regularity = match args.objective {
            ObjectiveArg::Fill => None,
            ObjectiveArg::Certificate => {
                Some(layout::regularity(&args.regularity, domain, "--objective certificate")?)
            }
        };
        let places = Places::grid(domain, spread(n_existing + args.n))?;
        let mut progress = Progress::new("steps", 5, 0, quiet);
        let request = |objective| Request { domain, n_new: args.n, existing, avoid: &args.avoid, objective };
        let mut plan = place_sensors(&request(Objective::FillDistance), &places).map_err(with_flag)?;
        progress.set(1);
        let mut objective = Objective::FillDistance;
        if let Some(regularity) = &regularity {
            let length_scale = match args.length_scale {
                Some(length_scale) => length_scale,
                None => tuned_scale(&plan.sensors, regularity)?,
            };
            let (setconv, regularity) = (SetConv::new(length_scale)?, regularity.clone());
            objective = Objective::Certificate { setconv, estimator: Estimator::LocalLinear, regularity };
            // A layout that covers evenly is the start; the certificate may find a better one or not.
            let covering = objective.evaluate(&plan.sensors, &places)?;
            let better = place_sensors(&request(objective.clone()), &places).map_err(with_flag)?;
            if better.worst.value < covering.value {
                plan = better;
            } else {
                (plan.greedy, plan.worst) = (better.greedy, covering);
            }
        }
        progress.set(2);
        let values = objective.values(&plan.sensors, &places)?;
        let comparison = comparison::compare(args, domain, existing, &objective, &places, &plan.sensors)?;
        progress.set(3);
        let failures = Failures::of(&objective, &plan.sensors, &places)?;
        progress.set(4);
        let gaps = gaps(&objective, &plan.sensors, &places, GAPS)?;
        let delta = fill_distance(&plan.sensors, comparison::TOLERANCE)?;
        progress.finish();
        let coordinates = plan.sensors.coordinates();
        let summary = Summary {
            domain: domain.clone(),
            objective: name(&objective),
            n_existing,
            n_new: args.n,
            length_scale: scale(&objective),
            regularity,
            fill_distance: delta,
            greedy: plan.greedy,
            worst: plan.worst,
            n_places: places.points().len(),
            comparison,
            failures,
            gaps,
            sensors: coordinates.chunks_exact(domain.dim()).map(<[f64]>::to_vec).collect(),
        };
        Ok(Self { sensors: plan.sensors, places, values, summary })
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

/// The best ℓ of the local linear estimate for a layout.
fn tuned_scale(sensors: &Points, regularity: &Regularity) -> Result<f64> {
    let query = Places::grid(sensors.domain(), spread(sensors.len()).min(TUNED))?;
    let certificate = Certificate::new(sensors, regularity.clone())?;
    Ok(certificate.tuned(sensors, Estimator::LocalLinear, query.points())?.length_scale)
}

fn name(objective: &Objective) -> &'static str {
    match objective {
        Objective::FillDistance => "fill_distance",
        Objective::Certificate { .. } => "certificate",
    }
}

fn scale(objective: &Objective) -> Option<f64> {
    match objective {
        Objective::FillDistance => None,
        Objective::Certificate { setconv, .. } => Some(setconv.kernel().length_scale()),
    }
}
