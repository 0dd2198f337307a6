//! What is wrong with the rows of a record: refused at once, or left out and counted.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// A kind of row that cannot be used as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Too few or too many fields.
    Fields,
    /// A name that is not UTF-8.
    Encoding,
    /// A time that is none.
    Time,
    /// A station that is not in the table of stations.
    Station,
    /// A coordinate that is none, or impossible.
    Coordinate,
    /// A place outside the given domain.
    Outside,
    /// A value or a noise that is no number.
    Value,
    /// A value that usually stands for a missing one, or is too large to be a measurement.
    Implausible,
    /// A variable in another unit than before.
    Unit,
    /// The same reading twice.
    Doubled,
    /// Two readings of one variable by one station at one time.
    Contradicting,
    /// A row earlier than what was already used: only while a record is followed.
    Late,
}

impl FaultKind {
    /// Kinds that are left out and counted even where faults are refused: they cost nothing.
    fn harmless(self) -> bool {
        matches!(self, Self::Doubled | Self::Outside | Self::Late)
    }

    /// The rows of this kind in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Fields => "rows with another number of fields than the header",
            Self::Encoding => "rows with names that are not UTF-8",
            Self::Time => "rows with an unreadable time",
            Self::Station => "rows of unknown stations",
            Self::Coordinate => "rows with an impossible place",
            Self::Outside => "rows outside the domain",
            Self::Value => "values that are no numbers",
            Self::Implausible => "implausible values",
            Self::Unit => "values in another unit",
            Self::Doubled => "doubled readings",
            Self::Contradicting => "contradicting readings",
            Self::Late => "late rows",
        }
    }
}

/// What is done about faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultPolicy {
    /// The first is an error; doubled readings and places outside a given domain are only counted.
    #[default]
    Refuse,
    /// Faulty values and rows are left out and counted; of contradicting readings the last one in the file counts.
    Skip,
}

/// Faults of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultCount {
    /// The kind.
    pub kind: FaultKind,
    /// How many.
    pub count: u64,
    /// The first one: where, which value, what to do.
    pub first: String,
}

/// All faults of a record.
#[derive(Clone, Debug)]
pub struct Faults {
    path: PathBuf,
    policy: FaultPolicy,
    row_word: &'static str,
    /// Every fault since the last look, if they are wanted one by one.
    log: Option<Vec<(FaultKind, String)>>,
    counts: BTreeMap<FaultKind, FaultCount>,
}

impl Faults {
    /// None yet.
    pub fn new(path: &Path, policy: FaultPolicy) -> Self {
        Self { path: path.into(), policy, row_word: "line", log: None, counts: BTreeMap::new() }
    }

    /// Keeps every fault for [`Faults::take`].
    pub fn logged(mut self) -> Self {
        self.log = Some(Vec::new());
        self
    }

    /// The faults since the last look: the kind, and where, which value, what to do.
    pub fn take(&mut self) -> Vec<(FaultKind, String)> {
        self.log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Counts rows instead of lines.
    pub(super) fn in_arrays(mut self) -> Self {
        self.row_word = "row";
        self
    }

    /// Counts a fault, or refuses it. `place` is `line 7`; `problem` says what is wrong and what to do.
    ///
    /// # Errors
    /// [`Error::Readings`] under [`FaultPolicy::Refuse`], unless the kind is harmless.
    pub fn add(
        &mut self,
        kind: FaultKind,
        place: &dyn Display,
        problem: impl FnOnce() -> String,
    ) -> Result<()> {
        let entry = self.counts.entry(kind);
        let entry = entry.or_insert_with(|| FaultCount { kind, count: 0, first: String::new() });
        entry.count += 1;
        let fatal = self.policy == FaultPolicy::Refuse && !kind.harmless();
        if entry.count > 1 && !fatal && self.log.is_none() {
            return Ok(());
        }
        let problem = problem();
        if fatal {
            return Err(Error::Readings { path: self.path.clone(), row: Some(place.to_string()), problem });
        }
        let text = format!("{place}: {problem}");
        if entry.count == 1 {
            entry.first.clone_from(&text);
        }
        if let Some(log) = &mut self.log {
            log.push((kind, text));
        }
        Ok(())
    }

    /// The faults by kind.
    pub fn counts(&self) -> impl Iterator<Item = &FaultCount> {
        self.counts.values()
    }

    /// What places of this file are counted in: lines of text, rows of arrays.
    pub(super) fn row_word(&self) -> &'static str {
        self.row_word
    }

    /// How many of a kind.
    pub fn count(&self, kind: FaultKind) -> u64 {
        self.counts.get(&kind).map_or(0, |entry| entry.count)
    }
}

/// Values that stand for a missing one in many files, and hardly ever are one.
const FILLS: [f64; 4] = [-9999.0, -9999.9, -99999.0, -999.9];
/// No measurement in usual units is as large.
const LARGEST: f64 = 1e19;

/// A value of a variable, unless it is missing; `missing` are numbers that say so, `here` is where it is.
///
/// # Errors
/// A value that is infinite, or probably stands for a missing one, where faults are refused.
pub(super) fn plausible(
    value: f64,
    variable: &str,
    missing: &[f64],
    here: &dyn Display,
    faults: &mut Faults,
) -> Result<Option<f64>> {
    if value.is_nan() || missing.contains(&value) {
        return Ok(None);
    }
    if FILLS.contains(&value) || value.abs() >= LARGEST {
        faults.add(FaultKind::Implausible, here, || {
            format!(
                "{variable} = {value}: does it stand for a missing value? If so, say --missing={value}, or \
                 data.records.missing in a configuration; if not, change the unit"
            )
        })?;
        return Ok(None);
    }
    Ok(Some(value))
}
