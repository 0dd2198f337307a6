//! CSV point clouds: what is read, what is reported missing, and what is an error that says where.

use lto_numerics::dataset::format::csv::{ColumnRole, Missing, PointCloud, Table};
use lto_numerics::dataset::format::{Format, open};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/csv").join(name)
}

fn read(text: &str) -> Result<PointCloud, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud.csv");
    std::fs::write(&path, text).unwrap();
    PointCloud::read(&path).map_err(|e| e.to_string())
}

#[test]
fn stations_with_failed_sensors_are_read_and_counted() {
    let cloud = PointCloud::read(&fixture("stations.csv")).unwrap();
    assert_eq!(cloud.len(), 6);
    assert_eq!(cloud.axis_names, ["x", "y"]);
    assert_eq!(cloud.coordinates[..2], [0.5118216247002567, 0.9504636963259353]);
    assert_eq!(cloud.coordinates[10..], [0.4534978894806515, 0.13404169724716475]);
    assert_eq!(cloud.times, Some(("t".into(), vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5])));
    assert_eq!(cloud.value_names, ["u", "v"]);
    assert_eq!(cloud.values[0][3], 0.5381433132192782);
    assert_eq!(cloud.text_names, ["station"]);
    let missing = [(1, 1, 4), (1, 2, 5), (1, 4, 7)];
    assert_eq!(cloud.missing(), missing.map(|(value, point, line)| Missing { value, point, line }));
    for (point, &v) in cloud.values[1].iter().enumerate() {
        assert_eq!(v.is_nan(), cloud.missing().iter().any(|m| m.point == point), "{point}");
    }
}

#[test]
fn delimiters_names_and_line_ends_vary() {
    let cloud = PointCloud::read(&fixture("points.csv")).unwrap();
    assert_eq!((cloud.axis_names, cloud.value_names), (vec!["Lon".into(), "Lat".into()], vec!["T2M".into()]));
    assert_eq!(cloud.coordinates, [-10.0, 58.0, -9.75, 57.75]);
    assert_eq!(cloud.values, [[282.5, 281.0]]);
    let cloud = PointCloud::read(&fixture("tabs.tsv")).unwrap();
    assert_eq!((cloud.coordinates, cloud.values), (vec![0.0, 0.5], vec![vec![1.0, 2.0]]));
    assert_eq!(cloud.times, None);
    let points_only = read("x\n0.25\n0.5\n").unwrap();
    assert_eq!((points_only.len(), points_only.values.len()), (2, 0));
    let quoted = read("\"x\",u,\"place\"\n0.5,\"2\",\"London, UK\"\n").unwrap();
    assert_eq!((quoted.coordinates, quoted.values), (vec![0.5], vec![vec![2.0]]));
    // Time first: the role is in the name, not in the place.
    let cloud = read("TIME,u,x\n3,1e-3,0.5\n").unwrap();
    assert_eq!((cloud.times, cloud.coordinates), (Some(("TIME".into(), vec![3.0])), vec![0.5]));
}

#[test]
fn a_table_keeps_columns_and_lines_as_the_file_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "# stations\nplace,u,x\n\na,NA,0.5\n# moved\nb,2,0.25\n").unwrap();
    let table = Table::read(&path).unwrap();
    let columns: Vec<_> = table.columns.iter().map(|c| (c.name.as_str(), c.role, c.values.len())).collect();
    assert_eq!(
        columns,
        [("place", ColumnRole::Text, 0), ("u", ColumnRole::Value, 2), ("x", ColumnRole::Axis, 2)]
    );
    assert_eq!(table.lines, [4, 6]);
    let cloud = PointCloud::from(&table);
    assert_eq!((cloud.coordinates.as_slice(), cloud.lines.as_slice()), (&[0.5, 0.25][..], &[4, 6][..]));
    // What opens a file of any format has parsed it already.
    assert_eq!(open(&path).unwrap().table().unwrap().lines, [4, 6]);
    let data = lto_numerics::dataset::Dataset::open(&path, &Default::default()).unwrap();
    assert_eq!(data.table().unwrap().columns[2], table.columns[2]);
}

#[test]
fn columns_are_arrays_of_a_store() {
    let mut store = open(&fixture("stations.csv")).unwrap();
    assert_eq!(store.format(), Format::Csv);
    let names: Vec<&str> = store.arrays().iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "t", "u", "v"]);
    assert!(store.arrays().iter().all(|a| a.shape == [6]));
    assert_eq!(store.read("y", &[5], &[1]).unwrap(), [0.13404169724716475]);
    assert_eq!(store.read("t", &[1], &[2]).unwrap(), [0.1, 0.2]);
    assert_eq!(store.read("u", &[3], &[1]).unwrap(), [0.5381433132192782]);
    assert!(store.read("v", &[0], &[2]).unwrap()[1].is_nan());
    assert!(store.read("v", &[5], &[2]).is_err());
}

#[test]
fn errors_name_line_column_and_text() {
    let cases = [
        ("x,u\n0,1\n0.5,oops\n", "line 3, column u: \"oops\" is not a finite number"),
        ("x,u\n0,1\n,2\n", "line 3, column x: \"\" is not a finite number"),
        ("x,u\r\n\r\n0,1\r\n0,bad\r\n", "line 4, column u: \"bad\""),
        ("x,u\n0,1,2\n", "line 2 has 3 fields, but the header names 2"),
        ("x,u\n# note\nnan,2\n", "line 3, column x: \"nan\""),
        ("x,t,u\n0,inf,2\n", "line 2, column t: \"inf\""),
        ("x,u\n0,inf\n", "line 2, column u: \"inf\""),
        ("x;u\n0;1,5\n", "write a decimal point, not a comma"),
        ("x,u\n0,1\n0.5\n", "line 3 has 1 fields, but the header names 2"),
        ("0,1\n0.5,2\n", "must name the columns"),
        ("a,b\n1,2\n", "no coordinate among the columns"),
        ("x,X,u\n1,2,3\n", "two columns are named \"X\""),
        ("x,y,z,lat\n1,2,3,4\n", "4 coordinates"),
        ("x,t,time\n1,2,3\n", "keep one of them"),
        ("x,,u\n1,2,3\n", "column 2 has no name"),
        ("x,u\n", "no points follow"),
        ("# only a comment\n", "empty"),
    ];
    for (text, expected) in cases {
        let error = read(text).unwrap_err();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}
