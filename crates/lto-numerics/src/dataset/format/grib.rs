//! GRIB, editions 1 and 2: fields of weather models, one message each. Messages of one quantity and level on the file's
//! grid become an array `[time, lat, lon]`. Only this file uses the `grib-reader` crate.

use super::detect::Start;
use super::{ArrayInfo, ArrayStore, Attribute, ElementType, Format, array_index, check_slice};
use crate::error::{Error, Result};
use crate::memory;
use grib_reader::{GribFile, Message, ReferenceTime};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Names of the coordinates, and of the time.
const LISTS: [&str; 3] = ["time", "lat", "lon"];

/// Even constant fields have no more points for each byte of their file.
const POINTS_PER_BYTE: u64 = 1 << 13;

/// By its first letters.
pub(super) fn recognizes(start: &mut Start) -> io::Result<bool> {
    Ok(start.bytes.starts_with(b"GRIB"))
}

/// An opened GRIB file.
pub struct GribStore {
    path: PathBuf,
    file: GribFile,
    arrays: Vec<ArrayInfo>,
    /// Times in hours since 1970, latitudes and longitudes.
    lists: [Vec<f64>; 3],
    quantities: Vec<Quantity>,
    attributes: Vec<(String, String, Attribute)>,
}

/// A quantity at one level, and its message at each time; `None` where there is none.
struct Quantity {
    name: String,
    description: String,
    surface: Option<(u8, Option<f64>)>,
    messages: Vec<Option<usize>>,
    /// Two messages of one time.
    repeated: bool,
}

/// A latitude–longitude grid.
#[derive(PartialEq)]
struct LatLon {
    lats: Vec<f64>,
    lons: Vec<f64>,
}

impl GribStore {
    /// Opens a file and lists its fields; none is decoded.
    ///
    /// # Errors
    /// A damaged file, or none of its fields on a grid of latitudes and longitudes.
    pub fn open(path: &Path) -> Result<Self> {
        let builder = GribFile::builder().max_axis_points(1 << 20).max_decoded_points(1 << 28);
        let file = guarded(path, || builder.open(path))?;
        let length = std::fs::metadata(path).map_err(|source| Error::Io { path: path.into(), source })?.len();
        let mut found = Vec::new();
        let mut grid: Option<LatLon> = None;
        let mut other_grids = 0;
        for index in 0..file.message_count() {
            let message = guarded(path, || file.message(index))?;
            let Some(own) = guarded(path, || lat_lon(&message))? else {
                other_grids += 1;
                continue;
            };
            if *grid.get_or_insert_with(|| LatLon { lats: own.lats.clone(), lons: own.lons.clone() }) != own {
                other_grids += 1;
                continue;
            }
            let time = message.valid_time().unwrap_or(*message.reference_time());
            let surface = message.product_definition().and_then(|product| product.first_surface());
            let surface = surface.map(|s| (s.surface_type, s.scaled_value_f64()));
            let name = message.parameter_name().to_string();
            found.push((index, name, message.parameter_description().to_string(), surface, hours(&time)));
        }
        let Some(grid) = grid else {
            let problem = format!("{other_grids} fields, none on a grid of latitudes and longitudes");
            return Err(Error::unsupported(path, None, problem));
        };
        let points = grid.lats.len() as u64 * grid.lons.len() as u64;
        if points / POINTS_PER_BYTE > length {
            let problem = format!("damaged: {length} bytes cannot hold fields of {points} points");
            return Err(Error::corrupt(path, None, problem));
        }
        let mut times: Vec<f64> = found.iter().map(|(.., time)| *time).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let mut quantities: Vec<Quantity> = Vec::new();
        for (index, name, description, surface, time) in found {
            let known = quantities.iter().position(|q| q.name == name && q.surface == surface);
            let at = known.unwrap_or_else(|| {
                let messages = vec![None; times.len()];
                quantities.push(Quantity { name, description, surface, messages, repeated: false });
                quantities.len() - 1
            });
            let slot = times.partition_point(|t| *t < time);
            let quantity = &mut quantities[at];
            quantity.repeated |= quantity.messages[slot].is_some();
            quantity.messages[slot].get_or_insert(index);
        }
        Ok(Self::listed(path, file, quantities, [times, grid.lats, grid.lons]))
    }

    fn listed(path: &Path, file: GribFile, quantities: Vec<Quantity>, lists: [Vec<f64>; 3]) -> Self {
        let shape: Vec<usize> = lists.iter().map(Vec::len).collect();
        let list = |(name, list): (&&str, &Vec<f64>)| ArrayInfo {
            name: name.to_string(),
            shape: vec![list.len()],
            element: ElementType::F64,
            storage: "from the messages".into(),
        };
        let mut arrays: Vec<ArrayInfo> = LISTS.iter().zip(&lists).map(list).collect();
        let text = |owner: &str, name: &str, text: &str| {
            (owner.to_string(), name.to_string(), Attribute::Texts(vec![text.into()]))
        };
        let mut attributes = vec![text("time", "units", "hours since 1970-01-01 00:00")];
        for quantity in &quantities {
            let several = quantities.iter().filter(|other| other.name == quantity.name).count() > 1;
            let level = quantity.surface.filter(|_| several).map(|(kind, value)| match value {
                Some(value) => format!("_{value}"),
                None => format!("_surface{kind}"),
            });
            let name = format!("{}{}", quantity.name, level.unwrap_or_default());
            attributes.push(text(&name, "long_name", &quantity.description));
            let dims = LISTS.map(String::from).to_vec();
            attributes.push((name.clone(), "_ARRAY_DIMENSIONS".into(), Attribute::Texts(dims)));
            let given = quantity.messages.iter().flatten().count();
            let storage = format!("{given} messages");
            arrays.push(ArrayInfo { name, shape: shape.clone(), element: ElementType::F64, storage });
        }
        Self { path: path.into(), file, arrays, lists, quantities, attributes }
    }
}

/// The axes of a message; `None` if it has another grid.
fn lat_lon(message: &Message) -> grib_reader::Result<Option<LatLon>> {
    let (Some(lats), Some(mut lons)) = (message.latitudes()?, message.longitudes()?) else { return Ok(None) };
    // Longitudes go on over 360 degrees.
    for i in 1..lons.len() {
        if lons[i] < lons[i - 1] - 180.0 {
            lons[i] += 360.0;
        }
    }
    let fits = message.grid_shape() == (lons.len(), lats.len());
    Ok(fits.then_some(LatLon { lats, lons }))
}

/// Hours since 1970.
fn hours(time: &ReferenceTime) -> f64 {
    let text = format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        time.year, time.month, time.day, time.hour, time.minute, time.second
    );
    crate::calendar::parse_iso(&text)
        .map_or(f64::NAN, |micros| micros as f64 / crate::calendar::MICROS_PER_HOUR)
}

/// Calls into the crate. Its errors become ours, and so does a panic, which only a damaged file can cause.
fn guarded<T>(path: &Path, call: impl FnOnce() -> grib_reader::Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(grib_reader::Error::Io(source, _))) => Err(Error::Io { path: path.into(), source }),
        Ok(Err(error)) => Err(Error::corrupt(path, None, format!("GRIB: {error}"))),
        Err(_) => Err(Error::corrupt(path, None, "damaged GRIB file: its structure contradicts itself")),
    }
}

impl ArrayStore for GribStore {
    fn path(&self) -> &Path {
        &self.path
    }

    fn format(&self) -> Format {
        Format::Grib
    }

    fn arrays(&self) -> &[ArrayInfo] {
        &self.arrays
    }

    fn attributes(&self) -> &[(String, String, Attribute)] {
        &self.attributes
    }

    fn read(&mut self, array: &str, start: &[usize], count: &[usize]) -> Result<Vec<f64>> {
        let number = array_index(&self.path, &self.arrays, array)?;
        check_slice(&self.path, &self.arrays, array, start, count)?;
        if let Some(list) = self.lists.get(number) {
            return Ok(list[start[0]..start[0] + count[0]].to_vec());
        }
        let quantity = &self.quantities[number - LISTS.len()];
        if quantity.repeated {
            let problem = "several fields of one time (an ensemble?); keep one of them in the file";
            return Err(Error::unsupported(&self.path, Some(array), problem));
        }
        let (rows, columns) = (self.lists[1].len(), self.lists[2].len());
        memory::require(&format!("a field of {rows} × {columns}"), 16 * (rows * columns) as u128)?;
        let mut out = Vec::with_capacity(count.iter().product());
        let mut field = vec![0.0; rows * columns];
        for message in &quantity.messages[start[0]..start[0] + count[0]] {
            match message {
                Some(index) => {
                    guarded(&self.path, || self.file.message(*index)?.decode_into(&mut field))?;
                }
                None => field.fill(f64::NAN),
            }
            for row in start[1]..start[1] + count[1] {
                let first = row * columns + start[2];
                out.extend(&field[first..first + count[2]]);
            }
        }
        Ok(out)
    }
}
