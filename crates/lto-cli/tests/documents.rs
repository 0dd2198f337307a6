//! The documents name paths that exist, and the page on theory every statement of the paper and only names that exist.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Markdown file at the root and in `docs/`.
fn documents() -> Vec<PathBuf> {
    let markdown = |dir: PathBuf| {
        let entries = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
        entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "md"))
    };
    markdown(root()).chain(markdown(root().join("docs"))).collect()
}

/// The paths a document names: link targets, and code spans that look like a path of this repository.
fn paths(text: &str) -> Vec<String> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let links =
        links.filter(|l| !l.contains("://") && !l.starts_with('#')).map(|l| l.split('#').next().unwrap_or(l));
    let top: Vec<String> = std::fs::read_dir(root())
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| !matches!(name.as_str(), "target" | "demo" | ".git"))
        .collect();
    let spans = text.split('`').skip(1).step_by(2).filter(|span| {
        let first = span.split('/').next().unwrap_or(span);
        span.contains('/') && !span.contains([' ', '*', '{', '<', '…']) && top.iter().any(|t| t == first)
    });
    links.chain(spans).filter(|p| !p.is_empty()).map(str::to_owned).collect()
}

#[test]
fn paths_named_in_the_documents_exist() {
    let documents = documents();
    assert!(documents.len() >= 5, "README and its companions were not found");
    let mut named = 0;
    for document in documents {
        let text = std::fs::read_to_string(&document).unwrap();
        for path in paths(&text) {
            named += 1;
            let beside = document.parent().unwrap().join(&path);
            assert!(
                beside.exists() || root().join(&path).exists(),
                "{} names {path}, which does not exist",
                document.display()
            );
        }
    }
    assert!(named > 10, "only {named} paths found: is the search broken?");
}

#[test]
fn the_search_finds_links_and_code_spans() {
    let text =
        "see [the map](docs/none.md#part) and `crates/nowhere/src/lib.rs`, not `a/b` or [x](https://y.z)";
    assert_eq!(paths(text), ["docs/none.md", "crates/nowhere/src/lib.rs"]);
}

/// A table is what its command prints, however often it is made; a command that fails is an error.
#[test]
fn tables_of_documents_are_made_anew() {
    let made = |document: &str| {
        let mut awk = Command::new("awk")
            .args(["-f", "docs/tables.awk"])
            .current_dir(root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        awk.stdin.take().unwrap().write_all(document.as_bytes()).unwrap();
        let output = awk.wait_with_output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let (done, text) = made("a\n<!-- table t: echo '| 1 |' -->\nold\n<!-- end -->\nb\n");
    assert!(done);
    assert_eq!(text, "a\n<!-- table t: echo '| 1 |' -->\n\n| 1 |\n\n<!-- end -->\nb\n");
    assert_eq!(made(&text), (true, text));
    assert!(!made("<!-- table t: false -->\n<!-- end -->\n").0);
    assert!(!made("<!-- table t: echo 1 -->\nall the rest\n").0, "a table without an end");
}

/// Every label of the paper but those of sections.
const LABELS: [&str; 25] = [
    "def:lto",
    "eq:lto",
    "fig:lto",
    "eq:density-signal-channel",
    "eq:normalized-signal-channel",
    "eq:lifted-lto",
    "eq:base-bound",
    "assum:reg",
    "eq:bias-bound",
    "thm:eps-disc",
    "cor:optimized-disc",
    "cor:disc-invariance",
    "eq:total-loss",
    "fig:heat-disc-vs-trained",
    "tab:restransfer-burgers",
    "tab:restransfer-ns2d",
    "tab:ns2d-long-horizon",
    "tab:darcy-results",
    "tab:darcy-results-native",
    "lem:kbar-constant",
    "lem:encoder-stability",
    "cor:Le",
    "prop:quadrature",
    "definition of ε_disc(N)",
    "for iid points",
];

/// The text of every source file.
fn sources(dir: &Path, text: &mut String) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|e| e == "rs") {
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Whether a function or type of this name is defined in the sources.
fn is_defined(sources: &str, name: &str) -> bool {
    ["fn ", "struct ", "enum "].iter().any(|kind| {
        let defined = format!("{kind}{name}");
        sources.match_indices(&defined).any(|(at, _)| {
            let next = sources[at + defined.len()..].chars().next();
            next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
        })
    })
}

#[test]
fn every_statement_of_the_paper_is_mapped_to_names_that_exist() {
    let page = std::fs::read_to_string(root().join("docs/theory.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
    for label in LABELS {
        let row = rows.iter().find(|row| {
            let first = row.split('|').nth(1).unwrap_or_default();
            first.split(", ").any(|part| part.trim() == label || part.trim().ends_with(label))
        });
        let row = row.unwrap_or_else(|| panic!("docs/theory.md has no row for {label}"));
        // Bars within a cell are escaped.
        let row = row.replace("\\|", "‖");
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 6, "{row}");
        assert!(
            cells[1..5].iter().all(|cell| !cell.is_empty() && *cell != "–"),
            "{label} lacks code or test"
        );
    }
    let mut text = String::new();
    sources(&root().join("crates"), &mut text);
    let mut looked_up = 0;
    for span in rows.iter().flat_map(|row| row.split('`').skip(1).step_by(2)) {
        if span.contains(['/', ' ']) || span.ends_with(".md") {
            continue;
        }
        for name in span.split("::") {
            looked_up += 1;
            assert!(is_defined(&text, name), "docs/theory.md names {span}, but {name} is not defined");
        }
    }
    assert!(looked_up > 40, "only {looked_up} names found: is the search broken?");
    assert!(!is_defined(&text, "no_such_function_anywhere") && !is_defined(&text, "is_define"));
}
