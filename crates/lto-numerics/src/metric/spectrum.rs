//! Isotropic power spectrum of a field.

use crate::error::{Error, Result};
use crate::field::Field;
use crate::lines::map_lines;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex64;

/// Power by wavenumber, in bands of equal width from 0 up.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// Center of each band, in cycles per unit length.
    pub wavenumber: Vec<f64>,
    /// Sum of `|û_κ|²` over the modes of the band and over the channels; the powers add up to the mean over the
    /// points of `Σ_channels u²` (Parseval).
    pub power: Vec<f64>,
}

/// The power of `field` in bands of `|κ|`, for one to three dimensions.
///
/// `u = Σ_κ û_κ exp(2πi κ·x)`. Periodic axes are transformed as they are, `κ_d = k/L`. An open axis is first
/// mirrored at its end (`n` values become `2n`), which removes the jump between its two ends that would
/// otherwise fill the high bands; it then has wavenumbers `κ_d = k/(2nh)`, with `h` its spacing. Band `b`
/// holds the modes with `|κ|` within half a width of `b` widths; the width is the smallest wavenumber
/// present.
///
/// # Errors
/// An axis whose points are not equally spaced.
pub fn power_spectrum(field: &Field) -> Result<Spectrum> {
    let grid = field.grid();
    let original = grid.shape();
    let mut shape = original.clone();
    let mut periods = Vec::with_capacity(shape.len());
    for (d, axis) in grid.domain().axes().iter().enumerate() {
        if grid.placement(d).is_none() {
            let requirement = "a spectrum needs equally spaced points on this axis; resample the field first";
            return Err(Error::Parameter { name: "axis", value: axis.name.clone(), requirement });
        }
        if axis.periodic {
            periods.push(axis.length());
        } else {
            shape[d] *= 2;
            periods.push(shape[d] as f64 * grid.spacing(d));
        }
    }
    let width = 1.0 / periods.iter().fold(0.0, |m: f64, &p| m.max(p));
    let bands = Bands::new(&shape, &periods, width);
    let mut power = vec![0.0; bands.count];
    let mut planner = FftPlanner::new();
    for channel in 0..field.n_channels() {
        let mut modes: Vec<Complex64> = field.channel(channel).iter().map(|&u| u.into()).collect();
        let mut shape_now = original.clone();
        for d in 0..shape.len() {
            let plan = planner.plan_fft_forward(shape[d]);
            let mut scratch = vec![Complex64::default(); plan.get_inplace_scratch_len()];
            modes = map_lines(&modes, &shape_now, d, shape[d], |line, result| {
                let (forward, mirrored) = result.split_at_mut(line.len());
                forward.copy_from_slice(line);
                mirrored.iter_mut().zip(line.iter().rev()).for_each(|(m, u)| *m = *u);
                plan.process_with_scratch(result, &mut scratch);
            });
            shape_now[d] = shape[d];
        }
        let scale = (modes.len() as f64).powi(-2);
        for (index, mode) in modes.iter().enumerate() {
            power[bands.of(index)] += scale * mode.norm_sqr();
        }
    }
    Ok(Spectrum { wavenumber: (0..bands.count).map(|band| band as f64 * width).collect(), power })
}

/// The band of each mode of a full transform.
struct Bands {
    /// Per axis, the squared wavenumber of each mode in band widths.
    squares: Vec<Vec<f64>>,
    count: usize,
}

impl Bands {
    fn new(shape: &[usize], periods: &[f64], width: f64) -> Self {
        let axis = |(&n, &period): (&usize, &f64)| {
            (0..n).map(|k| (k.min(n - k) as f64 / (period * width)).powi(2)).collect::<Vec<f64>>()
        };
        let squares: Vec<Vec<f64>> = shape.iter().zip(periods).map(axis).collect();
        let largest: f64 = squares.iter().map(|axis| axis.iter().fold(0.0, |m: f64, &s| m.max(s))).sum();
        Self { squares, count: largest.sqrt().round() as usize + 1 }
    }

    /// The band of the mode at `index`, row-major.
    fn of(&self, mut index: usize) -> usize {
        let mut sum = 0.0;
        for axis in self.squares.iter().rev() {
            sum += axis[index % axis.len()];
            index /= axis.len();
        }
        // Summed in another order than the largest, it may round up.
        (sum.sqrt().round() as usize).min(self.count - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Domain, Grid, Placement};
    use std::f64::consts::PI;
    use std::sync::Arc;

    fn total(spectrum: &Spectrum) -> f64 {
        spectrum.power.iter().sum()
    }

    /// The band with (almost) all the power.
    fn only_band(spectrum: &Spectrum) -> usize {
        let largest = spectrum.power.iter().fold(0.0f64, |m, &p| m.max(p));
        assert!((largest - total(spectrum)).abs() < 1e-12 * largest, "{spectrum:?}");
        spectrum.power.iter().position(|&p| p == largest).unwrap()
    }

    #[test]
    fn a_pure_mode_lands_in_its_band_with_its_power() {
        for dim in 1..=3 {
            let grid = Grid::cubic(Domain::unit(dim, true).unwrap(), 15, Placement::Left).unwrap();
            // |k| = 3, and (3, 4) and (3, 4, 0) in more dimensions: 5.
            let wave = move |x: &[f64]| {
                2.0 * (2.0 * PI * (3.0 * x[0] + if dim > 1 { 4.0 * x[1] } else { 0.0 })).cos()
            };
            let spectrum = power_spectrum(&Field::from_fn(Arc::new(grid), wave)).unwrap();
            let band = only_band(&spectrum);
            assert_eq!(spectrum.wavenumber[band], if dim == 1 { 3.0 } else { 5.0 });
            assert!((total(&spectrum) - 2.0).abs() < 1e-13);
        }
    }

    #[test]
    fn wavenumbers_are_per_unit_length_on_unequal_axes() {
        let axes = vec![Axis::new("x", 0.0, 4.0, true), Axis::new("y", -1.0, 1.0, true)];
        let shape = [(16, Placement::Center), (12, Placement::Left)];
        let grid = Arc::new(Grid::uniform(Domain::new(axes).unwrap(), &shape).unwrap());
        let along_x = Field::from_fn(grid.clone(), |x| (2.0 * PI * 1.25 * x[0]).sin());
        let along_y = Field::from_fn(grid, |x| (2.0 * PI * 2.5 * x[1]).sin());
        for (field, wavenumber) in [(along_x, 1.25), (along_y, 2.5)] {
            let spectrum = power_spectrum(&field).unwrap();
            assert_eq!(spectrum.wavenumber[only_band(&spectrum)], wavenumber);
        }
    }

    #[test]
    fn parseval_holds_for_every_placement_channel_and_mirrored_axis() {
        let axes = vec![Axis::new("x", 0.0, 1.0, true), Axis::new("y", 0.0, 3.0, false)];
        let domain = Domain::new(axes).unwrap();
        for placement in Placement::ALL {
            let shape = [(6, Placement::Left), (7, placement)];
            let grid = Arc::new(Grid::uniform(domain.clone(), &shape).unwrap());
            let values: Vec<f64> = (0..84).map(|p| (1.3 * (p * p) as f64).sin()).collect();
            let mean_square = values.iter().map(|u| u * u).sum::<f64>() / 42.0;
            let spectrum = power_spectrum(&Field::new(grid, 2, values).unwrap()).unwrap();
            assert!((total(&spectrum) - mean_square).abs() < 1e-13, "{placement:?}");
        }
    }

    #[test]
    fn mirroring_sees_half_waves_and_no_jump() {
        let grid = Arc::new(Grid::cubic(Domain::unit(1, false).unwrap(), 64, Placement::Center).unwrap());
        // cos(3πx) is one mode of the mirrored axis: 1.5 cycles per unit length.
        let half_waves = power_spectrum(&Field::from_fn(grid.clone(), |x| (3.0 * PI * x[0]).cos())).unwrap();
        assert_eq!(half_waves.wavenumber[only_band(&half_waves)], 1.5);
        // A ramp jumps when joined end to end (power ~ κ⁻²); mirrored it only has a kink (~ κ⁻⁴).
        let ramp = power_spectrum(&Field::from_fn(grid, |x| x[0])).unwrap();
        let slope = (ramp.power[15] / ramp.power[5]).ln() / 3f64.ln();
        assert!((slope + 4.0).abs() < 0.1, "{slope}");
    }

    #[test]
    fn unequal_spacing_is_refused_by_axis() {
        let domain = Domain::unit(1, false).unwrap();
        let grid = Grid::from_coordinates(domain, vec![vec![0.0, 0.1, 0.5]]).unwrap();
        let err = power_spectrum(&Field::new(Arc::new(grid), 1, vec![1.0; 3]).unwrap()).unwrap_err();
        assert!(err.to_string().starts_with("axis = x"), "{err}");
    }
}
