//! The set convolution: a Gaussian kernel carries values at scattered points to other points. ℓ is its only
//! learned parameter. The fastest method is chosen from the structure of the points; in double precision all
//! methods agree to 1e-10, in single precision to [`SetConv::single_precision_error`].

mod axis_products;
mod axis_weights;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod dense;
mod direct;
mod disagreement;
mod local_linear;
mod moments;
mod nearest_linear;
mod on_grid;
mod separable;
#[cfg(test)]
mod tests;
mod tiles;
mod trust;

use crate::error::{Error, Result};
use crate::kernel::Gaussian;
use crate::points::Points;
use moments::{Moments, Term};

pub use axis_weights::{AxisWeights, Scale};
pub use disagreement::disagreement;
pub use local_linear::LocalLinear;
pub(crate) use local_linear::{DETERMINED, Means, SMALLEST_DENSITY};
pub use nearest_linear::{leave_one_out, nearest_linear};
pub use on_grid::GridChannels;
pub use trust::trust;

/// Largest relative change of the density from leaving out far points; ten times smaller than promised.
const TRUNCATION: f64 = 1e-11;

/// [`SetConv::apply`] and the sums of [`crate::theory`] agree with the full sums to 1e-10 of max|u|, with
/// room to spare.
pub(crate) const ROUNDING: f64 = 2e-10;

/// The channels of Eq. density-signal at M query points, from a context of N points c_j with p-channel values
/// u_j.
#[derive(Clone, Debug, PartialEq)]
pub struct Channels {
    /// ρ(x) = Σ_j κ(x, c_j), `[M]`. Grows with N.
    pub density: Vec<f64>,
    /// ν(x) = Σ_j u_j κ(x, c_j), `[p, M]`. Unbounded as N grows; not for a network.
    pub raw_signal: Vec<f64>,
    /// û(x) = ν(x) / (ρ(x) + `density_floor`), `[p, M]`: Nadaraya–Watson. 1-Lipschitz in the values in the
    /// maximum norm, for every N, placement and ℓ (Lemma encoder-stability).
    pub signal: Vec<f64>,
}

/// A set convolution with a fixed kernel.
///
/// ```
/// use lto_numerics::{Domain, Grid, Placement, Points, SetConv};
///
/// let domain = Domain::unit(2, true)?;
/// let context = Points::scattered(domain.clone(), vec![0.1, 0.2, 0.7, 0.9, 0.4, 0.6])?;
/// let query = Points::grid(Grid::cubic(domain, 32, Placement::Left)?);
/// let channels = SetConv::new(0.1)?.apply(&context, &[1.0, 2.0, 3.0], &query)?;
/// assert_eq!(channels.signal.len(), 32 * 32);
/// # Ok::<(), lto_numerics::Error>(())
/// ```
///
/// Results do not depend, to the last bit, on the number of threads or the order of the context: the order of
/// summation follows from the points' coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetConv {
    kernel: Gaussian,
    density_floor: f64,
    single: bool,
}

impl SetConv {
    /// The default density floor.
    pub const DENSITY_FLOOR: f64 = 1e-8;

    /// A set convolution with the Gaussian kernel of length scale ℓ.
    ///
    /// # Errors
    /// ℓ is not positive and finite.
    pub fn new(length_scale: f64) -> Result<Self> {
        let kernel = Gaussian::new(length_scale)?;
        Ok(Self { kernel, density_floor: Self::DENSITY_FLOOR, single: false })
    }

    /// Sets ε_num in the denominator of the signal.
    ///
    /// # Errors
    /// It is not positive and finite: without a floor the signal is 0/0 far from every point.
    pub fn with_density_floor(self, density_floor: f64) -> Result<Self> {
        if !(density_floor > 0.0 && density_floor.is_finite()) {
            return Err(Error::Parameter {
                name: "density_floor",
                value: density_floor.to_string(),
                requirement: "must be positive and finite",
            });
        }
        Ok(Self { density_floor, ..self })
    }

    /// The same set convolution with another ℓ.
    ///
    /// # Errors
    /// As [`SetConv::new`].
    pub fn with_length_scale(self, length_scale: f64) -> Result<Self> {
        Ok(Self { kernel: Gaussian::new(length_scale)?, ..self })
    }

    /// The same set convolution as an encoder computes it: [`SetConv::on_grid`] in single precision. Bounds
    /// on its error include [`SetConv::single_precision_error`]. [`SetConv::apply`] is always in double
    /// precision.
    pub fn in_single_precision(self) -> Self {
        Self { single: true, ..self }
    }

    /// ε_num of the denominator.
    pub fn density_floor(&self) -> f64 {
        self.density_floor
    }

    /// The kernel.
    pub fn kernel(&self) -> &Gaussian {
        &self.kernel
    }

    /// Density, raw signal and signal at the query points.
    ///
    /// Each agrees with the full sums: the density to a relative 1e-10, the raw signal to 1e-10 of ρ·max|u|,
    /// the signal to 1e-10 of max|u|, even where the nearest point is many ℓ away.
    ///
    /// # Shapes
    /// `values` is `[p, N]`, row-major; p is taken from its length.
    ///
    /// # Errors
    /// A number of values that is not a multiple of N, a value that is not finite, or a query in another
    /// domain.
    pub fn apply(&self, context: &Points, values: &[f64], query: &Points) -> Result<Channels> {
        let n_channels = check(context, values, query)?;
        let terms = Term::channels(n_channels);
        let mut sums =
            Moments { kernel: self.kernel, context, values, query, terms: &terms, truncation: TRUNCATION }
                .sums();
        let raw_signal = sums.split_off(query.len());
        let density = sums;
        let signal = raw_signal
            .chunks_exact(query.len())
            .flat_map(|channel| channel.iter().zip(&density).map(|(nu, rho)| nu / (rho + self.density_floor)))
            .collect();
        Ok(Channels { density, raw_signal, signal })
    }

    /// The largest error of the signal, as a fraction of max|u|, where the density is at least ρ: ε/(ρ + ε)
    /// from the density floor, plus rounding.
    pub(crate) fn signal_loss(&self, density: f64, n_points: usize, dim: usize) -> f64 {
        let single = if self.single { self.single_precision_error(density, n_points, dim) } else { 0.0 };
        self.density_floor / (density + self.density_floor) + ROUNDING + single
    }

    /// The local linear estimate: at each query point, the value of the affine function fitted to the context
    /// by least squares with weights κ. Exact on affine functions, so it lacks the smoothing bias of the
    /// signal at boundaries and where points crowd on one side; not bounded by the values.
    ///
    /// Where the neighbors do not determine an affine function (too few within reach, or on a line), the
    /// result is the signal of [`SetConv::apply`], and the point is counted. On periodic axes "affine" means
    /// along shortest displacements, so ℓ should be well below the period.
    ///
    /// # Shapes
    /// As [`SetConv::apply`].
    ///
    /// # Errors
    /// As [`SetConv::apply`].
    pub fn local_linear(&self, context: &Points, values: &[f64], query: &Points) -> Result<LocalLinear> {
        let n_channels = check(context, values, query)?;
        let terms = Term::affine(context.dim(), n_channels);
        // Squared displacements give far points more weight than they have in the density.
        let truncation = 1e-3 * TRUNCATION;
        let sums = Moments { kernel: self.kernel, context, values, query, terms: &terms, truncation }.sums();
        Ok(local_linear::solve(context.dim(), n_channels, query.len(), &sums, self.density_floor))
    }
}

/// The number of channels, once the input is checked.
fn check(context: &Points, values: &[f64], query: &Points) -> Result<usize> {
    if !context.domain().same_place(query.domain()) {
        let text = |points: &Points| points.domain().to_string();
        return Err(Error::DomainMismatch { context: text(context), query: text(query) });
    }
    let n_points = context.len();
    let n_channels = values.len() / n_points;
    if n_channels == 0 || !values.len().is_multiple_of(n_points) {
        let what = "number of context values (a multiple of the number of points)".into();
        return Err(Error::Mismatch { what, expected: n_channels.max(1) * n_points, got: values.len() });
    }
    if let Some(index) = values.iter().position(|v| !v.is_finite()) {
        return Err(Error::NonFiniteValue {
            what: "context values [channel, point]".into(),
            index: vec![index / n_points, index % n_points],
            value: values[index],
        });
    }
    Ok(n_channels)
}
