//! The commands about data.

pub mod generate;
pub mod inspect;
pub mod plot;
