//! The processes that `mpirun` or `srun` started: which commands they share, on how many threads, and how they end.

use crate::commands::Command;
use crate::commands::data::DataCommand;
use anyhow::{Result, bail};
use lto_numerics::ranks::{Alone, Ranks, launched};
use std::sync::{Arc, OnceLock};

static RANKS: OnceLock<Arc<dyn Ranks>> = OnceLock::new();

/// The processes; this one alone unless [`join`] found others.
pub fn ranks() -> Arc<dyn Ranks> {
    RANKS.get().cloned().unwrap_or_else(|| Arc::new(Alone))
}

/// Whether this process reports and writes.
pub fn is_first() -> bool {
    ranks().is_first()
}

/// The processes work together until this is dropped.
pub struct Session {
    #[cfg(feature = "mpi")]
    _mpi: Option<lto_numerics::ranks::mpi::Session>,
}

/// Joins the other processes, if there are any.
///
/// # Errors
/// A command that one process does, or several processes of a program built without MPI.
pub fn join(command: &Command) -> Result<Session> {
    let n = launched();
    if n > 1 && !is_shared(command) {
        bail!(
            "{n} processes were started, but they can only share `lto train`, `lto evaluate`, `lto data generate` and \
             `lto theory rates`; run this command without mpirun"
        );
    }
    connect(n)
}

/// Whether several processes divide the work of a command.
fn is_shared(command: &Command) -> bool {
    matches!(
        command,
        Command::Train(_)
            | Command::Evaluate(_)
            | Command::Theory(_)
            | Command::Data(DataCommand::Generate(_))
    )
}

#[cfg(not(feature = "mpi"))]
fn connect(n: usize) -> Result<Session> {
    if n > 1 {
        bail!(
            "{n} processes were started, but this program was built without MPI; build it with the feature mpi \
             (docs/cluster.md), or start one process"
        );
    }
    Ok(Session {})
}

#[cfg(feature = "mpi")]
fn connect(n: usize) -> Result<Session> {
    use lto_numerics::ranks::mpi::Mpi;
    if n == 1 {
        return Ok(Session { _mpi: None });
    }
    let Some((session, mpi)) = Mpi::join() else { bail!("MPI was joined twice") };
    let _ = RANKS.set(Arc::new(mpi));
    Ok(Session { _mpi: Some(session) })
}

/// Threads for this process: its cores, shared with the other processes that may use the same ones; `None` if it is alone.
pub fn threads() -> Option<usize> {
    let ranks = ranks();
    if ranks.is_alone() {
        return None;
    }
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let cores = status.lines().find(|line| line.starts_with("Cpus_allowed_list")).unwrap_or_default();
    let own = format!("{host} {cores}").into_bytes();
    let sharing = ranks.exchange(own.clone()).into_iter().filter(|other| *other == own).count();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Some((cores / sharing.max(1)).max(1))
}

/// Says what went wrong in this process with `say`, and ends all of them; returns if it is alone. Where all fail alike, only
/// the first is heard.
pub fn fail(say: impl FnOnce(Option<usize>), status: u8) {
    let ranks = ranks();
    if ranks.is_alone() {
        return say(None);
    }
    if !ranks.is_first() {
        std::thread::sleep(std::time::Duration::from_secs(5));
    }
    say(Some(ranks.rank()));
    #[cfg(feature = "mpi")]
    lto_numerics::ranks::mpi::abort(status.into());
    #[cfg(not(feature = "mpi"))]
    std::process::exit(status.into());
}
