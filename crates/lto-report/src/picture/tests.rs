//! Pictures of made-up samples: right size, right kind, right refusals.

use super::drawing::tests::assert_texts_apart;
use super::*;
use lto_numerics::{Axis, Domain, Field, Grid, Placement};
use std::f64::consts::TAU;
use std::sync::Arc;

fn subject(quantity: &str) -> Subject {
    Subject {
        channel: 0,
        quantity: quantity.into(),
        source_quantity: "a".into(),
        title: "sample 0".into(),
        frames: None,
        colormap: None,
    }
}

fn wave() -> Sample {
    let grid = Arc::new(Grid::cubic(Domain::unit(1, true).unwrap(), 256, Placement::Center).unwrap());
    let times: Vec<f64> = (0..41).map(|i| f64::from(i) * 0.05).collect();
    let values = times
        .iter()
        .flat_map(|t| grid.coordinates(0).iter().map(move |x| (TAU * (x - 0.3 * t)).sin() * (-0.5 * t).exp()))
        .collect();
    Sample::Evolution(Trajectory::new(grid.clone(), times.clone(), 1, values).unwrap())
}

fn vortex(domain: Domain) -> Sample {
    let grid = Arc::new(Grid::cubic(domain, 24, Placement::Left).unwrap());
    let times = vec![0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0];
    let mut values = Vec::new();
    for t in &times {
        let field =
            Field::from_fn(grid.clone(), |p| (TAU * (p[0] - 0.1 * t)).sin() * (TAU * 2.0 * p[1]).cos());
        values.extend(field.into_values());
    }
    Sample::Evolution(Trajectory::new(grid, times, 1, values).unwrap())
}

fn pair() -> Sample {
    let grid = Arc::new(Grid::cubic(Domain::unit(2, false).unwrap(), 33, Placement::Vertex).unwrap());
    let source = Field::from_fn(grid.clone(), |p| if p[0] + 0.3 * p[1] > 0.6 { 12.0 } else { 3.0 });
    let target = Field::from_fn(grid, |p| p[0] * (1.0 - p[0]) * p[1] * (1.0 - p[1]) * 0.1);
    Sample::Steady { source, target }
}

/// Writes a picture to look at, if `LTO_PICTURES` names a folder.
fn show(name: &str, bytes: &[u8]) {
    if let Some(folder) = std::env::var_os("LTO_PICTURES") {
        std::fs::write(Path::new(&folder).join(name), bytes).unwrap();
    }
}

#[test]
fn every_kind_of_sample_becomes_every_kind_of_picture() {
    let earth = Domain::new(vec![Axis::new("lat", 0.0, 1.0, false), Axis::new("lon", 0.0, 2.0, true)]);
    let samples = [
        ("wave", wave()),
        ("vortex", vortex(Domain::unit(2, true).unwrap())),
        ("cube", vortex(Domain::unit(3, true).unwrap())),
        ("earth", vortex(earth.unwrap())),
        ("pair", pair()),
    ];
    for (name, sample) in samples {
        assert_texts_apart(&draw(&sample, &subject("a quantity with a name of some length")).unwrap());
        let png = render(&sample, &subject("u"), PictureFormat::Png).unwrap();
        show(&format!("{name}.png"), &png);
        assert_eq!(png[..4], [0x89, b'P', b'N', b'G'], "{name}");
        let svg = String::from_utf8(render(&sample, &subject("u"), PictureFormat::Svg).unwrap()).unwrap();
        show(&format!("{name}.svg"), svg.as_bytes());
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{name}");
        assert!(svg.contains("data:image/png;base64,"), "{name}");
        let few = Subject { frames: Some(vec![0, 3, 6]), ..subject("u") };
        let gif = render(&sample, &few, PictureFormat::Gif);
        if let Sample::Steady { .. } = sample {
            assert!(gif.unwrap_err().to_string().contains("no times"));
        } else {
            let gif = gif.unwrap();
            show(&format!("{name}.gif"), &gif);
            let mut decoder = gif::DecodeOptions::new().read_info(gif.as_slice()).unwrap();
            let mut count = 0;
            while decoder.read_next_frame().unwrap().is_some() {
                count += 1;
            }
            assert_eq!(count, 3, "{name}");
        }
    }
}

#[test]
fn a_single_frame_has_no_time_axis() {
    let Sample::Evolution(wave) = wave() else { panic!() };
    let first = wave.frame(0).iter().map(|v| 1e5 + 0.1 * v).collect();
    let single = Trajectory::new(wave.grid().clone(), vec![0.0], 1, first).unwrap();
    let single = Sample::Evolution(single);
    let svg = String::from_utf8(render(&single, &subject("u"), PictureFormat::Svg).unwrap()).unwrap();
    show("single.svg", svg.as_bytes());
    assert!(!svg.contains(">t<") && !svg.contains("image/png") && svg.contains(">+1e5<"), "{svg}");
}

#[test]
fn frames_are_spread_from_first_to_last() {
    let subject = subject("u");
    assert_eq!(subject.chosen_frames(201, 6).unwrap(), [0, 40, 80, 120, 160, 200]);
    assert_eq!(subject.chosen_frames(20, 6).unwrap(), [0, 4, 8, 11, 15, 19]);
    assert_eq!(subject.chosen_frames(3, 6).unwrap(), [0, 1, 2]);
    assert_eq!(subject.chosen_frames(1, 6).unwrap(), [0]);
}

#[test]
fn what_is_not_there_is_refused_by_name() {
    let missing_frame = Subject { frames: Some(vec![0, 41]), ..subject("u") };
    let error = render(&wave(), &missing_frame, PictureFormat::Png).unwrap_err();
    assert_eq!(error.to_string(), "there is no frame 41: the frames are 0 to 40");
    let missing_channel = Subject { channel: 1, ..subject("u") };
    assert!(render(&wave(), &missing_channel, PictureFormat::Svg).is_err());
    assert!(PictureFormat::from_path(Path::new("picture.jpeg")).is_err());
    assert_eq!(PictureFormat::from_path(Path::new("a/b.PNG")).unwrap(), PictureFormat::Png);
}
