//! Trains a small twin of the heat equation on data made on the fly, then forecasts from sixteen sensors.
//!
//! `cargo run --example train -p lto -- RUN [key=value …]`

use lto::experiment::{Experiment, Setting};
use lto::model::Model;
use lto::train::{Control, Observer, StepReport, Trainer, ValidationReport};
use lto_numerics::dataset::{ContextDesign, ContextSampler};
use lto_numerics::pde::sample_rng;
use lto_numerics::{Points, Sample};
use std::path::Path;
use std::sync::Arc;

const CONFIG: &str = "
[data]
generate = { pde = 'heat', dim = 1, resolution = 64 }
samples = 400
[model]
kind = 'twin'
latent_points = 64
latent_channels = 8
encoder = { kind = 'set_conv', hidden = 16 }
evolution = { kind = 'timed', width = 32 }
decoder = { hidden = 64 }
[train]
batch = 16
steps = 500
symmetries = true
learning_rate = 3e-3
validation = { every = 100 }
";

struct Printer;

impl Observer for Printer {
    fn log(&mut self, message: &str) {
        println!("{message}");
    }

    fn step(&mut self, report: &StepReport) -> Control {
        if report.step.is_multiple_of(50) {
            let StepReport { step, loss, examples_per_second, seconds_left, .. } = report;
            println!(
                "step {step}: loss {loss:.5}, {examples_per_second:.0} examples/s, {seconds_left:.0} s left"
            );
        }
        Control::Continue
    }

    fn validation(&mut self, report: &ValidationReport) {
        println!("step {}: {:.4?}", report.step, report.errors);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let run = arguments.next().ok_or("give the folder of the run")?;
    let overrides: Vec<Setting> = arguments.map(Setting::from).collect();
    let experiment = Experiment::parse(CONFIG, &overrides)?;
    let pde = experiment.data.generate.clone().ok_or("the example makes its own data")?.build()?;
    Trainer::start(experiment, Path::new(&run), true, &mut Printer)?.run(&mut Printer)?;

    let model = Model::load(&run)?;
    let unseen = pde.sample(&mut sample_rng(1, 0))?.remove(0);
    let Sample::Evolution(truth) = unseen else { return Err("the example is of an evolution".into()) };
    let sampler = ContextSampler { design: ContextDesign::Random { context_fraction: 0.25 } };
    let sensors = sampler.sample(&truth.field(0), None, &mut sample_rng(2, 0))?;
    let (times, last) = (truth.times(), truth.times().len() - 1);
    let query = Arc::new(Points::grid(truth.grid().as_ref().clone()));
    let predicted = model.predict(&sensors, times[0], &[times[last]], &query)?;
    let error = lto_numerics::metric::relative_l2::relative_l2(&predicted.values, truth.frame(last))?;
    println!(
        "from {} sensors, {} time units ahead: relative L2 {error:.4}",
        sensors.points.len(),
        times[last]
    );
    Ok(())
}
