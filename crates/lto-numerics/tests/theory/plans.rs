//! Placement of sensors.

use crate::unit;
use lto_numerics::design::PointDesign;
use lto_numerics::domain::Domain;
use lto_numerics::error::Error;
use lto_numerics::geometry::fill_distance;
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::plan::{
    PlaceGrid, Region, SensorObjective, SensorRequest, complete, gaps, losses, place_sensors, refine, spread,
};
use lto_numerics::theory::{Estimator, Regularity};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn request(domain: &Domain, n_new: usize) -> SensorRequest<'_> {
    SensorRequest { domain, n_new, existing: None, avoid: &[], objective: SensorObjective::FillDistance }
}

#[test]
fn on_a_line_refined_sensors_stand_evenly() {
    for (periodic, n) in [(true, 7), (false, 5), (false, 1)] {
        let domain = unit(1, periodic);
        let places = PlaceGrid::new(&domain, 2000).unwrap();
        let plan = place_sensors(&request(&domain, n), &places).unwrap();
        let best = 0.5 / n as f64;
        assert!(plan.start <= 2.001 * best, "{} {best}", plan.start);
        assert!(plan.worst.value <= plan.start && plan.worst.value < 1.1 * best, "{plan:?}");
        assert_eq!((plan.sensors.len(), plan.n_new), (n, n));
        let exact = fill_distance(&plan.sensors, 1e-3).unwrap();
        assert!(exact.upper >= plan.worst.value * 0.999 && exact.lower <= plan.worst.value + 1e-3);
    }
}

#[test]
fn placed_sensors_cover_better_than_drawn_ones() {
    for (dim, n) in [(2, 30), (3, 24)] {
        let domain = unit(dim, false);
        let places = PlaceGrid::new(&domain, spread(n)).unwrap();
        let plan = place_sensors(&request(&domain, n), &places).unwrap();
        let drawn = |design: PointDesign| {
            let points = design.points(&domain, n, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
            fill_distance(&points, 1e-2).unwrap().lower
        };
        let placed = fill_distance(&plan.sensors, 1e-2).unwrap().upper;
        assert!(
            placed < 0.85 * drawn(PointDesign::Halton) && placed < 0.75 * drawn(PointDesign::Iid),
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
    let places = PlaceGrid::new(&domain, spread(8)).unwrap();
    let asked = SensorRequest { existing: Some(&existing), avoid: &avoid, ..request(&domain, 8) };
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
        assert!(place_sensors(&SensorRequest { avoid, ..request(&domain, 3) }, &places).is_err());
    }
    let elsewhere = Points::scattered(unit(2, false), vec![0.1, 0.1]).unwrap();
    let asked = SensorRequest { existing: Some(&elsewhere), ..request(&domain, 3) };
    assert!(matches!(place_sensors(&asked, &places), Err(Error::DomainMismatch { .. })));
    assert!(place_sensors(&request(&domain, 0), &places).is_err());
}

#[test]
fn the_certificate_falls_further_when_it_is_the_objective() {
    let domain = unit(2, false);
    let n = 16;
    let regularity = Regularity::new(&domain, 40.0, Some(1.0), None).unwrap();
    let setconv = SetConv::new(0.2).unwrap();
    let objective = SensorObjective::Certificate { setconv, estimator: Estimator::LocalLinear, regularity };
    let places = PlaceGrid::new(&domain, 900).unwrap();
    let plan = place_sensors(&SensorRequest { objective: objective.clone(), ..request(&domain, n) }, &places)
        .unwrap();
    let covering = place_sensors(&request(&domain, n), &places).unwrap();
    let other = objective.evaluate(&covering.sensors, &places).unwrap().value;
    assert!(plan.worst.value < plan.start && plan.worst.value <= other, "{} {other}", plan.worst.value);
}

#[test]
fn losses_are_those_of_layouts_without_the_sensor() {
    let domain = unit(2, true);
    let points = PointDesign::Halton.points(&domain, 12, &mut ChaCha8Rng::seed_from_u64(2)).unwrap();
    let places = PlaceGrid::new(&domain, 900).unwrap();
    let regularity = Regularity::new(&domain, 40.0, Some(1.0), None).unwrap();
    let setconv = SetConv::new(0.2).unwrap();
    let certificate = |estimator| {
        let (setconv, regularity) = (setconv, regularity.clone());
        SensorObjective::Certificate { setconv, estimator, regularity }
    };
    let [nadaraya_watson, local_linear] = Estimator::ALL.map(certificate);
    for objective in [SensorObjective::FillDistance, nadaraya_watson, local_linear] {
        let found = losses(&objective, &points, &places).unwrap();
        let before = objective.values(&points, &places).unwrap();
        for (index, loss) in found.iter().enumerate() {
            let mut rest = points.coordinates();
            rest.drain(2 * index..2 * index + 2);
            let rest = Points::scattered(domain.clone(), rest).unwrap();
            let after = objective.values(&rest, &places).unwrap();
            let value = after.iter().copied().fold(0.0, f64::max);
            let rise = after.iter().zip(&before).map(|(after, before)| after - before).fold(0.0, f64::max);
            assert!((value - loss.value).abs() < 1e-5 * value, "{value} {loss:?}");
            assert!((rise - loss.rise).abs() < 1e-5 * value, "{rise} {loss:?}");
        }
    }
    let one = Points::scattered(domain, vec![0.5, 0.5]).unwrap();
    assert!(losses(&SensorObjective::FillDistance, &one, &places).is_err());
}

#[test]
fn the_gap_that_matters_most_is_the_widest() {
    let domain = unit(1, false);
    let points = Points::scattered(domain.clone(), vec![0.1, 0.2, 0.8, 0.95]).unwrap();
    let places = PlaceGrid::new(&domain, 1001).unwrap();
    let found = gaps(&SensorObjective::FillDistance, &points, &places, &[], 2).unwrap();
    assert!((found[0].at[0] - 0.5).abs() < 1e-9 && (found[0].value - 0.3).abs() < 1e-9, "{found:?}");
    assert!((found[0].after - 0.15).abs() < 1e-9 && (found[1].value - 0.15).abs() < 1e-9, "{found:?}");
    // One after the other, as if each layout were looked at anew.
    let plane = unit(2, true);
    let drawn = PointDesign::Halton.points(&plane, 60, &mut ChaCha8Rng::seed_from_u64(3)).unwrap();
    let (setconv, estimator) = (SetConv::new(0.04).unwrap(), Estimator::LocalLinear);
    let regularity = Regularity::new(&plane, 40.0, Some(1.0), None).unwrap();
    let fine = PlaceGrid::new(&plane, 1200).unwrap();
    for objective in
        [SensorObjective::FillDistance, SensorObjective::Certificate { setconv, estimator, regularity }]
    {
        let mut sensors = drawn.clone();
        for gap in gaps(&objective, &drawn, &fine, &[], 4).unwrap() {
            let now = objective.evaluate(&sensors, &fine).unwrap().value;
            assert!((now - gap.value).abs() < 1e-9, "{now} {}", gap.value);
            let coordinates = [sensors.coordinates(), gap.at].concat();
            sensors = Points::scattered(plane.clone(), coordinates).unwrap();
            let anew = objective.evaluate(&sensors, &fine).unwrap().value;
            assert!((anew - gap.after).abs() < 1e-9, "{anew} {}", gap.after);
        }
    }
    let all = PlaceGrid::new(&domain, 2).unwrap();
    let ends = Points::scattered(domain, vec![0.0, 1.0]).unwrap();
    assert_eq!(gaps(&SensorObjective::FillDistance, &ends, &all, &[], 3).unwrap(), []);
}

/// The widest hole is the middle of the disc; a sensor goes to its edge, not into it.
#[test]
fn gaps_and_greedy_sensors_stay_outside_the_regions_they_serve() {
    let domain = unit(2, false);
    let corners = Points::scattered(domain.clone(), vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]).unwrap();
    let avoid = [Region::Ball { center: vec![0.5, 0.5], radius: 0.3 }];
    let places = PlaceGrid::new(&domain, 10_000).unwrap();
    let found = gaps(&SensorObjective::FillDistance, &corners, &places, &avoid, 3).unwrap();
    // Once a sensor stands at its edge, the middle cannot be helped any more: other gaps follow.
    assert!(found.len() == 3 && (found[0].value - 0.5f64.sqrt()).abs() < 0.02, "{found:?}");
    for gap in &found {
        assert!(!avoid[0].contains(&domain, &gap.at) && gap.after <= gap.value, "{gap:?}");
    }
    let inside = |x: &[f64]| (x[0] - 0.5).hypot(x[1] - 0.5);
    assert!(inside(&found[0].hole) < 0.02 && inside(&found[0].at) < 0.32, "{:?}", found[0]);
    // One sensor at the edge serves the middle as well as any number; the others cover what lies outside.
    let asked = SensorRequest { existing: Some(&corners), avoid: &avoid, ..request(&domain, 5) };
    let placed = complete(&asked, &places, &[]).unwrap().coordinates();
    let at_edge = placed[8..].chunks_exact(2).filter(|x| inside(x) < 0.32).count();
    assert!((1..=2).contains(&at_edge), "{placed:?}");
    let all = [Region::Box { lower: vec![0.0; 2], upper: vec![1.0; 2] }];
    assert_eq!(gaps(&SensorObjective::FillDistance, &corners, &places, &all, 3).unwrap(), []);
}

#[test]
fn a_layout_to_start_from_is_kept_or_bettered() {
    let domain = unit(2, false);
    let places = PlaceGrid::new(&domain, 2000).unwrap();
    let grid = PointDesign::Grid.points(&domain, 9, &mut ChaCha8Rng::seed_from_u64(0)).unwrap().coordinates();
    let asked = request(&domain, 12);
    let start = complete(&asked, &places, &grid).unwrap();
    assert_eq!((start.len(), &start.coordinates()[..18]), (12, &grid[..]));
    let before = SensorObjective::FillDistance.evaluate(&start, &places).unwrap().value;
    let plan = refine(&asked, &places, start).unwrap();
    assert!(plan.start == before && plan.worst.value <= before, "{} {before}", plan.worst.value);
    assert_eq!(SensorObjective::FillDistance.evaluate(&plan.sensors, &places).unwrap(), plan.worst);
    assert!(complete(&request(&domain, 8), &places, &grid).is_err());
}

/// What is kept up sensor by sensor is what a fresh look at the layout finds.
#[test]
fn moves_are_judged_as_if_all_places_were_looked_at() {
    let domain = unit(2, true);
    let regularity = Regularity::new(&domain, 40.0, Some(1.0), None).unwrap();
    let (setconv, estimator) = (SetConv::new(0.04).unwrap(), Estimator::LocalLinear);
    let objective = SensorObjective::Certificate { setconv, estimator, regularity };
    let places = PlaceGrid::new(&domain, 1600).unwrap();
    let asked = SensorRequest { objective: objective.clone(), ..request(&domain, 60) };
    let drawn = PointDesign::Halton.points(&domain, 60, &mut ChaCha8Rng::seed_from_u64(3)).unwrap();
    let plan = refine(&asked, &places, drawn.to_scattered()).unwrap();
    let anew = objective.evaluate(&plan.sensors, &places).unwrap().value;
    assert!((anew - plan.worst.value).abs() < 1e-9 * anew && anew < plan.start, "{anew} {plan:?}");
}
