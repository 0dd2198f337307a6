//! The metrics of a run as curves over its steps.

use super::metrics;
use crate::error::{Error, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Values over steps, by name.
pub type Curves = BTreeMap<String, Vec<(f64, f64)>>;

/// The metrics of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The loss and its terms.
    pub training: Curves,
    /// Errors on held-out samples.
    pub validation: Curves,
    /// Wall time of the training so far.
    pub seconds: Option<f64>,
}

impl History {
    /// Reads the metrics of a run. A last line cut short, as by a killed process, is ignored.
    ///
    /// # Errors
    /// A file that cannot be read, or another line that is not JSON.
    pub fn read(run: &Path) -> Result<Self> {
        let path = run.join(metrics::FILE_NAME);
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        Self::parse(&text)
            .map_err(|problem| Error::bad_file(&path, format!("holds no metrics of a run: {problem}")))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut history = Self::default();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        for line in text[..whole].lines() {
            let line: BTreeMap<String, Value> = serde_json::from_str(line).map_err(|e| e.to_string())?;
            let step = line.get("step").and_then(Value::as_f64).ok_or("a line has no step")?;
            let training = line.get("kind").is_some_and(|kind| kind == "train");
            for (name, value) in &line {
                let Some(value) = value.as_f64().filter(|_| name != "step") else { continue };
                let curves = match training {
                    true if name == "loss" || name.ends_with("_loss") => &mut history.training,
                    true if name == "seconds" => {
                        history.seconds = Some(value);
                        continue;
                    }
                    true => continue,
                    false => &mut history.validation,
                };
                curves.entry(name.clone()).or_default().push((step, value));
            }
        }
        Ok(history)
    }

    /// The last training loss.
    pub fn last_loss(&self) -> Option<f64> {
        self.training.get("loss").and_then(|points| points.last()).map(|(_, loss)| *loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_become_curves_by_name() {
        let text = "{\"step\": 10, \"kind\": \"train\", \"loss\": 0.5, \"evolution_loss\": 0.4, \"seconds\": 1.5}\n\
                    {\"step\": 20, \"kind\": \"validation\", \"relative_l2_lead_1\": 0.25}\n\
                    {\"step\": 20, \"kind\": \"train\", \"loss\": 0.25, \"evolution_loss\": null, \"seconds\": 3.5}\n";
        let history = History::parse(text).unwrap();
        assert_eq!(history.training["loss"], [(10.0, 0.5), (20.0, 0.25)]);
        assert_eq!(history.training["evolution_loss"], [(10.0, 0.4)]);
        assert_eq!(history.training.len(), 2);
        assert_eq!(history.validation["relative_l2_lead_1"], [(20.0, 0.25)]);
        assert_eq!((history.last_loss(), history.seconds), (Some(0.25), Some(3.5)));
        assert_eq!(History::parse(&format!("{text}{{\"st")).unwrap(), history, "cut short by a kill");
        assert!(History::parse(&format!("{{\"st\n{text}")).is_err());
    }
}
