//! Modules of this crate depend downwards only.

#[path = "../../lto-numerics/tests/common/layers.rs"]
mod layers;

/// Lowest first. Modules of one layer do not know each other.
const LAYERS: &[&[&str]] = &[
    &["error", "metrics", "source", "twin"],
    &["auth", "limits", "pool"],
    &["states", "wire"],
    &["truth"],
    &["served"],
    &["compute"],
    &["batch"],
    &["service"],
    &["connection", "trace"],
    &["page"],
    &["routes"],
];

#[test]
fn modules_depend_downwards() {
    layers::assert_downwards(env!("CARGO_MANIFEST_DIR"), LAYERS);
}
