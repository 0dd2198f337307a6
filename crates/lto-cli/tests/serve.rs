//! `lto serve` of the real binary.
#![cfg(unix)]

mod common;

use common::{Workspace, model};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A running service; killed when dropped.
struct Running {
    child: Child,
    /// Lines of standard error.
    lines: Receiver<String>,
    address: String,
}

impl Running {
    fn start(space: &Workspace, args: &[&str]) -> Self {
        let args = [&["serve", "--port", "0"], args].concat();
        let mut child = space.command(&args).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let mut running = Self { child, lines, address: String::new() };
        let told = running.line("http://");
        running.address = told.split("http://").nth(1).unwrap().split('/').next().unwrap().to_string();
        running
    }

    /// The next line with a text in it.
    fn line(&self, with: &str) -> String {
        loop {
            let line = self
                .lines
                .recv_timeout(Duration::from_secs(60))
                .unwrap_or_else(|_| panic!("no line with {with}"));
            if line.contains(with) {
                return line;
            }
        }
    }

    fn get(&self, path: &str, header: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{header}\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn ends(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_serves_reloads_and_ends_by_signals() {
    let space = Workspace::new();
    model::write(&space.path("m.safetensors"), 1, true, false);
    let running = Running::start(&space, &["m.safetensors", "--log", "json"]);
    assert!(running.get("/v1/models", "").contains("\"name\":\"m\""));
    assert!(running.get("/", "").starts_with("HTTP/1.1 200"));
    let logged: serde_json::Value = serde_json::from_str(&running.line("/v1/models")).unwrap();
    assert_eq!((&logged["route"], &logged["status"]), (&"/v1/models".into(), &200.into()));
    assert!(logged["id"].is_string() && logged["ms"].is_number());
    running.signal(Signal::HUP);
    running.line("reloaded");
    assert!(running.get("/v2/health/ready", "").starts_with("HTTP/1.1 200"));
    running.signal(Signal::TERM);
    running.line("ended");
    assert_eq!(running.ends(), 0);
}

#[test]
fn without_a_model_the_embedded_twin_is_served_with_its_truth() {
    let space = Workspace::new();
    let running = Running::start(&space, &["--log", "off"]);
    let listed = running.get("/v1/models", "");
    assert!(listed.contains("\"name\":\"heat\"") && listed.contains("\"truth\":true"), "{listed}");
    running.signal(Signal::INT);
    assert_eq!(running.ends(), 0);
}

#[test]
fn others_need_a_token() {
    let space = Workspace::new();
    let refused = space.fail(2, &["serve", "--host", "0.0.0.0"]);
    assert!(refused.contains("--token-file"), "{refused}");
    std::fs::write(space.path("tokens"), "read 0123456789abcdef\n").unwrap();
    let readable = ["serve", "--host", "0.0.0.0", "--token-file", "tokens"];
    let set = |mode| {
        std::fs::set_permissions(space.path("tokens"), std::os::unix::fs::PermissionsExt::from_mode(mode))
            .unwrap()
    };
    set(0o644);
    let refused = space.fail(1, &readable);
    assert!(refused.contains("chmod 600"), "{refused}");
    set(0o600);
    let running = Running::start(&space, &["--host", "0.0.0.0", "--token-file", "tokens"]);
    assert!(running.get("/v1/models", "").starts_with("HTTP/1.1 401"));
    assert!(
        running.get("/v1/models", "authorization: Bearer 0123456789abcdef\r\n").starts_with("HTTP/1.1 200")
    );
}

#[test]
fn what_cannot_be_served_is_refused_by_name() {
    let space = Workspace::new();
    model::write(&space.path("m.safetensors"), 1, true, false);
    assert!(space.fail(1, &["serve", "missing"]).contains("missing"));
    assert!(space.fail(1, &["serve", "m.safetensors", "m=m.safetensors"]).contains("two models are named m"));
    assert!(
        space
            .fail(2, &["serve", "m.safetensors", "--data", "other=x.hdf5"])
            .contains("no model of this name")
    );
    assert!(space.fail(1, &["serve", "m.safetensors", "--data", "m=missing.hdf5"]).contains("missing.hdf5"));
    assert!(space.fail(2, &["serve", "--limit", "hours=1"]).contains("there is no limit"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    assert!(space.fail(1, &["serve", "--port", &port]).contains("--port chooses another"));
}
