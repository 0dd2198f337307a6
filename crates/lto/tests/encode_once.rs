//! Encode once, evolve once a time, decode anywhere: counted, and from several threads.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use lto::Result;
use lto::model::{Encoded, Evolved, Model, ModelCard, ModelConfig};
use lto::operator::{Architecture, Seen, tensor};
use lto::problem::Problem;
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Domain, Grid, Placement, Points};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn domain() -> Domain {
    Domain::unit(2, true).unwrap()
}

fn card() -> ModelCard {
    let text = "kind = 'twin'\nlatent_points = 8\nlatent_channels = 3\nencoder = { kind = 'set_conv', hidden = 2 }\n\
                evolution = { kind = 'residual', width = 4 }\ndecoder = { hidden = 8 }\noutput = 'residual'";
    let normalizer: Normalizer = serde_json::from_str(r#"{"mean": [3.0], "scale": [2.0]}"#).unwrap();
    ModelCard {
        source_normalizer: normalizer.clone(),
        target_normalizer: normalizer,
        native_interval: Some(0.1),
        ..ModelCard::untrained(
            Problem {
                domain: domain(),
                source_channels: 1,
                target_channels: 1,
                native: vec![16, 16],
                times: Some([0.0, 1.0]),
                changes: Vec::new(),
                measured: Default::default(),
            },
            toml::from_str::<ModelConfig>(text).unwrap(),
        )
    }
}

fn observations() -> Context {
    let coordinates: Vec<f64> =
        (1..=40).flat_map(|i| [0.618 * f64::from(i), 0.755 * f64::from(i)]).map(f64::fract).collect();
    let points = Points::scattered(domain(), coordinates).unwrap();
    Context {
        points,
        n_channels: 1,
        values: (0..40).map(|i| 3.0 + f64::from(i).sin()).collect(),
        deviations: None,
    }
}

/// Counts what it is asked; the state is the mean of the observations, moved by t − s.
#[derive(Module, Debug)]
struct Counting {
    #[module(skip)]
    problem: Problem,
    #[module(skip)]
    calls: Arc<[AtomicUsize; 3]>,
}

impl Architecture for Counting {
    type Latent = Vec<f64>;

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn encode(&self, contexts: &[Context]) -> Result<Vec<f64>> {
        self.calls[0].fetch_add(1, Ordering::Relaxed);
        Ok(contexts.iter().map(|c| c.values.iter().sum::<f64>() / c.values.len() as f64).collect())
    }

    fn evolve(&self, means: &Vec<f64>, times: &[(f64, f64)]) -> Vec<f64> {
        self.calls[1].fetch_add(1, Ordering::Relaxed);
        means.iter().zip(times).map(|(mean, (s, t))| mean + t - s).collect()
    }

    fn decode(&self, seen: Seen<Vec<f64>>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        self.calls[2].fetch_add(1, Ordering::Relaxed);
        let m = queries[0].len();
        let values: Vec<f64> = seen.latent.iter().flat_map(|&v| std::iter::repeat_n(v, m)).collect();
        Ok(tensor(&values, [seen.latent.len(), 1, m], &Device::flex()))
    }
}

/// Three targets on a query of two pieces, by either way to ask: one encoding, three evolutions, six decodings.
#[test]
fn several_targets_and_pieces_encode_once() {
    let calls: Arc<[AtomicUsize; 3]> = Arc::default();
    let counting = Counting { problem: card().problem, calls: calls.clone() };
    let model = Model::of(card(), Arc::new(counting));
    let taken = || -> Vec<usize> { calls.iter().map(|n| n.swap(0, Ordering::Relaxed)).collect() };
    let query = Points::grid(Grid::cubic(domain(), 300, Placement::Left).unwrap());
    let times = [0.1, 0.5, 1.0];
    let encoded = model.encode(&observations(), 0.0).unwrap();
    let mut values = Vec::new();
    for t in times {
        values.extend(encoded.at(t).unwrap().decode(&query).unwrap().values);
    }
    assert_eq!(taken(), [1, 3, 6]);
    let together = model.predict(&observations(), 0.0, &times, &Arc::new(query.clone())).unwrap();
    assert_eq!(taken(), [1, 3, 6]);
    assert_eq!(together.values, values);
    // One state, many queries: nothing but decoding.
    let evolved = encoded.at(0.5).unwrap();
    taken();
    for piece in query.pieces(10_000) {
        evolved.decode(&piece).unwrap();
    }
    assert_eq!(taken(), [0, 0, 9]);
}

#[test]
fn threads_that_share_a_state_decode_the_same_bits() {
    fn is_shared<T: Clone + Send + Sync>() {}
    is_shared::<(Model, Encoded, Evolved)>();
    let model = Model::new(card(), 5).unwrap();
    let query = Points::grid(Grid::cubic(domain(), 48, Placement::Center).unwrap());
    let encoded = model.encode(&observations(), 0.0).unwrap();
    let decode =
        |encoded: &Encoded| [0.1, 0.4, 0.9].map(|t| encoded.at(t).unwrap().decode(&query).unwrap().values);
    let serial = decode(&encoded);
    assert!(serial[0] != serial[2]);
    let found: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| decode(&encoded.clone()))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.iter().all(|values| *values == serial));
}
