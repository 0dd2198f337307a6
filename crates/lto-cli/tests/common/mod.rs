//! The real binary in a fresh folder.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod browser;
pub mod model;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Every PDE at a size that takes no time, with the flags that make it so.
pub const TINY: [(&str, &[&str]); 5] = [
    ("heat", &["--resolution", "8", "--frames", "3"]),
    ("advection", &["--resolution", "16", "--frames", "3"]),
    ("burgers", &["--resolution", "16", "--frames", "3", "--t-end", "0.1"]),
    (
        "navier-stokes",
        &["--solve-resolution", "16", "--resolutions", "8,16", "--frames", "2", "--t-end", "0.1"],
    ),
    ("darcy", &["--resolution", "9", "--strides", "2,1"]),
];

/// A folder of its own for a test.
pub struct Workspace(TempDir);

impl Workspace {
    /// An empty folder.
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program, ready to run in the folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lto"));
        command.current_dir(self.0.path()).args(args).env_remove("NO_COLOR");
        command
    }

    /// Runs the program.
    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs the program, which must succeed; its standard output.
    pub fn succeed(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "lto {args:?}\n{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the program, which must end with `code`; its standard error.
    pub fn fail(&self, code: i32, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(code), "lto {args:?}\n{}", stderr(&output));
        stderr(&output)
    }

    /// Runs the program, which must end with `code`; its standard output.
    pub fn ends(&self, code: i32, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(code), "lto {args:?}\n{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Writes a NumPy array of the given type and shape, its elements all zero bytes.
    pub fn write_npy(&self, name: &str, descr: &str, shape: &str, n_bytes: usize) {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
        let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        npy.extend(format!("{header:<117}\n").as_bytes());
        npy.extend(vec![0; n_bytes]);
        std::fs::write(self.path(name), npy).unwrap();
    }

    /// Generates `n` tiny samples of a PDE with further flags.
    pub fn generate(&self, pde: &str, n: usize, output: &str, further: &[&str]) -> String {
        let (_, flags) = TINY.iter().find(|(name, _)| *name == pde).unwrap();
        let n = n.to_string();
        let mut args = vec!["data", "generate", pde, "-n", &n, "-o", output];
        args.extend(*flags);
        args.extend(further);
        self.succeed(&args)
    }

    /// Names in the folder, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Standard error as text.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The bytes of a file.
pub fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
