//! Predictions that are means over symmetries: exactly symmetric, for models of every kind.

#[allow(dead_code)]
#[path = "common/small_models.rs"]
mod small_models;

use lto::Model;
use lto::model::{ModelCard, ModelConfig};
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Field, Grid, Isometry, Placement, Points, Symmetry};
use small_models::{grid, models, problem, stirred, untrained};
use std::sync::Arc;

const GROUP: [Symmetry; 3] = [Symmetry::Mirror, Symmetry::Transpose, Symmetry::Negation];

/// A model with weights that no symmetry knows of, and the same as a mean over these.
fn pair(config: ModelConfig, dim: usize, symmetries: &[Symmetry]) -> lto::Result<[Model; 2]> {
    let plain = stirred(&untrained(problem(dim, Some([0.0, 0.5])), config)?);
    let card = ModelCard { symmetries: symmetries.to_vec(), ..plain.card().clone() };
    let bytes = Model::of(card, plain.operator().without_gradients()).to_bytes()?;
    Ok([plain, Model::from_bytes(&bytes)?])
}

/// A wave about 2, on the native grid.
fn wave(points: &Points) -> Context {
    let dim = points.domain().dim();
    let coordinates = points.coordinates();
    let values = coordinates.chunks_exact(dim).map(|x| {
        let phase: f64 = x.iter().zip([3.0, 7.0]).map(|(x, k)| k * x).sum();
        2.0 + 0.4 * (phase.sin() + (2.0 * std::f64::consts::TAU * x[0]).cos())
    });
    Context::new(points.clone(), 1, values.collect())
}

/// The prediction at a query of the context as it is, and of the moved one, carried back.
fn both(model: &Model, context: &Context, query: &Points, map: &Isometry) -> lto::Result<[Vec<f64>; 2]> {
    let straight = model.predict(context, 0.0, &[0.25], &Arc::new(query.clone()))?.values;
    let (moved, order) = map.apply(query).unwrap();
    let predicted = model.predict(&context.moved(map).unwrap(), 0.0, &[0.25], &Arc::new(moved))?.values;
    let mut back = vec![0.0; straight.len()];
    order.iter().zip(predicted).for_each(|(&before, value)| back[before] = map.sign() * value);
    Ok([straight, back])
}

fn largest_difference([a, b]: &[Vec<f64>; 2]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Of whatever is seen and asked, whole grids and scattered points, each of the 2^D · D! · 2 symmetries gives the moved
/// prediction; without the mean it does not.
#[test]
fn means_over_a_group_are_symmetric() {
    for config in models() {
        if config.init(&problem(1, Some([0.0, 0.5])), 0, Default::default()).unwrap().n_parameters() == 0 {
            continue;
        }
        for dim in [1, 2] {
            let [plain, symmetric] = pair(config.clone(), dim, &GROUP).unwrap();
            let domain = Domain::unit(dim, true).unwrap();
            let maps = Isometry::all(&GROUP, &domain);
            assert_eq!((maps.len(), &maps[0]), ([4, 16][dim - 1], &Isometry::identity(dim)));
            let mut uneven: f64 = 0.0;
            let scattered: Vec<f64> = (0..9 * dim).map(|i| (0.37 * (i * i) as f64 + 0.11).fract()).collect();
            let scattered = Points::scattered(domain, scattered).unwrap();
            for (seen, asked) in [(grid(dim), grid(dim)), (scattered.clone(), scattered.clone())] {
                let context = wave(&seen);
                if plain.predict(&context, 0.0, &[0.25], &Arc::new(asked.clone())).is_err() {
                    assert!(symmetric.predict(&context, 0.0, &[0.25], &Arc::new(asked)).is_err());
                    continue;
                }
                for map in &maps {
                    let off = largest_difference(&both(&symmetric, &context, &asked, map).unwrap());
                    assert!(off < 2e-5, "{} in {dim} dimensions, {map:?}: {off:.1e}", config.name());
                    uneven = uneven.max(largest_difference(&both(&plain, &context, &asked, map).unwrap()));
                }
            }
            assert!(uneven > 1e-3, "{} is symmetric as it is: {uneven:.1e}", config.name());
        }
    }
}

/// The mean by hand, over one map that turns signs; encoded once, evolved by every way, and kept in the file.
#[test]
fn a_mean_over_two_is_half_the_sum() {
    let config = models().into_iter().find(|config| matches!(config, ModelConfig::Twin(_))).unwrap();
    let [plain, symmetric] = pair(config, 1, &[Symmetry::OddMirror]).unwrap();
    let [context, query] = [wave(&grid(1)), wave(&grid(1))];
    let map = &Isometry::all(&[Symmetry::OddMirror], context.points.domain())[1];
    let [straight, back] = both(&plain, &context, &query.points, map).unwrap();
    let mean: Vec<f64> = straight.iter().zip(&back).map(|(a, b)| 0.5 * (a + b)).collect();
    let state = symmetric.encode(&context, 0.0).unwrap();
    for way in lto::model::Way::ALL {
        let found = state.at_by(0.25, way).unwrap().decode(&query.points).unwrap().values;
        assert!(largest_difference(&[mean.clone(), found]) < 1e-5, "{way:?}");
    }
    assert_eq!(symmetric.card().symmetries, [Symmetry::OddMirror]);
    let far = |model: &Model, way| model.encode(&context, 0.0).unwrap().at_by(0.5, way).unwrap();
    let chain = far(&symmetric, lto::model::Way::Chain).decode(&query.points).unwrap().values;
    let of =
        |context: &Context| plain.encode(context, 0.0).unwrap().at_by(0.5, lto::model::Way::Chain).unwrap();
    let straight = of(&context).decode(&query.points).unwrap().values;
    let (moved, order) = map.apply(&query.points).unwrap();
    let mirrored = of(&context.moved(map).unwrap()).decode(&moved).unwrap().values;
    for (now, &before) in order.iter().enumerate() {
        assert!((chain[before] - 0.5 * (straight[before] - mirrored[now])).abs() < 1e-5);
    }
}

/// A domain without the symmetry is refused when the model is made, in a file too.
#[test]
fn symmetries_that_the_domain_lacks_are_refused() {
    let config = models().remove(0);
    let error = pair(config, 1, &[Symmetry::ShiftedTranspose]).err().unwrap().to_string();
    assert!(error.contains("shifted_transpose") && error.contains("two equal periodic axes"), "{error}");
}

/// Noise on readings moves with them.
#[test]
fn moved_observations_keep_their_deviations() {
    let domain = Domain::unit(1, true).unwrap();
    let grid = Grid::cubic(domain.clone(), 4, Placement::Center).unwrap();
    let field = Field::from_fn(grid.clone().into(), |x| x[0]);
    let context = Context {
        points: Points::grid(grid),
        n_channels: 1,
        values: field.values().to_vec(),
        deviations: Some(vec![0.1, 0.2, 0.3, 0.4]),
    };
    let moved = context.moved(&Isometry::all(&[Symmetry::OddMirror], &domain)[1]).unwrap();
    assert_eq!(moved.values, [-0.875, -0.625, -0.375, -0.125]);
    assert_eq!(moved.deviations, Some(vec![0.4, 0.3, 0.2, 0.1]));
    assert_eq!(moved.points, context.points);
}
