//! The file a generation is to fill: everything that can be refused is refused before anything is computed.

use super::{record, solve};
use crate::args::RunArgs;
use crate::interrupt;
use crate::journal::{Header, Journal};
use crate::output;
#[cfg(unix)]
use anyhow::Context;
use anyhow::{Result, ensure};
use lto_numerics::dataset::format::Attribute;
use lto_numerics::dataset::write;
use lto_numerics::pde::Pde;
use lto_report::words;
use std::path::Path;

/// Checks the output file, and creates or continues its journal.
///
/// # Errors
/// The file or a journal is there already and was not to be replaced, its folder is missing or cannot be written,
/// its suffix is unknown, the disk is too full, or the journal is of something else.
pub fn prepare(run: &RunArgs, header: &Header, pde: &dyn Pde) -> Result<Journal> {
    let output = &run.output;
    let folder = output::folder_of(output)?;
    ensure!(run.force || !output.exists(), "{}: exists already; --force replaces it", output.display());
    let path = Journal::path_for(output);
    let unfinished = path.exists();
    ensure!(
        run.resume || run.force || !unfinished,
        "{}: an unfinished run left this; continue it with --resume, or start anew with --force",
        path.display()
    );
    // All samples go into the journal first, then into the file beside it.
    let total = (header.samples as u64).saturating_mul(solve::sample_bytes(pde) as u64);
    let there = std::fs::metadata(&path).map_or(0, |file| file.len());
    check_space(&folder, total.saturating_mul(2).saturating_sub(there))?;
    check_file_size(total)?;
    // Begun and dropped: whatever is wrong with the name or the folder is found now, not after hours.
    drop(write::create(output, &file_header(header, pde)?)?);
    if unfinished && run.resume { Journal::resume(&path, header) } else { Journal::create(&path, header) }
}

/// What the file holds besides samples: the attributes of the PDE, and how to generate the file again.
fn file_header(header: &Header, pde: &dyn Pde) -> Result<write::Header> {
    let number = |value: f64| Attribute::Numbers(vec![value]);
    let text = |value: String| Attribute::Texts(vec![value]);
    let mut attributes: Vec<(String, Attribute)> =
        pde.attributes().into_iter().map(|(name, value)| (name.into(), number(value))).collect();
    attributes.push(("generator".into(), text(format!("lto {}", header.version))));
    attributes.push(("generator_config".into(), text(serde_json::to_string(&header.config)?)));
    attributes.push(("generator_seed".into(), text(header.seed.to_string())));
    let (grids, times) = (pde.grids().to_vec(), pde.times().to_vec());
    Ok(write::Header { grids, times, n_samples: header.samples, attributes })
}

/// Writes the file from a complete journal; `false`, and no file, where an interrupt was asked for.
///
/// # Errors
/// The disk is full, or the journal is damaged.
pub fn write(run: &RunArgs, header: &Header, pde: &dyn Pde, journal: &mut Journal) -> Result<bool> {
    let mut writer = write::create(&run.output, &file_header(header, pde)?)?;
    for sample in journal.samples()? {
        if interrupt::requested() {
            return Ok(false);
        }
        writer.append(&record::decode(pde, &sample?)?)?;
    }
    writer.finish()?;
    Ok(true)
}

/// Refuses a disk without room for `needed` bytes.
#[cfg(unix)]
fn check_space(folder: &Path, needed: u64) -> Result<()> {
    let disk = rustix::fs::statvfs(folder).with_context(|| folder.display().to_string())?;
    let available = disk.f_bavail.saturating_mul(disk.f_frsize);
    ensure!(
        needed <= available,
        "{}: {} are needed there (half of it only while generating), {} are free",
        folder.display(),
        words::bytes(needed),
        words::bytes(available)
    );
    Ok(())
}

#[cfg(not(unix))]
fn check_space(_folder: &Path, _needed: u64) -> Result<()> {
    Ok(())
}

/// Refuses files longer than the shell allows: the system would end the program without a word.
#[cfg(unix)]
fn check_file_size(needed: u64) -> Result<()> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Fsize).current;
    ensure!(
        limit.is_none_or(|limit| needed <= limit),
        "files of {} are needed, but the limit here is {}; raise it: ulimit -f unlimited",
        words::bytes(needed),
        words::bytes(limit.unwrap_or(u64::MAX))
    );
    Ok(())
}

#[cfg(not(unix))]
fn check_file_size(_needed: u64) -> Result<()> {
    Ok(())
}
