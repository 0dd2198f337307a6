//! Where served models come from.

use std::path::{Path, PathBuf};

/// The name of the twin that is part of the binary.
const EMBEDDED: &str = "heat";

/// A model to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name in paths.
    pub name: String,
    /// Where its weights are.
    pub origin: Origin,
    /// A data set to compare with, instead of the run's own.
    pub data: Option<PathBuf>,
}

/// Where the weights of a model are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the binary.
    Embedded,
    /// In the folder of a run, or in a file.
    Path(PathBuf),
}

impl Source {
    /// The twin that is part of the binary.
    pub fn embedded() -> Self {
        Self { name: EMBEDDED.into(), origin: Origin::Embedded, data: None }
    }

    /// `runs/heat`, `heat.safetensors`, or `NAME=PATH`. Without a name it is the folder's, or the file's.
    ///
    /// # Errors
    /// A name with other characters than letters, digits, `.`, `-` and `_`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, path) = match text.split_once('=') {
            Some((name, path)) => (name.to_string(), Path::new(path)),
            None => (name_of(Path::new(text)), Path::new(text)),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
            return Err(format!(
                "{name:?} cannot be the name of a model; give one of letters, digits, '.', '-' and '_': heat={}",
                path.display()
            ));
        }
        Ok(Self { name, origin: Origin::Path(path.into()), data: None })
    }
}

/// The name of a run's folder, or of a file; a file named as those of runs has the name of its folder.
fn name_of(path: &Path) -> String {
    let path = if path.file_name().is_some_and(|name| name == lto::model::FILE_NAME) {
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(path)
    } else {
        path
    };
    let stem = if path.extension().is_some_and(|suffix| suffix == "safetensors") {
        path.file_stem()
    } else {
        path.file_name()
    };
    stem.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_after_their_folders() {
        let name = |text: &str| Source::parse(text).map(|source| source.name);
        assert_eq!(name("runs/heat").unwrap(), "heat");
        assert_eq!(name("runs/heat/").unwrap(), "heat");
        assert_eq!(name("runs/heat/model.safetensors").unwrap(), "heat");
        assert_eq!(name("model.safetensors").unwrap(), "model");
        assert_eq!(name("a/burgers_29k.safetensors").unwrap(), "burgers_29k");
        let named = Source::parse("warm=runs/heat 2").unwrap();
        assert_eq!((named.name.as_str(), named.origin), ("warm", Origin::Path("runs/heat 2".into())));
        for wrong in ["runs/heat 2", "..", "=x", "a/b=x", ""] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }
}
