//! Evaluations for people: tables in several forms, and the sections of a report. All of it is made from the JSON.

mod charts;
mod fields;
mod rows;
mod sections;
pub mod table;

pub use rows::read_published;
pub use sections::report;
pub use table::{Format, tables};
