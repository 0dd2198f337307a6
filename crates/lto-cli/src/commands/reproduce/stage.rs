//! The stages of a reproduction. Each leaves a file that says what it was made from: what is there and was made from the
//! same is not made again.

use super::fingerprint::Fingerprint;
use super::suite::Planned;
use crate::args::RunArgs;
use crate::commands::data::generate;
use crate::commands::evaluate;
use crate::commands::train::Watcher;
use crate::output;
use anyhow::{Context, Result};
use lto::Error;
use lto::data::config::DataConfig;
use lto::evaluate::{Evaluation, EvaluationConfig, Levels};
use lto::experiment::Experiment;
use lto::train::{RunEnd, Trainer};
use lto_numerics::generate::{Journal, Recipe};
use lto_report::words;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Whether a stage is done, or was interrupted before it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage<T> {
    /// What it gave.
    Done(T),
    /// Ctrl-C; the same command goes on from there.
    Interrupted,
}

/// The samples of a generated experiment.
#[derive(Serialize, Deserialize)]
struct DataStamp {
    made_from: Recipe,
    /// Wall time, of the last go where it was interrupted.
    seconds: f64,
}

/// The file with all samples of a generated experiment, made once for all models, and the seconds that took.
///
/// # Errors
/// A PDE that cannot be solved, or a file that cannot be written.
pub fn data(folder: &Path, experiment: &Experiment, quiet: bool) -> Result<Stage<(PathBuf, f64)>> {
    let data = &experiment.data;
    let config = data.generate.clone().context("the configuration generates no data; give --data FILE")?;
    let samples = data.samples.context("the configuration does not say how many samples")?;
    let (output, stamp) = (folder.join("data.hdf5"), folder.join("data.json"));
    let recipe = Recipe::new(config.clone(), data.seed, samples);
    let made = read::<DataStamp>(&stamp).filter(|made| output.exists() && made.made_from == recipe);
    if let Some(made) = made {
        say(quiet, "data: there already");
        return Ok(Stage::Done((output, made.seconds)));
    }
    let clock = Instant::now();
    // A journal of the same is continued, any other is not.
    let journal = Recipe::of_journal(&Journal::path_for(&output));
    let resume = journal.is_some_and(|begun| begun == recipe);
    say(quiet, &format!("data: solving {}", words::count(samples, "sample")));
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
    let seconds = clock.elapsed().as_secs_f64();
    write(&stamp, &DataStamp { made_from: recipe, seconds })?;
    Ok(Stage::Done((output, seconds)))
}

/// A trained run in its folder: started, continued or left as it is, and the seconds its training took. `file` says what
/// the data are.
///
/// # Errors
/// A configuration that does not fit the data, training that diverges, or files that cannot be written.
pub fn train(
    folder: &Path,
    planned: &Planned,
    file: &Fingerprint,
    quiet: bool,
) -> Result<Stage<(PathBuf, f64)>> {
    let run = folder.join(&planned.folder);
    let made = Experiment::read(&run.join("config.toml"), &[]).ok();
    let in_place = made.as_ref() == Some(&planned.experiment);
    // The fingerprint says which data they are, wherever the folder has been moved to.
    let same = made.is_some_and(|mut made| {
        made.data.path.clone_from(&planned.experiment.data.path);
        made == planned.experiment
    }) && read::<Fingerprint>(&run.join(DATA)).is_some_and(|made| made == *file);
    let (end, model) = (run.join(FINISHED), run.join(lto::model::FILE_NAME));
    let finished = read::<Finished>(&end).filter(|_| same && model.exists());
    if let Some(finished) = finished {
        say(quiet, &format!("{}: trained already", planned.folder));
        return Ok(Stage::Done((run, finished.seconds)));
    }
    say(quiet, &format!("{}: training", planned.folder));
    let mut watcher = Watcher::new(quiet);
    let trainer = if same && in_place && run.join("checkpoint.safetensors").exists() {
        Trainer::resume(&run, &[], &mut watcher)
    } else {
        // What an earlier run left must not vouch for this one.
        std::fs::create_dir_all(&run).with_context(|| run.display().to_string())?;
        if end.exists() {
            std::fs::remove_file(&end).with_context(|| end.display().to_string())?;
        }
        write(&run.join(DATA), file)?;
        Trainer::start(planned.experiment.clone(), &run, true, &mut watcher)
    };
    let outcome = trainer.and_then(|mut trainer| trainer.run(&mut watcher));
    watcher.finish();
    match outcome {
        Ok(RunEnd::Finished(summary)) => {
            write(&end, &Finished { steps: summary.steps, seconds: summary.seconds })?;
            Ok(Stage::Done((run, summary.seconds)))
        }
        Ok(RunEnd::Interrupted(_)) | Err(Error::Interrupted) => Ok(Stage::Interrupted),
        Err(error) => Err(error).with_context(|| planned.folder.clone()),
    }
}

/// A file beside a model that was trained to its end.
const FINISHED: &str = "finished.json";

/// A file beside a model that says which data it learns from.
const DATA: &str = "data.json";

#[derive(Serialize, Deserialize)]
struct Finished {
    steps: u64,
    seconds: f64,
}

/// What an evaluation was made from.
#[derive(PartialEq, Serialize, Deserialize)]
struct EvaluationStamp {
    version: String,
    protocol: EvaluationConfig,
    data: DataConfig,
    /// The file of the data.
    file: Fingerprint,
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
    file: &Fingerprint,
    protocol: &EvaluationConfig,
    quiet: bool,
) -> Result<Stage<Evaluation>> {
    let name = Path::new(run).file_name().map_or(run.into(), |name| name.to_string_lossy());
    let (output, stamp) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.stamp.json")));
    let weights = std::fs::read(Path::new(run).join(lto::model::FILE_NAME)).unwrap_or_default();
    let made_from = EvaluationStamp {
        version: env!("CARGO_PKG_VERSION").into(),
        protocol: protocol.clone(),
        // Wherever the file is.
        data: DataConfig { path: None, ..data.clone() },
        file: *file,
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
        output::say(message);
    }
}
