//! Pages as a browser builds and draws them.

use super::{Workspace, stderr};
use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::process::Command;

/// A page after a browser has built it.
pub struct Shown {
    /// Its elements.
    pub dom: String,
    /// Number of different colors on a picture of it.
    pub colors: usize,
}

impl Shown {
    /// How often a part occurs.
    pub fn count(&self, part: &str) -> usize {
        self.dom.matches(part).count()
    }
}

/// Shows a page of the folder; `None` where there is no browser to show it with.
pub fn show(space: &Workspace, page: &str) -> Option<Shown> {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    let Some(browser) = found else {
        // Where tests must be whole, only those who say so do without.
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        assert!(!set("CI") || set("LTO_NO_BROWSER"), "there is no chromium to look at {page} with");
        eprintln!("skipped: there is no chromium to look at {page} with");
        return None;
    };
    let run = |what: &[&str]| {
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
            ])
            .arg(format!("--user-data-dir={}", space.path("profile").display()))
            .args(what)
            .arg(format!("file://{}", space.path(page).display()))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let dom = run(&["--dump-dom"]);
    let picture = space.path("page.png");
    run(&[&format!("--screenshot={}", picture.display()), "--window-size=1000,4000"]);
    let mut decoder = png::Decoder::new(BufReader::new(File::open(&picture).unwrap()));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let each = info.buffer_size() / (info.width * info.height) as usize;
    let colors = bytes[..info.buffer_size()].chunks_exact(each).collect::<HashSet<_>>().len();
    Some(Shown { dom, colors })
}
