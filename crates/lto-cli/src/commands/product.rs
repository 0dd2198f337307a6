//! Where results go: files of the kind their suffix asks for, and standard output.

use crate::args::{GlobalArgs, OutputArgs};
use crate::output::{self, folder_of, write_atomically};
use anyhow::{Context, Result, ensure};
use lto::evaluate::run::quoted;
use lto_report::picture::PictureFormat;
use serde::Serialize;
use std::path::Path;

/// A kind of file, or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// A table.
    Csv,
    /// A still picture.
    Picture(PictureFormat),
    /// A page for browsers.
    Page,
    /// A folder with everything.
    Folder,
}

impl Product {
    /// What a path asks for, by its suffix; without one, a folder.
    fn of(path: &Path) -> Option<Self> {
        match path.extension().and_then(|s| s.to_str()).unwrap_or_default().to_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "png" => Some(Self::Picture(PictureFormat::Png)),
            "svg" => Some(Self::Picture(PictureFormat::Svg)),
            "html" | "htm" => Some(Self::Page),
            "" => Some(Self::Folder),
            _ => None,
        }
    }
}

/// Where a result goes, checked before it is computed.
pub struct Delivery<'a> {
    args: &'a OutputArgs,
    target: Option<(&'a Path, Product)>,
}

impl<'a> Delivery<'a> {
    /// `written` says which products a command writes, `what` names them.
    ///
    /// # Errors
    /// Another product, an existing file that may not be replaced, or a missing folder.
    pub fn new(args: &'a OutputArgs, written: fn(Product) -> bool, what: &str) -> Result<Self> {
        let Some(path) = args.output.as_deref() else { return Ok(Self { args, target: None }) };
        let product = Product::of(path).filter(|&product| written(product));
        let product = product.with_context(|| format!("{}: must be {what}", path.display()))?;
        if product != Product::Folder {
            folder_of(path)?;
        }
        ensure!(
            args.force || !path.exists(),
            "{}: already exists; --force replaces it, -o names another",
            path.display()
        );
        Ok(Self { args, target: Some((path, product)) })
    }

    /// Writes what was asked for, then prints the result as JSON or text. `files` gets the product and the
    /// JSON and returns contents with their names in a folder; a single file already has its name.
    ///
    /// # Errors
    /// Files that cannot be made or written.
    pub fn deliver(
        &self,
        result: &impl Serialize,
        global: &GlobalArgs,
        text: impl FnOnce(bool) -> String,
        files: impl FnOnce(Product, &str) -> Result<Vec<(&'static str, Vec<u8>)>>,
    ) -> Result<()> {
        let json = serde_json::to_string_pretty(result)? + "\n";
        if let Some((path, product)) = self.target {
            for (name, bytes) in files(product, &json)? {
                if product == Product::Folder {
                    std::fs::create_dir_all(path).with_context(|| path.display().to_string())?;
                    write_atomically(&path.join(name), &bytes)?;
                } else {
                    write_atomically(path, &bytes)?;
                }
            }
        }
        if self.args.json {
            return output::print(&json);
        }
        if global.quiet {
            return Ok(());
        }
        output::print(&text(output::use_color(global.color, &std::io::stdout())))?;
        match self.target {
            Some((path, _)) => output::print(&format!("{}: written\n", path.display())),
            None => Ok(()),
        }
    }
}

/// The command line, quoted for a shell.
pub fn command_line() -> String {
    let args = std::env::args_os().skip(1).map(|arg| quoted(&arg.to_string_lossy()));
    std::iter::once("lto".to_string()).chain(args).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_say_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, force| {
            let args = OutputArgs { output: Some(folder.path().join(name)), force, json: false };
            let delivery = Delivery::new(&args, |product| product != Product::Page, "a table");
            delivery.map(|delivery| delivery.target.unwrap().1)
        };
        assert_eq!(of("a.csv", false).unwrap(), Product::Csv);
        assert_eq!(of("a.SVG", false).unwrap(), Product::Picture(PictureFormat::Svg));
        assert_eq!(of("a", false).unwrap(), Product::Folder);
        for wrong in ["a.xlsx", "a.html", "missing/a.csv"] {
            assert!(of(wrong, false).is_err(), "{wrong}");
        }
        std::fs::write(folder.path().join("a.csv"), "").unwrap();
        assert!(of("a.csv", false).unwrap_err().to_string().contains("--force") && of("a.csv", true).is_ok());
    }
}
