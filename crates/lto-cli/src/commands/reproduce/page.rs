//! The report of a reproduction: what was asked, our tables beside the published ones, pictures, and how to do it again.

use super::Results;
use super::suite::{Planned, Suite};
use crate::args::ReproduceArgs;
use anyhow::Result;
use lto_numerics::metric::MetricKind;
use lto_report::evaluation::{Look, sections};
use lto_report::html::{Figure, Report, Section, Table};
use lto_report::words::duration;

/// The whole report.
///
/// # Errors
/// A picture that is too large, or metrics that cannot be read.
pub fn report(results: &Results, suite: &Suite, plan: &[Planned], args: &ReproduceArgs) -> Result<Report> {
    let mut all = Vec::new();
    if let Some(heat) = &results.heat {
        let caption = "The error of the set convolution alone (absolute; supremum over states and places, ℓ* of the theory, mean \
                       and range of five layouts for every N) and the mean relative L2 of the trained twin's forecasts, one curve a \
                       seed. Only slopes compare. The twin's is fitted where the error is that of too few sensors, with an interval by \
                       Student's t over seeds; below that the network limits it. Dashed: (log N/N)^(1/3), the bound's rate for random \
                       sensors.";
        let description = "Error against the number of sensors on logarithmic axes";
        let figure = Figure::drawing(&heat.chart(), caption, description)?;
        all.push(Section::new("Error against the number of sensors").figure(figure));
    }
    let look = Look::new(MetricKind::RelativeL2, &suite.published);
    all.extend(sections(&results.shown(), &look)?);
    all.push(wall_time(results));
    let mut configurations = Section::new("Configurations, with every default");
    for planned in plan {
        configurations = configurations.text(planned.folder.clone()).code(planned.experiment.to_toml()?);
    }
    all.push(configurations);
    let about = suite.about_scale(args.scale)?;
    Ok(Report {
        title: format!("Reproduction: {}", suite.title),
        summary: format!(
            "{} Scale {}: {about}. Published numbers are for the published data and training. On {} threads.",
            suite.about,
            results.scale,
            rayon::current_num_threads()
        ),
        sections: all,
    })
}

/// What each stage took, whenever it was done.
fn wall_time(results: &Results) -> Section {
    let times = &results.times;
    let shown = |seconds: Option<f64>| seconds.map_or("–".into(), duration);
    let mut table = Table::new(&["stage", "training", "evaluation"]);
    for model in &times.models {
        table = table.row([model.run.clone(), shown(model.training), duration(model.evaluation)]);
    }
    let data = times.data.map_or("read, not made".into(), duration);
    let text = format!(
        "{} in all, on {} threads; the data: {data}. Stages that were there already count with the time they took then.",
        duration(times.total),
        rayon::current_num_threads()
    );
    Section::new("Wall time").text(text).table(table)
}
