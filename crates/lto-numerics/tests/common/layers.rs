//! Modules depend downwards only: a `crate::…` path may name the layers below its own module, or the same module.

use std::path::{Path, PathBuf};

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Checks all sources of the crate in `folder`; `layers` are its modules, lowest first. Modules of one layer do not know
/// each other.
pub fn assert_downwards(folder: &str, layers: &[&[&str]]) {
    let layer = |module: &str| layers.iter().position(|l| l.contains(&module));
    let src = Path::new(folder).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 10);
    for file in files {
        let relative = file.strip_prefix(&src).unwrap();
        let module = relative.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let own = layer(module).unwrap_or_else(|| panic!("{module} is in no layer: add it to LAYERS"));
        // Tests, at the bottom of a file or in files of their own, may use what they like.
        let name = file.file_stem().unwrap().to_str().unwrap();
        let in_tests = relative.parent().unwrap().iter().any(|folder| folder == "tests");
        if in_tests || ["tests", "testing"].contains(&name) || name.ends_with("_tests") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("mod tests {").next().unwrap_or(&text);
        // Links in comments are no dependencies.
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let names = code
            .flat_map(|line| line.split("crate::").skip(1))
            .filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
        for used in names {
            let Some(theirs) = layer(used) else { continue };
            let place = relative.display();
            assert!(
                theirs < own || used == module,
                "{place} uses crate::{used}, which is not below {module}"
            );
        }
    }
}
