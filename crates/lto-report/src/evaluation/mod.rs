//! Evaluations for people: tables in several formats, and the sections of a report, all made from the JSON.

mod about;
mod charts;
mod coverage;
mod fields;
mod forms;
mod histogram;
mod look;
mod models;
mod rows;
mod sections;
mod skill;
mod table;

pub use forms::{Format, formatted};
pub use look::{Look, TABLES};
pub use sections::{report, sections};
