//! Example fields: the truth, each model's prediction and the differences, on shared color scales.

use super::rows::names;
use crate::error::Result;
use crate::picture::chart::{Axis, COLORS, Chart, Series, Style};
use crate::picture::colormap::{Colormap, Scale};
use crate::picture::drawing::Drawing;
use crate::picture::ticks::short;
use crate::picture::tiles::{self, Content, Tile};
use lto::evaluate::Evaluation;
use lto::evaluate::evaluation::ExampleField;

const WIDTH: usize = 190;

/// The same state predicted by several models.
pub struct Shown<'a> {
    /// Which state it is.
    pub title: String,
    /// Whether it is the worst case of these models.
    pub worst: bool,
    /// The models that predict it.
    predicted: Vec<(String, &'a ExampleField)>,
}

/// The states kept: after one step, the worst of these, then at the end of the horizon, each with all models that have
/// it.
pub fn shown(evaluations: &[Evaluation]) -> Vec<Shown<'_>> {
    let mut all: Vec<Shown> = Vec::new();
    for (evaluation, name) in evaluations.iter().zip(names(evaluations)) {
        // A rollout is shown if there is no direct prediction of the same.
        let straight = |of: &ExampleField| {
            let same = |other: &&ExampleField| other.channel == of.channel && !other.worst;
            let mut others = evaluation.examples.iter().filter(same);
            others.any(|other| !other.rollout && other.steps == of.steps)
        };
        for example in evaluation.examples.iter().filter(|e| !e.rollout || !straight(e)) {
            let way = if example.rollout { ", rollout" } else { "" };
            let entry = (format!("{name}{way}"), example);
            let same = |other: &ExampleField| {
                (other.sample, other.steps, &other.channel, other.worst, other.times)
                    == (example.sample, example.steps, &example.channel, example.worst, example.times)
                    && other.coordinates == example.coordinates
            };
            match all.iter_mut().find(|shown| shown.predicted.first().is_some_and(|(_, other)| same(other))) {
                Some(shown) => shown.predicted.push(entry),
                None => {
                    let (title, worst) = (title(example), example.worst);
                    all.push(Shown { title, worst, predicted: vec![entry] });
                }
            }
        }
    }
    all
}

fn title(example: &ExampleField) -> String {
    let [s, t] = example.times.map(short);
    let of = format!("{} of sample {}", example.channel, example.sample);
    match example.steps {
        0 => of,
        1 => format!("{of}, one step from s = {s} to t = {t}"),
        k => format!("{of}, {k} steps from s = {s} to t = {t}"),
    }
}

impl Shown<'_> {
    /// The models that predict it: `twin, fno`.
    pub fn models(&self) -> String {
        self.predicted.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Maps over two axes, curves over one.
    ///
    /// # Errors
    /// Coordinates that do not form a grid.
    pub fn draw(&self) -> Result<Option<Drawing>> {
        let Some((_, first)) = self.predicted.first() else { return Ok(None) };
        let differences: Vec<Vec<f64>> = self
            .predicted
            .iter()
            .map(|(_, e)| e.prediction.iter().zip(&e.truth).map(|(p, t)| p - t).collect())
            .collect();
        if first.coordinates.len() == 1 {
            return Ok(self.curves(first, &differences));
        }
        let grid = first.grid()?;
        let values = self.predicted.iter().flat_map(|(_, e)| &e.prediction).chain(&first.truth);
        let scale = Scale::of(values, None);
        let error_scale = Scale::of(differences.iter().flatten(), Some(Colormap::PurpleOrange));
        let last = self.predicted.len() - 1;
        let tile = |title: String, values, scale, bar: Option<&str>| {
            let content = Content::Field { grid: &grid, values, marks: None };
            Some(Tile { title, content, scale, bar: bar.map(Into::into) })
        };
        let quantity = Some(first.channel.as_str());
        let mut fields = vec![tile("truth".into(), &first.truth, scale, None)];
        let mut errors = vec![None];
        for (i, ((name, example), difference)) in self.predicted.iter().zip(&differences).enumerate() {
            let bar = |label| if i == last { label } else { None };
            fields.push(tile(name.clone(), &example.prediction, scale, bar(quantity)));
            errors.push(tile("− truth".into(), difference, error_scale, bar(Some("difference"))));
        }
        Ok(Some(tiles::draw("", WIDTH, grid.domain(), &[fields, errors])))
    }

    fn curves(&self, first: &ExampleField, differences: &[Vec<f64>]) -> Option<Drawing> {
        let x = first.coordinates.first()?;
        let series = |name: String, values: &[f64], color, style| Series {
            name,
            points: x.iter().copied().zip(values.iter().copied()).collect(),
            intervals: Vec::new(),
            color,
            style,
        };
        let color = |i: usize| COLORS[i % COLORS.len()];
        let predicted = self.predicted.iter().enumerate();
        let mut fields: Vec<Series> = predicted
            .clone()
            .map(|(i, (name, e))| series(name.clone(), &e.prediction, color(i), Style::Line))
            .collect();
        fields.push(series("truth".into(), &first.truth, [0, 0, 0], Style::Dashed));
        let errors = predicted
            .zip(differences)
            .map(|((i, (name, _)), d)| series(format!("{name} − truth"), d, color(i), Style::Line))
            .collect();
        let axis = first.domain.axes().first().map_or("x", |axis| axis.name.as_str());
        let chart = |label: &str, series| {
            let (x, y) = (Axis::linear(axis), Axis::linear(label));
            Chart { title: String::new(), x, y, series }.draw()
        };
        Drawing::stack([chart(&first.channel, fields), chart("difference", errors)])
    }
}
