//! The report: what was done, what came out, and how to do it again.

use super::evaluation::Tests;
use super::{CONFIG, Results, figures};
use crate::args::DemoArgs;
use anyhow::Result;
use lto::model::Model;
use lto::train::in_order;
use lto_report::html::{Figure, Report, Section, Table};
use lto_report::picture::ticks::short;
use lto_report::training::{History, charts};
use lto_report::words::duration;

/// Numbers of sensors that are shown.
const SHOWN: [usize; 3] = [64, 256, 1024];
/// The frame of the truth they are compared with.
const FRAME: usize = 8;
/// Sensors of the forecast over time.
const SENSORS: usize = 256;
/// Frames of the truth that it is compared with.
const FRAMES: [usize; 5] = [0, 4, 8, 12, 16];
/// Times of the animation, many more than the training data have.
const ANIMATED: usize = 20;

/// The whole report.
///
/// # Errors
/// A model that does not fit the tests, or a picture that is too large.
pub fn report(
    results: &Results,
    model: &Model,
    tests: &Tests,
    history: &History,
    args: &DemoArgs,
) -> Result<Report> {
    let error = results.evaluation.random.at(SENSORS).map_or("–".into(), |e| format!("{:.1} %", 100.0 * e));
    Ok(Report {
        title: "A twin of the heat equation, seen through any number of sensors".into(),
        summary: format!(
            "A Latent Twin Operator with {} parameters was trained for {} on simulated heat flow. From {SENSORS} sensors at \
             random places it forecasts states it has never seen to a relative error of {error}. The same weights serve every \
             number and placement of sensors below; nothing was retrained.",
            results.training.parameters,
            duration(results.training.seconds),
        ),
        sections: vec![
            what_was_done(results, args),
            comparison(model, tests)?,
            over_time(model, tests)?,
            rates(results)?,
            training(results, history)?,
            card(results, model),
        ],
    })
}

fn what_was_done(results: &Results, args: &DemoArgs) -> Section {
    let minutes = args.minutes.map_or(String::new(), |minutes| format!(" --minutes {minutes}"));
    let (out, run) = (args.output.display(), results.run.display());
    let commands = format!(
        "lto demo -o {out} --seed {}{minutes}    # all of this page\n\
         lto info {run}                          # the model\n\
         lto predict --model {run} --context sensors.csv --from 0 --to 0.008 --query grid:128x128 -o field.png",
        args.seed
    );
    Section::new("What was done")
        .text(format!(
            "The heat equation `∂u/∂t = Δu` was solved on the periodic unit square from random sums of Gaussian bumps. The \
             twin was trained on pairs of times of these solutions, each first state observed at a random number of points. It \
             was then tested on {} states that were held out, solved on a finer grid than the training data; time is the amount \
             of diffusion, from 0 to 0.016.",
            results.evaluation.samples
        ))
        .code(commands)
}

fn comparison(model: &Model, tests: &Tests) -> Result<Section> {
    let truth = tests.example()?;
    let time = truth.times().get(FRAME).copied().unwrap_or_default();
    let forecasts = SHOWN.iter().map(|&n| tests.forecast(model, n, &[time])).collect::<Result<Vec<_>>>()?;
    let drawing = figures::comparison(truth, FRAME, &forecasts);
    let caption = "One held-out state. Sensors see it at t = 0; the twin forecasts the whole field at once at a later time. \
                   Sensors, prediction and truth share one color scale.";
    let description =
        "Rows of maps for 64, 256 and 1024 sensors: sensor values, prediction, truth, and their difference";
    Ok(Section::new("From sensors to a field").figure(Figure::drawing(&drawing, caption, description)?))
}

fn over_time(model: &Model, tests: &Tests) -> Result<Section> {
    let truth = tests.example()?;
    let times: Vec<f64> = FRAMES.iter().filter_map(|&frame| truth.times().get(frame)).copied().collect();
    let strip = figures::strip(truth, &FRAMES[..times.len()], &tests.forecast(model, SENSORS, &times)?);
    let last = truth.times().last().copied().unwrap_or_default();
    let many: Vec<f64> = (0..ANIMATED).map(|i| last * i as f64 / (ANIMATED - 1) as f64).collect();
    let moving = figures::animation(&tests.forecast(model, SENSORS, &many)?, &many)?;
    let description = "Rows of maps over five times: truth, prediction and error";
    Ok(Section::new("Straight to any time")
        .text(format!(
            "Every picture is one evaluation, from t = 0 straight to its time; there are no steps in between whose errors could \
             add up. The animation asks for {ANIMATED} times, most of them between the frames of the training data."
        ))
        .figure(Figure::drawing(&strip, format!("The same state from {SENSORS} sensors."), description)?)
        .figure(Figure::gif(&moving, "The forecast over time; dots are the sensors.", "The forecast fading over time")))
}

fn rates(results: &Results) -> Result<Section> {
    let evaluation = &results.evaluation;
    let mut table = Table::new(&["sensors", "N", "relative L2", "standard error", "95 % interval"]);
    for (name, sweep) in evaluation.designs() {
        for at in &sweep.errors {
            let error = &at.relative_l2;
            let [low, high] = error.bar().map(short);
            let interval = format!("{low} – {high}");
            let numbers = [at.n_points.to_string(), short(error.mean), short(error.standard_error), interval];
            table = table.row(std::iter::once(name.to_string()).chain(numbers));
        }
    }
    let fits: Vec<String> = evaluation
        .designs()
        .filter_map(|(name, sweep)| {
            let (fit, last) = (sweep.fit?, sweep.fitted_sizes.last()?);
            Some(format!("{name}: {:.2} ± {:.2} up to N = {last}", fit.slope, fit.standard_error))
        })
        .collect();
    let times: Vec<String> = evaluation.times.iter().map(|&t| short(t)).collect();
    let caption =
        "Mean relative L2 error over the held-out states; bars are 95 % bootstrap intervals over the states.";
    let description =
        "Error against number of sensors on logarithmic axes, for random sensors and regular grids";
    Ok(Section::new("Error against the number of sensors")
        .text(format!(
            "Forecasts from t = 0 to t = {}, {} states. For sensors that cover the domain evenly, theory bounds the error made \
             by observing only N points by a multiple of N^(−2/(3D)), here N^({:.2}) since D = 2 (dashed, drawn through the first \
             point). Fitted slopes, where sensors and not the model limit the error: {}. With many sensors the error no \
             longer falls: what remains is the model's own.",
            times.join(" and "),
            evaluation.samples,
            evaluation.predicted_slope,
            if fits.is_empty() { "none could be fitted".into() } else { fits.join("; ") },
        ))
        .figure(Figure::drawing(&figures::rates(evaluation), caption, description)?)
        .table(table))
}

fn training(results: &Results, history: &History) -> Result<Section> {
    let mut section = Section::new("Training").text(format!(
        "{} steps in {} on this machine, seed {}. Held-out errors are measured on samples that neither train nor test.",
        results.training.steps,
        duration(results.training.seconds),
        results.seed
    ));
    if let Some(drawing) = charts(history) {
        let caption = "Loss on training batches, and relative L2 error on held-out samples from the full grid and from 256 sensors.";
        section = section.figure(Figure::drawing(
            &drawing,
            caption,
            "Training and validation curves over the steps",
        )?);
    }
    Ok(section)
}

fn card(results: &Results, model: &Model) -> Section {
    let card = model.card();
    let problem = &card.problem;
    let points: Vec<String> = problem.native.iter().map(usize::to_string).collect();
    let times =
        problem.times.map_or("none".into(), |[first, last]| format!("{} to {}", short(first), short(last)));
    let mut table = Table::new(&["", ""])
        .row(["domain".into(), problem.domain.to_string()])
        .row(["times".into(), times])
        .row(["data".into(), format!("{}, {} points", card.data, points.join(" × "))])
        .row(["parameters".into(), results.training.parameters.to_string()]);
    for (name, &error) in in_order(&card.errors) {
        table = table.row([name.replace('_', " "), short(error)]);
    }
    Section::new("The model")
        .table(table)
        .text("The configuration, which `lto train` takes as it is (seed and time may be set by `lto demo`):")
        .code(CONFIG)
}
