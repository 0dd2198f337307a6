//! Both directions equal stock operations, with gradients.

use super::{Sets, decode, encode};
use crate::kernel::testing::agree;
use burn::tensor::Tensor;

/// Sets shared by examples, sets of one point, an unused set, and sets of several parts and blocks.
#[test]
fn encoding_and_decoding_equal_stock_operations() {
    let cases: [(&[usize], &[usize], usize, usize); 4] = [
        (&[5], &[0], 3, 4),
        (&[7, 1, 40], &[2, 0, 1, 2], 17, 5),
        (&[300, 9, 12], &[0, 2, 0], 16, 33),
        (&[3000, 700], &[1, 0, 0], 40, 24),
    ];
    for (sizes, of_example, modes, dim) in cases {
        let sets = Sets::new(sizes, of_example.to_vec());
        let (n, rows, b): (usize, _, _) = (sizes.iter().sum(), sets.n_features(), of_example.len());
        // Scores whose exponentials overflow: the largest must be found.
        let scores = |leaves: &[Tensor<1>]| leaves[0].clone().reshape([n, modes]) * 4.0 + 100.0;
        let features = |leaves: &[Tensor<1>]| leaves[1].clone().reshape([rows, dim]);
        let latent = |leaves: &[Tensor<1>]| leaves[1].clone().reshape([b, modes, dim]);
        agree(
            &format!("encode {sizes:?} {of_example:?}"),
            &[n * modes, rows * dim],
            &|leaves| encode(scores(leaves), features(leaves), &sets).reshape([b * modes * dim]),
            &|leaves| {
                super::encode::stock(scores(leaves), features(leaves), &sets).reshape([b * modes * dim])
            },
        );
        agree(
            &format!("decode {sizes:?} {of_example:?}"),
            &[n * modes, b * modes * dim],
            &|leaves| decode(scores(leaves), latent(leaves), &sets).reshape([rows * dim]),
            &|leaves| super::decode::stock(scores(leaves), latent(leaves), &sets).reshape([rows * dim]),
        );
    }
}
