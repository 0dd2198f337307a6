//! DeepONet equals an independent implementation (`fixtures/make_deeponet.py`), forward and backward, takes its sensors from
//! any context that has them, and says so where one has not.

#[path = "common/compare.rs"]
mod compare;
#[path = "common/fixture.rs"]
mod fixture;

use burn::tensor::{Device, Tensor, TensorData};
use compare::{difference, numbers};
use fixture::Fixture;
use lto::Error;
use lto::baseline::deeponet::DeepOnet;
use lto::operator::{Operator, Reach};
use lto::problem::Problem;
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Grid, Placement, Points};
use std::sync::Arc;

fn operator(text: &str, problem: Problem) -> DeepOnet {
    DeepOnet::new(&toml::from_str(text).unwrap(), &problem, &Device::flex().autodiff()).unwrap()
}

fn problem(dim: usize, periodic: bool, timed: bool, channels: [usize; 2], n: usize) -> Problem {
    let [source_channels, target_channels] = channels;
    let (domain, times) = (Domain::unit(dim, periodic).unwrap(), timed.then_some([0.0, 1.0]));
    Problem {
        domain,
        source_channels,
        target_channels,
        native: vec![n; dim],
        times,
        changes: Vec::new(),
        measured: Default::default(),
    }
}

#[test]
fn forward_and_gradients_equal_the_independent_implementation() {
    let cases = [
        ("deeponet_timed", problem(1, true, true, [2, 2], 8), "branch = [6, 5]\ntrunk = [5, 4]\nbasis = 3"),
        ("deeponet_steady", problem(2, false, false, [1, 1], 3), "branch = [6]\ntrunk = [5]\nbasis = 3"),
    ];
    for (name, problem, text) in cases {
        let mut fixture = Fixture::open(name);
        let (domain, n_channels) = (problem.domain.clone(), problem.source_channels);
        let placement = if domain.axes()[0].periodic { Placement::Left } else { Placement::Vertex };
        let points = Points::grid(Grid::cubic(domain.clone(), problem.native[0], placement).unwrap());
        let onet = operator(text, problem);
        let onet = onet.with_parameters(&mut |name, _| Some(fixture.single(&format!("parameter/{name}"))));
        assert_eq!(onet.reach(), Reach::Direct);
        let contexts: Vec<Context> = fixture
            .get("values")
            .chunks_exact(n_channels * points.len())
            .map(|v| Context { points: points.clone(), n_channels, values: v.to_vec(), deviations: None })
            .collect();
        let query = Arc::new(Points::scattered(domain, fixture.get("query")).unwrap());
        let prediction = onet.forward(&contexts, &[(0.25, 0.75), (0.5, 1.0)], &[query]).unwrap();
        let off = difference(&numbers(prediction.clone()), &fixture.get("prediction"));
        assert!(off < 1e-5, "{name}: {off:e}");
        let weight = TensorData::new(fixture.single("weight"), prediction.dims());
        let weight = Tensor::<3>::from_data(weight, &prediction.device());
        let found = onet.gradients(&mut (prediction * weight).sum().backward());
        assert_eq!(found.len(), onet.parameters().len(), "every parameter has a gradient");
        for gradient in found {
            let off = difference(&gradient.values, &fixture.get(&format!("gradient/{}", gradient.name)));
            assert!(off < 2e-5, "{name} {}: {off:e}", gradient.name);
        }
    }
}

fn wave(points: &Points) -> Context {
    let mut x = [0.0; 2];
    let value = |i| {
        points.write_point(i, &mut x);
        (3.0 * x[0]).sin() + x[1]
    };
    Context {
        points: points.clone(),
        n_channels: 1,
        values: (0..points.len()).map(value).collect(),
        deviations: None,
    }
}

/// Sensors are every other of 8 × 8 points: the native grid, a finer one, some points of it and scattered ones have them, in
/// any order; a grid between them has not.
#[test]
fn sensors_are_found_wherever_the_context_has_them() {
    let domain = Domain::unit(2, true).unwrap();
    let text = "branch = [4]\ntrunk = [4, 4]\nbasis = 2\nsensor_stride = 2";
    let onet = operator(text, problem(2, true, true, [1, 1], 8));
    let query = [Arc::new(Points::scattered(domain.clone(), vec![0.3, 0.1, 0.9, 0.2]).unwrap())];
    let predict = |points: &Points| onet.forward(&[wave(points)], &[(0.0, 0.5)], &query).map(numbers);
    let grid = |n, placement| Grid::cubic(domain.clone(), n, placement).unwrap();
    let native = predict(&Points::grid(grid(8, Placement::Left))).unwrap();
    assert_eq!(predict(&Points::grid(grid(16, Placement::Left))).unwrap(), native);
    assert_eq!(predict(&Points::grid(grid(4, Placement::Left))).unwrap(), native);
    let some = (0..64).filter(|i| i / 8 % 2 == 0 && i % 2 == 0 || i % 5 == 0).collect();
    assert_eq!(predict(&Points::masked(grid(8, Placement::Left), some).unwrap()).unwrap(), native);
    // Backwards, and off by less than anything.
    let scattered = (0..16).rev().flat_map(|i| [(i / 4) as f64 / 4.0 + 1e-9, (i % 4) as f64 / 4.0]).collect();
    let scattered = predict(&Points::scattered(domain.clone(), scattered).unwrap()).unwrap();
    assert!(scattered.iter().zip(&native).all(|(a, b)| (a - b).abs() < 1e-5));
    let Err(Error::Unsupported { model, reason }) = predict(&Points::grid(grid(8, Placement::Center))) else {
        panic!("cell centers have no sensor")
    };
    assert!(model == "deeponet" && reason.contains("16 sensors"), "{reason}");
    let centered = format!("{text}\nplacement = 'center'");
    let onet = operator(&centered, problem(2, true, true, [1, 1], 8));
    let context = wave(&Points::grid(grid(8, Placement::Center)));
    assert!(onet.forward(&[context], &[(0.0, 0.5)], &query).is_ok());
}

#[test]
fn sizes_of_zero_are_refused() {
    for (text, part) in [
        ("branch = [4]\ntrunk = [0]\nbasis = 2", "model.trunk"),
        ("branch = [4]\ntrunk = [4]\nbasis = 0", "model.basis"),
        ("branch = [4]\ntrunk = [4]\nbasis = 2\nsensor_stride = 0", "model.sensor_stride"),
    ] {
        let made = DeepOnet::new(
            &toml::from_str(text).unwrap(),
            &problem(1, true, true, [1, 1], 8),
            &Device::flex(),
        );
        let message = made.err().unwrap().to_string();
        assert!(message.contains(part), "{message}");
    }
}
