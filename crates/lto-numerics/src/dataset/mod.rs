//! PDE data in files: formats (how bytes become arrays) and layouts (what the arrays mean).

pub mod format;
pub mod write;
