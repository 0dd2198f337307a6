use super::*;
use crate::{Axis, Domain, Placement, PointStructure};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Distinct at distinct points, and not symmetric in x and y.
fn f(x: &[f64]) -> f64 {
    x[0] + 1000.0 * x[1]
}

fn field(nx: usize, ny: usize) -> Field {
    let axes = vec![Axis::new("x", -1.0, 3.0, true), Axis::new("y", 10.0, 12.0, false)];
    let grid =
        Grid::uniform(Domain::new(axes).unwrap(), &[(nx, Placement::Left), (ny, Placement::Vertex)]).unwrap();
    Field::from_fn(Arc::new(grid), f)
}

fn draw(design: ContextDesign, seed: u64) -> Result<Context> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    ContextSampler { design }.sample(&field(20, 15), Some(&field(40, 29)), &mut rng)
}

/// In the domain, distinct, and each with the value of its own place.
fn assert_sound(context: &Context) {
    // Rebuilding them from bare coordinates checks domain and distinctness independently of the mask.
    let coordinates = context.points.coordinates();
    Points::scattered(context.points.domain().clone(), coordinates.clone()).unwrap();
    assert_eq!(context.values.len(), context.points.len());
    for (point, value) in coordinates.chunks_exact(2).zip(&context.values) {
        assert_eq!(*value, f(point));
    }
}

#[test]
fn every_design_observes_true_points_in_the_domain() {
    let fraction = |context_fraction| ContextDesign::Random { context_fraction };
    for (design, n) in [
        (fraction(0.1), 30),
        (fraction(1.0), 300),
        (fraction(2.0), 600),
        (ContextDesign::Strided { stride: 2 }, 10 * 8),
        (ContextDesign::Clustered { context_fraction: 0.2, n_clusters: 3, spread: 0.05 }, 60),
    ] {
        let context = draw(design, 1).unwrap();
        assert_sound(&context);
        assert_eq!(context.points.len(), n, "{design:?}");
        assert!(!matches!(context.points.structure(), PointStructure::Scattered(_)));
    }
    let failed = ContextDesign::FailedRegion { context_fraction: 1.0, failed_fraction: 0.25 };
    let context = draw(failed, 1).unwrap();
    assert_sound(&context);
    // Points as far away as the last failed one fail with it.
    assert!((200..=225).contains(&context.points.len()), "{}", context.points.len());
}

#[test]
fn a_fraction_counts_points_and_needs_genuine_ones() {
    let native = field(20, 15);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let sampler = ContextSampler { design: ContextDesign::Random { context_fraction: 2.0 } };
    let err = sampler.sample(&native, None, &mut rng).unwrap_err();
    assert!(err.to_string().contains("finer field"), "{err}");
    let finer = field(40, 29);
    assert_eq!(sampler.sample(&native, Some(&finer), &mut rng).unwrap().points.len(), 600);
    let sampler = ContextSampler { design: ContextDesign::Random { context_fraction: 4.0 } };
    assert!(sampler.sample(&native, Some(&finer), &mut rng).is_err());
}

#[test]
fn seeds_decide_and_random_points_are_uniform() {
    let design = ContextDesign::Random { context_fraction: 0.1 };
    assert_eq!(draw(design, 3).unwrap(), draw(design, 3).unwrap());
    assert_ne!(draw(design, 3).unwrap(), draw(design, 4).unwrap());
    // Mean of x over 200 × 30 points: −1 + 4·(0 + … + 19)/20/20 = 0.9; standard error about 0.015.
    let mean: f64 = (0..200)
        .map(|seed| {
            let x = draw(design, seed).unwrap().points.coordinates();
            x.iter().step_by(2).sum::<f64>() / 30.0
        })
        .sum::<f64>()
        / 200.0;
    assert!((mean - 0.9).abs() < 0.06, "{mean}");
}

#[test]
fn clusters_are_dense_and_failed_regions_empty() {
    // Mean squared distance between all pairs of observed points.
    let spread = |context: &Context| {
        let (x, domain) = (context.points.coordinates(), context.points.domain().clone());
        let points: Vec<&[f64]> = x.chunks_exact(2).collect();
        let pairs = (points.len() * points.len()) as f64;
        points.iter().flat_map(|a| points.iter().map(|b| domain.distance_squared(a, b))).sum::<f64>() / pairs
    };
    let clustered =
        draw(ContextDesign::Clustered { context_fraction: 0.05, n_clusters: 1, spread: 0.05 }, 5).unwrap();
    let random = draw(ContextDesign::Random { context_fraction: 0.05 }, 5).unwrap();
    assert!(spread(&clustered) < 0.3 * spread(&random), "{} {}", spread(&clustered), spread(&random));

    let failed = ContextDesign::FailedRegion { context_fraction: 1.0, failed_fraction: 0.25 };
    let context = draw(failed, 5).unwrap();
    let seen = context.points.coordinates();
    let native = field(20, 15);
    let domain = native.grid().domain().clone();
    let all = Points::grid(native.grid().as_ref().clone()).coordinates();
    // Some native point is far from all observed ones: the radius of a ball with a quarter of the area 8.
    let gap = all
        .chunks_exact(2)
        .map(|x| seen.chunks_exact(2).map(|y| domain.distance(x, y)).fold(f64::INFINITY, f64::min))
        .fold(0.0, f64::max);
    assert!(gap > 0.7, "{gap}");
}

#[test]
fn parameters_out_of_range_are_refused() {
    for design in [
        ContextDesign::Random { context_fraction: 0.0 },
        ContextDesign::Random { context_fraction: f64::NAN },
        ContextDesign::Strided { stride: 0 },
        ContextDesign::Clustered { context_fraction: 0.1, n_clusters: 0, spread: 0.1 },
        ContextDesign::Clustered { context_fraction: 0.1, n_clusters: 1, spread: 0.0 },
        ContextDesign::FailedRegion { context_fraction: 0.1, failed_fraction: 1.0 },
    ] {
        assert!(matches!(draw(design, 0), Err(Error::Parameter { .. })), "{design:?}");
    }
}
