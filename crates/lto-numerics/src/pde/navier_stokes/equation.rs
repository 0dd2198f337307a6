//! The right-hand side of the vorticity equation on the modes that de-aliasing keeps.

use super::transform::{BandTransform, Buffers};
use rustfft::num_complex::Complex64;
use std::f64::consts::TAU;

/// ∂ω/∂t = −u·∇ω + νΔω + f on the periodic unit square, u = (∂_yψ, −∂_xψ), −Δψ = ω.
///
/// A state is the half plane k_y ≥ 0 of the modes of ω, `[cutoff + 1, 2 cutoff + 1]`: k_y, then k_x in the order
/// 0, 1, …, cutoff, −cutoff, …, −1, with ω(x, y) = Σ ω̂ exp(2πi(k_x x + k_y y)).
///
/// The advection takes one complex transform each way. With z = u + iv, ẑ = ω̂ (k_x + i k_y)/(2π|k|²), and
/// z² = (u² − v²) + 2iuv holds both fluxes of −u·∇ω = ∂_x∂_y(u² − v²) − (∂_x² − ∂_y²)(uv).
pub(super) struct VorticityEquation {
    transform: BandTransform,
    /// ν(2π|k|)² for each mode.
    damping: Vec<f64>,
    /// (k_x + i k_y)/(2π|k|²) for each mode, 0 at the mean.
    velocity: Vec<Complex64>,
    /// Weights of the fluxes 2uv and u² − v² in the tendency of each mode, transform normalization included.
    flux: Vec<[f64; 2]>,
    forcing: Vec<Complex64>,
}

impl VorticityEquation {
    /// The equation on an n × n grid; `forcing` is f on that grid, row-major `[x, y]`.
    pub fn new(n: usize, viscosity: f64, forcing: &[f64]) -> Self {
        let transform = BandTransform::new(n);
        let forcing = analyze(&transform, forcing, &mut transform.buffers());
        let modes: Vec<(f64, f64)> = wavenumbers(transform.cutoff()).collect();
        let scale = (TAU / n as f64).powi(2);
        let velocity = |&(kx, ky): &(f64, f64)| match kx * kx + ky * ky {
            0.0 => Complex64::default(),
            k2 => Complex64::new(kx, ky) / (TAU * k2),
        };
        Self {
            damping: modes.iter().map(|(kx, ky)| viscosity * TAU * TAU * (kx * kx + ky * ky)).collect(),
            velocity: modes.iter().map(velocity).collect(),
            flux: modes
                .iter()
                .map(|(kx, ky)| [0.25 * scale * (kx * kx - ky * ky), 0.5 * scale * kx * ky])
                .collect(),
            forcing,
            transform,
        }
    }

    /// The transforms of the grid.
    pub fn transform(&self) -> &BandTransform {
        &self.transform
    }

    /// The rate ν(2π|k|)² at which viscosity damps each mode.
    pub fn damping(&self) -> &[f64] {
        &self.damping
    }

    /// The modes of a field given on the grid.
    pub fn analyze(&self, values: &[f64], buffers: &mut Buffers) -> Vec<Complex64> {
        analyze(&self.transform, values, buffers)
    }

    /// The field of `state` on the grid, row-major `[x, y]`.
    pub fn synthesize(&self, state: &[Complex64], buffers: &mut Buffers, values: &mut [f64]) {
        self.spread(buffers, |mode| (state[mode], state[mode].conj()));
        self.transform.synthesize(buffers, values);
    }

    /// Puts the fluxes of `state` into `buffers`, for [`Self::for_each_tendency`].
    pub fn advect(&self, state: &[Complex64], buffers: &mut Buffers) {
        self.advect_observing(state, buffers, |_| ());
    }

    /// As [`Self::advect`]; returns the largest |u| on the grid. Costs a little more.
    pub fn advect_measuring(&self, state: &[Complex64], buffers: &mut Buffers) -> f64 {
        let mut largest = 0.0;
        self.advect_observing(state, buffers, |square| {
            if square > largest {
                largest = square;
            }
        });
        largest.sqrt()
    }

    /// As [`Self::advect`]; calls `observe(|u|²)` at every grid point.
    #[inline(always)]
    fn advect_observing(&self, state: &[Complex64], buffers: &mut Buffers, mut observe: impl FnMut(f64)) {
        self.spread(buffers, |mode| {
            let (velocity, vorticity) = (self.velocity[mode], state[mode]);
            // ẑ(−k) = −(k_x + i k_y)/(2π|k|²) · conj ω̂(k).
            (vorticity * velocity, -velocity * vorticity.conj())
        });
        self.transform.map_on_grid(buffers, |row| {
            for z in row {
                let (uu, vv) = (z.re * z.re, z.im * z.im);
                observe(uu + vv);
                *z = Complex64::new(uu - vv, 2.0 * z.re * z.im);
            }
        });
    }

    /// Calls `use_tendency(mode, −(u·∇ω)^ + f̂)` for every mode of the state last given to [`Self::advect`].
    pub fn for_each_tendency(&self, buffers: &Buffers, mut use_tendency: impl FnMut(usize, Complex64)) {
        for_each_mode(&self.transform, |mode, here, opposite| {
            let (w, o) = (buffers.columns[here], buffers.columns[opposite]);
            let [a, b] = self.flux[mode];
            // The modes of 2uv and u² − v² are the anti-Hermitian and Hermitian parts of those of z².
            let re = a * (w.im + o.im) - b * (w.re + o.re);
            let im = a * (o.re - w.re) - b * (w.im - o.im);
            use_tendency(mode, Complex64::new(re, im) + self.forcing[mode]);
        });
    }

    /// Fills the columns from a half plane: `value(mode)` gives the entries at k and at −k.
    fn spread(&self, buffers: &mut Buffers, value: impl Fn(usize) -> (Complex64, Complex64)) {
        let (n, cutoff) = (self.transform.n(), self.transform.cutoff());
        for column in buffers.columns.chunks_exact_mut(n) {
            column[cutoff + 1..n - cutoff].fill(Complex64::default());
        }
        for_each_mode(&self.transform, |mode, here, opposite| {
            let (at, against) = value(mode);
            buffers.columns[opposite] = against;
            buffers.columns[here] = at;
        });
    }
}

/// The modes of a field given on the grid, normalized.
fn analyze(transform: &BandTransform, values: &[f64], buffers: &mut Buffers) -> Vec<Complex64> {
    transform.analyze(values, buffers);
    let scale = 1.0 / (transform.n() as f64).powi(2);
    let mut state = Vec::with_capacity((transform.cutoff() + 1) * transform.width());
    for_each_mode(transform, |_, here, _| state.push(buffers.columns[here] * scale));
    state
}

/// (k_x, k_y) of each mode of a state.
fn wavenumbers(cutoff: usize) -> impl Iterator<Item = (f64, f64)> {
    let along_x = move || (0..=cutoff).map(|k| k as f64).chain((1..=cutoff).rev().map(|k| -(k as f64)));
    (0..=cutoff).flat_map(move |ky| along_x().map(move |kx| (kx, ky as f64)))
}

/// Calls `f(mode, position of k, position of −k)` for every mode, with positions in the columns.
#[inline(always)]
fn for_each_mode(transform: &BandTransform, mut f: impl FnMut(usize, usize, usize)) {
    let (n, cutoff, width) = (transform.n(), transform.cutoff(), transform.width());
    for ky in 0..=cutoff {
        let (mode, column) = (ky * width, ky * n);
        let opposite = if ky == 0 { 0 } else { (width - ky) * n };
        f(mode, column, opposite);
        for kx in 1..=cutoff {
            f(mode + kx, column + kx, opposite + n - kx);
        }
        for kx in (1..=cutoff).rev() {
            f(mode + width - kx, column + n - kx, opposite + kx);
        }
    }
}
