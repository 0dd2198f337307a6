//! Opening a command's data file; if it is not understood, the advice names the command's flags.

use crate::args::DatasetArgs;
use crate::usage::{self, UsageError};
use anyhow::{Result, anyhow, bail};
use lto_numerics::Error;
use lto_numerics::dataset::format::{self, ElementType, Format};
use lto_numerics::dataset::{Dataset, DatasetInfo, LayoutKind};
use lto_numerics::generate::Recipe;
use lto_report::arrays;
use lto_report::words::count;
use std::path::Path;

/// How many arrays advice names.
const NAMED: usize = 6;

/// The dataset, and what is known about it, with advice for the user as its `problem`.
///
/// # Errors
/// A file that is missing, damaged, or of no known format, or options that contradict it.
pub fn open(file: &Path, args: &DatasetArgs) -> Result<(Dataset, DatasetInfo)> {
    advised(file, args, Dataset::open(file, &args.options(true)))
}

/// As [`open`], for a file that the library has opened, or failed to open.
///
/// # Errors
/// As [`open`].
pub fn advised(
    file: &Path,
    args: &DatasetArgs,
    opened: Result<Dataset, Error>,
) -> Result<(Dataset, DatasetInfo)> {
    let dataset = opened.map_err(|error| explain(file, error))?;
    let mut info = dataset.info().clone();
    if args.layout == Some(LayoutKind::PointCloud) && info.format != Format::Csv {
        bail!("{}: --layout point-cloud is for CSV files; this is not one", file.display());
    }
    if args.stride > 1 && info.shape.iter().any(|&n| n < 2) {
        let left = format!("leaves {:?} points along the axes; at least 2 are needed", info.shape);
        return Err(UsageError::new("stride", args.stride, left).into());
    }
    let guessed = info.kind.is_none() && info.layout == LayoutKind::Generic && args.axes.is_none();
    if info.kind.is_none() && info.arrays.iter().all(|array| array.element == ElementType::Other) {
        info.problem = Some(refusal(&info.arrays));
    } else if guessed {
        info.problem = Some(advice(&info));
    }
    Ok((dataset, info))
}

/// What went wrong, in terms of what the user sees.
fn explain(file: &Path, error: Error) -> anyhow::Error {
    if let Some(recipe) = Recipe::of_journal(file) {
        return anyhow!(
            "{}: the journal of an unfinished run ({} of {}, seed {}); finish it by repeating its command \
             with --resume, then inspect the output",
            file.display(),
            count(recipe.samples, "sample"),
            recipe.config.name(),
            recipe.seed
        );
    }
    match error {
        // It exists, but cannot be read.
        Error::NoSuchArray { array, present, .. } if present.contains(&array) => {
            let arrays = format::open(file).map(|store| store.arrays().to_vec()).unwrap_or_default();
            let why = arrays.into_iter().find(|a| a.name == array).map(|a| format!(": {}", a.storage));
            anyhow!("{}: {array} holds no real numbers{}", file.display(), why.unwrap_or_default())
        }
        error => usage::with_flag(error),
    }
}

/// Why arrays without real numbers are not read.
fn refusal(arrays: &[format::ArrayInfo]) -> String {
    if arrays.is_empty() {
        return "it holds no arrays".into();
    }
    let reason = |row: &arrays::ArrayRow| format!("{}: {}", row.name, row.array.storage);
    let reasons: Vec<String> = arrays::rows(arrays).iter().take(NAMED).map(reason).collect();
    format!("none of its arrays holds real numbers: {}", reasons.join("; "))
}

/// How to describe the arrays of an unknown file, with the largest as an example.
fn advice(info: &DatasetInfo) -> String {
    let rows = arrays::rows(&info.arrays);
    let mut told: Vec<String> =
        rows.iter().take(NAMED).map(|row| format!("{} {:?}", row.name, row.array.shape)).collect();
    if rows.len() > NAMED {
        told.push(format!("and {} more", rows.len() - NAMED));
    }
    let size = |array: &&format::ArrayInfo| array.shape.iter().product::<usize>();
    let readable = info.arrays.iter().filter(|array| array.element != ElementType::Other);
    let example = readable.max_by_key(size).map_or(String::new(), |array| {
        let axes = match array.shape.len() {
            1 => "x",
            2 => "n,x",
            3 => "n,t,x",
            4 => "n,t,x,y",
            5 => "n,t,x,y,z",
            _ => "n,t,x,y,z,c",
        };
        format!(" for example --key {} --axes {axes},", array.name)
    });
    format!(
        "no known layout has these arrays: {}. Say which to read and what their axes are,{example} where n are samples, \
         t time, c channels, 1 an axis of length one; and where their points lie: --grid left, center, vertex or \
         coordinate arrays. Or name the layout with --layout",
        told.join(", ")
    )
}
