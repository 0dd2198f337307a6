//! What `lto reproduce` does, as a file says: which models on which data, how large, how evaluated, and what was published.

use crate::args::{PublishedExperiment, Scale};
use anyhow::{Context, Result, bail};
use lto::experiment::Experiment;
use lto_report::evaluation::Published;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// The configuration files that suites name, and the suites; a program that was only copied has them with it.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../../configs/", $name, ".toml")))),*]
    };
}
const FILES: &[(&str, &str)] = files![
    "ours/burgers_29k",
    "ours/darcy",
    "ours/heat",
    "ours/navier_stokes",
    "paper/burgers",
    "paper/darcy",
    "paper/darcy_attention",
    "paper/fno_burgers",
    "paper/fno_navier_stokes",
    "paper/lno_darcy",
    "paper/lno_navier_stokes",
    "paper/navier_stokes",
    "reproduce/burgers",
    "reproduce/darcy",
    "reproduce/heat",
    "reproduce/navier-stokes",
];

/// The text of an embedded configuration file.
fn file(name: &str) -> Result<&'static str> {
    let found = FILES.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text).with_context(|| format!("{name}.toml is not part of this program"))
}

/// One experiment of the paper.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// What it is about.
    pub title: String,
    /// What is asked and how it is measured, in a few sentences.
    pub about: String,
    /// What is trained.
    models: Vec<Entry>,
    /// How it is evaluated, at any scale.
    #[serde(default)]
    evaluate: Table,
    /// The published tables.
    #[serde(default)]
    pub published: Vec<Published>,
    /// By the name of the scale.
    scales: BTreeMap<String, ScaleSettings>,
}

/// One model of a suite.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Its name.
    name: String,
    /// Its configuration file.
    config: String,
    /// Settings of its own at every scale.
    #[serde(default)]
    set: Vec<String>,
    /// Trained once for each of these seeds.
    #[serde(default = "one_seed")]
    seeds: Vec<u64>,
}

fn one_seed() -> Vec<u64> {
    vec![0]
}

#[derive(Debug, Deserialize)]
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
    /// How it is evaluated, in place of what holds at any scale.
    #[serde(default)]
    evaluate: Table,
}

/// A training run of a suite.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The model; of several seeds the same.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// Name of its folder, and its own in tables.
    pub folder: String,
    /// The configuration, with everything set.
    pub experiment: Experiment,
}

impl Planned {
    /// Reads the samples from a file in place of solving them; what is known of the PDE stays known.
    pub fn read_from(&mut self, file: &Path) {
        let data = &mut self.experiment.data;
        if let Some(pde) = data.generate.take() {
            data.symmetries.get_or_insert_with(|| pde.symmetries().to_vec());
        }
        data.path = Some(file.into());
    }
}

impl Suite {
    /// The suite of an experiment.
    ///
    /// # Errors
    /// None that a test of this program would not find.
    pub fn of(experiment: PublishedExperiment) -> Result<Self> {
        let name = format!("reproduce/{}", experiment.name());
        toml::from_str(file(&name)?).with_context(|| name)
    }

    fn scale(&self, scale: Scale) -> Result<&ScaleSettings> {
        self.scales.get(scale.name()).with_context(|| format!("{} has no scale {}", self.title, scale.name()))
    }

    /// What is smaller than published at a scale.
    ///
    /// # Errors
    /// As [`Suite::of`].
    pub fn about_scale(&self, scale: Scale) -> Result<&str> {
        Ok(&self.scale(scale)?.about)
    }

    /// All runs, with `extra` settings on top.
    ///
    /// # Errors
    /// A setting that does not fit the configurations.
    pub fn plan(&self, scale: Scale, extra: &[String]) -> Result<Vec<Planned>> {
        let settings = self.scale(scale)?;
        if let Some(unknown) =
            settings.models.keys().find(|name| !self.models.iter().any(|m| m.name == **name))
        {
            bail!("{}: scale {} has settings for {unknown}, which is no model", self.title, scale.name());
        }
        let mut runs = Vec::new();
        for entry in &self.models {
            let own = settings.models.get(&entry.name).map_or(&[][..], Vec::as_slice);
            for &seed in &entry.seeds {
                let mut set: Vec<String> = [&entry.set, &settings.set, own, extra].concat();
                set.push(format!("seed={seed}"));
                let experiment =
                    Experiment::parse(file(&entry.config)?, &set).with_context(|| entry.name.clone())?;
                let words = entry.name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                let mut folder = words.map(str::to_lowercase).collect::<Vec<_>>().join("-");
                if entry.seeds.len() > 1 {
                    folder += &format!("-seed-{seed}");
                }
                runs.push(Planned { name: entry.name.clone(), seed, folder, experiment });
            }
        }
        Ok(runs)
    }

    /// How models are evaluated at a scale: what holds at any, with what the scale says in its place.
    ///
    /// # Errors
    /// As [`Suite::of`].
    pub fn protocol<T: serde::de::DeserializeOwned>(&self, scale: Scale) -> Result<T> {
        let mut table = self.evaluate.clone();
        table.extend(self.scale(scale)?.evaluate.clone());
        Value::Table(table).try_into().with_context(|| format!("{}: how to evaluate", self.title))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;
    use lto::evaluate::EvaluationConfig;

    /// At every scale the models of an experiment see the same samples, the same number of times.
    #[test]
    fn budgets_are_matched() {
        for experiment in PublishedExperiment::value_variants() {
            let suite = Suite::of(*experiment).unwrap();
            for scale in Scale::value_variants() {
                let plan = suite.plan(*scale, &[]).unwrap();
                let first = &plan[0].experiment;
                suite.protocol::<EvaluationConfig>(*scale).unwrap();
                let n = first.data.samples.unwrap();
                let examples = |one: &Experiment| {
                    let n_train = one.data.split.split(n, one.data.seed).unwrap().train.len();
                    one.train.total_steps(n_train) * one.train.batch as u64
                };
                for other in plan.iter().map(|planned| &planned.experiment) {
                    assert_eq!(other.data.samples, first.data.samples, "{experiment:?} {scale:?}");
                    assert_eq!(examples(other), examples(first), "{experiment:?} {scale:?}");
                    assert_eq!(other.train.minutes, None, "{experiment:?} {scale:?}");
                    assert_eq!(other.data.generate, first.data.generate, "{experiment:?} {scale:?}");
                    assert_eq!(other.data.split, first.data.split, "{experiment:?} {scale:?}");
                    assert_eq!(other.data.frame_stride, first.data.frame_stride, "{experiment:?} {scale:?}");
                    assert_eq!(other.train.batch, first.train.batch, "{experiment:?} {scale:?}");
                }
            }
        }
    }

    #[test]
    fn folders_tell_runs_apart() {
        let plan = Suite::of(PublishedExperiment::Heat).unwrap().plan(Scale::Smoke, &[]).unwrap();
        let mut folders: Vec<&str> = plan.iter().map(|planned| planned.folder.as_str()).collect();
        assert!(folders.contains(&"twin-seed-4") && folders.contains(&"fno"), "{folders:?}");
        folders.sort_unstable();
        folders.dedup();
        assert_eq!(folders.len(), plan.len());
    }
}
