//! Certificates and layouts are those of the library.

use crate::client::{Client, numbers};
use lto_numerics::theory::{Estimator, LocalBounds, Regularity};
use lto_numerics::{Domain, Grid, Placement, Points, SetConv};
use serde_json::{Value, json};

/// A regular layout of 16 sensors on the periodic unit square.
fn sensors() -> Vec<[f64; 2]> {
    (0..16).map(|i| [f64::from(i % 4) / 4.0, f64::from(i / 4) / 4.0]).collect()
}

#[tokio::test]
async fn the_map_is_the_librarys() {
    let client = Client::new();
    let asked = json!({
        "sensors": sensors(), "curvature": 30, "sup": 1, "grid": [8, 8], "length_scale": 0.1, "estimator": "local_linear",
    });
    let answer = client.post("/v1/models/heat/certify", &asked).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let answer = answer.json();
    let domain = Domain::unit(2, true).unwrap();
    let points = Points::scattered(domain.clone(), sensors().concat()).unwrap();
    let grid = Points::grid(Grid::cubic(domain.clone(), 8, Placement::Left).unwrap());
    let known = Regularity::new(&domain, 30.0, Some(1.0), None).unwrap();
    // The encoder's own floor and precision, at another ℓ.
    let floor = answer["density_floor"].as_f64().unwrap();
    let setconv = SetConv::new(0.1).unwrap().with_density_floor(floor).unwrap().in_single_precision();
    let local = LocalBounds::new(&setconv, Estimator::LocalLinear, &points, &known, &grid).unwrap();
    let bounds: Vec<f64> = local.bounds.iter().map(|at| at.bound).collect();
    for (got, wanted) in numbers(&answer["bounds"]).iter().zip(&bounds) {
        assert!((got - wanted).abs() <= 1e-9 * wanted, "{got} {wanted}");
    }
    assert_eq!((&answer["shape"], &answer["length_scale"]), (&json!([8, 8]), &json!(0.1)));
    let most = bounds.iter().fold(0.0, |a: f64, b| a.max(*b));
    assert!((answer["worst"]["value"].as_f64().unwrap() - most).abs() <= 1e-9 * most);
    assert!(answer.get("certificate").is_none());

    let own = client
        .post("/v1/models/heat/certify", &json!({"sensors": sensors(), "curvature": 30, "summary": true}))
        .await;
    assert_eq!(own.status, 200, "{:?}", own.body);
    let own = own.json();
    assert_eq!((&own["shape"], &own["estimator"]), (&json!([64, 64]), &json!("nadaraya_watson")));
    let weights = &own["certificate"]["weights"][0];
    assert_eq!((&weights["estimator"], &weights["length_scale"]), (&own["estimator"], &own["length_scale"]));
    // Both are the largest bound of the same estimate, over different places.
    let (here, there) = (own["worst"]["value"].as_f64().unwrap(), weights["bound"].as_f64().unwrap());
    assert!((here - there).abs() < 0.05 * there, "{here} {there}");
}

#[tokio::test]
async fn a_new_sensor_goes_where_none_is_and_a_lone_one_matters_most() {
    let client = Client::new();
    // One of the regular sensors is missing; the one furthest from its neighbors is then beside the gap.
    let mut few = sensors();
    let missing = few.remove(5);
    let answer = client.post("/v1/models/heat/design", &json!({"sensors": few, "n": 1})).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let answer = answer.json();
    let place = numbers(&answer["places"][0]);
    assert!((place[0] - missing[0]).abs() < 0.06 && (place[1] - missing[1]).abs() < 0.06, "{place:?}");
    let (before, after) = (answer["before"].as_f64().unwrap(), answer["after"].as_f64().unwrap());
    assert!((before - 0.25).abs() < 0.02 && (after - 0.125 * 2f64.sqrt()).abs() < 0.02, "{before} {after}");
    assert_eq!(answer["objective"], "fill_distance");

    // Three together, and one alone: its failure costs most.
    let lone = json!({"sensors": [[0.1, 0.1], [0.12, 0.1], [0.1, 0.12], [0.6, 0.6]], "n": 0});
    let ranked = client.post("/v1/models/heat/design", &lone).await.json();
    assert_eq!(
        (&ranked["most"][0]["sensor"], &ranked["places"], &ranked["after"]),
        (&json!(3), &json!([]), &Value::Null)
    );

    let bounded = json!({"sensors": few, "n": 1, "curvature": 30});
    let answer = client.post("/v1/models/heat/design", &bounded).await.json();
    assert_eq!(answer["objective"], "certificate");
    assert!(answer["after"].as_f64().unwrap() < answer["before"].as_f64().unwrap(), "{answer}");
    let fresh = client.post("/v1/models/heat/design", &json!({"n": 2})).await.json();
    assert_eq!((fresh["places"].as_array().unwrap().len(), &fresh["before"]), (2, &Value::Null));
}

#[tokio::test]
async fn what_cannot_be_studied_is_refused() {
    let client = Client::new();
    for (route, body, told) in [
        ("certify", json!({"sensors": sensors(), "curvature": -1}), "curvature"),
        ("certify", json!({"sensors": [], "curvature": 1}), "empty"),
        (
            "certify",
            json!({"sensors": sensors(), "curvature": 1, "estimator": "best"}),
            "nadaraya_watson or local_linear",
        ),
        ("certify", json!({"sensors": sensors(), "curvature": 1, "length_scale": 0}), "length"),
        ("certify", json!({"sensors": [[0.5]], "curvature": 1}), "one for each axis"),
        ("design", json!({"n": 0}), "nothing to place"),
        ("design", json!({"sensors": sensors(), "n": 1, "sup": 1}), "curvature is missing"),
        ("design", json!({"sensors": [[3, 3]], "n": 1}), "outside the domain"),
    ] {
        let answer = client.post(&format!("/v1/models/heat/{route}"), &body).await;
        let text = String::from_utf8_lossy(&answer.body);
        assert!(answer.status == 422 && text.contains(told), "{route} {body}: {} {text}", answer.status);
    }
}
