//! Other people's clients and descriptions against ours, where Python has them (`LTO_PYTHON`, else `python3`).

use crate::running::Running;
use lto_server::Limits;
use std::path::Path;
use std::process::Command;

/// Runs a script of `tests/clients` against a service, unless Python lacks a package.
async fn speaks(script: &str, package: &str) {
    let python = std::env::var("LTO_PYTHON").unwrap_or_else(|_| "python3".into());
    let has = format!("import importlib.util; assert importlib.util.find_spec('{package}')");
    let found = Command::new(&python).args(["-c", &has]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no {package}; set LTO_PYTHON to one that has");
        return;
    }
    let running = Running::start(Limits::default()).await;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(script);
    let mut check = Command::new(python);
    check.arg(script).arg(running.address.to_string());
    let output = tokio::task::spawn_blocking(move || check.output().unwrap()).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    running.stop.send(()).unwrap();
    running.ended.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn nvidias_client_speaks_to_our_service() {
    speaks("triton.py", "tritonclient").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_as_kserve_describes_them() {
    speaks("protocol.py", "kserve").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pyarrow_reads_our_tables() {
    speaks("arrow.py", "pyarrow").await;
}
