//! Bands of forecasts from records of stations: calibrated on times that were held out, they cover what stations report later.

use lto::calibrate::{CalibrationConfig, calibrate_stations};
use lto::data::config::DataConfig;
use lto::data::stations::score::Scoring;
use lto::data::stations::{Group, Span, StationData};
use lto::model::{Model, ModelConfig};
use lto_numerics::pde::sample_rng;
use rand_distr::{Distribution, StandardNormal};
use std::fmt::Write;

const STATIONS: usize = 40;
const HOURS: usize = 360;

/// Waves that travel at several speeds under noise of deviation 0.1, at random places.
fn data(folder: &std::path::Path) -> StationData {
    let mut rng = sample_rng(4, 0);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let places: Vec<[f64; 2]> = (0..STATIONS)
        .map(|j| [(0.07 + 0.61803 * j as f64) % 1.0, (0.11 + 0.75488 * j as f64) % 1.0])
        .collect();
    let waves: Vec<[f64; 4]> =
        (0..12).map(|_| [4.0 * normal(), 4.0 * normal(), normal(), 9.0 * normal()]).collect();
    let mut text = String::from("time [h],station,x,y,u\n");
    for hour in 0..HOURS {
        for (j, [x, y]) in places.iter().enumerate() {
            let wave = |[kx, ky, speed, phase]: &[f64; 4]| {
                (kx * x + ky * y - 0.4 * speed * hour as f64 + phase).sin()
            };
            let u = waves.iter().map(wave).sum::<f64>() + 0.1 * normal();
            writeln!(text, "{hour},s{j},{x},{y},{u:.4}").unwrap();
        }
    }
    let file = folder.join("stations.csv");
    std::fs::write(&file, text).unwrap();
    let config = format!(
        "path = '{}'\nrecords = {{ points = [16, 16] }}\ndomain = '0:1,0:1'\n\
         split = {{ records = {{ validation = 0.4, test = 0.4, stations = 0.25 }} }}",
        file.display()
    );
    StationData::open(&toml::from_str::<DataConfig>(&config).unwrap(), 4).unwrap()
}

fn calibrated(data: &StationData) -> Model {
    let model = data.untrained(ModelConfig::Interpolation).unwrap().extrapolating();
    let config = CalibrationConfig { leads: vec![1, 4], draws: 3, ..CalibrationConfig::default() };
    let calibration = calibrate_stations(&model, data, Span::Validation, &config, &mut |_, _| true).unwrap();
    assert_eq!(calibration.samples, [48, 95], "a third of the times, and the others but the last");
    model.calibrated(calibration).unwrap()
}

#[test]
fn bands_cover_what_stations_report() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let model = calibrated(&data);
    let mut widths = Vec::new();
    for (at, lead) in [(Group::New, 1), (Group::New, 4), (Group::Seen, 1), (Group::Seen, 4)] {
        let scoring = Scoring {
            data: &data,
            from: Group::Seen,
            fraction: 1.0,
            span: Span::Test,
            truth: &data,
            at,
            every: 1,
            mask: None,
        };
        let scores = scoring.scores(&model, lead).unwrap();
        let mean = |of: &dyn Fn(&lto::data::stations::score::BandScore) -> f64| {
            let each = scores.iter().map(|score| of(&score.bands.as_ref().unwrap()[0]));
            each.sum::<f64>() / scores.len() as f64
        };
        let (covered, crps) = (mean(&|band| band.covered), mean(&|band| band.crps));
        assert!((covered - 0.9).abs() < 0.06, "{at:?} {lead}: {covered}");
        let error = scores.iter().map(|score| score.rmse[0]).sum::<f64>() / scores.len() as f64;
        assert!(crps < 0.75 * error, "{at:?} {lead}: {crps} {error}");
        widths.push(mean(&|band| band.width));
    }
    assert!(widths[0] < widths[1] && widths[2] < widths[3], "farther ahead, wider: {widths:?}");
    assert!(widths[2] < widths[0], "narrower where there is a sensor: {widths:?}");
    let plain = data.untrained(ModelConfig::Interpolation).unwrap().extrapolating();
    let scoring = Scoring {
        data: &data,
        from: Group::Seen,
        fraction: 1.0,
        span: Span::Test,
        truth: &data,
        at: Group::New,
        every: 8,
        mask: None,
    };
    assert!(scoring.scores(&plain, 1).unwrap().iter().all(|score| score.bands.is_none()));
}
