//! One file per command; each returns the exit status.

mod bench;
mod certify;
mod compare;
mod completions;
mod data;
mod demo;
mod design;
mod evaluate;
mod import;
mod info;
mod known;
mod predict;
mod product;
mod reproduce;
mod theory;
pub mod train;

use crate::args::{Arguments, Command, DataCommand};
use anyhow::{Context, Result};
use std::process::ExitCode;

/// Runs the command.
///
/// # Errors
/// Anything that goes wrong; the command line itself is sound.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    let global = arguments.global;
    if let Some(threads) = global.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
        pool.build_global().context("starting threads")?;
    }
    match arguments.command {
        Command::Data(DataCommand::Generate(args)) => data::generate::run(args, &global),
        Command::Data(DataCommand::Inspect(args)) => data::inspect::run(&args, &global),
        Command::Data(DataCommand::Sensors(args)) => data::sensors::run(&args, &global),
        Command::Data(DataCommand::Plot(args)) => data::plot::run(&args, &global),
        Command::Demo(args) => demo::run(&args, &global),
        Command::Train(args) => train::run(&args, &global),
        Command::Evaluate(args) => evaluate::run(&args, &global),
        Command::Compare(args) => compare::run(&args, &global),
        Command::Predict(args) => predict::run(&args, &global),
        Command::Import(args) => import::run(&args, &global),
        Command::Info(args) => info::run(&args, &global),
        Command::Reproduce(args) => reproduce::run(&args, &global),
        Command::Design(args) => design::run(&args, &global),
        Command::Certify(args) => certify::run(&args, &global),
        Command::Theory(command) => theory::run(&command, &global),
        Command::Bench(command) => bench::run(&command, &global),
        Command::Completions { shell } => completions::run(shell),
    }
}
