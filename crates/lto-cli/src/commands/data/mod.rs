//! The commands about data.

mod arrays;
pub mod generate;
pub mod inspect;
mod open;
pub mod plot;
