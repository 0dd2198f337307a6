//! One file per command, one line of a list each; each returns the exit status.

/// A list of commands, one line each: the variant with its arguments, and what does it.
macro_rules! commands {
    ($(#[$about:meta])* $name:ident: $($(#[$help:meta])* $kind:ident($args:ty) => $run:path,)+) => {
        $(#[$about])*
        #[derive(Debug, clap::Subcommand)]
        pub enum $name {
            $($(#[$help])* $kind($args),)+
        }

        impl $name {
            /// Does what the command line says.
            ///
            /// # Errors
            /// Whatever goes wrong; the command line itself is sound.
            pub fn run(&self, global: &GlobalArgs) -> Result<ExitCode> {
                match self { $($name::$kind(args) => $run(args, global),)+ }
            }
        }
    };
}

mod bench;
mod calibrate;
mod certify;
mod compare;
mod completions;
pub mod data;
mod demo;
mod design;
mod evaluate;
mod forecast;
mod import;
mod info;
mod known;
mod predict;
mod product;
mod reproduce;
mod serve;
mod theory;
pub mod train;

use crate::args::*;
use crate::cluster;
use anyhow::{Context, Result};
use data::DataCommand;
use std::process::ExitCode;

commands! {
    /// The commands.
    Command:
    /// Generate, inspect and draw PDE data
    #[command(subcommand)]
    Data(DataCommand) => DataCommand::run,
    /// Show everything in 1½ minutes: data, training, forecasts from any number of sensors, a report
    Demo(DemoArgs) => demo::run,
    /// Train a model from a configuration file
    Train(TrainArgs) => train::run,
    /// Measure how far a model is off on held-out samples, so that it gives error bands
    Calibrate(CalibrateArgs) => calibrate::run,
    /// Measure the errors of trained models: resolutions, contexts, noise, horizons
    Evaluate(EvaluateArgs) => evaluate::run,
    /// Compare evaluations side by side and mark the best
    Compare(CompareArgs) => compare::run,
    /// Predict a field from observations with a trained model
    Predict(PredictArgs) => predict::run,
    /// Serve models over HTTP, with a page to move sensors and see the field
    Serve(ServeArgs) => serve::run,
    /// Forecast from the newest readings of stations, and as they come in
    Forecast(ForecastArgs) => forecast::run,
    /// Describe a model: architecture, parameters, domain, times, errors
    Info(InfoArgs) => info::run,
    /// Reproduce an experiment of the paper: data, training, evaluation, tables beside the published ones, a report
    Reproduce(ReproduceArgs) => reproduce::run,
    /// Make a model from weights trained elsewhere
    Import(ImportArgs) => import::run,
    /// Place sensors; show which may fail and where one more helps most
    Design(DesignArgs) => design::run,
    /// Bound the error of estimates between sensors: how far off, where, and under which assumptions
    Certify(CertifyArgs) => certify::run,
    /// Measure what the theory predicts
    #[command(subcommand)]
    Theory(TheoryCommand) => theory::run,
    /// Time the published models on this machine
    #[command(subcommand)]
    Bench(BenchCommand) => bench::run,
    /// Print a completion script for a shell
    Completions(CompletionsArgs) => completions::run,
}

/// Runs the command.
///
/// # Errors
/// Anything that goes wrong; the command line itself is valid.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let global = &arguments.global;
    if let Some(threads) = global.threads.map(usize::from).or_else(cluster::threads) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build_global().context("starting threads")?;
    }
    arguments.command.run(global)
}
