//! Numbers as bytes: the element kinds of binary array files, and their conversion to `f64`.

use super::ElementType;

/// The type of one element. Integers beyond 2⁵³ lose their last digits in `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    I8,
    U8,
    /// One byte; anything but zero is one.
    Bool,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Kind {
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Kind::I8 | Kind::U8 | Kind::Bool => 1,
            Kind::I16 | Kind::U16 | Kind::F16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 => 8,
        }
    }

    /// Its type in a listing. Half precision is listed as the smallest float that holds it.
    pub fn element(self) -> ElementType {
        match self {
            Kind::F16 | Kind::F32 => ElementType::F32,
            Kind::F64 => ElementType::F64,
            _ => ElementType::Integer,
        }
    }

    /// NumPy's name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Kind::I8 => "int8",
            Kind::U8 => "uint8",
            Kind::Bool => "bool",
            Kind::I16 => "int16",
            Kind::U16 => "uint16",
            Kind::I32 => "int32",
            Kind::U32 => "uint32",
            Kind::I64 => "int64",
            Kind::U64 => "uint64",
            Kind::F16 => "float16",
            Kind::F32 => "float32",
            Kind::F64 => "float64",
        }
    }
}

/// A kind with its byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub kind: Kind,
    pub big_endian: bool,
}

/// How many elements to convert, and their spacing.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub count: usize,
    /// Distance in the bytes read, in elements.
    pub step: usize,
    /// Distance in the output, in elements.
    pub out_step: usize,
}

impl Scalar {
    /// Converts the elements `0, step, 2 step, …` of `bytes` into `out[0], out[out_step], …`.
    pub fn decode(self, bytes: &[u8], out: &mut [f64], line: Line) {
        macro_rules! number {
            ($t:ty) => {
                if self.big_endian {
                    convert(bytes, out, line, |b| <$t>::from_be_bytes(b) as f64)
                } else {
                    convert(bytes, out, line, |b| <$t>::from_le_bytes(b) as f64)
                }
            };
        }
        match self.kind {
            Kind::Bool => convert(bytes, out, line, |[b]| f64::from(u8::from(b != 0))),
            Kind::F16 if self.big_endian => convert(bytes, out, line, |b| half(u16::from_be_bytes(b))),
            Kind::F16 => convert(bytes, out, line, |b| half(u16::from_le_bytes(b))),
            Kind::I8 => number!(i8),
            Kind::U8 => number!(u8),
            Kind::I16 => number!(i16),
            Kind::U16 => number!(u16),
            Kind::I32 => number!(i32),
            Kind::U32 => number!(u32),
            Kind::I64 => number!(i64),
            Kind::U64 => number!(u64),
            Kind::F32 => number!(f32),
            Kind::F64 => number!(f64),
        }
    }
}

fn convert<const N: usize>(bytes: &[u8], out: &mut [f64], line: Line, value: impl Fn([u8; N]) -> f64) {
    if line.step == 1 && line.out_step == 1 {
        // Contiguous on both sides: the loop the compiler can vectorize.
        for (to, from) in out.iter_mut().zip(bytes.as_chunks::<N>().0).take(line.count) {
            *to = value(*from);
        }
    } else {
        let targets = out.iter_mut().step_by(line.out_step.max(1));
        for (to, from) in targets.zip(bytes.chunks(N * line.step.max(1))).take(line.count) {
            if let Some(from) = from.first_chunk() {
                *to = value(*from);
            }
        }
    }
}

/// IEEE 754 binary16: 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits.
pub(crate) fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match i32::from(bits >> 10 & 0x1f) {
        0 => fraction * (-24f64).exp2(),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction / 1024.0) * f64::from(exponent - 15).exp2(),
    };
    sign * magnitude
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
            assert_eq!(half(bits), value, "{bits:#x}");
        }
        assert!(half(0x7e00).is_nan());
        assert!(half(0x8000).is_sign_negative());
    }

    #[test]
    fn both_byte_orders_decode() {
        let decode = |kind, big_endian, bytes: &[u8]| {
            let mut out = [0.0; 2];
            Scalar { kind, big_endian }.decode(bytes, &mut out, Line { count: 2, step: 1, out_step: 1 });
            out
        };
        assert_eq!(decode(Kind::I16, true, &[0xff, 0xfe, 0x01, 0x00]), [-2.0, 256.0]);
        assert_eq!(decode(Kind::I16, false, &[0xfe, 0xff, 0x00, 0x01]), [-2.0, 256.0]);
        assert_eq!(decode(Kind::F64, true, &[1.5f64, 2.5].map(f64::to_be_bytes).concat()), [1.5, 2.5]);
    }
}
