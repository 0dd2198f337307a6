//! The page's files are part of the binary: new ones make a new binary.

fn main() {
    println!("cargo::rerun-if-changed=../../web/dist");
}
