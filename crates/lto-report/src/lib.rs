//! What the Latent Twin Operator computes, for people: pictures (PNG, SVG, GIF), tables (text, Markdown, LaTeX, CSV) and
//! self-contained HTML pages. Results go in as data; strings and bytes come out. Nothing here reads a command line or prints.

pub mod bench;
pub mod demo;
pub mod error;
pub mod evaluation;
pub mod html;
pub mod model;
pub mod picture;
pub mod reproduction;
pub mod text;
pub mod training;
pub mod words;

pub use error::{Error, Result};
