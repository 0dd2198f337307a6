//! Modules of this crate depend downwards only.

#[path = "../../lto-numerics/tests/common/layers.rs"]
mod layers;

/// Lowest first. Modules of one layer do not know each other.
const LAYERS: &[&[&str]] = &[
    &["cpu_time", "error", "peak_memory"],
    &["device", "interpolate"],
    &["kernel", "loss", "optim", "parameters", "problem"],
    &["band", "size"],
    &["course", "nn", "operator"],
    &["baseline", "twin", "weights"],
    &["model"],
    &["data", "observations"],
    &["experiment"],
    &["calibrate"],
    &["forecast", "import", "train"],
    &["evaluate"],
    &["description", "reproduce"],
    &["bench", "demo"],
];

#[test]
fn modules_depend_downwards() {
    layers::assert_downwards(env!("CARGO_MANIFEST_DIR"), LAYERS);
}
