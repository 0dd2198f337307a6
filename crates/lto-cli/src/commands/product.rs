//! What a command writes, by the name it is given.

use crate::output::folder_of;
use anyhow::{Result, bail, ensure};
use lto_report::picture::PictureFormat;
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
    /// What a path asks for: no suffix is a folder.
    ///
    /// # Errors
    /// A suffix that is none of these, or a file that exists without leave to replace it.
    pub fn of(path: &Path, force: bool) -> Result<Self> {
        let suffix = path.extension().and_then(|s| s.to_str()).unwrap_or_default().to_lowercase();
        let product = match suffix.as_str() {
            "csv" => Self::Csv,
            "png" => Self::Picture(PictureFormat::Png),
            "svg" => Self::Picture(PictureFormat::Svg),
            "html" | "htm" => Self::Page,
            "" => Self::Folder,
            _ => bail!("{}: ends in none of the suffixes that can be written; see --help", path.display()),
        };
        if product != Self::Folder {
            folder_of(path)?;
        }
        ensure!(
            force || !path.exists(),
            "{}: exists already; --force replaces it, -o names another",
            path.display()
        );
        Ok(product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_say_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, force| Product::of(&folder.path().join(name), force);
        assert_eq!(of("a.csv", false).unwrap(), Product::Csv);
        assert_eq!(of("a.SVG", false).unwrap(), Product::Picture(PictureFormat::Svg));
        assert_eq!((of("a.html", false).unwrap(), of("a", false).unwrap()), (Product::Page, Product::Folder));
        assert!(of("a.xlsx", false).is_err() && of("missing/a.csv", false).is_err());
        std::fs::write(folder.path().join("a.csv"), "").unwrap();
        assert!(of("a.csv", false).unwrap_err().to_string().contains("--force") && of("a.csv", true).is_ok());
    }
}
