//! Models on whole grids: their problems, grids, and comparison with fixtures.

#[path = "compare.rs"]
mod compare;
#[path = "fixture.rs"]
mod fixture;

use burn::tensor::{Tensor, TensorData};
pub use compare::{difference, numbers};
pub use fixture::Fixture;
use lto::Error;
use lto::operator::Operator;
use lto::problem::Problem;
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Grid, Placement, Points};
use std::sync::Arc;

pub fn problem(domain: &Domain, [source_channels, target_channels]: [usize; 2], native: &[usize]) -> Problem {
    let times = Some([0.0, 1.0]);
    let (domain, native) = (domain.clone(), native.to_vec());
    Problem {
        domain,
        source_channels,
        target_channels,
        native,
        times,
        changes: Vec::new(),
        measured: Default::default(),
    }
}

pub fn grid(domain: &Domain, shape: &[usize], placement: Placement) -> Points {
    let axes: Vec<_> = shape.iter().map(|&n| (n, placement)).collect();
    Points::grid(Grid::uniform(domain.clone(), &axes).unwrap())
}

/// With the weights of a fixture, an operator gives its predictions on `points` and its gradients.
pub fn assert_equals_fixture(operator: &dyn Operator, name: &str, points: &Points) {
    let mut fixture = Fixture::open(name);
    let operator =
        operator.with_parameters(&mut |name, _| Some(fixture.single(&format!("parameter/{name}"))));
    let n_channels = operator.problem().source_channels;
    let values = fixture.get("values");
    let context =
        |v: &[f64]| Context { points: points.clone(), n_channels, values: v.to_vec(), deviations: None };
    let contexts: Vec<Context> = values.chunks_exact(n_channels * points.len()).map(context).collect();
    let prediction = operator.forward(&contexts, &[(0.0, 0.1); 2], &[Arc::new(points.clone())]).unwrap();
    let off = difference(&numbers(prediction.clone()), &fixture.get("prediction"));
    assert!(off < 1e-5, "{name}: {off:e}");

    let weight = TensorData::new(fixture.single("weight"), prediction.dims());
    let weight = Tensor::<3>::from_data(weight, &prediction.device());
    let mut backward = (prediction * weight).sum().backward();
    let found = operator.gradients(&mut backward);
    assert_eq!(found.len(), operator.parameters().len(), "every parameter has a gradient");
    for gradient in found {
        let off = difference(&gradient.values, &fixture.get(&format!("gradient/{}", gradient.name)));
        assert!(off < 2e-5, "{name} {}: {off:e}", gradient.name);
    }
}

/// Why a model does not predict at `query` from values on `points`; "nothing" if it does.
pub fn refusal(operator: &dyn Operator, points: &Points, query: &Points) -> String {
    let values = vec![0.5; points.len()];
    let context = Context { points: points.clone(), n_channels: 1, values, deviations: None };
    match operator.forward(&[context], &[(0.0, 0.1)], &[Arc::new(query.clone())]) {
        Err(Error::Unsupported { reason, .. }) => reason,
        Err(other) => panic!("{other}"),
        Ok(_) => "nothing".into(),
    }
}
