//! Modules of this crate depend downwards only.

#[path = "common/layers.rs"]
mod layers;

/// Lowest first. Modules of one layer do not know each other.
const LAYERS: &[&[&str]] = &[
    &["calendar", "error", "flags", "geography", "lines", "testing"],
    &["domain", "memory", "ranks"],
    &["grid"],
    &["points", "field"],
    &["sample", "kernel", "point_tree", "symmetry"],
    &["matrix"],
    &["geometry", "setconv", "design", "resample", "kriging"],
    &["metric", "theory"],
    &["pde", "dataset"],
    &["generate", "records", "study"],
];

#[test]
fn modules_depend_downwards() {
    layers::assert_downwards(env!("CARGO_MANIFEST_DIR"), LAYERS);
}
