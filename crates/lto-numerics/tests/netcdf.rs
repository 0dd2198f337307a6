//! NetCDF-4, which is HDF5 with the attributes of the CF conventions: packed numbers, missing values, units of time.

use lto_numerics::dataset::{Dataset, OpenOptions, Summary, format};
use lto_numerics::{Error, Sample};
use rust_hdf5::types::VarLenUnicode;
use rust_hdf5::{H5Dataset, H5File, H5Type};
use std::path::{Path, PathBuf};

fn array<T: H5Type>(file: &H5File, name: &str, shape: &[usize], values: &[T]) -> H5Dataset {
    let dataset = file.new_dataset::<T>().shape(shape).create(name).unwrap();
    dataset.write_raw(values).unwrap();
    dataset
}

fn number<T: H5Type>(dataset: &H5Dataset, name: &str, value: T) {
    dataset.new_attr::<T>().shape(()).create(name).unwrap().write_numeric(&value).unwrap();
}

fn numbers<T: H5Type>(dataset: &H5Dataset, name: &str, values: &[T]) {
    dataset.new_attr::<T>().shape([values.len()]).create(name).unwrap().write_array(values).unwrap();
}

fn text(dataset: &H5Dataset, name: &str, value: &str) {
    let attribute = dataset.new_attr::<VarLenUnicode>().shape(()).create(name).unwrap();
    attribute.write_scalar(&VarLenUnicode(value.into())).unwrap();
}

/// Temperatures over two hours on 3 × 4 points, packed in 16 bits, one of them `stored`; latitudes packed too, north first.
fn weather(folder: &Path, stored: i16) -> PathBuf {
    let path = folder.join("weather.nc");
    let file = H5File::create(&path).unwrap();
    let mut packed: Vec<i16> = (0..24).map(|i| 10 * i).collect();
    packed[17] = stored;
    let t2m = array(&file, "t2m", &[2, 3, 4], &packed);
    number(&t2m, "scale_factor", 0.5);
    numbers(&t2m, "add_offset", &[273.0]);
    numbers(&t2m, "_FillValue", &[-32767i16]);
    numbers(&t2m, "missing_value", &[-1i32, -2]);
    let lat = array(&file, "lat", &[3], &[30u8, 20, 10]);
    number(&lat, "scale_factor", 0.1f32);
    number(&lat, "add_offset", 50i64);
    array(&file, "lon", &[4], &[-10.0f32, -9.75, -9.5, -9.25]);
    let time = array(&file, "time", &[2], &[24i32, 25]);
    text(&time, "units", "hours since 2019-03-01 00:00");
    file.close().unwrap();
    path
}

#[test]
fn packed_values_coordinates_and_units_are_those_of_the_conventions() {
    let folder = tempfile::tempdir().unwrap();
    let path = weather(folder.path(), 170);
    let mut data = Dataset::open(&path, &OpenOptions::default()).unwrap();
    let info = data.info();
    assert_eq!(info.times, [24.0, 25.0]);
    assert_eq!(info.time_units.as_ref().unwrap().to_string(), "hours since 2019-03-01 00:00");
    let latitudes = data.grid().unwrap().coordinates(0).to_vec();
    assert!(latitudes.iter().zip([51.0, 52.0, 53.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{latitudes:?}");
    let Sample::Evolution(trajectory) = data.read(0..1).unwrap().remove(0) else { panic!("an evolution") };
    // Latitudes are turned round: the last row of the file comes first.
    let expected = [8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3].map(|i| 5.0 * f64::from(i) + 273.0);
    assert_eq!(trajectory.frame(0), expected);
    let given = OpenOptions { time_step: Some(2.0), ..OpenOptions::default() };
    assert_eq!(Dataset::open(&path, &given).unwrap().info().time_units, None);
}

#[test]
fn missing_values_are_nan_counted_and_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for stored in [-32767, -1, -2] {
        let path = weather(folder.path(), stored);
        let mut store = format::open(&path).unwrap();
        let values = store.read("t2m", &[1, 1, 0], &[1, 1, 4]).unwrap();
        assert!(values[1].is_nan() && values[0] == 353.0, "{values:?}");
        let mut data = Dataset::open(&path, &OpenOptions::default()).unwrap();
        let channel = Summary::of(&mut data, None).unwrap().channels.remove(0);
        assert_eq!((channel.n_finite, channel.n_not_finite, channel.max), (23, 1, Some(388.0)));
        let error = data.read(0..1).unwrap_err();
        assert!(matches!(&error, Error::MissingValue { index, .. } if *index == [1, 1, 1]), "{error}");
        let text = error.to_string();
        assert!(text.contains("t2m has no value at index [1, 1, 1]") && text.contains("missing"), "{text}");
    }
}

#[test]
fn missing_values_of_floats_and_coordinates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("floats.nc");
    let file = H5File::create(&path).unwrap();
    let u = array(&file, "u", &[1, 4], &[1.0f32, 9.96921e36, f32::NAN, 4.0]);
    // In double precision: the nearest single-precision number is meant.
    number(&u, "_FillValue", 9.96921e36f64);
    let x = array(&file, "x", &[4], &[0.0, 1.0, -999.0, 3.0]);
    number(&x, "missing_value", -999i16);
    let damaged = array(&file, "damaged", &[2], &[1.0, 2.0]);
    numbers(&damaged, "scale_factor", &[1.0, 2.0]);
    file.close().unwrap();
    let mut store = format::open(&path).unwrap();
    let values = store.read("u", &[0, 0], &[1, 4]).unwrap();
    assert!(values[0] == 1.0 && values[1].is_nan() && values[2].is_nan() && values[3] == 4.0, "{values:?}");
    let error = store.read("damaged", &[0], &[2]).unwrap_err().to_string();
    assert!(error.contains("scale_factor must be one finite number"), "{error}");
    let options = OpenOptions { keys: vec!["u".into()], axes: Some("n,x".into()), ..OpenOptions::default() };
    let error = Dataset::open(&path, &options).err().unwrap().to_string();
    assert!(error.contains("x has no value at index [2]"), "{error}");
}
