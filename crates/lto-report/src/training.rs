//! Training and validation over the steps of a run, from its metrics.

use crate::error::{Error, Result};
use crate::picture::chart::{Axis, COLORS, Chart, Series, Style};
use crate::picture::drawing::Drawing;
use lto::train::{in_order, metrics};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Values over steps, by name.
type Curves = BTreeMap<String, Vec<(f64, f64)>>;

/// What the metrics of a run say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The loss and its terms.
    pub training: Curves,
    /// Errors on held-out samples.
    pub validation: Curves,
}

impl History {
    /// Reads the metrics of a run.
    ///
    /// # Errors
    /// The file cannot be read, or has a line that is no JSON.
    pub fn read(run: &Path) -> Result<Self> {
        let path = run.join(metrics::FILE_NAME);
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        Self::parse(&text)
            .map_err(|problem| Error::bad_file(&path, format!("is not the metrics of a run: {problem}")))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut history = Self::default();
        for line in text.lines() {
            let line: BTreeMap<String, Value> = serde_json::from_str(line).map_err(|e| e.to_string())?;
            let step = line.get("step").and_then(Value::as_f64).ok_or("a line has no step")?;
            let training = line.get("kind").is_some_and(|kind| kind == "train");
            for (name, value) in &line {
                let Some(value) = value.as_f64().filter(|_| name != "step") else { continue };
                let curves = match training {
                    true if name == "loss" || name.ends_with("_loss") => &mut history.training,
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

/// The curves as charts, one above the other; `None` where there is nothing to show.
pub fn charts(history: &History) -> Option<Drawing> {
    let chart = |title: &str, label: &str, curves: &Curves, style: Style| {
        let series = in_order(curves).into_iter().enumerate().map(|(number, (name, points))| Series {
            name: name.replace('_', " "),
            points: points.clone(),
            intervals: Vec::new(),
            color: COLORS[number % COLORS.len()],
            style,
        });
        let series: Vec<Series> = series.collect();
        let chart = Chart { title: title.into(), x: Axis::linear("step"), y: Axis::log(label), series };
        (!curves.is_empty()).then(|| chart.draw())
    };
    let training = chart("training", "loss", &history.training, Style::Line);
    let validation = chart("held-out samples", "relative L2", &history.validation, Style::Marked);
    Drawing::stack(training.into_iter().chain(validation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_become_curves_by_name() {
        let text = "{\"step\": 10, \"kind\": \"train\", \"loss\": 0.5, \"evolution_loss\": 0.4, \"learning_rate\": 1e-3}\n\
                    {\"step\": 20, \"kind\": \"validation\", \"relative_l2_lead_1\": 0.25}\n\
                    {\"step\": 20, \"kind\": \"train\", \"loss\": 0.25, \"evolution_loss\": null}\n";
        let history = History::parse(text).unwrap();
        assert_eq!(history.training["loss"], [(10.0, 0.5), (20.0, 0.25)]);
        assert_eq!(history.training["evolution_loss"], [(10.0, 0.4)]);
        assert_eq!(history.training.len(), 2);
        assert_eq!(history.validation["relative_l2_lead_1"], [(20.0, 0.25)]);
        assert_eq!(history.last_loss(), Some(0.25));
        assert!(charts(&history).is_some() && charts(&History::default()).is_none());
        assert!(History::parse("{\"step\": 1}\n{\"st").is_err());
    }
}
