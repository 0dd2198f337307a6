//! One TOML file is one run: data, model and training.

mod setting;
pub mod training;

use crate::data::config::DataConfig;
use crate::error::{Error, Result};
use crate::loss::LossKind;
use crate::model::ModelConfig;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::Table;
use training::TrainConfig;

pub use setting::Setting;

/// Everything that determines a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Seed of the weights and of everything drawn during training. The data have their own seed.
    #[serde(default)]
    pub seed: u64,
    /// What to learn from.
    pub data: DataConfig,
    /// The model to train.
    pub model: ModelConfig,
    /// How to train it.
    #[serde(default)]
    pub train: TrainConfig,
}

impl Experiment {
    /// Reads a configuration file and overrides some of its settings.
    ///
    /// # Errors
    /// A file that cannot be read; otherwise as [`Experiment::parse`], with the name of the file.
    pub fn read(path: &Path, overrides: &[Setting]) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
        Self::parse(&text, overrides).map_err(|e| match e {
            Error::Toml { problem } => Error::bad_file(path, problem),
            other => other,
        })
    }

    /// Parses the text of a configuration file and overrides some of its settings.
    ///
    /// # Errors
    /// [`Error::Toml`] with line and column for text that is not TOML, has an unknown key or a value of the wrong type;
    /// [`Error::Config`] for a value that makes no sense.
    pub fn parse(text: &str, overrides: &[Setting]) -> Result<Self> {
        let wrong = |e: toml::de::Error| Error::Toml { problem: e.to_string().trim_end().into() };
        let experiment: Self = if overrides.is_empty() {
            toml::from_str(text).map_err(wrong)?
        } else {
            let mut table: Table = toml::from_str(text).map_err(wrong)?;
            overrides.iter().try_for_each(|setting| setting.apply(&mut table))?;
            table.try_into().map_err(|e: toml::de::Error| {
                // Errors in the text itself are better shown with their line.
                match toml::from_str::<Self>(text) {
                    Err(original) if original.message() == e.message() => wrong(original),
                    _ => {
                        let with: Vec<String> = overrides.iter().map(Setting::to_string).collect();
                        Error::Toml {
                            problem: format!("{} (with {})", e.to_string().trim_end(), with.join(" ")),
                        }
                    }
                }
            })?
        };
        experiment.validate()?;
        Ok(experiment)
    }

    /// Checks everything that needs no data.
    ///
    /// # Errors
    /// [`Error::Config`], naming the first value that makes no sense.
    pub fn validate(&self) -> Result<()> {
        self.data.validate()?;
        self.train.validate()?;
        let untrained = matches!(&self.model, ModelConfig::Twin(twin) if twin.decoder.deviation);
        if untrained && self.train.objective.evolution_loss != LossKind::Crps {
            return Err(Error::Config {
                key: "model.decoder.deviation".into(),
                value: "true".into(),
                requirement: "is trained by train.objective.evolution_loss = \"crps\" only".into(),
            });
        }
        Ok(())
    }

    /// The whole configuration, defaults included, as written to the folder of a run.
    ///
    /// # Errors
    /// A number that TOML cannot hold.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string_pretty(self).map_err(|e| Error::Toml { problem: e.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
        [data]
        generate = { pde = 'heat', resolution = 16 }
        samples = 10
        [model]
        kind = 'twin'
        latent_points = 8
        latent_channels = 2
        encoder = { kind = 'set_conv', hidden = 2 }
        evolution = { kind = 'timed', width = 4 }
        decoder = { hidden = 4 }
        [train]
        steps = 5
    ";

    #[test]
    fn a_resolved_configuration_reads_as_itself() {
        let experiment = Experiment::parse(TEXT, &[]).unwrap();
        let resolved = experiment.to_toml().unwrap();
        assert!(resolved.contains("learning_rate = 0.001"), "{resolved}");
        assert_eq!(Experiment::parse(&resolved, &[]).unwrap(), experiment);
    }

    #[test]
    fn overrides_reach_any_depth_and_any_type() {
        let set = |text: &str| Experiment::parse(TEXT, &[text.into()]);
        assert_eq!(set("train.steps=7").unwrap().train.steps, Some(7));
        let train = set("train.epochs=3").unwrap().train;
        assert_eq!((train.steps, train.epochs), (None, Some(3.0)));
        let timed =
            Experiment::parse(&TEXT.replace("steps = 5", "minutes = 38"), &["train.steps=7".into()]).unwrap();
        assert_eq!((timed.train.steps, timed.train.minutes), (Some(7), None));
        assert_eq!(set("train.context.fraction=[0.1, 0.2]").unwrap().train.context.fraction, [0.1, 0.2]);
        assert_eq!(set("train.pushforward.probability=0.15").unwrap().train.pushforward.probability, 0.15);
        let data = set("data.path=a b.hdf5").unwrap().data;
        assert_eq!((data.path.unwrap().to_str(), data.generate), (Some("a b.hdf5"), None));
        // Typed settings are never parsed as TOML, whatever characters they contain.
        let typed = [Setting::Data("7 'b\".hdf5".into()), Setting::Seed(9)];
        let typed = Experiment::parse(TEXT, &typed).unwrap();
        assert_eq!((typed.data.path.unwrap().to_str(), typed.seed), (Some("7 'b\".hdf5"), 9));
        for (text, part) in [
            ("train.stepz=7", "stepz"),
            ("train.steps", "key=value"),
            ("train..steps=1", "empty part"),
            ("train.steps.more=1", "not a table"),
            ("train.steps='many'", "many"),
        ] {
            let message = set(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn an_unknown_key_is_shown_with_its_line() {
        let text = TEXT.replace("samples = 10", "sample = 10");
        for overrides in [vec![], vec!["train.steps=7".into()]] {
            let message = Experiment::parse(&text, &overrides).unwrap_err().to_string();
            assert!(message.contains("line 4") && message.contains("sample"), "{message}");
        }
        for (right, wrong) in [("latent_channels", "latent_chanels"), ("resolution", "resolutoin")] {
            let message = Experiment::parse(&TEXT.replace(right, wrong), &[]).unwrap_err().to_string();
            assert!(
                message.contains("line ") && message.contains(wrong) && message.contains(right),
                "{message}"
            );
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.toml");
        std::fs::write(&file, &text).unwrap();
        let message = Experiment::read(&file, &[]).unwrap_err().to_string();
        assert!(message.contains("run.toml") && message.contains("line 4"), "{message}");
    }

    #[test]
    fn values_that_make_no_sense_are_named() {
        for (text, part) in [
            ("train.batch=0", "train.batch = 0"),
            ("train.learning_rate=-1", "train.learning_rate = -1"),
            ("train.context.fraction=[0.5,0.1]", "train.context.fraction"),
            ("train.betas=[0.9,1.0]", "train.betas"),
            ("train.schedule.kind='cosine'\n", "cosine"),
        ] {
            let message = match Experiment::parse(TEXT, &[text.into()]) {
                Err(e) => e.to_string(),
                Ok(experiment) => format!("{:?}", experiment.train.schedule).to_lowercase(),
            };
            assert!(message.contains(part), "{message}");
        }
    }
}
