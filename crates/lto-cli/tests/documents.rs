//! The documents name paths that exist.

use std::path::{Path, PathBuf};

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
