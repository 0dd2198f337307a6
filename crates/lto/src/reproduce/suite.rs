//! What `lto reproduce` does, read from a file: the models, data, scales, evaluation and published numbers.

use crate::error::{Error, Result};
use crate::evaluate::{EvaluationConfig, Published};
use crate::experiment::{Experiment, Setting};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// The suites and the configuration files they name, embedded so that a copied program has them too.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../configs/", $name, ".toml")))),*]
    };
}
const FILES: &[(&str, &str)] = files![
    "ours/burgers",
    "ours/darcy",
    "ours/heat",
    "ours/navier_stokes",
    "paper/burgers",
    "paper/darcy",
    "paper/darcy_attention",
    "paper/f_fno_burgers",
    "paper/f_fno_navier_stokes",
    "paper/fno_burgers",
    "paper/fno_navier_stokes",
    "paper/heat",
    "paper/lno_darcy",
    "paper/lno_navier_stokes",
    "paper/navier_stokes",
    "reproduce/burgers",
    "reproduce/darcy",
    "reproduce/heat",
    "reproduce/navier-stokes",
];

/// The text of an embedded configuration file.
pub(crate) fn file(name: &str) -> Result<&'static str> {
    let found = FILES.iter().find(|(known, _)| *known == name);
    let missing = || Error::Toml { problem: format!("{name}.toml is not part of this program") };
    found.map(|(_, text)| *text).ok_or_else(missing)
}

/// The experiments of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum PublishedExperiment {
    /// Error against the number of sensors
    Heat,
    /// One step ahead at 64 to 2048 points
    Burgers,
    /// One step at several resolutions, and ten steps ahead
    NavierStokes,
    /// A steady problem at 85 to 421 points per axis
    Darcy,
}

impl PublishedExperiment {
    /// Every experiment.
    pub const ALL: [Self; 4] = [Self::Heat, Self::Burgers, Self::NavierStokes, Self::Darcy];

    /// Name as on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Heat => "heat",
            Self::Burgers => "burgers",
            Self::NavierStokes => "navier-stokes",
            Self::Darcy => "darcy",
        }
    }
}

/// The size of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Scale {
    /// Takes minutes: shows that everything works
    Smoke,
    /// Sized for two cores; the report gives the time of every stage
    Small,
    /// The published sizes
    Paper,
}

impl Scale {
    /// Every scale.
    pub const ALL: [Self; 3] = [Self::Smoke, Self::Small, Self::Paper];

    /// Name as on the command line, in suite files and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Small => "small",
            Self::Paper => "paper",
        }
    }
}

/// An experiment of the paper at a scale.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Which experiment.
    pub experiment: PublishedExperiment,
    /// The scale.
    pub scale: Scale,
    /// What it is about.
    pub title: String,
    /// The question and how it is measured, in a few sentences.
    pub about: String,
    /// What is smaller than published, in words.
    pub about_scale: String,
    /// The runs to train; never empty.
    pub runs: Vec<SuiteRun>,
    /// How it is evaluated.
    pub protocol: EvaluationConfig,
    /// The published tables.
    pub published: Vec<Published>,
}

/// A training run of a suite.
#[derive(Clone, Debug)]
pub struct SuiteRun {
    /// The model; the same for all its seeds.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// Name of its folder and in tables.
    pub folder: String,
    /// The configuration, with everything set.
    pub experiment: Experiment,
}

/// The file of a suite.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteFile {
    title: String,
    about: String,
    models: Vec<ModelEntry>,
    /// How it is evaluated, at any scale.
    #[serde(default)]
    evaluate: Table,
    #[serde(default)]
    published: Vec<Published>,
    /// By the name of the scale.
    scales: BTreeMap<String, ScaleSettings>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelEntry {
    name: String,
    /// Its configuration file.
    config: String,
    /// Its own settings at every scale.
    #[serde(default)]
    set: Vec<String>,
    /// Seeds; it is trained once for each.
    #[serde(default = "one_seed")]
    seeds: Vec<u64>,
}

fn one_seed() -> Vec<u64> {
    vec![0]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScaleSettings {
    /// What is smaller than published, in words.
    about: String,
    /// Settings of all models.
    #[serde(default)]
    set: Vec<String>,
    /// Settings of single models, by name.
    #[serde(default)]
    models: BTreeMap<String, Vec<String>>,
    /// How it is evaluated at this scale, overriding the general settings.
    #[serde(default)]
    evaluate: Table,
}

impl Suite {
    /// The suite of an experiment at a scale, with `extra` settings for every run.
    ///
    /// # Errors
    /// A setting that does not fit the configurations.
    pub fn new(experiment: PublishedExperiment, scale: Scale, extra: &[Setting]) -> Result<Self> {
        let name = format!("reproduce/{}", experiment.name());
        let wrong = |problem: String| Error::Toml { problem: format!("{name}.toml: {problem}") };
        let suite: SuiteFile = toml::from_str(file(&name)?).map_err(|e| wrong(e.to_string()))?;
        let settings =
            suite.scales.get(scale.name()).ok_or_else(|| wrong(format!("no scale {}", scale.name())))?;
        let known = |name: &String| suite.models.iter().any(|model| model.name == *name);
        if let Some(unknown) = settings.models.keys().find(|name| !known(name)) {
            return Err(wrong(format!("scale {} has settings for no model, {unknown}", scale.name())));
        }
        let mut runs = Vec::new();
        for model in &suite.models {
            let own = settings.models.get(&model.name).map_or(&[][..], Vec::as_slice);
            let set = [&model.set, &settings.set, own].concat();
            let set: Vec<Setting> = set.into_iter().map(Setting::from).chain(extra.iter().cloned()).collect();
            for &seed in &model.seeds {
                let set = [&set[..], &[Setting::Seed(seed)]].concat();
                let experiment =
                    Experiment::parse(file(&model.config)?, &set).map_err(Error::of_run(&model.name))?;
                let words = model.name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                let mut folder = words.map(str::to_lowercase).collect::<Vec<_>>().join("-");
                if model.seeds.len() > 1 {
                    folder += &format!("-seed-{seed}");
                }
                runs.push(SuiteRun { name: model.name.clone(), seed, folder, experiment });
            }
        }
        if runs.is_empty() {
            return Err(wrong("no models".into()));
        }
        let mut protocol = suite.evaluate.clone();
        protocol.extend(settings.evaluate.clone());
        Ok(Self {
            experiment,
            scale,
            about_scale: settings.about.clone(),
            runs,
            protocol: Value::Table(protocol).try_into().map_err(|e: toml::de::Error| wrong(e.to_string()))?,
            title: suite.title,
            about: suite.about,
            published: suite.published,
        })
    }

    /// Reads the samples of all runs from a file instead of solving them; what is known of the PDE stays
    /// known.
    pub fn read_from(&mut self, file: &Path) {
        for data in self.runs.iter_mut().map(|run| &mut run.experiment.data) {
            if let Some(pde) = data.generate.take() {
                data.symmetries.get_or_insert_with(|| pde.symmetries().to_vec());
            }
            data.path = Some(file.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At every scale the models of an experiment see the same samples, and as many of them in equal batches, or for as
    /// much processor time, each in the batches of its own recipe.
    #[test]
    fn budgets_are_matched() {
        for experiment in PublishedExperiment::ALL {
            for scale in Scale::ALL {
                let runs = Suite::new(experiment, scale, &[]).unwrap().runs;
                let first = &runs[0].experiment;
                let n = first.data.samples.unwrap();
                let examples = |one: &Experiment| {
                    let n_train = one.data.split.split(n, one.data.seed).unwrap().train.len();
                    one.train.total_steps(n_train) * one.train.batch as u64
                };
                for other in runs.iter().map(|run| &run.experiment) {
                    assert_eq!(other.data.samples, first.data.samples, "{experiment:?} {scale:?}");
                    assert_eq!(other.train.cpu_minutes, first.train.cpu_minutes, "{experiment:?} {scale:?}");
                    if first.train.cpu_minutes.is_none() {
                        assert_eq!(examples(other), examples(first), "{experiment:?} {scale:?}");
                        assert_eq!(other.train.batch, first.train.batch, "{experiment:?} {scale:?}");
                    }
                    assert_eq!(other.train.minutes, None, "{experiment:?} {scale:?}");
                    assert_eq!(other.data.generate, first.data.generate, "{experiment:?} {scale:?}");
                    assert_eq!(other.data.split, first.data.split, "{experiment:?} {scale:?}");
                    assert_eq!(other.data.frame_stride, first.data.frame_stride, "{experiment:?} {scale:?}");
                }
            }
        }
    }

    #[test]
    fn folders_tell_runs_apart() {
        let runs = Suite::new(PublishedExperiment::Heat, Scale::Smoke, &[]).unwrap().runs;
        let mut folders: Vec<&str> = runs.iter().map(|run| run.folder.as_str()).collect();
        assert!(folders.contains(&"twin-seed-2") && folders.contains(&"fno"), "{folders:?}");
        folders.sort_unstable();
        folders.dedup();
        assert_eq!(folders.len(), runs.len());
    }
}
