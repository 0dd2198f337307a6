//! Numbers as files store them.

use safetensors::tensor::Dtype;

/// Number formats of stored weights, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// IEEE half precision.
    Half,
    /// The upper half of single precision.
    Brain,
    /// Single precision.
    Single,
    /// Double precision.
    Double,
    /// Two of single precision.
    Complex64,
}

impl Number {
    /// The numbers in a PyTorch storage class.
    pub fn of_storage(class: &str) -> Option<Self> {
        match class {
            "torch.HalfStorage" => Some(Self::Half),
            "torch.BFloat16Storage" => Some(Self::Brain),
            "torch.FloatStorage" => Some(Self::Single),
            "torch.DoubleStorage" => Some(Self::Double),
            "torch.ComplexFloatStorage" => Some(Self::Complex64),
            _ => None,
        }
    }

    /// The numbers of a `.safetensors` type.
    pub fn of_dtype(dtype: Dtype) -> Option<Self> {
        match dtype {
            Dtype::F16 => Some(Self::Half),
            Dtype::BF16 => Some(Self::Brain),
            Dtype::F32 => Some(Self::Single),
            Dtype::F64 => Some(Self::Double),
            Dtype::C64 => Some(Self::Complex64),
            _ => None,
        }
    }

    /// Bytes of one.
    pub fn bytes(self) -> usize {
        match self {
            Self::Half | Self::Brain => 2,
            Self::Single => 4,
            Self::Double | Self::Complex64 => 8,
        }
    }

    /// Real numbers in one.
    pub fn parts(self) -> usize {
        if self == Self::Complex64 { 2 } else { 1 }
    }

    /// Appends one number, given its bytes.
    pub fn read(self, bytes: &[u8], values: &mut Vec<f32>) {
        let single = |b: &[u8]| f32::from_le_bytes(std::array::from_fn(|i| b[i]));
        match self {
            Self::Half => values.push(half(u16::from_le_bytes([bytes[0], bytes[1]]))),
            Self::Brain => {
                values.push(f32::from_bits(u32::from(u16::from_le_bytes([bytes[0], bytes[1]])) << 16))
            }
            Self::Single => values.push(single(bytes)),
            Self::Double => values.push(f64::from_le_bytes(std::array::from_fn(|i| bytes[i])) as f32),
            Self::Complex64 => values.extend([single(bytes), single(&bytes[4..])]),
        }
    }
}

/// IEEE half precision: sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    let size = match exponent {
        0 => fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2f32.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn half_precision_is_read_right() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65504.0),
        ] {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }
}
