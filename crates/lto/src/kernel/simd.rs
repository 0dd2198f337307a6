//! Vector instructions chosen at run time: AVX-512, AVX2 with FMA, or what every target has.
//!
//! A kernel is written once over [`Lanes`] and compiled for each instruction set: [`run`] enters it through a function
//! with the `target_feature`s enabled, into which the kernel is inlined.

use std::sync::OnceLock;

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// AVX-512 F, VL, BW, DQ: 32 registers of 16 numbers.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2 and FMA: 16 registers of 8 numbers.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Four numbers at a time, as the compiler sees fit.
    Portable,
}

impl Isa {
    /// The best one of this machine.
    pub fn detect() -> Self {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| Self::available()[0])
    }

    /// All that this machine can run, best first.
    pub fn available() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let fma = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq");
            if fma && wide {
                found.push(Isa::Avx512);
            }
            if fma {
                found.push(Isa::Avx2);
            }
        }
        found.push(Isa::Portable);
        found
    }

    /// Output channels that one register tile holds: see [`Lanes::BLOCK`].
    pub fn block(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => Avx512::BLOCK,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => Avx2::BLOCK,
            Isa::Portable => Portable::BLOCK,
        }
    }
}

/// The longest vector of all instruction sets: buffers are padded to a multiple of it.
pub const MAX_LANES: usize = 16;

/// A vector register of `f32`.
pub trait Lanes: Copy {
    /// The instruction set it belongs to.
    const ISA: Isa;
    /// Numbers in a vector.
    const N: usize;
    /// Rows of a register tile: with three vectors a row they leave registers for the operands.
    const BLOCK: usize;
    /// All `value`.
    ///
    /// # Safety
    /// The instruction set is there: the caller runs inside [`run`].
    unsafe fn splat(value: f32) -> Self;
    /// From memory, unaligned.
    ///
    /// # Safety
    /// As [`Lanes::splat`]; [`Lanes::N`] numbers can be read.
    unsafe fn load(from: *const f32) -> Self;
    /// To memory, unaligned.
    ///
    /// # Safety
    /// As [`Lanes::splat`]; [`Lanes::N`] numbers can be written.
    unsafe fn store(self, to: *mut f32);
    /// `self · a + b`.
    ///
    /// # Safety
    /// As [`Lanes::splat`].
    unsafe fn mul_add(self, a: Self, b: Self) -> Self;
    /// The larger of each two; `other` where one is no number.
    ///
    /// # Safety
    /// As [`Lanes::splat`].
    unsafe fn max(self, other: Self) -> Self;
    /// The smaller of each two; `other` where one is no number.
    ///
    /// # Safety
    /// As [`Lanes::splat`].
    unsafe fn min(self, other: Self) -> Self;
    /// `self / other`.
    ///
    /// # Safety
    /// As [`Lanes::splat`].
    unsafe fn div(self, other: Self) -> Self;
    /// `self · 2ⁿ` for whole numbers −126 ≤ n ≤ 0.
    ///
    /// # Safety
    /// As [`Lanes::splat`].
    unsafe fn times_two_to(self, n: Self) -> Self;
    /// The sums of the numbers of four vectors.
    ///
    /// # Safety
    /// As [`Lanes::splat`].
    unsafe fn sums(of: [Self; 4]) -> [f32; 4];
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Isa, Lanes};
    use std::arch::x86_64::*;

    /// Sixteen numbers.
    #[derive(Clone, Copy)]
    pub struct Avx512(__m512);

    impl Lanes for Avx512 {
        const ISA: Isa = Isa::Avx512;
        const N: usize = 16;
        const BLOCK: usize = 8;
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            Self(unsafe { _mm512_set1_ps(value) })
        }
        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            Self(unsafe { _mm512_loadu_ps(from) })
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            unsafe { _mm512_storeu_ps(to, self.0) }
        }
        #[inline(always)]
        unsafe fn mul_add(self, a: Self, b: Self) -> Self {
            Self(unsafe { _mm512_fmadd_ps(self.0, a.0, b.0) })
        }
        #[inline(always)]
        unsafe fn max(self, other: Self) -> Self {
            Self(unsafe { _mm512_max_ps(self.0, other.0) })
        }
        #[inline(always)]
        unsafe fn min(self, other: Self) -> Self {
            Self(unsafe { _mm512_min_ps(self.0, other.0) })
        }
        #[inline(always)]
        unsafe fn div(self, other: Self) -> Self {
            Self(unsafe { _mm512_div_ps(self.0, other.0) })
        }
        #[inline(always)]
        unsafe fn times_two_to(self, n: Self) -> Self {
            Self(unsafe { _mm512_scalef_ps(self.0, n.0) })
        }
        #[inline(always)]
        unsafe fn sums([a, b, c, d]: [Self; 4]) -> [f32; 4] {
            unsafe {
                let ab = _mm512_add_ps(_mm512_unpacklo_ps(a.0, b.0), _mm512_unpackhi_ps(a.0, b.0));
                let cd = _mm512_add_ps(_mm512_unpacklo_ps(c.0, d.0), _mm512_unpackhi_ps(c.0, d.0));
                let (ab, cd) = (_mm512_castps_pd(ab), _mm512_castps_pd(cd));
                let low = _mm512_castpd_ps(_mm512_unpacklo_pd(ab, cd));
                let all = _mm512_add_ps(low, _mm512_castpd_ps(_mm512_unpackhi_pd(ab, cd)));
                // Four quarters, each with partial sums of a, b, c, d.
                let half = _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
                let sums = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
                std::mem::transmute::<__m128, [f32; 4]>(sums)
            }
        }
    }

    /// Eight numbers.
    #[derive(Clone, Copy)]
    pub struct Avx2(__m256);

    impl Lanes for Avx2 {
        const ISA: Isa = Isa::Avx2;
        const N: usize = 8;
        const BLOCK: usize = 4;
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            Self(unsafe { _mm256_set1_ps(value) })
        }
        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            Self(unsafe { _mm256_loadu_ps(from) })
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            unsafe { _mm256_storeu_ps(to, self.0) }
        }
        #[inline(always)]
        unsafe fn mul_add(self, a: Self, b: Self) -> Self {
            Self(unsafe { _mm256_fmadd_ps(self.0, a.0, b.0) })
        }
        #[inline(always)]
        unsafe fn max(self, other: Self) -> Self {
            Self(unsafe { _mm256_max_ps(self.0, other.0) })
        }
        #[inline(always)]
        unsafe fn min(self, other: Self) -> Self {
            Self(unsafe { _mm256_min_ps(self.0, other.0) })
        }
        #[inline(always)]
        unsafe fn div(self, other: Self) -> Self {
            Self(unsafe { _mm256_div_ps(self.0, other.0) })
        }
        #[inline(always)]
        unsafe fn times_two_to(self, n: Self) -> Self {
            unsafe {
                let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n.0), _mm256_set1_epi32(127));
                let power = _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent));
                Self(_mm256_mul_ps(self.0, power))
            }
        }
        #[inline(always)]
        unsafe fn sums([a, b, c, d]: [Self; 4]) -> [f32; 4] {
            unsafe {
                let all = _mm256_hadd_ps(_mm256_hadd_ps(a.0, b.0), _mm256_hadd_ps(c.0, d.0));
                let sums = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
                std::mem::transmute::<__m128, [f32; 4]>(sums)
            }
        }
    }
}

/// Four numbers in plain Rust.
#[derive(Clone, Copy)]
pub struct Portable([f32; 4]);

impl Lanes for Portable {
    const ISA: Isa = Isa::Portable;
    const N: usize = 4;
    const BLOCK: usize = 4;
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; 4])
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        Self(unsafe { from.cast::<[f32; 4]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { to.cast::<[f32; 4]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, a: Self, b: Self) -> Self {
        // Two roundings: without an FMA instruction `f32::mul_add` is a slow function call.
        Self(std::array::from_fn(|i| self.0[i] * a.0[i] + b.0[i]))
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] }))
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] }))
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] / other.0[i]))
    }
    #[inline(always)]
    unsafe fn times_two_to(self, n: Self) -> Self {
        let power = |n: f32| f32::from_bits(((n as i32 + 127) << 23) as u32);
        Self(std::array::from_fn(|i| self.0[i] * power(n.0[i])))
    }
    #[inline(always)]
    unsafe fn sums(of: [Self; 4]) -> [f32; 4] {
        of.map(|v| (v.0[0] + v.0[2]) + (v.0[1] + v.0[3]))
    }
}

/// A computation written over [`Lanes`].
pub trait Kernel {
    /// What it returns.
    type Output;
    /// Runs it. Implementations and all that they call must be `#[inline(always)]`.
    fn run<V: Lanes>(self) -> Self::Output;
}

/// Runs `kernel` with the given instruction set, as a function of its own: a kernel that many others use is entered this
/// way from inside them too, with [`Lanes::ISA`], so that its code exists once for each instruction set.
pub fn run<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    match isa {
        // SAFETY: an `Isa` other than `Portable` comes from `Isa::available`, which asked the processor.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { run_avx512(kernel) },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { run_avx2(kernel) },
        Isa::Portable => run_portable(kernel),
    }
}

#[inline(never)]
fn run_portable<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Portable>()
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
unsafe fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}
