//! Where an imported network sees different inputs than in the program that trained it.

use crate::baseline::fno::config::FnoForm;
use crate::model::ModelConfig;
use lto_numerics::Grid;

/// Coordinates that differ by less are the same.
const SAME: f64 = 1e-6;

/// What to know before comparing a model's predictions on the points of its data with those of the program
/// that trained it.
pub fn notes(model: &ModelConfig, grid: &Grid) -> Vec<String> {
    let ModelConfig::Fno(config) = model else { return Vec::new() };
    let mut notes = Vec::new();
    let (theirs, last): (&str, fn(usize) -> usize) = match config.form {
        FnoForm::Published => ("linspace(0, 1, n)", |n| n - 1),
        FnoForm::NeuralOperator => ("0, 1/n, …, (n − 1)/n", |n| n),
    };
    let same = grid.domain().axes().iter().enumerate().all(|(d, axis)| {
        let places = grid.coordinates(d);
        let steps = last(places.len()).max(1) as f64;
        let differs =
            |(i, x): (usize, &f64)| ((x - axis.lower) / axis.length() - i as f64 / steps).abs() > SAME;
        !places.iter().enumerate().any(differs)
    });
    if !same {
        notes.push(format!(
            "its coordinates are those of the points, (x − lower)/length; the original program uses {theirs} \
             for any grid, so predictions differ slightly"
        ));
    }
    if config.form == FnoForm::NeuralOperator && grid.dim() == 2 && grid.shape()[0] % 2 == 1 {
        notes.push(
            "with an odd number of points along the first axis, the package (2.0) shifts every wavenumber by \
             one, since it undoes one fftshift by another; here they are not shifted, so predictions differ"
                .into(),
        );
    }
    notes
}
