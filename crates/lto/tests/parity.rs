//! The twin equals an independent dense implementation (`fixtures/make_twin.py`), forward and backward.

#[path = "common/compare.rs"]
mod compare;
#[path = "common/fixture.rs"]
mod fixture;

use burn::tensor::{Device, Tensor, TensorData};
use compare::{difference, numbers};
use fixture::Fixture;
use lto::operator::{Architecture, Operator};
use lto::parameters::{gradients, with_parameters};
use lto::problem::{Calendar, Measured, Problem, StaticFields};
use lto::twin::Twin;
use lto::twin::config::{OutputForm, TwinConfig};
use lto::twin::encoder::{Encoder, EncoderConfig};
use lto::twin::evolution::EvolutionConfig;
use lto_numerics::dataset::Context;
use lto_numerics::kriging::Covariance;
use lto_numerics::{Domain, Grid, Placement, Points};
use std::sync::Arc;

struct Case {
    name: &'static str,
    dim: usize,
    periodic: bool,
    timed: bool,
    channels: [usize; 2],
    model: &'static str,
}

/// The same cases as in the script.
fn cases() -> [Case; 19] {
    let case =
        |name, dim, periodic, timed, channels, model| Case { name, dim, periodic, timed, channels, model };
    let timed = "encoder = { kind = 'set_conv', hidden = 3 }\nevolution = { kind = 'timed', width = 4 }";
    let multigrid = "encoder = { kind = 'set_conv', hidden = 3 }
        evolution = { kind = 'multigrid', width = 4, levels = 3, cycles = 2 }";
    [
        case("timed_1d", 1, true, true, [1, 1], timed),
        case(
            "timed_1d_published",
            1,
            true,
            true,
            [1, 1],
            "padding = 'zero'\nencoder = { kind = 'set_conv', hidden = 3, density = 'raw' }
            evolution = { kind = 'timed', width = 4 }",
        ),
        case("timed_2d", 2, true, true, [2, 2], timed),
        case(
            "steady_2d",
            2,
            false,
            false,
            [1, 2],
            "encoder = { kind = 'set_conv', hidden = 3, density = 'coverage' }
            evolution = { kind = 'steady', width = 4 }",
        ),
        case(
            "attention_2d",
            2,
            false,
            false,
            [1, 1],
            "encoder = { kind = 'attention', width = 4 }\nevolution = { kind = 'steady', width = 4 }",
        ),
        case(
            "residual_1d",
            1,
            true,
            true,
            [1, 1],
            "output = 'residual'\nencoder = { kind = 'set_conv', hidden = 3 }
            evolution = { kind = 'residual', width = 4 }",
        ),
        case(
            "residual_2d",
            2,
            false,
            false,
            [1, 1],
            "encoder = { kind = 'set_conv', hidden = 3, position = true }
            evolution = { kind = 'residual', width = 4 }",
        ),
        case(
            "spectral_1d",
            1,
            true,
            true,
            [1, 1],
            "encoder = { kind = 'set_conv', hidden = 3 }
            evolution = { kind = 'spectral', width = 4, modes = 3, blocks = 2 }",
        ),
        case(
            "spectral_2d",
            2,
            false,
            false,
            [1, 1],
            "encoder = { kind = 'set_conv', hidden = 3 }
            evolution = { kind = 'spectral', width = 4, modes = 3, blocks = 2 }",
        ),
        case(
            "displaced_1d",
            1,
            true,
            true,
            [1, 1],
            "encoder = { kind = 'set_conv', hidden = 3 }
            evolution = { kind = 'spectral', width = 4, modes = 3, blocks = 2, displacements = 2 }",
        ),
        case(
            "displaced_2d",
            2,
            false,
            false,
            [1, 1],
            "encoder = { kind = 'set_conv', hidden = 3 }
            evolution = { kind = 'spectral', width = 4, modes = 3, blocks = 2, displacements = 4 }",
        ),
        case("multigrid_1d", 1, true, true, [1, 1], multigrid),
        case("multigrid_2d", 2, false, false, [1, 1], multigrid),
        case(
            "transport_1d",
            1,
            true,
            true,
            [1, 1],
            "output = 'transport'
            encoder = { kind = 'set_conv', hidden = 3, length_scale = { layout = 0.6 }, estimate = true }
            evolution = { kind = 'spectral', width = 4, modes = 3, blocks = 2, taps = 5, dilations = [1, 2] }",
        ),
        case(
            "transport_2d",
            2,
            false,
            true,
            [2, 2],
            "output = 'transport'\nencoder = { kind = 'set_conv', hidden = 3, estimate = true }
            evolution = { kind = 'spectral', width = 4, modes = 3, blocks = 2 }",
        ),
        case(
            "gated_2d",
            2,
            true,
            true,
            [2, 2],
            "output = 'gated'\nencoder = { kind = 'set_conv', hidden = 3, estimate = true, position = true }
            evolution = { kind = 'multigrid', width = 4, levels = 3, cycles = 2 }",
        ),
        case(
            "records_2d",
            2,
            false,
            true,
            [2, 1],
            "output = 'gated'\nsource = 'best_linear'
            encoder = { kind = 'set_conv', hidden = 3, estimate = true, each = true }
            evolution = { kind = 'residual', width = 4 }",
        ),
        case(
            "semigroup_1d",
            1,
            true,
            true,
            [1, 1],
            "output = 'residual'\nsemigroup = { modes = 3 }\nencoder = { kind = 'set_conv', hidden = 3 }
            evolution = { kind = 'timed', width = 4 }",
        ),
        case(
            "semigroup_2d",
            2,
            true,
            true,
            [2, 2],
            "output = 'gated'\nsemigroup = { modes = 3 }\nencoder = { kind = 'set_conv', hidden = 3 }
            evolution = { kind = 'timed', width = 4 }",
        ),
    ]
}

/// What the case of records knows: a calendar, a covariance, how much persists, and a static field, 0.3 + x − y/2.
fn measured() -> Measured {
    let along: Vec<f64> = (0..15).map(|i| f64::from(i) / 14.0).collect();
    let height = along.iter().flat_map(|x| along.iter().map(move |y| (0.3 + x - 0.5 * y) as f32)).collect();
    Measured {
        calendar: Some(Calendar { periods: vec![0.4], longest_lead: 1.0 }),
        covariances: vec![Covariance {
            parts: vec![[0.3, 0.7], [1.2, 0.5]],
            noise: 0.0,
            ..Covariance::default()
        }],
        memory: vec![[1.0, 0.6]],
        statics: Some(StaticFields {
            names: vec!["height".into()],
            coordinates: vec![along.clone(), along],
            values: Arc::new(height),
        }),
        ..Measured::default()
    }
}

#[test]
fn every_encoder_and_evolution_has_a_case() {
    // Serde names all kinds where one is unknown.
    let unknown = r#"{"kind": "?"}"#;
    let encoders = serde_json::from_str::<EncoderConfig>(unknown).unwrap_err().to_string();
    let evolutions = serde_json::from_str::<EvolutionConfig>(unknown).unwrap_err().to_string();
    for kind in [&encoders, &evolutions].iter().flat_map(|said| said.split('`').skip(3).step_by(2)) {
        assert!(cases().iter().any(|case| case.model.contains(&format!("'{kind}'"))), "{kind}");
    }
}

#[test]
fn forward_and_gradients_equal_the_dense_implementation() {
    for case in cases() {
        let mut fixture = Fixture::open(case.name);
        let records = case.name == "records_2d";
        let device = Device::flex().autodiff();
        let domain = Domain::unit(case.dim, case.periodic).unwrap();
        let [source_channels, target_channels] = case.channels;
        let times = case.timed.then_some([0.0, 1.0]);
        let problem = Problem {
            domain: domain.clone(),
            source_channels,
            target_channels,
            native: vec![16; case.dim],
            times,
            changes: Vec::new(),
            measured: if records { measured() } else { Measured::default() },
        };
        let latent_points = if case.dim == 1 { 16 } else { 8 };
        let sizes =
            format!("latent_points = {latent_points}\nlatent_channels = 2\ndecoder = {{ hidden = 5 }}");
        let config: TwinConfig = toml::from_str(&format!("{sizes}\n{}", case.model)).unwrap();
        let mut twin = Twin::new(&config, &problem, &device).unwrap();
        twin.network =
            with_parameters(twin.network, |name, _| Some(fixture.single(&format!("parameter/{name}"))));

        // Outputs that begin from the source see it on a whole grid.
        let placement = if case.periodic { Placement::Left } else { Placement::Vertex };
        let grid = |n| Points::grid(Grid::cubic(domain.clone(), n, placement).unwrap());
        let place = |flat: Vec<f64>| match (flat.len(), config.output) {
            (17, output) if output != OutputForm::Direct => grid(17),
            (72, output) if output != OutputForm::Direct => grid(6),
            _ => Points::scattered(domain.clone(), flat).unwrap(),
        };
        let context = Context {
            points: place(fixture.get("points")),
            n_channels: source_channels,
            values: fixture.get("values"),
            deviations: records.then(|| fixture.get("deviations")),
        };
        let query = [Arc::new(place(fixture.get("query")))];

        if let Encoder::SetConv(encoder) = &twin.network.encoder {
            let channels = encoder.channels(std::slice::from_ref(&context), twin.grid());
            assert!(difference(&numbers(channels), &fixture.get("channels")) < 1e-5, "{}", case.name);
        }
        let z = Architecture::encode(&twin, std::slice::from_ref(&context)).unwrap();
        let evolved = Architecture::evolve(&twin, &z, &[(0.25, 0.75)]);
        let prediction = twin.forward(&[context], &[(0.25, 0.75)], &query).unwrap();
        for (what, got) in [
            ("encoded", numbers(z.z.clone())),
            ("evolved", numbers(evolved.z.clone())),
            ("prediction", numbers(prediction.clone())),
        ] {
            let off = difference(&got, &fixture.get(what));
            assert!(off < 1e-5, "{} {what}: {off:e}", case.name);
        }

        let weight = TensorData::new(fixture.single("weight"), prediction.dims());
        let weight = Tensor::<3>::from_data(weight, &device);
        let mut backward = (prediction * weight).sum().backward();
        let found = gradients(&twin.network, &mut backward);
        assert!(found.len() > 10);
        for gradient in found {
            let off = difference(&gradient.values, &fixture.get(&format!("gradient/{}", gradient.name)));
            // That of a single number is a sum over all points whose terms nearly cancel: its rounding depends on the processor.
            let bound = if gradient.values.len() == 1 { 1e-4 } else { 2e-5 };
            assert!(off < bound, "{} {}: {off:e}", case.name, gradient.name);
        }
    }
}
