//! Which HDF5 element types are real numbers or texts, and how a dataset of them becomes `f64` or `String`.

use crate::dataset::format::scalar::{Kind, Scalar, half};
use crate::dataset::format::text::TextForm;
use rust_hdf5::format::messages::datatype::IeeeFormat;
use rust_hdf5::{ByteOrder, DatatypeMessage, H5Dataset, H5Type};

/// The number type a datatype stores; `None` for everything else (texts, compounds, integers of odd width).
/// Enumerations, including NumPy's booleans, count as their base integer.
pub(super) fn number(datatype: &DatatypeMessage) -> Option<Scalar> {
    let (kind, order) = match datatype {
        // The size first, because the crate multiplies it unchecked.
        DatatypeMessage::FloatingPoint { size: 2 | 4 | 8, byte_order, .. } => {
            let kind = match datatype.ieee_format()? {
                IeeeFormat::Binary16 => Kind::F16,
                IeeeFormat::Binary32 => Kind::F32,
                IeeeFormat::Binary64 => Kind::F64,
            };
            (kind, byte_order)
        }
        DatatypeMessage::FixedPoint { size, byte_order, signed, bit_offset: 0, bit_precision }
            if u32::from(*bit_precision) == size.saturating_mul(8) =>
        {
            let kind = match (size, signed) {
                (1, true) => Kind::I8,
                (2, true) => Kind::I16,
                (4, true) => Kind::I32,
                (8, true) => Kind::I64,
                (1, false) => Kind::U8,
                (2, false) => Kind::U16,
                (4, false) => Kind::U32,
                (8, false) => Kind::U64,
                _ => return None,
            };
            (kind, byte_order)
        }
        DatatypeMessage::Enum { base, .. } if matches!(**base, DatatypeMessage::FixedPoint { .. }) => {
            return number(base);
        }
        _ => return None,
    };
    Some(Scalar { kind, big_endian: *order == ByteOrder::BigEndian })
}

/// Whether elements are texts.
pub(super) fn is_text(datatype: &DatatypeMessage) -> bool {
    matches!(datatype, DatatypeMessage::FixedString { .. } | DatatypeMessage::VarLenString { .. })
}

/// All texts of a dataset of texts `[n]`, or of characters `[n, m]`; `None` if it has another shape.
pub(super) fn texts(dataset: &H5Dataset, shape: &[usize]) -> rust_hdf5::Result<Option<Vec<String>>> {
    match dataset.datatype()? {
        DatatypeMessage::FixedString { size, .. } => {
            let form = TextForm::bytes(size as usize);
            let Some(row) = form.row_size(shape).filter(|row| *row > 0) else { return Ok(None) };
            Ok(Some(form.decode(&dataset.read_raw_bytes()?, row)))
        }
        DatatypeMessage::VarLenString { .. } if shape.len() == 1 => dataset.read_strings_lossy().map(Some),
        _ => Ok(None),
    }
}

/// Reads a slice of a dataset of numbers of this kind; an empty `start` means a scalar.
pub(super) fn read(
    kind: Kind,
    dataset: &H5Dataset,
    start: &[usize],
    count: &[usize],
) -> rust_hdf5::Result<Vec<f64>> {
    // The crate checks only the width of the requested element type, and returns host byte order.
    fn each<T: H5Type>(
        dataset: &H5Dataset,
        start: &[usize],
        count: &[usize],
        one: impl Fn(T) -> f64,
    ) -> rust_hdf5::Result<Vec<f64>> {
        let stored =
            if start.is_empty() { dataset.read_raw::<T>()? } else { dataset.read_slice(start, count)? };
        Ok(stored.into_iter().map(one).collect())
    }
    match kind {
        Kind::F16 => each(dataset, start, count, half),
        Kind::F32 => each(dataset, start, count, |v: f32| v.into()),
        Kind::F64 => each(dataset, start, count, |v: f64| v),
        Kind::I8 => each(dataset, start, count, |v: i8| v.into()),
        Kind::I16 => each(dataset, start, count, |v: i16| v.into()),
        Kind::I32 => each(dataset, start, count, |v: i32| v.into()),
        Kind::I64 => each(dataset, start, count, |v: i64| v as f64),
        Kind::U8 | Kind::Bool => each(dataset, start, count, |v: u8| v.into()),
        Kind::U16 => each(dataset, start, count, |v: u16| v.into()),
        Kind::U32 => each(dataset, start, count, |v: u32| v.into()),
        Kind::U64 => each(dataset, start, count, |v: u64| v as f64),
    }
}
