//! Studies of places on the Earth: computed in coordinates that are distances, told in the domain's own.

use super::{SensorCertificate, SensorStudy};
use crate::domain::Domain;
use crate::error::Result;
use crate::points::Points;
use crate::theory::plan::{Failures, Gap, PlaceGrid, Region};

/// Takes places of [`Domain::flat`] back to a domain.
struct Back<'a>(&'a Domain);

impl Back<'_> {
    fn place(&self, at: &mut [f64]) {
        self.0.take_back(at);
    }

    fn named(&self, failures: &mut Option<Failures>, gaps: &mut [Gap]) {
        if let Some(failures) = failures {
            failures
                .least
                .iter_mut()
                .chain(&mut failures.most)
                .for_each(|failure| self.place(&mut failure.at));
        }
        for gap in gaps {
            self.place(&mut gap.at);
            self.place(&mut gap.hole);
        }
    }

    fn places(&self, places: &PlaceGrid) -> Result<PlaceGrid> {
        places.over(self.0)
    }
}

impl SensorCertificate {
    /// What was found for [`Points::flat`] of the sensors, told of the sensors.
    pub(super) fn placed(mut self, sensors: Points) -> Result<Self> {
        let back = Back(sensors.domain());
        back.named(&mut self.failures, &mut self.gaps);
        self.weights.iter_mut().for_each(|weights| back.place(&mut weights.at));
        back.place(&mut self.certificate.fill_distance.at);
        self.places = back.places(&self.places)?;
        self.domain = sensors.domain().clone();
        self.sensors = sensors;
        Ok(self)
    }
}

impl SensorStudy {
    /// What was found for [`Domain::flat`], told of the domain.
    pub(super) fn placed(mut self, domain: &Domain, avoid: &[Region]) -> Result<Self> {
        let back = Back(domain);
        back.named(&mut self.failures, &mut self.gaps);
        back.place(&mut self.worst.at);
        back.place(&mut self.fill_distance.at);
        let mut coordinates = self.sensors.coordinates();
        coordinates.chunks_exact_mut(domain.dim()).for_each(|at| back.place(at));
        self.sensors = Points::scattered(domain.clone(), coordinates)?;
        self.places = back.places(&self.places)?;
        self.idle_regions = super::sensors::idle(avoid, &self.places).map(Region::to_string).collect();
        (self.domain, self.avoid) = (domain.clone(), avoid.to_vec());
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::{Axis, Domain};
    use crate::points::Points;
    use crate::study::{SensorCertificate, SensorStudy, StudyGoal};
    use crate::theory::Regularity;
    use crate::theory::plan::{Region, SensorRequest};

    /// A box of 10 × 20 degrees at 60° north, as wide as it is high.
    fn north() -> Domain {
        let axes = vec![Axis::new("lat", 55.0, 65.0, false), Axis::new("lon", -10.0, 10.0, false)];
        Domain::new(axes).unwrap().on_earth()
    }

    /// The same layout as in a square of 10 × 10, with longitudes twice as far apart.
    #[test]
    fn layouts_on_the_earth_are_those_of_their_distances() {
        let square =
            Domain::new(vec![Axis::new("x", 55.0, 65.0, false), Axis::new("y", -5.0, 5.0, false)]).unwrap();
        let study = |domain: &Domain, avoid: &[Region]| {
            let request =
                SensorRequest { domain, n_new: 6, existing: None, avoid, objective: StudyGoal::FillDistance };
            SensorStudy::new(&request, 0, &mut |_| {}).unwrap()
        };
        let of = |text: &str| [text.parse::<Region>().unwrap()];
        let (earth, flat) = (study(&north(), &of("circle:60,4,2")), study(&square, &of("circle:60,2,2")));
        assert!((earth.fill_distance.upper - flat.fill_distance.upper).abs() < 1e-6);
        assert_eq!(earth.sensors.domain(), &north());
        for (a, b) in earth.sensors.coordinates().chunks(2).zip(flat.sensors.coordinates().chunks(2)) {
            assert!((a[0] - b[0]).abs() < 1e-6 && (a[1] - 2.0 * b[1]).abs() < 1e-5, "{a:?} {b:?}");
            assert!(north().distance(a, &[60.0, 4.0]) >= 2.0);
        }
        let shift = |a: &[f64], b: &[f64]| (a[0] - b[0]).abs() + (a[1] - 2.0 * b[1]).abs();
        assert!(shift(&earth.gaps[0].at, &flat.gaps[0].at) < 1e-4);
        assert_eq!(earth.places.lattice().shape(), flat.places.lattice().shape());
        assert_eq!(earth.places.points().domain(), &north());
    }

    /// Bounds are those of the distances, places those of the sensors, with noise too.
    #[test]
    fn certificates_name_places_in_degrees() {
        let corners = vec![56.0, -8.0, 64.0, 8.0, 57.0, 6.0, 63.0, -7.0, 60.0, 0.0];
        let sensors = Points::scattered(north(), corners).unwrap();
        let regularity = |domain: &Domain| Regularity::new(domain, 0.1, Some(5.0), None).unwrap();
        let certify = |sensors: &Points| {
            let known = regularity(sensors.domain());
            let found = SensorCertificate::new(sensors.clone(), known, None, None, &mut |_| {}).unwrap();
            found.with_noise(&[0.2; 5]).unwrap()
        };
        let (earth, flat) = (certify(&sensors), certify(&sensors.flat().unwrap()));
        assert_eq!((&earth.domain, earth.sensors.coordinates()), (&north(), sensors.coordinates()));
        for (a, b) in earth.weights.iter().zip(&flat.weights) {
            assert_eq!(
                (a.bound, a.noise.as_ref().unwrap().worst),
                (b.bound, b.noise.as_ref().unwrap().worst)
            );
            let scale = north().axes()[1].scale;
            assert!((a.at[0] - b.at[0]).abs() + (scale * a.at[1] - b.at[1]).abs() < 1e-9);
        }
    }
}
