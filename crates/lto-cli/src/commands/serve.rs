//! `lto serve`: models over HTTP, and the page.

use crate::args::{GlobalArgs, LogArg, ServeArgs};
use crate::output;
use crate::usage::UsageError;
use anyhow::{Context, Result, bail};
use lto_server::{Config, Guard, Limits, Service, Tokens};
use std::net::SocketAddr;
use std::process::{Command, ExitCode, Stdio};
use tokio::net::TcpListener;

/// Serves until a signal comes.
///
/// # Errors
/// Models, data or tokens that cannot be read, an address that is taken, or one that others reach without a token file.
pub fn run(args: &ServeArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let loopback = args.host.is_loopback();
    if !loopback && args.token_file.is_none() {
        let what = format!(
            "others can reach {}, so it needs tokens; without --host only this machine can ask",
            args.host
        );
        return Err(UsageError::missing("token-file", what).into());
    }
    let tokens = args.token_file.as_deref().map(Tokens::read).transpose().map_err(anyhow::Error::msg)?;
    log(args.log, global.quiet);
    let mut limits = Limits::default();
    for (name, value) in &args.limit {
        if let Some(limit) = limits.get_mut(name) {
            *limit = *value;
        }
    }
    let mut models = args.models.clone();
    for (name, file) in &args.data {
        match models.iter_mut().find(|model| model.name == *name) {
            Some(model) => model.data = Some(file.clone()),
            None => bail!(UsageError::new(
                "data",
                format!("{name}={}", file.display()),
                "there is no model of this name"
            )),
        }
    }
    let guard = Guard { tokens, loopback, origins: args.allow_origin.clone() };
    let workers = global.threads.map(usize::from);
    let service = Service::new(Config { models, limits, guard, workers })?;
    #[cfg(unix)]
    allow_many_connections();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting threads")?;
    runtime.block_on(serve(args, service))?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(args: &ServeArgs, service: Service) -> Result<()> {
    let address = SocketAddr::new(args.host, args.port);
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("{address}: cannot listen there; --port chooses another"))?;
    let page = format!("http://{}/", listener.local_addr()?);
    let names: Vec<&str> = service.names().collect();
    output::say(format_args!("serving {} on {page} (Ctrl-C ends it)", names.join(", ")));
    if args.open {
        open(&page);
    }
    let stop = signals(service.clone())?;
    lto_server::serve(listener, lto_server::router(&service), service, stop).await;
    output::say("ended");
    Ok(())
}

/// Ready when the program is to end; a hang-up reloads the models.
#[cfg(unix)]
fn signals(service: Service) -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).context("listening for signals");
    let mut end = [listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?];
    let mut hangup = listen(SignalKind::hangup())?;
    Ok(async move {
        let [interrupt, terminate] = &mut end;
        loop {
            tokio::select! {
                _ = interrupt.recv() => return,
                _ = terminate.recv() => return,
                _ = hangup.recv() => {
                    let service = service.clone();
                    tokio::task::spawn_blocking(move || service.reload_all());
                }
            }
        }
    })
}

#[cfg(not(unix))]
fn signals(_: Service) -> Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// Lets the process have as many connections as the system allows it.
#[cfg(unix)]
fn allow_many_connections() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Otherwise connections wait in the system's queue.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// Sends the service's log to standard error.
fn log(log: LogArg, quiet: bool) {
    use tracing_subscriber::filter::LevelFilter;
    let level = if quiet || log == LogArg::Off { LevelFilter::WARN } else { LevelFilter::INFO };
    let lines = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_target(false)
        .log_internal_errors(false);
    match log {
        LogArg::Json => lines.json().flatten_event(true).init(),
        _ => lines.with_ansi(false).init(),
    }
}

/// Shows the page in the usual browser.
fn open(page: &str) {
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let started = Command::new(opener)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        output::say(format_args!("note: no browser was opened ({opener}: {error}); open {page} yourself"));
    }
}
