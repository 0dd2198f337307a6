//! `lto serve` on the command line.

use clap::{Args, ValueEnum};
use lto_server::{Limits, Source};
use std::net::IpAddr;
use std::path::PathBuf;

/// `lto serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
The page is at the address it prints; /openapi.json describes the routes, docs/server.md shows them.
Without a model it serves a small twin of the heat equation that is part of the program.

Only this machine can ask, unless --host says otherwise. Then a token file is needed, readable for
you alone, with lines such as
  read 6f1d3b0c9a8e47d2
  admin b77c0e5d1f2a4938
Clients send a token as: Authorization: Bearer TOKEN. Those of kind read compute and look; those of
kind admin also send readings for the streams, and reload models.

Ctrl-C or SIGTERM ends it when the requests under way are answered; SIGHUP reads the models again.

Limits, changed by --limit NAME=N:
  body_kb=16384 sensors=100000 points=1048576 times=512 values=4194304 steps=1000
  study_sensors=2000 seconds=30 waiting=256 memory_mb=512 states=1000 states_mb=256
  state_seconds=600 streams=64 connections=16384 idle_seconds=60

Examples:
  lto serve --open
  lto serve runs/heat results/burgers_29k --port 8080
  lto serve flow=runs/ns --data flow=ns.hdf5
  lto serve runs/heat --host 0.0.0.0 --token-file tokens.txt --log json --limit seconds=5")]
pub struct ServeArgs {
    /// The models: folders of runs or .safetensors files, each also as NAME=PATH
    #[arg(value_name = "RUN|FILE", value_parser = Source::parse)]
    pub models: Vec<Source>,
    /// Port; 0 takes a free one
    #[arg(long, short, value_name = "PORT", default_value_t = 8000)]
    pub port: u16,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// File of tokens; needed if others can reach the address
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Data to compare a model with: its name and a file; repeat for several
    #[arg(long, value_name = "NAME=FILE", value_parser = named_file)]
    pub data: Vec<(String, PathBuf)>,
    /// A site whose pages may call the service, by its origin (scheme, host and port); repeat for several
    #[arg(long, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,
    /// Change a limit, see below; repeat for several
    #[arg(long, value_name = "NAME=N", value_parser = limit)]
    pub limit: Vec<(String, u64)>,
    /// The log on standard error, a line for each request
    #[arg(long, value_enum, default_value_t = LogArg::Plain)]
    pub log: LogArg,
    /// Open the page in a browser
    #[arg(long)]
    pub open: bool,
}

/// How requests are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogArg {
    /// For people
    Plain,
    /// One JSON object a line
    Json,
    /// Only problems
    Off,
}

/// `NAME=FILE`.
fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    let (name, file) = text.split_once('=').ok_or("is written NAME=FILE, such as heat=heat.hdf5")?;
    Ok((name.into(), file.into()))
}

/// `NAME=N` of a limit that exists.
fn limit(text: &str) -> Result<(String, u64), String> {
    let (name, number) = text.split_once('=').ok_or("is written NAME=N, such as seconds=5")?;
    let number = number.parse().map_err(|_| format!("{number:?} is not a whole number"))?;
    if Limits::default().get_mut(name).is_none() {
        let names: Vec<&str> = Limits::ALL.iter().map(|(name, ..)| *name).collect();
        return Err(format!("there is no limit {name:?}; there are {}", names.join(", ")));
    }
    Ok((name.into(), number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn limits_are_named() {
        assert_eq!(limit("seconds=5"), Ok(("seconds".into(), 5)));
        for wrong in ["seconds", "seconds=", "seconds=-1", "hours=1"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_help_lists_every_limit() {
        let mut program = crate::args::Arguments::command();
        let help = program.find_subcommand_mut("serve").unwrap().render_long_help().to_string();
        for (name, default, _) in Limits::ALL {
            let said = format!("{name}={default}");
            assert!(help.split_whitespace().any(|word| word == said), "{said}\n{help}");
        }
    }
}
