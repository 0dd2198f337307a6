//! The stages of a reproduction or demonstration. Each leaves a file that says what it was made from, and is
//! not repeated while that stays the same.

use super::fingerprint::Fingerprint;
use crate::data::config::DataConfig;
use crate::error::{Error, Result};
use crate::evaluate::run::{evaluate_run, load};
use crate::evaluate::{Evaluation, EvaluationConfig, Levels};
use crate::experiment::Experiment;
use crate::model;
use crate::train::folder::CONFIG_FILE;
use crate::train::{Control, Observer, RunEnd, Trainer, checkpoint};
use lto_numerics::dataset::write::AtomicFile;
use lto_numerics::generate::{Existing, Generation, Journal, Recipe};
use lto_numerics::ranks::Alone;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Receives the events of all stages, including training.
pub trait StageObserver: Observer {
    /// A stage begins, or need not: `twin: training`, `data: already there`. The previous one is over.
    fn stage(&mut self, name: &str, what: &str);

    /// `done` of `total` things, called `what`, are done.
    fn progress(&mut self, what: &'static str, done: usize, total: usize) -> Control;
}

/// A file of samples.
#[derive(Clone, Debug)]
pub struct DataFile {
    /// Its path.
    pub path: PathBuf,
    /// Seconds it took to make; `None` for a file that was given.
    pub seconds: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct DataStamp {
    made_from: Recipe,
    /// Wall time; if interrupted, of the last session.
    seconds: f64,
}

/// The file with all samples of a generated experiment, made if missing.
///
/// # Errors
/// An experiment that generates no data, a problem that cannot be solved, a file that cannot be written;
/// [`Error::Interrupted`] if the observer says so.
pub fn data(folder: &Path, experiment: &Experiment, observer: &mut dyn StageObserver) -> Result<DataFile> {
    let data = &experiment.data;
    let (Some(config), Some(samples)) = (data.generate.clone(), data.samples) else {
        let requirement = "the configuration generates no data; give --data FILE".into();
        return Err(Error::Config { key: "data.generate".into(), value: "nothing".into(), requirement });
    };
    let (path, stamp) = (folder.join("data.hdf5"), folder.join("data.json"));
    let recipe = Recipe::new(config, data.seed, samples);
    let made = read::<DataStamp>(&stamp).filter(|made| path.exists() && made.made_from == recipe);
    if let Some(made) = made {
        observer.stage("data", "already there");
        return Ok(DataFile { path, seconds: Some(made.seconds) });
    }
    let clock = Instant::now();
    observer.stage("data", &format!("solving {samples} samples"));
    // Only a journal of the same data is continued.
    let resume = Recipe::of_journal(&Journal::path_for(&path)).is_some_and(|begun| begun == recipe);
    let mut generation = Generation::begin(recipe.clone(), &path, Existing { resume, replace: true })?;
    let stop = AtomicBool::new(false);
    let mut progress = |solved| {
        let control = observer.progress("samples", solved, samples);
        stop.store(control == Control::Stop, Ordering::Relaxed);
    };
    if !generation.run(&mut progress, &|| stop.load(Ordering::Relaxed))? {
        return Err(Error::Interrupted);
    }
    let seconds = clock.elapsed().as_secs_f64();
    write(&stamp, &DataStamp { made_from: recipe, seconds })?;
    Ok(DataFile { path, seconds: Some(seconds) })
}

/// A file beside a fully trained model.
const FINISHED: &str = "finished.json";

/// A file beside a model that identifies its training data.
const DATA: &str = "data.json";

#[derive(Serialize, Deserialize)]
struct Finished {
    steps: u64,
    seconds: f64,
}

/// Trains a run in its folder: starts it, continues it, or leaves it if finished. Returns the seconds it
/// took. `file` identifies the data file; `None` if samples are solved on the fly. `anew` starts over
/// regardless.
///
/// # Errors
/// A configuration that does not fit the data, training that diverges, files that cannot be written;
/// [`Error::Interrupted`] if the observer says so.
pub fn train(
    run: &Path,
    experiment: &Experiment,
    file: Option<&Fingerprint>,
    anew: bool,
    observer: &mut dyn StageObserver,
) -> Result<f64> {
    let name = name(run);
    let made = Experiment::read(&run.join(CONFIG_FILE), &[]).ok().filter(|_| !anew);
    let in_place = made.as_ref() == Some(experiment);
    // The fingerprint identifies the data, even if the folder was moved.
    let same = made.is_some_and(|mut made| {
        made.data.path.clone_from(&experiment.data.path);
        made == *experiment
    }) && read::<Fingerprint>(&run.join(DATA)).as_ref() == file;
    let (end, model) = (run.join(FINISHED), run.join(model::FILE_NAME));
    let finished = read::<Finished>(&end).filter(|_| same && model.exists());
    if let Some(finished) = finished {
        observer.stage(&name, "already trained");
        return Ok(finished.seconds);
    }
    observer.stage(&name, "training");
    let trainer = if same && in_place && run.join(checkpoint::FILE_NAME).exists() {
        Trainer::resume(run, &[], observer)
    } else {
        // The stamp of an earlier run must not vouch for this one.
        for path in [&end, &run.join(DATA)] {
            if path.exists() {
                std::fs::remove_file(path).map_err(Error::io(path))?;
            }
        }
        if let Some(file) = file {
            std::fs::create_dir_all(run).map_err(Error::io(run))?;
            write(&run.join(DATA), file)?;
        }
        Trainer::start(experiment.clone(), run, true, observer)
    };
    match trainer.and_then(|mut trainer| trainer.run(observer)) {
        Ok(RunEnd::Finished(summary)) => {
            write(&end, &Finished { steps: summary.steps, seconds: summary.seconds })?;
            Ok(summary.seconds)
        }
        Ok(RunEnd::Interrupted(_)) | Err(Error::Interrupted) => Err(Error::Interrupted),
        Err(error) => Err(Error::of_run(&name)(error)),
    }
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
/// A model or data that cannot be read, or a protocol that the data do not allow; [`Error::Interrupted`] if
/// the observer says so.
pub fn evaluate(
    folder: &Path,
    run: &str,
    data: &DataConfig,
    file: &Fingerprint,
    protocol: &EvaluationConfig,
    observer: &mut dyn StageObserver,
) -> Result<Evaluation> {
    let name = name(Path::new(run));
    let (output, stamp) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.stamp.json")));
    let weights = std::fs::read(Path::new(run).join(model::FILE_NAME)).unwrap_or_default();
    let made_from = EvaluationStamp {
        version: env!("CARGO_PKG_VERSION").into(),
        protocol: protocol.clone(),
        // Independent of the file's place.
        data: DataConfig { path: None, ..data.clone() },
        file: *file,
        model: crc32fast::hash(&weights),
    };
    if read::<EvaluationStamp>(&stamp).is_some_and(|made| made == made_from)
        && let Some(evaluation) = read::<Evaluation>(&output)
    {
        observer.stage(&name, "already evaluated");
        return Ok(evaluation);
    }
    observer.stage(&name, "evaluating");
    let mut progress =
        |done, total| observer.progress("samples of all cases", done, total) == Control::Continue;
    let evaluated = Levels::open(data, &protocol.all_resolutions()).and_then(|levels| {
        evaluate_run(run, &load(run, levels.data())?, &levels, protocol, &Alone, &mut progress)
    });
    let evaluation = evaluated.map_err(|error| match error {
        Error::Interrupted => Error::Interrupted,
        other => Error::of_run(&name)(other),
    })?;
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    write(&output, &evaluation)?;
    write(&stamp, &made_from)?;
    Ok(evaluation)
}

/// The last part of the path of a run.
pub(super) fn name(run: &Path) -> String {
    run.file_name().unwrap_or(run.as_os_str()).to_string_lossy().into_owned()
}

/// A value left by an earlier stage, if it exists and is understood.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Leaves a value for later stages, atomically.
fn write(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::bad_file(path, e.to_string()))? + "\n";
    let mut file = AtomicFile::create(path)?;
    file.file().write_all(text.as_bytes()).map_err(Error::io(path))?;
    Ok(file.finish()?)
}
