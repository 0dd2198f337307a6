//! Hand-written CPU kernels, one operation a file.

pub mod gemm;
