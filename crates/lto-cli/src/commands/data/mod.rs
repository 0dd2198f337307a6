//! The commands about data.

mod arrays;
pub mod generate;
pub mod inspect;
pub mod open;
pub mod plot;
