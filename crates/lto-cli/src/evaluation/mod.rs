//! Evaluations for people: tables in several forms, and the sections of a report. All of it is made from the JSON.

mod charts;
mod fields;
mod forms;
mod rows;
mod sections;
mod table;

pub use forms::{Format, formatted};
pub use rows::{Published, read_published};
pub use sections::{report, sections};
pub use table::tables;
