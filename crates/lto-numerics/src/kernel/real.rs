//! Single and double precision.

use super::exp::{UNDERFLOW, exp_nonpositive, exp_nonpositive_single};
use pulp::Simd;
use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Sub};

mod sealed {
    use pulp::Simd;

    pub trait Exp: Sized {
        /// e^x for x ≤ 0, zero below [`super::Real::CUT_OFF`].
        fn exp<S: Simd>(x: f64) -> Self;
    }
}

/// `f32` or `f64`: the precision of sums and weights. Coordinates are always `f64`.
pub trait Real:
    sealed::Exp
    + Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Sum
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + MulAssign
    + 'static
{
    /// 1.
    const ONE: Self;
    /// The exponent below which a weight along an axis is zero: for `f64`, where numbers end; for `f32`,
    /// where the product of two weights would be subnormal (which slows products down).
    const CUT_OFF: f64;
    /// The smallest normal number.
    const TINY: Self;
    /// Rounded.
    fn from_f64(x: f64) -> Self;
    /// Exactly.
    fn to_f64(self) -> f64;
}

impl Real for f64 {
    const ONE: Self = 1.0;
    const CUT_OFF: f64 = UNDERFLOW;
    const TINY: Self = Self::MIN_POSITIVE;
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

impl sealed::Exp for f64 {
    #[inline(always)]
    fn exp<S: Simd>(x: f64) -> Self {
        exp_nonpositive::<S>(x)
    }
}

impl Real for f32 {
    const ONE: Self = 1.0;
    const CUT_OFF: f64 = -43.0;
    const TINY: Self = Self::MIN_POSITIVE;
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl sealed::Exp for f32 {
    #[inline(always)]
    fn exp<S: Simd>(x: f64) -> Self {
        if x < Self::CUT_OFF { 0.0 } else { exp_nonpositive_single::<S>(x) }
    }
}
