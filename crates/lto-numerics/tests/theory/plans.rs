//! Placement of sensors.

use crate::unit;
use lto_numerics::design::Design;
use lto_numerics::domain::Domain;
use lto_numerics::error::Error;
use lto_numerics::geometry::fill_distance;
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::plan::{Objective, Places, Region, Request, gaps, losses, place_sensors, spread};
use lto_numerics::theory::{Estimator, Regularity};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn request(domain: &Domain, n_new: usize) -> Request<'_> {
    Request { domain, n_new, existing: None, avoid: &[], objective: Objective::FillDistance }
}

#[test]
fn on_a_line_refined_sensors_stand_evenly() {
    for (periodic, n) in [(true, 7), (false, 5), (false, 1)] {
        let domain = unit(1, periodic);
        let places = Places::grid(&domain, 2000).unwrap();
        let plan = place_sensors(&request(&domain, n), &places).unwrap();
        let best = 0.5 / n as f64;
        assert!(plan.greedy <= 2.001 * best, "{} {best}", plan.greedy);
        assert!(plan.worst.value <= plan.greedy && plan.worst.value < 1.1 * best, "{plan:?}");
        assert_eq!((plan.sensors.len(), plan.n_new), (n, n));
        let exact = fill_distance(&plan.sensors, 1e-3).unwrap();
        assert!(exact.upper >= plan.worst.value * 0.999 && exact.lower <= plan.worst.value + 1e-3);
    }
}

#[test]
fn placed_sensors_cover_better_than_drawn_ones() {
    for (dim, n) in [(2, 30), (3, 24)] {
        let domain = unit(dim, false);
        let places = Places::grid(&domain, spread(n)).unwrap();
        let plan = place_sensors(&request(&domain, n), &places).unwrap();
        let drawn = |design: Design| {
            let points = design.points(&domain, n, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
            fill_distance(&points, 1e-2).unwrap().lower
        };
        let placed = fill_distance(&plan.sensors, 1e-2).unwrap().upper;
        assert!(
            placed < 0.85 * drawn(Design::Halton) && placed < 0.75 * drawn(Design::Iid),
            "{dim}: {placed}"
        );
    }
}

#[test]
fn existing_sensors_stay_and_regions_stay_free() {
    let domain = unit(2, true);
    let existing = Points::scattered(domain.clone(), vec![0.1, 0.1, 0.6, 0.2]).unwrap();
    let avoid = [
        Region::Box { lower: vec![0.3, 0.3], upper: vec![0.8, 0.7] },
        Region::Ball { center: vec![0.0, 0.9], radius: 0.2 },
    ];
    let places = Places::grid(&domain, spread(8)).unwrap();
    let asked = Request { existing: Some(&existing), avoid: &avoid, ..request(&domain, 8) };
    let plan = place_sensors(&asked, &places).unwrap();
    let coordinates = plan.sensors.coordinates();
    assert_eq!((coordinates.len(), plan.n_new), (20, 8));
    assert_eq!(&coordinates[..4], existing.coordinates());
    for x in coordinates[4..].chunks_exact(2) {
        assert!(!avoid.iter().any(|region| region.contains(&domain, x)), "{x:?}");
    }
    // The ball reaches across the periodic end.
    assert!(avoid[1].contains(&domain, &[0.95, 0.05]));
    let everywhere = [Region::Box { lower: vec![0.0; 2], upper: vec![1.0; 2] }];
    let flat = [Region::Ball { center: vec![0.5], radius: 0.1 }];
    for avoid in [&everywhere, &flat] {
        assert!(place_sensors(&Request { avoid, ..request(&domain, 3) }, &places).is_err());
    }
    let elsewhere = Points::scattered(unit(2, false), vec![0.1, 0.1]).unwrap();
    let asked = Request { existing: Some(&elsewhere), ..request(&domain, 3) };
    assert!(matches!(place_sensors(&asked, &places), Err(Error::DomainMismatch { .. })));
    assert!(place_sensors(&request(&domain, 0), &places).is_err());
}

#[test]
fn the_certificate_falls_further_when_it_is_the_objective() {
    let domain = unit(2, false);
    let n = 16;
    let regularity = Regularity::new(&domain, 40.0, Some(1.0), None).unwrap();
    let setconv = SetConv::new(0.2).unwrap();
    let objective = Objective::Certificate { setconv, estimator: Estimator::LocalLinear, regularity };
    let places = Places::grid(&domain, 900).unwrap();
    let plan =
        place_sensors(&Request { objective: objective.clone(), ..request(&domain, n) }, &places).unwrap();
    let covering = place_sensors(&request(&domain, n), &places).unwrap();
    let other = objective.evaluate(&covering.sensors, &places).unwrap().value;
    assert!(plan.worst.value < plan.greedy && plan.worst.value <= other, "{} {other}", plan.worst.value);
}

#[test]
fn losses_are_those_of_layouts_without_the_sensor() {
    let domain = unit(2, true);
    let points = Design::Halton.points(&domain, 12, &mut ChaCha8Rng::seed_from_u64(2)).unwrap();
    let places = Places::grid(&domain, 900).unwrap();
    let regularity = Regularity::new(&domain, 40.0, Some(1.0), None).unwrap();
    let setconv = SetConv::new(0.2).unwrap();
    let estimator = Estimator::NadarayaWatson;
    for objective in [Objective::FillDistance, Objective::Certificate { setconv, estimator, regularity }] {
        let found = losses(&objective, &points, &places).unwrap();
        for (index, after) in found.iter().enumerate() {
            let mut rest = points.coordinates();
            rest.drain(2 * index..2 * index + 2);
            let rest = Points::scattered(domain.clone(), rest).unwrap();
            assert!((objective.evaluate(&rest, &places).unwrap().value - after).abs() < 1e-12);
        }
    }
    let one = Points::scattered(domain, vec![0.5, 0.5]).unwrap();
    assert!(losses(&Objective::FillDistance, &one, &places).is_err());
}

#[test]
fn the_gap_that_matters_most_is_the_widest() {
    let domain = unit(1, false);
    let points = Points::scattered(domain.clone(), vec![0.1, 0.2, 0.8, 0.95]).unwrap();
    let places = Places::grid(&domain, 1001).unwrap();
    let found = gaps(&Objective::FillDistance, &points, &places, 2).unwrap();
    assert!((found[0].at[0] - 0.5).abs() < 1e-9 && (found[0].value - 0.3).abs() < 1e-9, "{found:?}");
    assert!((found[0].after - 0.15).abs() < 1e-9 && (found[1].value - 0.15).abs() < 1e-9, "{found:?}");
    // One after the other, as if each layout were looked at anew.
    let plane = unit(2, true);
    let drawn = Design::Halton.points(&plane, 60, &mut ChaCha8Rng::seed_from_u64(3)).unwrap();
    let (setconv, estimator) = (SetConv::new(0.04).unwrap(), Estimator::LocalLinear);
    let regularity = Regularity::new(&plane, 40.0, Some(1.0), None).unwrap();
    let fine = Places::grid(&plane, 1200).unwrap();
    for objective in [Objective::FillDistance, Objective::Certificate { setconv, estimator, regularity }] {
        let mut sensors = drawn.clone();
        for gap in gaps(&objective, &drawn, &fine, 4).unwrap() {
            assert_eq!(objective.evaluate(&sensors, &fine).unwrap().value, gap.value);
            let coordinates = [sensors.coordinates(), gap.at].concat();
            sensors = Points::scattered(plane.clone(), coordinates).unwrap();
            let anew = objective.evaluate(&sensors, &fine).unwrap().value;
            assert!((anew - gap.after).abs() < 1e-9, "{anew} {}", gap.after);
        }
    }
    let all = Places::grid(&domain, 2).unwrap();
    let ends = Points::scattered(domain, vec![0.0, 1.0]).unwrap();
    assert_eq!(gaps(&Objective::FillDistance, &ends, &all, 3).unwrap(), []);
}
