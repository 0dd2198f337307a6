//! Results of the Latent Twin Operator for people: pictures (PNG, SVG, GIF), tables (text, Markdown, LaTeX,
//! CSV) and self-contained HTML pages. Results go in as data; strings, bytes and files come out. Nothing here
//! reads a command line or prints.

pub mod arrays;
pub mod bench;
pub mod calibration;
pub mod card;
pub mod certificate;
pub mod demo;
pub mod error;
pub mod evaluation;
pub mod html;
pub mod inspection;
mod layout;
pub mod model;
pub mod picture;
pub mod placement;
pub mod prediction;
pub mod rates;
pub mod records;
pub mod reproduction;
pub mod stations;
pub mod text;
pub mod training;
pub mod words;

pub use error::{Error, Result};
