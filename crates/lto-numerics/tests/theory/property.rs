//! Certificates are never violated: random states, layouts, domains, scales and knowledge. No slack is given: rounding
//! and the density floor are in the bounds.

use crate::property_fill;
use crate::states::{Known, State};
use crate::tightness::Tightness;
use lto_numerics::design::PointDesign;
use lto_numerics::domain::{Axis, Domain};
use lto_numerics::points::Points;
use lto_numerics::setconv::SetConv;
use lto_numerics::theory::{Estimator, LocalBounds, Supremum};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// What was tried, and how far above the true error, over the places, the largest bound lay.
#[derive(Default)]
pub struct Found {
    /// For each estimator.
    weights: [Tightness; 2],
    everywhere: [Tightness; 2],
    pub lipschitz: Tightness,
    pub theorem: Tightness,
    /// Layouts whose cells have unequal, exactly known volumes.
    pub n_unequal: usize,
    /// Layouts where sup|u| was not known.
    n_without_sup: usize,
}

pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, f64::max)
}

pub fn draw_domain(dim: usize, rng: &mut ChaCha8Rng) -> Domain {
    let axis = |rng: &mut ChaCha8Rng| {
        let lower = rng.random_range(-2.0..2.0);
        Axis::new("x", lower, lower + rng.random_range(0.5..2.0), rng.random_bool(0.5))
    };
    // As often all axes are alike: M alone says something on periodic domains only.
    let axes: Vec<Axis> = (0..dim).map(|_| axis(rng)).collect();
    let periodic = axes[0].periodic;
    let alike = rng.random_bool(0.5);
    let all =
        axes.into_iter().map(|axis| Axis { periodic: if alike { periodic } else { axis.periodic }, ..axis });
    Domain::new(all.collect()).unwrap()
}

/// A layout, now and then with sensors all but on top of each other; `None` where the design has none of that size.
fn draw_layout(domain: &Domain, n: usize, spacing: f64, rng: &mut ChaCha8Rng) -> Option<Points> {
    let design = PointDesign::ALL[rng.random_range(0..PointDesign::ALL.len())];
    let points = design.points(domain, n, rng).ok()?;
    if rng.random_bool(0.8) {
        return Some(points);
    }
    let mut coordinates = points.coordinates();
    for _ in 0..rng.random_range(1..=4) {
        let original = rng.random_range(0..n) * domain.dim();
        let off = spacing * rng.random_range(-20.0f64..-2.0).exp();
        for (d, axis) in domain.axes().iter().enumerate() {
            let x = coordinates[original + d] + off * rng.random_range(-1.0..1.0);
            coordinates.push(axis.wrap(x).clamp(axis.lower, axis.upper));
        }
    }
    Points::scattered(domain.clone(), coordinates).ok()
}

/// Random places, all corners, and some of the sensors.
pub fn draw_places(domain: &Domain, context: &Points, n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut places = PointDesign::Iid.points(domain, n, rng).unwrap().coordinates();
    for corner in 0..1usize << domain.dim() {
        let end = |(d, axis): (usize, &Axis)| if corner >> d & 1 == 1 { axis.upper } else { axis.lower };
        // On a periodic axis both ends are the same place.
        if domain.axes().iter().enumerate().all(|(d, axis)| !axis.periodic || corner >> d & 1 == 0) {
            places.extend(domain.axes().iter().enumerate().map(end));
        }
    }
    let mut sensor = vec![0.0; domain.dim()];
    context.write_point(rng.random_range(0..context.len()), &mut sensor);
    add_place(&mut places, &sensor);
    places
}

/// Adds a place unless it is there.
fn add_place(places: &mut Vec<f64>, place: &[f64]) {
    if !places.chunks_exact(place.len()).any(|known| known == place) {
        places.extend(place);
    }
}

/// One state, one layout, one scale; panics where a bound is violated. Whether there was a layout. Every so many times
/// the bound everywhere too, for small ones: it takes many boxes.
fn attempt(seed: u64, everywhere_each: u64, found: &mut Found) -> bool {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let dim = rng.random_range(1..=3);
    let domain = draw_domain(dim, rng);
    let n = rng.random_range(1..150);
    let spacing = (domain.volume() / n as f64).powf(1.0 / dim as f64);
    let Some(context) = draw_layout(&domain, n, spacing, rng) else { return false };
    let mut state = State::draw(&domain, rng);
    let Some(regularity) = state.regularity(Known::draw(rng)) else { return false };
    let setconv = SetConv::new(spacing * rng.random_range(-1.5f64..1.5).exp()).unwrap();
    let mut places = draw_places(&domain, &context, 16, rng);
    found.n_without_sup += usize::from(regularity.sup_bound.is_none());
    for (number, estimator) in Estimator::ALL.into_iter().enumerate() {
        let everywhere = (n < 30 && seed.is_multiple_of(everywhere_each)).then(|| {
            let found = Supremum::find(&setconv, estimator, &context, &regularity, 0.2).unwrap();
            add_place(&mut places, &found.at);
            found
        });
        let query = Points::scattered(domain.clone(), places.clone()).unwrap();
        let local = LocalBounds::new(&setconv, estimator, &context, &regularity, &query).unwrap();
        state.center_at(&places[local.worst().0 * dim..][..dim]);
        let estimate = estimator.apply(&setconv, &context, &state.values(&context), &query).unwrap();
        let errors = estimate.iter().zip(state.values(&query)).map(|(a, b)| (a - b).abs());
        let errors: Vec<f64> = errors.collect();
        // What the bound does not hold where sup|u| is unknown.
        let unknown = if regularity.sup_bound.is_none() { state.sup() } else { 0.0 };
        for (error, bound) in errors.iter().zip(&local.bounds) {
            let most = bound.bound + bound.relative_loss * unknown;
            assert!(*error <= most, "seed {seed}, {estimator:?}: {error} above {bound:?}");
        }
        let error = largest(errors.iter().copied());
        found.weights[number].push(dim, local.worst().1.bound, error);
        if let Some((upper, at)) = everywhere.and_then(|found| found.upper.map(|upper| (upper, found.at))) {
            // It may be below the bounds at places: those expand the state about the place, these about the middle of a box.
            let most = upper + largest(local.bounds.iter().map(|b| b.relative_loss)) * unknown;
            assert!(error <= most, "seed {seed}, {estimator:?}: {error} above {upper}, largest at {at:?}");
            found.everywhere[number].push(dim, upper, error);
        }
    }
    true
}

impl Found {
    fn append(&mut self, other: Self) {
        self.weights.iter_mut().zip(other.weights).for_each(|(all, more)| all.append(more));
        self.everywhere.iter_mut().zip(other.everywhere).for_each(|(all, more)| all.append(more));
        self.lipschitz.append(other.lipschitz);
        self.theorem.append(other.theorem);
        self.n_unequal += other.n_unequal;
        self.n_without_sup += other.n_without_sup;
    }

    fn print(&self, n_layouts: usize) {
        let (sup, unequal) = (self.n_without_sup, self.n_unequal);
        println!("{n_layouts} layouts; sup|u| unknown for {sup}, unequal volumes for {unequal} more");
        println!("| bound over true error | D | number | least | 10 % | median | 90 % | 99 % |");
        println!("|---|---|---|---|---|---|---|---|");
        for (tightness, name) in self.weights.iter().zip(["Nadaraya–Watson", "local linear"]) {
            tightness.print(&format!("{name}, weights"));
        }
        for (tightness, name) in self.everywhere.iter().zip(["Nadaraya–Watson", "local linear"]) {
            tightness.print(&format!("{name}, everywhere"));
        }
        self.lipschitz.print("Lipschitz form, best ℓ");
        self.theorem.print("theorem, ℓ*");
    }
}

/// Attempts until so many layouts were checked; for every fiftieth of them, one that the fill distance bounds.
fn attempts(mut seeds: impl Iterator<Item = u64>, n_layouts: usize, everywhere_each: u64) -> Found {
    let (mut found, mut checked) = (Found::default(), 0);
    while checked < n_layouts {
        let seed = seeds.next().unwrap();
        if attempt(seed, everywhere_each, &mut found) {
            checked += 1;
            if checked % 50 == 0 {
                property_fill::attempt(seed, &mut found);
            }
        }
    }
    found
}

/// Every bound was tried in every dimension, and as often as asked for.
fn check_counts(found: &Found, n_layouts: usize) {
    for tightness in &found.weights {
        assert_eq!((1..=3).map(|dim| tightness.count(dim)).sum::<usize>(), n_layouts);
        assert!(tightness.covers_all_dimensions(n_layouts / 10));
    }
    for tightness in [&found.lipschitz, &found.theorem] {
        assert!(tightness.covers_all_dimensions(1.max(n_layouts / 2000)), "a dimension was not tried");
    }
    for tightness in &found.everywhere {
        assert!(tightness.covers_all_dimensions(1.max(n_layouts / 5000)), "too few bounds everywhere");
    }
    assert!(found.n_without_sup > n_layouts / 10 && found.n_unequal >= 1.max(n_layouts / 2000));
}

#[test]
fn no_bound_is_violated_and_bounds_from_weights_are_not_far_off() {
    let found = attempts(0.., 600, 10);
    check_counts(&found, 600);
    found.print(600);
    let [signal, affine] = found.weights.map(|tightness| tightness.quantile(0.5));
    assert!(signal < 4.0 && affine < 5.0, "{signal} {affine}");
}

/// `make certify-check` runs this.
#[test]
#[ignore = "minutes; 600 of these run with the suite"]
fn no_bound_is_violated_in_a_hundred_thousand_attempts() {
    let shards = (0..40u64).into_par_iter().map(|shard| {
        let found = attempts((shard + 1) * 1_000_000.., 2500, 20);
        println!("2500 layouts from seed {}: no violation", (shard + 1) * 1_000_000);
        found
    });
    let found = shards.reduce(Found::default, |mut all, more| {
        all.append(more);
        all
    });
    check_counts(&found, 100_000);
    found.print(100_000);
}
