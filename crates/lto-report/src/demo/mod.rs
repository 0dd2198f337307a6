//! The page of the demonstration: what was done, the results, and how to repeat it.

mod figures;

use crate::error::Result;
use crate::html::{Figure, Report, Section, Table};
use crate::picture::ticks::short;
use crate::text::Page;
use crate::training::charts;
use crate::words::duration;
use lto::demo::{CONFIG, Demonstration, SENSORS, Showcase};
use lto::evaluate::context_sweep::ContextErrors;
use lto::model::ModelCard;
use lto::train::history::History;
use lto::train::in_order;

/// The whole page. `commands` repeat it and show what to do next.
///
/// # Errors
/// A picture that is too large.
pub fn report(
    results: &Demonstration,
    shown: &Showcase,
    card: &ModelCard,
    history: &History,
    commands: &str,
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
            what_was_done(results, commands),
            comparison(shown)?,
            over_time(shown)?,
            rates(results)?,
            training(results, history)?,
            model(results, card),
        ],
    })
}

/// The results for the terminal.
pub fn text(results: &Demonstration, commands: &str, color: bool) -> String {
    let mut page = Page::new(color);
    page.table("Held-out forecasts, one model for every N", &COLUMNS, rows(results));
    page.line(&format!(
        "{} parameters, {} steps in {}; {} in all",
        results.training.parameters,
        results.training.steps,
        duration(results.training.seconds),
        duration(results.seconds)
    ));
    page.line(&format!("open {} in a browser, or continue with:", results.report.display()));
    commands.lines().for_each(|command| page.line(&format!("  {command}")));
    page.into_text()
}

const COLUMNS: [&str; 5] = ["sensors", "N", "relative L2", "standard error", "95 % interval"];

/// The rows under [`COLUMNS`].
fn rows(results: &Demonstration) -> Vec<Vec<String>> {
    let row = |name: &str, at: &ContextErrors| {
        let error = &at.relative_l2;
        let interval = error.bar().map(short).join(" – ");
        vec![name.into(), at.n_points.to_string(), short(error.mean), short(error.standard_error), interval]
    };
    let designs = results.evaluation.designs();
    designs.flat_map(|(name, sweep)| sweep.errors.iter().map(move |at| row(name, at))).collect()
}

fn what_was_done(results: &Demonstration, commands: &str) -> Section {
    Section::new("What was done")
        .text(format!(
            "The heat equation `∂u/∂t = Δu` was solved on the periodic unit square from random sums of Gaussian bumps. The \
             twin was trained on pairs of times of these solutions, each first state observed at a random number of points. It \
             was then tested on {} held-out states, solved on a finer grid than the training data; time is \
             the amount of diffusion, from 0 to 0.016.",
            results.evaluation.samples
        ))
        .code(commands)
        .text(format!("`sensors.csv` holds {SENSORS} random sensors' readings of the state below at t = 0."))
}

fn comparison(shown: &Showcase) -> Result<Section> {
    let drawing = figures::comparison(shown);
    let caption = "One held-out state. Sensors see it at t = 0; the twin forecasts the whole field at once at a later time. \
                   Sensors, prediction and truth share one color scale.";
    let description =
        "Rows of maps for growing numbers of sensors: sensor values, prediction, truth, and their difference";
    Ok(Section::new("From sensors to a field").figure(Figure::drawing(&drawing, caption, description)?))
}

fn over_time(shown: &Showcase) -> Result<Section> {
    let (strip, moving) = (figures::strip(shown), figures::animation(&shown.moving)?);
    let description = "Rows of maps over five times: truth, prediction and error";
    Ok(Section::new("Straight to any time")
        .text(format!(
            "Every picture is one evaluation, directly from t = 0 to its time, without intermediate steps \
             whose errors could add up. The animation shows {} times, most of them between the frames of the \
             training data.",
            shown.moving.times.len()
        ))
        .figure(Figure::drawing(&strip, format!("The same state from {SENSORS} sensors."), description)?)
        .figure(Figure::gif(
            &moving,
            "The forecast over time; dots are the sensors.",
            "The forecast fading over time",
        )))
}

fn rates(results: &Demonstration) -> Result<Section> {
    let evaluation = &results.evaluation;
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
             point). Fitted slopes, where the sensors and not the model limit the error: {}. With many \
             sensors the error stops falling: the rest is the model's own.",
            times.join(" and "),
            evaluation.samples,
            evaluation.predicted_slope,
            if fits.is_empty() { "none could be fitted".into() } else { fits.join("; ") },
        ))
        .figure(Figure::drawing(&figures::rates(evaluation), caption, description)?)
        .table(Table::of(&COLUMNS, rows(results))))
}

fn training(results: &Demonstration, history: &History) -> Result<Section> {
    let mut section = Section::new("Training").text(format!(
        "{} steps in {} on this machine, seed {}. Held-out errors are measured on samples used neither for \
         training nor for testing.",
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

fn model(results: &Demonstration, card: &ModelCard) -> Section {
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
        .text("The configuration, ready for `lto train` (`lto demo` may set seed and time):")
        .code(CONFIG)
}
