//! States to try certificates with: waves, and those whose curvature is the largest allowed at the worst place.

use lto_numerics::domain::Domain;
use lto_numerics::points::Points;
use lto_numerics::theory::{Regularity, TrialField};
use rand::{Rng, RngExt};
use std::f64::consts::TAU;

/// A state on a domain, plus a constant.
pub struct State {
    domain: Domain,
    kind: Kind,
    pub shift: f64,
}

enum Kind {
    Waves(TrialField),
    /// Σ_d ±M q(x_d − c_d) with q'' ≤ 1 and q''(0) = 1: the Hessian is diagonal, of norm M at c.
    Bowl {
        curvature: f64,
        signs: Vec<f64>,
        center: Vec<f64>,
    },
}

/// What is known about a state.
#[derive(Clone, Copy, Debug)]
pub enum Known {
    Everything,
    CurvatureAndSup,
    CurvatureAndSlope,
    Curvature,
}

impl State {
    pub fn draw(domain: &Domain, rng: &mut impl Rng) -> Self {
        let dim = domain.dim();
        let kind = if rng.random_bool(0.5) {
            let (n_waves, max_frequency) = (rng.random_range(1..4), rng.random_range(1..4));
            Kind::Waves(TrialField::random(domain, n_waves, max_frequency, rng))
        } else {
            let curvature = rng.random_range(-3.0f64..3.0).exp();
            let signs = (0..dim).map(|_| if rng.random_bool(0.5) { 1.0 } else { -1.0 }).collect();
            let center = domain.axes().iter().map(|axis| 0.5 * (axis.lower + axis.upper)).collect();
            Kind::Bowl { curvature, signs, center }
        };
        // Means far above the range: pressures in Pa, temperatures in K.
        let shift = if rng.random_bool(0.5) { rng.random_range(-2.0f64..14.0).exp() } else { 0.0 };
        Self { domain: domain.clone(), kind, shift }
    }

    /// Puts the largest curvature at a place, if the state has such a place.
    pub fn center_at(&mut self, place: &[f64]) {
        if let Kind::Bowl { center, .. } = &mut self.kind {
            center.copy_from_slice(place);
        }
    }

    pub fn value(&self, x: &[f64]) -> f64 {
        self.shift
            + match &self.kind {
                Kind::Waves(field) => field.value(x),
                Kind::Bowl { curvature, signs, center } => {
                    let along = self.domain.axes().iter().zip(x.iter().zip(center)).map(|(axis, (x, c))| {
                        let wave = axis.length() / TAU;
                        if axis.periodic {
                            wave * wave * (1.0 - ((x - c) / wave).cos())
                        } else {
                            0.5 * (x - c).powi(2)
                        }
                    });
                    along.zip(signs).map(|(q, sign)| curvature * sign * q).sum()
                }
            }
    }

    pub fn values(&self, points: &Points) -> Vec<f64> {
        points.coordinates().chunks_exact(points.dim()).map(|x| self.value(x)).collect()
    }

    /// Bounds that hold wherever the center is: M, sup|u|, G.
    fn bounds(&self) -> (f64, f64, f64) {
        let (m, sup, g) = match &self.kind {
            Kind::Waves(field) => {
                let found = field.regularity(&self.domain).unwrap();
                (found.curvature_bound, found.sup_bound.unwrap(), found.gradient_bound)
            }
            Kind::Bowl { curvature, .. } => {
                let (mut sup, mut slope) = (0.0, 0.0);
                for axis in self.domain.axes() {
                    let length = axis.length();
                    let wave = length / TAU;
                    let (q, dq) = if axis.periodic {
                        (2.0 * wave * wave, wave)
                    } else {
                        (0.5 * length * length, length)
                    };
                    sup += q;
                    slope += dq * dq;
                }
                (*curvature, curvature * sup, curvature * f64::sqrt(slope))
            }
        };
        (m, sup + self.shift.abs(), g)
    }

    /// The largest |u| that there may be.
    pub fn sup(&self) -> f64 {
        self.bounds().1
    }

    /// `None` where that does not bound the error.
    pub fn regularity(&self, known: Known) -> Option<Regularity> {
        let (m, sup, g) = self.bounds();
        let (sup, g) = match known {
            Known::Everything => (Some(sup), Some(g)),
            Known::CurvatureAndSup => (Some(sup), None),
            Known::CurvatureAndSlope => (None, Some(g)),
            Known::Curvature => (None, None),
        };
        Regularity::new(&self.domain, m, sup, g).ok()
    }
}

impl Known {
    pub fn draw(rng: &mut impl Rng) -> Self {
        let all = [Known::Everything, Known::CurvatureAndSup, Known::CurvatureAndSlope, Known::Curvature];
        all[rng.random_range(0..all.len())]
    }
}
