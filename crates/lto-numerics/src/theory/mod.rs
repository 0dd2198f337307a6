//! How far the set convolution's estimate is from the state it samples: the discretization error of the paper
//! with every constant explicit, certificates for sensor layouts, and where to put sensors. `docs/theory.md`
//! derives what is computed here and maps the paper's statements to functions and tests.
//!
//! States are real functions u on the domain; a state of p channels is certified channel by channel.

mod affine_fit;
mod assumptions;
mod best_scale;
mod bound;
mod box_bound;
mod box_fit;
mod box_signal;
mod certificate;
mod discretization;
mod estimate;
mod integral;
mod kernel_mass;
mod local_bound;
mod neighbors;
mod noise;
pub mod plan;
mod profile;
pub mod rate_fit;
mod regularity;
mod supremum;
mod sweep;
mod trial_field;

pub use assumptions::{Assumptions, Partition};
pub use bound::{LipschitzBound, TheoremBound};
pub use certificate::{Certificate, Tuned};
pub use discretization::{Estimator, discretization_error, lifted_bound, smoothed, smoothing_bias};
pub use kernel_mass::{central_kernel_mass, kernel_mass, least_kernel_mass};
pub use local_bound::{LocalBound, LocalBounds};
pub use noise::LocalNoise;
pub use profile::Profile;
pub use rate_fit::{RateFit, student};
pub use regularity::{BoundOrigin, Regularity, RegularityOf};
pub use supremum::Supremum;
pub use sweep::{RateSweep, ScaleRule, SweepPoint, SweepRequest, dense_places};
pub use trial_field::TrialField;
