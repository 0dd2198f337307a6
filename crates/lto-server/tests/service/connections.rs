//! Real connections: many, silent, slow and broken ones, and the end of the service.

use crate::client::request;
use crate::running::Running;
use lto_server::Limits;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn live(mut stream: &TcpStream) -> bool {
    stream.write_all(b"GET /v2/health/live HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut answer = [0; 256];
    let n = stream.read(&mut answer).unwrap_or(0);
    answer[..n].starts_with(b"HTTP/1.1 200")
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_and_broken_connections_do_no_harm() {
    let running = Running::start(Limits { idle_seconds: 1, connections: 40, ..Limits::default() }).await;
    let silent: Vec<TcpStream> = (0..30).map(|_| running.connect()).collect();
    let mut half = running.connect();
    half.write_all(b"POST /v1/models/heat/predict HTTP/1.1\r\nhost: loc").unwrap();
    drop(running.connect());
    assert!(live(&running.connect()));
    // More than there is room for: they wait until the silent ones are dropped.
    let waiting: Vec<TcpStream> = (0..20).map(|_| running.connect()).collect();
    let begun = Instant::now();
    for mut stream in silent {
        // Either an end or a reset.
        assert_eq!(stream.read(&mut [0; 64]).unwrap_or(0), 0);
    }
    // An incomplete request may be told that it took too long.
    let _ = half.read(&mut [0; 64]);
    assert!(begun.elapsed() < Duration::from_secs(15));
    assert!(waiting.iter().all(live));
    running.stop.send(()).unwrap();
    running.ended.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_takes_nothing_is_dropped() {
    let running = Running::start(Limits { idle_seconds: 1, ..Limits::default() }).await;
    let mut stream = running.connect();
    // An answer of some 20 MB, more than the system's buffers hold.
    let path = "/v1/models/heat/truth?times=0,0.002,0.004,0.006&grid=512x512";
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut beginning = [0; 12];
    stream.read_exact(&mut beginning).unwrap();
    assert_eq!(&beginning, b"HTTP/1.1 200");
    tokio::time::sleep(Duration::from_secs(3)).await;
    let mut taken = Vec::new();
    let _ = stream.read_to_end(&mut taken);
    assert!(taken.len() < 15_000_000, "{}", taken.len());
    assert!(live(&running.connect()));
    running.stop.send(()).unwrap();
    running.ended.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_under_way_are_answered_before_the_end() {
    let running = Running::start(Limits::default()).await;
    let body = request().to_string();
    let mut stream = running.connect();
    let idle = running.connect();
    let length = body.len();
    write!(
        stream,
        "POST /v1/models/heat/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n"
    )
    .unwrap();
    let (first, rest) = body.as_bytes().split_at(10);
    stream.write_all(first).unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    running.stop.send(()).unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(TcpStream::connect(running.address).is_err(), "no more connections");
    assert!(!running.ended.is_finished());
    stream.write_all(rest).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"shape\":[2,1,5,4]"), "{answer}");
    running.ended.await.unwrap();
    drop(idle);
}
