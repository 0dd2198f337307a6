//! Which HDF5 element types are real numbers, and how each becomes `f64`.

use crate::dataset::format::ElementType;
use rust_hdf5::format::messages::datatype::IeeeFormat;
use rust_hdf5::{ByteOrder, DatatypeMessage, H5Dataset, H5Type};

/// A number as stored, apart from its byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl Number {
    /// The number a datatype stores, with its byte order; `None` for everything else (texts, compounds,
    /// integers of odd width). Enumerations, NumPy's booleans among them, count as their base integer.
    pub(super) fn of(datatype: &DatatypeMessage) -> Option<(Self, ByteOrder)> {
        match datatype {
            // The size first: the crate multiplies it without care.
            DatatypeMessage::FloatingPoint { size: 2 | 4 | 8, byte_order, .. } => {
                let number = match datatype.ieee_format()? {
                    IeeeFormat::Binary16 => Self::F16,
                    IeeeFormat::Binary32 => Self::F32,
                    IeeeFormat::Binary64 => Self::F64,
                };
                Some((number, *byte_order))
            }
            DatatypeMessage::FixedPoint { size, byte_order, signed, bit_offset: 0, bit_precision } => {
                let number = match (size, signed) {
                    (1, true) => Self::I8,
                    (2, true) => Self::I16,
                    (4, true) => Self::I32,
                    (8, true) => Self::I64,
                    (1, false) => Self::U8,
                    (2, false) => Self::U16,
                    (4, false) => Self::U32,
                    (8, false) => Self::U64,
                    _ => return None,
                };
                (u32::from(*bit_precision) == size * 8).then_some((number, *byte_order))
            }
            DatatypeMessage::Enum { base, .. } => Self::of(base).filter(|(n, _)| n.is_integer()),
            _ => None,
        }
    }

    fn is_integer(self) -> bool {
        !matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// Bytes per element.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::F16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// As listed. Half precision reads exactly as single precision does, so it is listed as such.
    pub(super) fn element_type(self) -> ElementType {
        match self {
            Self::F16 | Self::F32 => ElementType::F32,
            Self::F64 => ElementType::F64,
            _ => ElementType::Integer,
        }
    }

    /// Decodes whole elements from bytes; a rest shorter than an element is ignored.
    pub(super) fn decode(self, order: ByteOrder, bytes: &[u8]) -> Vec<f64> {
        fn each<const N: usize>(order: ByteOrder, bytes: &[u8], one: impl Fn([u8; N]) -> f64) -> Vec<f64> {
            let (elements, _) = bytes.as_chunks::<N>();
            let little = |mut element: [u8; N]| {
                if order == ByteOrder::BigEndian {
                    element.reverse();
                }
                one(element)
            };
            elements.iter().map(|&element| little(element)).collect()
        }
        match self {
            Self::F16 => each(order, bytes, |b| f16_to_f64(u16::from_le_bytes(b))),
            Self::F32 => each(order, bytes, |b| f32::from_le_bytes(b).into()),
            Self::F64 => each(order, bytes, f64::from_le_bytes),
            Self::I8 => each(order, bytes, |b| i8::from_le_bytes(b).into()),
            Self::I16 => each(order, bytes, |b| i16::from_le_bytes(b).into()),
            Self::I32 => each(order, bytes, |b| i32::from_le_bytes(b).into()),
            Self::I64 => each(order, bytes, |b| i64::from_le_bytes(b) as f64),
            Self::U8 => each(order, bytes, |b| u8::from_le_bytes(b).into()),
            Self::U16 => each(order, bytes, |b| u16::from_le_bytes(b).into()),
            Self::U32 => each(order, bytes, |b| u32::from_le_bytes(b).into()),
            Self::U64 => each(order, bytes, |b| u64::from_le_bytes(b) as f64),
        }
    }

    /// Reads a slice of a dataset of this number; an empty `start` means a scalar.
    pub(super) fn read(
        self,
        dataset: &H5Dataset,
        start: &[usize],
        count: &[usize],
    ) -> rust_hdf5::Result<Vec<f64>> {
        // The crate checks only the width of the element type asked for, and gives host byte order.
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
        match self {
            Self::F16 => each(dataset, start, count, f16_to_f64),
            Self::F32 => each(dataset, start, count, |v: f32| v.into()),
            Self::F64 => each(dataset, start, count, |v: f64| v),
            Self::I8 => each(dataset, start, count, |v: i8| v.into()),
            Self::I16 => each(dataset, start, count, |v: i16| v.into()),
            Self::I32 => each(dataset, start, count, |v: i32| v.into()),
            Self::I64 => each(dataset, start, count, |v: i64| v as f64),
            Self::U8 => each(dataset, start, count, |v: u8| v.into()),
            Self::U16 => each(dataset, start, count, |v: u16| v.into()),
            Self::U32 => each(dataset, start, count, |v: u32| v.into()),
            Self::U64 => each(dataset, start, count, |v: u64| v as f64),
        }
    }
}

/// IEEE binary16 widened exactly.
fn f16_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => mantissa * 2f64.powi(-24),
        0x1f if mantissa == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + mantissa / 1024.0) * 2f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_widens_exactly() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2f64.powi(-24)),
            (0x0400, 2f64.powi(-14)),
            (0x3555, 0.333251953125),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(f16_to_f64(bits), value, "{bits:#x}");
        }
        assert!(f16_to_f64(0x7e00).is_nan());
        assert!(f16_to_f64(0x8000).is_sign_negative());
    }

    #[test]
    fn both_byte_orders_decode() {
        assert_eq!(Number::I16.decode(ByteOrder::BigEndian, &[0xff, 0xfe, 0x01, 0x00, 9]), [-2.0, 256.0]);
        assert_eq!(Number::I16.decode(ByteOrder::LittleEndian, &[0xfe, 0xff]), [-2.0]);
        assert_eq!(Number::F64.decode(ByteOrder::BigEndian, &1.5f64.to_be_bytes()), [1.5]);
    }
}
