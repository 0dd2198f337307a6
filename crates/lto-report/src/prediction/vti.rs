//! A prediction on a grid as VTK image data (XML, values appended in base64), one file for each time; several are
//! listed in a `.pvd` collection beside them, which ParaView opens as an animation.

use super::{Predicted, PredictionFormat};
use crate::error::{Error, Result};
use base64::{Engine, engine::general_purpose::STANDARD};
use lto_numerics::dataset::write::write_whole;
use lto_numerics::{Grid, PointStructure, Points};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// VTK image data.
pub(super) struct Vti;

impl PredictionFormat for Vti {
    fn suffix(&self) -> &'static str {
        "vti"
    }

    /// One file as named; for several times numbered files and their collection.
    fn files(&self, path: &Path, n_times: usize) -> Vec<PathBuf> {
        if n_times <= 1 {
            return vec![path.into()];
        }
        let numbered = (0..n_times).map(|number| numbered(path, number));
        numbered.chain([path.with_extension("pvd")]).collect()
    }

    fn refusal(&self, query: &Points, _n_times: usize) -> Option<&'static str> {
        let is_grid = matches!(query.structure(), PointStructure::Grid(_));
        (!is_grid).then_some("VTK image data needs a grid; ask for one with --query grid:…, or write .csv")
    }

    /// The collection is written last, when all its files exist.
    fn write(&self, path: &Path, predicted: &Predicted) -> Result<()> {
        let grid = predicted.grid().ok_or_else(|| Error::bad_file(path, "VTK image data needs a grid"))?;
        let document =
            |frame: usize| image_data(grid, &predicted.arrays(frame), predicted.times.get(frame).copied());
        if predicted.n_frames() == 1 {
            return Ok(write_whole(path, document(0)?.as_bytes())?);
        }
        let mut collection = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n",
        );
        for (frame, time) in predicted.times.iter().enumerate() {
            let file = numbered(path, frame);
            write_whole(&file, document(frame)?.as_bytes())?;
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            writeln!(collection, "<DataSet timestep=\"{time}\" part=\"0\" file=\"{}\"/>", escape(&name))?;
        }
        collection.push_str("</Collection>\n</VTKFile>\n");
        Ok(write_whole(&path.with_extension("pvd"), collection.as_bytes())?)
    }
}

/// `out_007.vti` of `out.vti`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_{number:03}.vti"))
}

/// The document of one field. VTK varies the first axis fastest, our grids the last.
fn image_data(grid: &Grid, channels: &[(String, &[f64])], time: Option<f64>) -> Result<String> {
    let mut extent = String::new();
    let (mut origin, mut spacing) = ([0.0; 3], [1.0; 3]);
    for d in 0..3 {
        let n = if d < grid.dim() { grid.coordinates(d).len() } else { 1 };
        write!(extent, "{}0 {}", if d == 0 { "" } else { " " }, n - 1)?;
        if d < grid.dim() {
            (origin[d], spacing[d]) = (grid.coordinates(d)[0], grid.spacing(d));
        }
    }
    let triple = |v: [f64; 3]| format!("{} {} {}", v[0], v[1], v[2]);
    let mut text = String::from("<?xml version=\"1.0\"?>\n");
    text.push_str(
        "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
    );
    writeln!(
        text,
        "<ImageData WholeExtent=\"{extent}\" Origin=\"{}\" Spacing=\"{}\" Direction=\"1 0 0 0 1 0 0 0 1\">",
        triple(origin),
        triple(spacing)
    )?;
    if let Some(time) = time {
        writeln!(
            text,
            "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{time}\
             </DataArray></FieldData>"
        )?;
    }
    let first = channels.first().map_or(String::new(), |(name, _)| escape(name));
    writeln!(text, "<Piece Extent=\"{extent}\">\n<PointData Scalars=\"{first}\">")?;
    let mut appended = String::from("_");
    for (name, values) in channels {
        writeln!(
            text,
            "<DataArray type=\"Float64\" Name=\"{}\" format=\"appended\" offset=\"{}\"/>",
            escape(name),
            appended.len() - 1
        )?;
        let mut bytes = (8 * values.len() as u64).to_le_bytes().to_vec();
        bytes.extend(first_axis_fastest(&grid.shape(), values).iter().flat_map(|v| v.to_le_bytes()));
        appended.push_str(&STANDARD.encode(bytes));
    }
    writeln!(
        text,
        "</PointData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"base64\">\n{appended}\n</AppendedData>"
    )?;
    text.push_str("</VTKFile>\n");
    Ok(text)
}

/// The values of a grid of one or two axes (no model has three) with its first axis fastest.
fn first_axis_fastest(shape: &[usize], values: &[f64]) -> Vec<f64> {
    match shape {
        [rows, columns] => (0..*columns)
            .flat_map(|j| (0..*rows).filter_map(move |i| values.get(i * columns + j)))
            .copied()
            .collect(),
        _ => values.to_vec(),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::{Axis, Domain, Placement};

    #[test]
    fn image_data_holds_the_grid_and_its_values_with_x_fastest() {
        let axes = vec![Axis::new("x", -1.0, 1.0, true), Axis::new("y", 0.0, 3.0, false)];
        let grid = Grid::uniform(Domain::new(axes).unwrap(), &[(2, Placement::Left), (4, Placement::Vertex)])
            .unwrap();
        let values: Vec<f64> = (0..8).map(f64::from).collect();
        let text = image_data(&grid, &[("a<b".into(), &values), ("c".into(), &values)], Some(0.25)).unwrap();
        assert!(text.contains("WholeExtent=\"0 1 0 3 0 0\" Origin=\"-1 0 0\" Spacing=\"1 1 1\""), "{text}");
        assert!(text.contains("Name=\"a&lt;b\" format=\"appended\" offset=\"0\""), "{text}");
        // 8 + 64 bytes are 96 characters of base64.
        assert!(text.contains("Name=\"c\" format=\"appended\" offset=\"96\""), "{text}");
        let start = text.find("\n_").unwrap() + 2;
        let bytes = STANDARD.decode(&text[start..start + 96]).unwrap();
        assert_eq!(bytes[..8], 64u64.to_le_bytes());
        let read: Vec<f64> =
            bytes[8..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(read, [0.0, 4.0, 1.0, 5.0, 2.0, 6.0, 3.0, 7.0]);
        assert_eq!(Vti.files(Path::new("d/out.vti"), 1), [PathBuf::from("d/out.vti")]);
        assert_eq!(
            Vti.files(Path::new("d/out.vti"), 2)[1..],
            [PathBuf::from("d/out_001.vti"), PathBuf::from("d/out.pvd")]
        );
    }
}
