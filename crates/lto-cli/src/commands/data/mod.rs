//! The commands about data.

pub mod generate;
pub mod inspect;
pub mod open;
pub mod plot;
pub mod sensors;
