//! Settings that override a configuration file's, applied before the file is parsed.

use crate::error::{Error, Result};
use std::fmt;
use std::path::PathBuf;
use toml::{Table, Value};

/// One setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// `a.b.c=value`. The value is TOML if possible, else a string: `train.steps=100`,
    /// `data.path=heat.hdf5`.
    Text(String),
    /// The file to read the data from, instead of another or a PDE.
    Data(PathBuf),
    /// The seed of weights and training.
    Seed(u64),
}

impl<T: Into<String>> From<T> for Setting {
    fn from(text: T) -> Self {
        Setting::Text(text.into())
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Text(text) => f.write_str(text),
            Setting::Data(path) => write!(f, "data.path={}", path.display()),
            Setting::Seed(seed) => write!(f, "seed={seed}"),
        }
    }
}

impl Setting {
    /// Whether it sets `key` or something below it; `data` is above `data.path`.
    pub fn concerns(&self, key: &str) -> bool {
        let text = self.to_string();
        let own = text.split('=').next().unwrap_or_default().trim();
        own.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Puts it into the table of a configuration.
    pub(super) fn apply(&self, table: &mut Table) -> Result<()> {
        match self {
            Setting::Text(text) => {
                let (path, written) = text
                    .split_once('=')
                    .ok_or_else(|| self.refuse("must be key=value, as in train.steps=100".into()))?;
                let value = match toml::from_str::<Table>(&format!("value = {}", written.trim())) {
                    Ok(mut parsed) if parsed.len() == 1 => parsed.remove("value"),
                    _ => None,
                };
                self.insert(table, path.trim(), value.unwrap_or_else(|| Value::String(written.trim().into())))
            }
            Setting::Data(path) => {
                self.insert(table, "data.path", Value::String(path.to_string_lossy().into_owned()))
            }
            Setting::Seed(seed) => {
                let value = i64::try_from(*seed).map_err(|_| self.refuse("must be below 2⁶³".into()))?;
                self.insert(table, "seed", Value::Integer(value))
            }
        }
    }

    fn insert(&self, table: &mut Table, path: &str, value: Value) -> Result<()> {
        let mut names: Vec<&str> = path.split('.').collect();
        let last = names.pop().unwrap_or_default();
        if last.is_empty() || names.iter().any(|name| name.is_empty()) {
            return Err(self.refuse("the key has an empty part".into()));
        }
        // A file replaces a PDE; steps, epochs and processor time replace one another.
        const INSTEAD: [(&str, &str, &[&str]); 5] = [
            ("data", "path", &["generate"]),
            ("data", "generate", &["path"]),
            ("train", "steps", &["epochs", "minutes", "cpu_minutes"]),
            ("train", "epochs", &["steps", "minutes", "cpu_minutes"]),
            ("train", "cpu_minutes", &["steps", "epochs", "minutes"]),
        ];
        for (section, key, others) in INSTEAD {
            let values = table.get_mut(section).and_then(Value::as_table_mut);
            if let (true, true, Some(values)) = (names == [section], key == last, values) {
                others.iter().for_each(|other| drop(values.remove(*other)));
            }
        }
        let mut place = table;
        for name in names {
            let next = place.entry(name).or_insert_with(|| Value::Table(Table::new()));
            place =
                next.as_table_mut().ok_or_else(|| self.refuse(format!("{name} is a value, not a table")))?;
        }
        place.insert(last.into(), value);
        Ok(())
    }

    fn refuse(&self, requirement: String) -> Error {
        Error::Config { key: "--set".into(), value: self.to_string(), requirement }
    }
}
