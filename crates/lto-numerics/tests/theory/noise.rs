//! The noise of an estimate, against weights made another way and against a simulation.

use crate::unit;
use lto_numerics::design::PointDesign;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{Estimator, LocalNoise};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The estimates of unit vectors are the weights w; worst noise is Σ |w| σ, reached by errors of the signs of w, and independent
/// noise has the deviation that a simulation shows.
#[test]
fn noise_is_that_of_the_actual_weights() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for (dim, periodic) in [(1, false), (2, true), (2, false)] {
        let domain = unit(dim, periodic);
        let context = PointDesign::Iid.points(&domain, 30, &mut rng).unwrap();
        let query = PointDesign::Iid.points(&domain, 8, &mut rng).unwrap();
        let deviations: Vec<f64> = (0..30).map(|j| 0.1 + 0.05 * f64::from(j % 7)).collect();
        let setconv = SetConv::new(0.2).unwrap();
        for estimator in Estimator::ALL {
            let found = LocalNoise::at(&setconv, estimator, &context, &deviations, &query).unwrap();
            let identity: Vec<f64> = (0..900).map(|k| f64::from(u8::from(k / 30 == k % 30))).collect();
            let weights = estimator.apply(&setconv, &context, &identity, &query).unwrap();
            let draws = 4000;
            let noise: Vec<f64> = (0..draws * 30)
                .map(|k| {
                    let normal: f64 = StandardNormal.sample(&mut rng);
                    deviations[k % 30] * normal
                })
                .collect();
            let simulated = estimator.apply(&setconv, &context, &noise, &query).unwrap();
            for (q, at) in found.iter().enumerate() {
                let worst: f64 = (0..30).map(|j| weights[j * 8 + q].abs() * deviations[j]).sum();
                assert!((at.worst - worst).abs() < 1e-6 * worst, "{estimator:?}: {} {worst}", at.worst);
                let square: f64 = (0..draws).map(|k| simulated[k * 8 + q].powi(2)).sum();
                let deviation = (square / draws as f64).sqrt();
                assert!(
                    (at.deviation / deviation - 1.0).abs() < 0.06,
                    "{estimator:?}: {} {deviation}",
                    at.deviation
                );
                assert!(estimator == Estimator::LocalLinear || at.worst <= 0.4 + 1e-12);
            }
        }
        assert!(LocalNoise::at(&setconv, Estimator::ALL[0], &context, &[0.1], &query).is_err());
    }
}
