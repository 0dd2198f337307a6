//! Training on records of stations.

use super::folder::RunFolder;
use super::validation::Measure;
use super::{Observer, Trainer};
use crate::data::batches::BatchOptions;
use crate::data::context::DesignKind;
use crate::data::stations::score::Scoring;
use crate::data::stations::{Group, Span, StationBatches, StationData};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::experiment::training::ValidationConfig;
use crate::model::Model;
use crate::operator::Reach;
use lto_numerics::ranks::Ranks;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Trainer {
    /// As [`Trainer::prepare`], from records: the model is made with what is measured of them.
    pub(super) fn prepare_stations(
        mut experiment: Experiment,
        folder: RunFolder,
        ranks: Arc<dyn Ranks>,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        experiment.model = experiment.model.for_records();
        check(&experiment)?;
        let train = &experiment.train;
        let pairs = train.pairs_for(Reach::Direct, experiment.model.max_step())?;
        let data = Arc::new(StationData::open(&experiment.data, pairs.longest())?);
        data.notes().iter().for_each(|note| observer.log(note));
        let (source, target) = data.fit_normalizers()?;
        let normalizers = experiment.model.normalizers(&data.problem(), (source, target));
        let mut card = data.card(experiment.model.clone(), normalizers.clone());
        let course = experiment.data.anomalies.then(|| data.course()).transpose()?;
        card.problem.changes = data.changes(&normalizers.1)?;
        card.problem.measured.covariances = data.covariances(&normalizers.1, course.as_ref())?;
        card.problem.measured.memory = data.memory(&normalizers.1)?;
        experiment.model.size(&card.problem).check_training(ranks.share(train.batch).len())?;
        let operator = card.model.init(&card.problem, experiment.seed, Device::default())?.with_gradients();
        if !operator.takes_missing() || operator.n_parameters() == 0 {
            let requirement =
                "records may lack any variable anywhere: train a twin with a set_conv encoder on them";
            return refuse("model.kind", experiment.model.name(), requirement);
        }
        let mut model = Model::of(card, operator);
        if let Some(course) = course {
            model = model.departing_from(course);
        }
        let options = BatchOptions {
            size: train.batch,
            pairs,
            context: train.context.clone(),
            deviations: [normalizers.0.scale().to_vec(), normalizers.1.scale().to_vec()],
            symmetries: false,
            query_points: train.query_points,
            pushforward: train.pushforward,
            observe_targets: false,
        };
        let validation = StationValidation::new(data.clone(), &train.validation);
        observer.log(&validation.note());
        let steps = train.total_steps(data.span(Span::Train).len());
        let batches = Arc::new(StationBatches::new(data, options, experiment.seed));
        Ok(Self::assembled(experiment, (folder, ranks), model, batches, Box::new(validation), steps))
    }
}

/// Refuses what makes no sense for records.
fn check(experiment: &Experiment) -> Result<()> {
    let train = &experiment.train;
    let weight = train.objective.reconstruction_weight;
    if weight > 0.0 {
        let requirement = "must be 0 for records: the stations of a target are not those of its source";
        return refuse("train.objective.reconstruction_weight", &weight.to_string(), requirement);
    }
    if train.pushforward.probability > 0.0 {
        let value = train.pushforward.probability.to_string();
        return refuse("train.pushforward.probability", &value, "must be 0 for records");
    }
    if train.symmetrize {
        return refuse("train.symmetrize", "true", "must be left out for records: stations have no symmetry");
    }
    for design in [DesignKind::Strided, DesignKind::Clustered] {
        if train.context.weight(design) > 0.0 {
            let requirement = "stations stand where they stand: use random, failed and full";
            return refuse("train.context.designs", design.name(), requirement);
        }
    }
    if train.context.largest_fraction() > 1.0 {
        let value = train.context.largest_fraction().to_string();
        return refuse("train.context.fraction", &value, "must be at most 1: there are no more stations");
    }
    Ok(())
}

fn refuse<T>(key: &str, value: &str, requirement: &str) -> Result<T> {
    Err(Error::Config { key: key.into(), value: value.into(), requirement: requirement.into() })
}

/// Errors at stations, over times held out: of those that are trained on, and of those that are not.
struct StationValidation {
    data: Arc<StationData>,
    span: Span,
    leads: Vec<usize>,
    every: usize,
}

impl StationValidation {
    fn new(data: Arc<StationData>, config: &ValidationConfig) -> Self {
        let held_out = [Span::Validation, Span::Test].into_iter().find(|span| !data.span(*span).is_empty());
        let span = held_out.unwrap_or(Span::Train);
        let every = (data.span(span).len() / config.samples.max(1)).max(1);
        Self { span, leads: config.leads.clone(), every, data }
    }

    fn note(&self) -> String {
        let which = match self.span {
            Span::Train => "training times, since none are held out",
            Span::Validation => "times to validate on",
            Span::Test => "test times, since there are none to validate on",
        };
        format!("validation errors are RMSE at stations over {which}")
    }
}

impl Measure for StationValidation {
    /// `rmse_lead_6` at the stations that are trained on, `rmse_lead_6_new_stations` at the others: in the unit of the variable,
    /// or of the deviation of each if there are several.
    fn measure(&self, model: &Model) -> Result<BTreeMap<String, f64>> {
        let mut errors = BTreeMap::new();
        let scale = model.card().target_normalizer.scale();
        for (at, suffix) in [(Group::Seen, ""), (Group::New, "_new_stations")] {
            for &lead in &self.leads {
                let (data, truth) = (self.data.as_ref(), self.data.as_ref());
                let scoring = Scoring {
                    data,
                    from: Group::Seen,
                    fraction: 1.0,
                    span: self.span,
                    truth,
                    at,
                    every: self.every,
                    mask: None,
                };
                let of = |rmse: &[f64]| match rmse {
                    [one] => *one,
                    several => {
                        several.iter().zip(scale).map(|(e, s)| e / s).sum::<f64>() / scale.len() as f64
                    }
                };
                let each: Vec<f64> = scoring
                    .scores(model, lead)?
                    .iter()
                    .map(|score| of(&score.rmse))
                    .filter(|error| !error.is_nan())
                    .collect();
                if !each.is_empty() {
                    let mean = each.iter().sum::<f64>() / each.len() as f64;
                    errors.insert(format!("rmse_lead_{lead}{suffix}"), mean);
                }
            }
        }
        Ok(errors)
    }
}
