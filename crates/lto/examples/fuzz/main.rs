//! Damaged input for everything that reads files: an error or a result, but no panic, no absurd memory, no endless loop.
//!
//! `make fuzz` runs for a minute (`FUZZ_SECONDS`), from a seed of the clock or from `FUZZ_SEED`, on all inputs or those whose
//! name contains `FUZZ_ONLY`. Cases run in a process of
//! their own, which may die; what killed it is printed with the command that runs it again, and the file is kept.

#[path = "../../../lto-numerics/tests/common/allocation.rs"]
mod allocation;
#[allow(dead_code)]
#[path = "../../../lto-numerics/tests/common/mutate.rs"]
mod mutate;
mod repair;
mod targets;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime};
use targets::Input;

#[global_allocator]
static ALLOCATOR: allocation::Watched = allocation::Watched;

/// All inputs are far below a megabyte.
const MOST_MEMORY: usize = 1 << 30;
const MOST_TIME: Duration = Duration::from_secs(20);
const MOST_FINDINGS: usize = 10;
/// Set for the process that runs the cases.
const WORKER: &str = "FUZZ_WORKER";

fn main() -> ExitCode {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let clock = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_micros() as u64);
    let seed = number("FUZZ_SEED").unwrap_or(clock);
    let only = std::env::var("FUZZ_ONLY").ok();
    if let Ok(folder) = std::env::var(WORKER) {
        work(Path::new(&folder), seed, only.as_deref());
        return ExitCode::SUCCESS;
    }
    watch(seed, Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(60)))
}

/// Runs cases without end, each announced on a line of its own: `name seed`.
fn work(folder: &Path, first_seed: u64, only: Option<&str>) {
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let inputs: Vec<Input> = targets::inputs(folder);
    let inputs: Vec<Input> =
        inputs.into_iter().filter(|i| only.is_none_or(|only| i.name.contains(only))).collect();
    assert!(!inputs.is_empty(), "no input is named {only:?}");
    allocation::limit(MOST_MEMORY);
    for seed in first_seed.. {
        for input in &inputs {
            let mutant = input.mutant(seed);
            // Anew each time: overwriting makes some file systems wait for the disk.
            let path = folder.join(input.file_name());
            let _ = std::fs::remove_file(&path);
            std::fs::write(&path, mutant).expect("the folder can be written");
            println!("{} {seed}", input.name);
            // What the readers catch themselves is no finding; what gets here is.
            input.exercise(&path);
        }
    }
}

/// A worker and the lines it prints.
fn start(folder: &Path, seed: u64) -> (Child, Receiver<String>) {
    let program = std::env::current_exe().expect("a program knows its name");
    let mut command = Command::new(program);
    command.env(WORKER, folder).env("FUZZ_SEED", seed.to_string()).env("RUST_BACKTRACE", "0");
    let log = std::fs::File::create(folder.join("log")).expect("the folder can be written");
    let mut worker =
        command.stdout(Stdio::piped()).stderr(log).spawn().expect("the program can be run again");
    let (send, receive) = channel();
    let lines = BufReader::new(worker.stdout.take().expect("it is piped")).lines();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| send.send(line)));
    (worker, receive)
}

/// Keeps a worker running until the time is over, and reports what it dies of.
fn watch(mut seed: u64, duration: Duration) -> ExitCode {
    let folder = tempfile::tempdir().expect("a folder for the cases");
    let begin = Instant::now();
    let (mut n_cases, mut findings) = (0u64, 0);
    println!("fuzzing for {} s from FUZZ_SEED={seed}", duration.as_secs());
    while begin.elapsed() < duration && findings < MOST_FINDINGS {
        let (mut worker, lines) = start(folder.path(), seed);
        let mut last = String::new();
        let end = loop {
            match lines.recv_timeout(MOST_TIME) {
                Ok(line) => (last, n_cases) = (line, n_cases + 1),
                Err(end) => break Some(end),
            }
            if begin.elapsed() >= duration {
                break None;
            }
        };
        let _ = worker.kill();
        let status = worker.wait();
        let Some(end) = end else { break };
        findings += 1;
        let how = match end {
            RecvTimeoutError::Timeout => format!("took more than {} s", MOST_TIME.as_secs()),
            RecvTimeoutError::Disconnected => format!("died: {status:?}"),
        };
        seed = report(folder.path(), &last, &how).unwrap_or(seed) + 1;
    }
    println!("{n_cases} cases, {findings} findings");
    ExitCode::from(u8::from(findings > 0))
}

/// Prints a finding, keeps its file, and returns its seed.
fn report(folder: &Path, case: &str, how: &str) -> Option<u64> {
    let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
    let tail: Vec<&str> = log.lines().rev().take(3).collect();
    let Some((name, seed)) = case.rsplit_once(' ') else {
        println!("the worker {how} before its first case: {log}");
        return None;
    };
    let file = Path::new(name).file_name().unwrap_or_default();
    let kept = PathBuf::from("target/fuzz").join(format!("{seed}-{}", file.to_string_lossy()));
    let _ = std::fs::create_dir_all("target/fuzz").and_then(|()| std::fs::copy(folder.join(file), &kept));
    println!("FINDING: {name} {how}\n  {}", tail.into_iter().rev().collect::<Vec<_>>().join("\n  "));
    println!("  again: FUZZ_ONLY={name} FUZZ_SEED={seed} make fuzz; the file: {}", kept.display());
    let _ = std::io::stdout().flush();
    seed.parse().ok()
}
