//! NVIDIA's client of the Open Inference Protocol against ours, where Python has it (`LTO_PYTHON`, else `python3`).

use crate::running::Running;
use lto_server::Limits;
use std::path::Path;
use std::process::Command;

#[tokio::test(flavor = "multi_thread")]
async fn their_client_speaks_to_our_service() {
    let python = std::env::var("LTO_PYTHON").unwrap_or_else(|_| "python3".into());
    let found = Command::new(&python).args(["-c", "import tritonclient.http"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no tritonclient; set LTO_PYTHON to one that has");
        return;
    }
    let running = Running::start(Limits::default()).await;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/triton_check.py");
    let mut check = Command::new(python);
    check.arg(script).arg(running.address.to_string());
    let output = tokio::task::spawn_blocking(move || check.output().unwrap()).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    running.stop.send(()).unwrap();
    running.ended.await.unwrap();
}
