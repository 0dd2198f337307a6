//! A table of stations: name and coordinates, for records whose rows have none.

use super::Catalog;
use super::header::{Header, Role};
use crate::dataset::format::csv::lines::{Lines, complaint, delimiter, fields, finite};
use crate::dataset::format::require_file;
use crate::error::{Error, Result};
use std::fs::File;
use std::path::Path;

/// Adds the stations of a CSV file, and its axes.
///
/// # Errors
/// A file that cannot be read, without stations or coordinates; two stations of one name.
pub(super) fn read(path: &Path, catalog: &mut Catalog) -> Result<()> {
    let io = |source| Error::Io { path: path.into(), source };
    let refuse = |row: Option<u64>, problem: String| Error::Readings {
        path: path.into(),
        row: row.map(|line| format!("line {line}")),
        problem,
    };
    require_file(path)?;
    let mut lines = Lines::new(File::open(path).map_err(io)?);
    let Some((_, line)) = lines.next().map_err(io)? else {
        return Err(refuse(None, "the file is empty".into()));
    };
    let delimiter = delimiter(line);
    let names: Vec<String> =
        fields(line, delimiter).map(|f| String::from_utf8_lossy(f).into_owned()).collect();
    let header = Header::of_stations(&names).map_err(|problem| refuse(None, problem))?;
    catalog.axes.clone_from(&header.axes);
    let mut place = vec![f64::NAN; header.axes.len()];
    while let Some((number, line)) = lines.next().map_err(io)? {
        let mut name = None;
        let mut count = 0;
        for (field, role) in fields(line, delimiter).zip(&header.roles) {
            count += 1;
            match role {
                Role::Station => name = Some(field),
                Role::Axis(d) => {
                    let column = &header.axes[*d].name;
                    place[*d] = finite(field)
                        .ok_or_else(|| refuse(None, complaint(number, column, field, delimiter)))?;
                }
                _ => {}
            }
        }
        let name = name.filter(|name| !name.is_empty() && count == header.roles.len());
        let Some(name) = name else {
            return Err(refuse(Some(number), format!("needs {} fields and a station", header.roles.len())));
        };
        if let Some(problem) = catalog.impossible(&place) {
            return Err(refuse(Some(number), problem));
        }
        if catalog.known(name).is_some() {
            let name = String::from_utf8_lossy(name);
            return Err(refuse(Some(number), format!("station {name:?} is there twice; keep one of them")));
        }
        catalog.station(Some(name), &place);
    }
    Ok(())
}
