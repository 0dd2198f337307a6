//! How good a model is, in numbers.

mod calibrated;
pub mod compare;
pub mod config;
pub mod context_sweep;
pub mod coverage;
pub mod evaluation;
mod evaluator;
pub mod examples;
mod gallery;
mod horizon;
pub mod level;
pub mod number;
pub mod outcome;
pub mod protocol;
pub mod published;
pub mod run;
pub mod scores;
mod sensor_rate;
pub mod shape;
pub mod skill;
mod source;
pub mod stations;
pub mod statistics;
mod worst;

pub use calibrated::CalibrationRequest;
pub use config::{EvaluationConfig, Part};
pub use coverage::{Coverage, CoverageRow};
pub use evaluation::{Evaluation, ModelInfo};
pub use evaluator::{EvaluationRequest, Evaluator};
pub use level::{Levels, ResolutionOrigin};
pub use outcome::{Measures, Outcome};
pub use protocol::{evaluate, evaluate_together};
pub use published::{Published, ResultKind};
pub use sensor_rate::SensorRate;
pub use source::EvaluationData;
