//! What the tests of all kernels share.

use burn::tensor::{Device, Tensor, TensorData};

/// Numbers in [−1, 1), the same for the same seed.
pub fn numbers(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// The largest difference, relative to the largest expected value.
pub fn difference(got: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(got.len(), expected.len());
    // A single number is a sum over everything, whose terms are of size one and may cancel.
    let least = if expected.len() == 1 { 1.0 } else { 1e-6 };
    let scale = expected.iter().fold(least, |m: f32, v| m.max(v.abs()));
    let off = got.iter().zip(expected).map(|(a, b)| (a - b).abs());
    // A NaN must not look small.
    off.fold(0.0, |m: f32, v| if v <= m { m } else { v }) / scale
}

/// A function of flat tensors to a flat tensor.
pub type Flat<'a> = &'a dyn Fn(&[Tensor<1>]) -> Tensor<1>;

/// The output and the gradients of `⟨f(leaves), random⟩` in all leaves.
pub fn with_gradients(leaves: &[Vec<f32>], f: Flat) -> Vec<Vec<f32>> {
    let device = Device::flex().autodiff();
    let flat =
        |values: &[f32]| Tensor::<1>::from_data(TensorData::new(values.to_vec(), [values.len()]), &device);
    let leaves: Vec<Tensor<1>> = leaves.iter().map(|values| flat(values).require_grad()).collect();
    let output = f(&leaves);
    let direction = flat(&numbers(output.dims()[0], 99));
    let gradients = (output.clone() * direction).sum().backward();
    let mut all = vec![output.into_data().iter::<f32>().collect()];
    for leaf in &leaves {
        all.push(leaf.grad(&gradients).expect("a gradient").into_data().iter::<f32>().collect());
    }
    all
}

/// Asserts that both give the same output and the same gradients for random leaves of the given sizes, and `ours` the
/// same output without a gradient graph.
pub fn agree(what: &str, sizes: &[usize], ours: Flat, stock: Flat) {
    let leaves: Vec<Vec<f32>> = sizes.iter().zip(1..).map(|(n, seed)| numbers(*n, seed)).collect();
    let (got, expected) = (with_gradients(&leaves, ours), with_gradients(&leaves, stock));
    for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
        let off = difference(got, expected);
        assert!(
            off < 1e-5,
            "{what}: {} off by {off:e}",
            if i == 0 { "output".into() } else { format!("gradient {i}") }
        );
    }
    let device = Device::flex();
    let plain: Vec<Tensor<1>> = leaves
        .into_iter()
        .map(|v| Tensor::from_data(TensorData::new(v.clone(), [v.len()]), &device))
        .collect();
    let output: Vec<f32> = ours(&plain).into_data().iter::<f32>().collect();
    assert_eq!(output, got[0], "{what}: without a graph");
}
