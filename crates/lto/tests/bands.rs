//! Bands of a model whose errors are known: what is calibrated comes back, covers, and follows the sensors.

use lto::calibrate::{CalibrationConfig, calibrate};
use lto::data::Data;
use lto::data::config::DataConfig;
use lto::data::context::{ContextChoice, DesignKind};
use lto::evaluate::EvaluationConfig;
use lto::evaluate::coverage::{SHOWN, coverage};
use lto::model::{Forecast, Model, ModelConfig};
use lto_numerics::dataset::Context;
use lto_numerics::dataset::write::NpzArchive;
use lto_numerics::ranks::Alone;
use lto_numerics::{Field, Points};
use std::sync::Arc;

const DATA: &str = "generate = { pde = 'heat', dim = 1, resolution = 32, n_frames = 9 }\nsamples = 260\n\
                    split = { counts = { train = 10, validation = 210, test = 40 } }";

fn data() -> Data {
    Data::open(&toml::from_str::<DataConfig>(DATA).unwrap(), 1.0).unwrap()
}

/// Interpolation, held in time: wrong by how much the state changes, and between sensors.
fn calibrated(data: &Data) -> Model {
    let model = data.untrained(ModelConfig::Interpolation).unwrap();
    let samples = &data.split().validation;
    let calibration =
        calibrate(&model, data, samples, &CalibrationConfig::default(), &mut |_, _| true).unwrap();
    model.calibrated(calibration).unwrap()
}

fn observed(field: &Field, fraction: f64) -> Context {
    let choice = ContextChoice { design: DesignKind::Random, fraction };
    choice.observe(field, None, &mut lto_numerics::pde::sample_rng(9, 0)).unwrap()
}

/// The first frame of a test sample, and the native grid.
fn state(data: &Data) -> (Field, Arc<Points>) {
    let wanted =
        lto::data::Wanted { sample: data.split().test[0], state: lto::data::State::Frame(0), finer: false };
    let field = data.fields(&[wanted]).unwrap().remove(0);
    let query = Arc::new(Points::grid(field.grid().as_ref().clone()));
    (field, query)
}

/// On samples that neither the scale nor the quantiles have seen, bands of all levels cover what they say, from few sensors
/// and many, over all leads.
#[test]
fn bands_cover_what_they_say() {
    let data = data();
    let model = calibrated(&data);
    let config =
        EvaluationConfig { fractions: vec![0.1, 0.3, 1.0], noise: vec![0.5], ..EvaluationConfig::default() };
    let found =
        coverage(&model, &data, &data.split().test, &config, &Alone, &mut |_, _| true).unwrap().unwrap();
    let all = found.all.as_ref().unwrap();
    for (level, covered) in found.levels.iter().zip(&all.covered) {
        // More where errors are exactly zero: at a sensor, now.
        assert!(*covered > level - 0.03, "{level}: {covered}");
    }
    assert!((all.covered[SHOWN] - 0.9).abs() < 0.03, "{:?}", all.covered);
    assert!(all.crps < 0.85 * all.mean_error, "a distribution says more than its middle: {all:?}");
    for row in found.distances.iter().filter(|row| row.samples == 40) {
        assert!((row.covered[SHOWN] - 0.9).abs() < 0.06, "{row:?}");
    }
    let width = |label: &str, lead: f64| {
        found.cases.iter().find(|row| row.label == label && row.lead == Some(lead)).unwrap().width
    };
    assert!(width("random 10 %", 1.0) > 1.5 * width("random 100 %", 1.0), "fewer sensors, wider bands");
    assert!(width("random 100 %", 8.0) > 1.5 * width("random 100 %", 1.0), "farther ahead, wider bands");
    assert!(width("full, noise 0.5", 1.0) > 1.1 * width("full", 1.0), "noise is noticed");
    for row in found.cases.iter().filter(|row| row.label == "full, noise 0.5" && row.lead > Some(0.0)) {
        assert!((row.covered[SHOWN] - 0.9).abs() < 0.06, "noise is covered: {row:?}");
    }
}

/// Two halves of the line have as many points: what lies inside on the whole is the mean of what lies inside on each.
#[test]
fn coverage_keeps_to_a_mask() {
    let data = data();
    let model = calibrated(&data);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("half.npz");
    let x: Vec<f64> = data.layout().grid.coordinates(0).to_vec();
    let left: Vec<f64> = (0..x.len()).map(|i| f64::from(u8::from(i < x.len() / 2))).collect();
    let mut archive = NpzArchive::create(&file).unwrap();
    archive.numbers("x", &[x.len()], &x).unwrap();
    archive.numbers("left", &[x.len()], &left).unwrap();
    archive.finish().unwrap();
    let covered = |mask: Option<String>| {
        let config =
            EvaluationConfig { fractions: vec![0.3], noise: vec![], mask, ..EvaluationConfig::default() };
        let found = coverage(&model, &data, &data.split().test[..6], &config, &Alone, &mut |_, _| true);
        found.map(|found| found.unwrap().all.unwrap().covered)
    };
    let (all, inside) = (covered(None).unwrap(), covered(Some(file.display().to_string())).unwrap());
    let outside = covered(Some(format!("!{}", file.display()))).unwrap();
    assert_ne!(inside, outside);
    for ((all, a), b) in all.iter().zip(&inside).zip(&outside) {
        assert!((all - 0.5 * (a + b)).abs() < 1e-9, "{all} {a} {b}");
    }
    let mut archive = NpzArchive::create(&file).unwrap();
    archive.numbers("x", &[2], &[0.0, 0.5]).unwrap();
    archive.numbers("none", &[2], &[0.0; 2]).unwrap();
    archive.finish().unwrap();
    let refused = covered(Some(file.display().to_string())).unwrap_err().to_string();
    assert!(refused.contains("no point of the data inside"), "{refused}");
}

/// A prediction with its band is the same by every way to it, wider at a higher level, and symmetric about the values.
#[test]
fn bands_come_with_any_prediction() {
    let data = data();
    let model = calibrated(&data);
    let (field, query) = state(&data);
    let (context, times) = (observed(&field, 0.3), &data.layout().times);
    let (s, t) = (times[0], times[2]);
    let (prediction, band) =
        model.encode(&context, s).unwrap().at(t).unwrap().decode_band(&query, 0.9).unwrap();
    let other =
        model.predict_batch(&[Forecast { context: &context, s, times: &[t] }], &query).unwrap().remove(0);
    let spread = model.spread(&context, s, &other, &query).unwrap();
    let forecast = Forecast { context: &context, s, times: &[t] };
    let (same, at_once) = model.predict_spread(&forecast, None, &query).unwrap();
    assert_eq!((&same, at_once.band(0.5).unwrap()), (&other, spread.band(0.5).unwrap()));
    assert_eq!((prediction, band.clone()), (other, spread.band(0.9).unwrap()));
    let middle: Vec<f64> = band.lower.iter().zip(&band.upper).map(|(a, b)| 0.5 * (a + b)).collect();
    let values = &model.predict(&context, s, &[t], &query).unwrap().values;
    assert!(middle.iter().zip(values).all(|(a, b)| (a - b).abs() < 1e-12 * (1.0 + b.abs())));
    let wider = spread.band(0.95).unwrap();
    assert!(wider.upper.iter().zip(&band.upper).all(|(wide, narrow)| wide >= narrow));
    assert!(spread.band(1.0).is_err() && spread.band(0.0).is_err() && spread.band(f64::NAN).is_err());
    let plain = data.untrained(ModelConfig::Interpolation).unwrap();
    let refused = plain.encode(&context, s).unwrap().at(t).unwrap().decode_band(&query, 0.9).unwrap_err();
    assert!(refused.to_string().contains("lto calibrate"), "{refused}");
}

/// Sensors that are lost never make the scale smaller anywhere; readings that disagree make it larger.
#[test]
fn lost_and_noisy_sensors_widen_bands() {
    let data = data();
    let model = calibrated(&data);
    let (field, query) = state(&data);
    let (s, t) = (data.layout().times[0], data.layout().times[1]);
    let all = observed(&field, 0.6);
    let scale = |context: &Context| {
        let prediction = model.predict(context, s, &[t], &query).unwrap();
        model.spread(context, s, &prediction, &query).unwrap().scale().to_vec()
    };
    // The same readings but for a gap; the amplitude is made the same by hand, since it also counts.
    let flat = |context: &Context, kept: &dyn Fn(f64) -> bool| {
        let x = context.points.coordinates();
        let kept: Vec<usize> = (0..x.len()).filter(|&i| kept(x[i])).collect();
        let values = kept.iter().enumerate().map(|(i, _)| if i % 2 == 0 { 0.2 } else { -0.2 }).collect();
        let points = kept.iter().map(|&i| x[i]).collect();
        Context {
            points: Points::scattered(context.points.domain().clone(), points).unwrap(),
            n_channels: 1,
            values,
            deviations: None,
        }
    };
    let before = flat(&all, &|_| true);
    let lost = flat(&all, &|x| !(0.3..0.6).contains(&x));
    let even = |mut context: Context| {
        context.values.iter_mut().for_each(|value| *value = 0.2);
        context
    };
    let (before, lost) = (scale(&even(before)), scale(&even(lost)));
    assert!(before.iter().zip(&lost).all(|(before, lost)| *lost >= before * (1.0 - 1e-9)));
    assert!(lost.iter().zip(&before).any(|(lost, before)| *lost > 1.2 * before));
    let mut noisy = all.clone();
    let deviation = 0.5 * model.card().target_normalizer.scale()[0];
    noisy.add_noise(&[deviation], &mut lto_numerics::pde::sample_rng(4, 0));
    let (clean, noisy) = (scale(&all), scale(&noisy));
    assert!(noisy.iter().zip(&clean).all(|(noisy, clean)| noisy > clean));
}

/// Samples spread as the bands say and agree with their neighbors.
#[test]
fn samples_are_distributed_as_the_bands_say() {
    let data = data();
    let model = calibrated(&data);
    let (field, query) = state(&data);
    let (s, t) = (data.layout().times[0], data.layout().times[2]);
    let context = observed(&field, 0.3);
    let prediction = model.predict(&context, s, &[t], &query).unwrap();
    let spread = model.spread(&context, s, &prediction, &query).unwrap();
    let (band, n) = (spread.band(0.8).unwrap(), 2000);
    let samples = spread.samples(n, 1).unwrap();
    assert_eq!(samples, spread.samples(n, 1).unwrap());
    for i in [0, 7, 20, 31] {
        let inside = samples.iter().filter(|one| (band.lower[i]..=band.upper[i]).contains(&one[i])).count();
        assert!((inside as f64 / n as f64 - 0.8).abs() < 0.04, "{i}: {inside}");
    }
    // Neighbors depart to the same side more often than not.
    let same =
        samples.iter().filter(|one| (one[8] - prediction.values[8]) * (one[9] - prediction.values[9]) > 0.0);
    assert!(same.count() > 6 * n / 10);
}

/// A calibration is part of the model's file; a damaged one is refused.
#[test]
fn calibrations_are_kept_with_the_model() {
    let data = data();
    let model = calibrated(&data);
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.card(), model.card());
    // One of another form counts as none.
    let mut card = serde_json::to_value(model.card()).unwrap();
    card["calibration"]["channels"][0].as_object_mut().unwrap().remove("scales");
    let card: lto::model::ModelCard = serde_json::from_value(card).unwrap();
    assert!(
        card.calibration.is_none() && card.calibration().unwrap_err().to_string().contains("lto calibrate")
    );
    let mut damaged = model.card().calibration.clone().unwrap();
    damaged.channels[0].quantiles.pop();
    assert!(model.clone().calibrated(damaged).is_err());
    let mut damaged = model.card().calibration.clone().unwrap();
    damaged.bins[1].numbers.push(f64::NAN);
    assert!(model.calibrated(damaged).is_err());
}

/// Few samples are refused, with the number that is needed.
#[test]
fn few_samples_are_refused() {
    let data = data();
    let model = data.untrained(ModelConfig::Interpolation).unwrap();
    let few = &data.split().validation[..10];
    let refused = calibrate(&model, &data, few, &CalibrationConfig::default(), &mut |_, _| true).unwrap_err();
    assert!(refused.to_string().contains("15"), "{refused}");
    let stopped =
        calibrate(&model, &data, few, &CalibrationConfig::default(), &mut |_, _| false).unwrap_err();
    assert!(matches!(stopped, lto::Error::Interrupted));
}
