//! Whole studies, on top of theory, PDEs and data files: sensors certified, sensors placed, rates measured.
//! Each takes a request and returns a result that can be written as JSON or shown.

mod certificate;
mod judge;
mod known;
mod placed;
mod rates;
mod rival;
mod sensors;

pub use certificate::{BoundsAtScale, SensorCertificate, WeightBound};
pub use judge::Verdict;
pub use known::{EstimatedRegularity, open_part, sensor_domain};
pub use rates::{Rate, RateStates, Rates, RatesRequest};
pub use rival::Compared;
pub use sensors::{SensorStudy, StudyGoal};
