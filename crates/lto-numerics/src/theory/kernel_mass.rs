//! κ̄, the integral of the kernel over the domain.

use super::integral::erf;
use crate::domain::{Axis, Domain};
use crate::kernel::Gaussian;
use std::f64::consts::{FRAC_PI_2, SQRT_2};

/// κ̄(x) = ∫_Ω κ_ℓ(x, y) dy, a product over the axes. On a periodic axis of length L the factor is ℓ√(2π)
/// erf(L/(2√2 ℓ)), for every x (Lemma kbar-constant); on an interval \[a, b\] it is ℓ√(π/2) (erf((x−a)/(√2
/// ℓ)) + erf((b−x)/(√2 ℓ))).
pub fn kernel_mass(domain: &Domain, kernel: &Gaussian, point: &[f64]) -> f64 {
    let ell = kernel.length_scale();
    domain.axes().iter().zip(point).map(|(axis, &x)| axis_mass(axis, ell, x)).product()
}

/// The least κ̄(x) over the domain: at a corner, or anywhere if all axes are periodic.
pub fn least_kernel_mass(domain: &Domain, kernel: &Gaussian) -> f64 {
    let ell = kernel.length_scale();
    domain.axes().iter().map(|axis| axis_mass(axis, ell, axis.lower)).product()
}

/// κ̄ in the middle of the domain, and its logarithmic slope ∂log κ̄/∂log ℓ: each axis of length L has the factor
/// a = ℓ√(2π) erf(L/(2√2 ℓ)), with ∂a/∂log ℓ = a − L exp(−L²/8ℓ²).
pub fn central_kernel_mass(domain: &Domain, kernel: &Gaussian) -> (f64, f64) {
    let (mut mass, mut slope) = (1.0, 0.0);
    for axis in domain.axes() {
        let length = axis.extent();
        let along = axis_mass(axis, kernel.length_scale(), axis.lower + 0.5 * axis.length());
        mass *= along;
        slope += 1.0 - length * kernel.value(0.25 * length * length) / along;
    }
    (mass, slope)
}

fn axis_mass(axis: &Axis, ell: f64, x: f64) -> f64 {
    let half = |reach: f64| ell * FRAC_PI_2.sqrt() * erf(reach / (SQRT_2 * ell));
    let to = |end: f64| axis.scale * (x - end).abs();
    if axis.periodic { 2.0 * half(0.5 * axis.extent()) } else { half(to(axis.lower)) + half(to(axis.upper)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, Placement};
    use crate::points::Points;
    use crate::setconv::SetConv;

    #[test]
    fn scaled_axes_are_as_flat_ones() {
        let axis =
            |periodic| vec![Axis::new("x", -1.0, 1.0, periodic).scaled(0.4), Axis::new("y", 0.0, 2.0, false)];
        let kernel = Gaussian::new(0.3).unwrap();
        for periodic in [false, true] {
            let domain = Domain::new(axis(periodic)).unwrap();
            let flat = domain.flat();
            assert_eq!(central_kernel_mass(&domain, &kernel), central_kernel_mass(&flat, &kernel));
            let (a, b) =
                (kernel_mass(&domain, &kernel, &[0.5, 1.0]), kernel_mass(&flat, &kernel, &[0.2, 1.0]));
            assert!((a / b - 1.0).abs() < 1e-14);
        }
    }

    fn mixed() -> Domain {
        Domain::new(vec![Axis::new("x", -1.0, 1.0, true), Axis::new("y", 0.0, 0.7, false)]).unwrap()
    }

    /// Lemma kbar-constant against Riemann sums by the set convolution itself: the density of a fine grid.
    #[test]
    fn the_mass_is_the_limit_of_the_density_and_constant_where_all_axes_are_periodic() {
        for (domain, ell) in [(Domain::unit(2, true).unwrap(), 0.3), (mixed(), 0.11)] {
            let kernel = Gaussian::new(ell).unwrap();
            let n = 400;
            let fine = Points::grid(Grid::cubic(domain.clone(), n, Placement::Center).unwrap());
            let places =
                vec![-0.9, 0.0, 0.123, 0.35, 0.77, 0.699].into_iter().map(|x: f64| x.abs()).collect();
            let query = Points::scattered(domain.clone(), places).unwrap();
            let ones = vec![1.0; fine.len()];
            let density = SetConv::new(ell).unwrap().apply(&fine, &ones, &query).unwrap().density;
            let mut masses = Vec::new();
            for (x, rho) in query.coordinates().chunks_exact(2).zip(density) {
                let mass = kernel_mass(&domain, &kernel, x);
                let riemann = rho * domain.volume() / fine.len() as f64;
                assert!((mass / riemann - 1.0).abs() < 1e-5, "{x:?}: {mass} against {riemann}");
                assert!(mass >= least_kernel_mass(&domain, &kernel) * (1.0 - 1e-15));
                masses.push(mass);
            }
            assert_eq!(masses.windows(2).all(|pair| pair[0] == pair[1]), domain.is_periodic());
        }
    }

    #[test]
    fn a_narrow_kernel_has_the_mass_of_the_whole_space_and_half_of_it_at_an_end() {
        let kernel = Gaussian::new(0.01).unwrap();
        let whole = 0.01 * std::f64::consts::TAU.sqrt();
        let line = |periodic| Domain::unit(1, periodic).unwrap();
        assert!((kernel_mass(&line(true), &kernel, &[0.2]) / whole - 1.0).abs() < 1e-15);
        assert!((least_kernel_mass(&line(false), &kernel) / whole - 0.5).abs() < 1e-15);
    }

    #[test]
    fn in_the_middle_the_slope_is_that_of_the_mass() {
        for (domain, ell) in [(mixed(), 0.11), (mixed(), 2.0)] {
            let at = |ell: f64| central_kernel_mass(&domain, &Gaussian::new(ell).unwrap());
            let (mass, slope) = at(ell);
            assert!(
                (mass / kernel_mass(&domain, &Gaussian::new(ell).unwrap(), &[0.0, 0.35]) - 1.0).abs() < 1e-15
            );
            let h = 1e-5f64;
            let difference = (at(ell * h.exp()).0.ln() - at(ell * (-h).exp()).0.ln()) / (2.0 * h);
            assert!((difference - slope).abs() < 1e-9, "{difference} {slope}");
        }
    }
}
