//! Cross-attention between points and a fixed number of modes, both ways from scores `[points, modes]`: a softmax over
//! the points encodes features into modes, a softmax over the modes decodes them at points.
//! Weights are never stored whole: they are recomputed a few rows at a time wherever needed. Examples with
//! the same points share them.

mod decode;
mod encode;
mod sets;
mod softmax;
#[cfg(test)]
mod tests;

pub use decode::decode;
pub use encode::encode;
pub use sets::Sets;
