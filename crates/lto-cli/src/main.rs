//! The `lto` program.
fn main() {}
