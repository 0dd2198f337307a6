//! The stages of a reproduction. Each leaves a file that says what it was made from: what is there and was made from the
//! same is not made again.

use super::suite::Planned;
use crate::args::RunArgs;
use crate::commands::data::generate;
use crate::commands::evaluate;
use crate::commands::train::Watcher;
use crate::journal::{Header, Journal};
use crate::output;
use anyhow::{Context, Result};
use lto::Error;
use lto::data::config::DataConfig;
use lto::evaluate::{Evaluation, EvaluationConfig, Levels};
use lto::experiment::Experiment;
use lto::train::{Outcome, Trainer};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Whether a stage is done, or was interrupted before it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage<T> {
    /// What it gave.
    Done(T),
    /// Ctrl-C; the same command goes on from there.
    Interrupted,
}

/// The file with all samples of a generated experiment: made once, for all models.
///
/// # Errors
/// A PDE that cannot be solved, or a file that cannot be written.
pub fn data(folder: &Path, experiment: &Experiment, quiet: bool) -> Result<Stage<PathBuf>> {
    let data = &experiment.data;
    let config = data.generate.clone().context("the configuration generates no data; give --data FILE")?;
    let samples = data.samples.context("the configuration does not say how many samples")?;
    let (output, stamp) = (folder.join("data.hdf5"), folder.join("data.json"));
    let header = Header {
        version: env!("CARGO_PKG_VERSION").into(),
        config: config.clone(),
        seed: data.seed,
        samples,
    };
    if output.exists() && read::<Header>(&stamp).is_some_and(|made| made == header) {
        say(quiet, "data: there already");
        return Ok(Stage::Done(output));
    }
    // A journal of the same is continued, any other is not.
    let journal = crate::journal::header_of(&Journal::path_for(&output));
    let resume = journal.is_some_and(|begun| begun == header);
    say(quiet, &format!("data: solving {}", output::count(samples, "sample")));
    let run = RunArgs {
        n_samples: samples,
        seed: data.seed,
        output: output.clone(),
        resume,
        force: true,
        json: false,
    };
    if generate::generate(config, &run, quiet)?.is_none() {
        return Ok(Stage::Interrupted);
    }
    write(&stamp, &header)?;
    Ok(Stage::Done(output))
}

/// A trained run in its folder: started, continued or left as it is.
///
/// # Errors
/// A configuration that does not fit the data, training that diverges, or files that cannot be written.
pub fn train(folder: &Path, planned: &Planned, quiet: bool) -> Result<Stage<PathBuf>> {
    let run = folder.join(&planned.folder);
    let same = Experiment::read(&run.join("config.toml"), &[]).is_ok_and(|made| made == planned.experiment);
    if same && finished(&run) {
        say(quiet, &format!("{}: trained already", planned.folder));
        return Ok(Stage::Done(run));
    }
    say(quiet, &format!("{}: training", planned.folder));
    let mut watcher = Watcher::new(quiet);
    let trainer = if same && run.join("checkpoint.safetensors").exists() {
        Trainer::resume(&run, &[], &mut watcher)
    } else {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        Trainer::start(planned.experiment.clone(), &run, true, &mut watcher)
    };
    let outcome = trainer.and_then(|mut trainer| trainer.run(&mut watcher));
    watcher.finish();
    match outcome {
        Ok(Outcome::Finished(summary)) => {
            write(&run.join(FINISHED), &summary.steps)?;
            Ok(Stage::Done(run))
        }
        Ok(Outcome::Interrupted(_)) | Err(Error::Interrupted) => Ok(Stage::Interrupted),
        Err(error) => Err(error).with_context(|| planned.folder.clone()),
    }
}

/// A file beside a model that was trained to its end.
const FINISHED: &str = "finished.json";

fn finished(run: &Path) -> bool {
    run.join(FINISHED).exists() && run.join(lto::model::FILE_NAME).exists()
}

/// What an evaluation was made from.
#[derive(PartialEq, Serialize, Deserialize)]
struct EvaluationStamp {
    version: String,
    protocol: EvaluationConfig,
    data: DataConfig,
    /// Checksum of the model.
    model: u32,
}

/// The evaluation of a trained run, or of a baseline that is not trained.
///
/// # Errors
/// A model or data that cannot be read, or a protocol that the data do not allow.
pub fn evaluate(
    folder: &Path,
    run: &str,
    data: &DataConfig,
    protocol: &EvaluationConfig,
    quiet: bool,
) -> Result<Stage<Evaluation>> {
    let name = Path::new(run).file_name().map_or(run.into(), |name| name.to_string_lossy());
    let (output, stamp) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.stamp.json")));
    let weights = std::fs::read(Path::new(run).join(lto::model::FILE_NAME)).unwrap_or_default();
    let made_from = EvaluationStamp {
        version: env!("CARGO_PKG_VERSION").into(),
        protocol: protocol.clone(),
        data: data.clone(),
        model: crc32fast::hash(&weights),
    };
    if read::<EvaluationStamp>(&stamp).is_some_and(|made| made == made_from)
        && let Some(evaluation) = read::<Evaluation>(&output)
    {
        say(quiet, &format!("{name}: evaluated already"));
        return Ok(Stage::Done(evaluation));
    }
    say(quiet, &format!("{name}: evaluating"));
    let levels = Levels::open(data, &protocol.all_resolutions())?;
    match evaluate::one(run, &evaluate::model(run, levels.data())?, &levels, protocol, quiet) {
        Err(Error::Interrupted) => Ok(Stage::Interrupted),
        Err(error) => Err(error).with_context(|| name.into_owned()),
        Ok(evaluation) => {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            write(&output, &evaluation)?;
            write(&stamp, &made_from)?;
            Ok(Stage::Done(evaluation))
        }
    }
}

/// A value that an earlier stage left, if it is there and understood.
pub fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Leaves a value for later stages, whole or not at all.
///
/// # Errors
/// A file that cannot be written.
pub fn write(path: &Path, value: &impl Serialize) -> Result<()> {
    output::write_atomically(path, (serde_json::to_string_pretty(value)? + "\n").as_bytes())
}

fn say(quiet: bool, message: &str) {
    if !quiet {
        eprintln!("{message}");
    }
}
