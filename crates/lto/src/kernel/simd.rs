//! Vector instructions chosen at run time: AVX-512, AVX2 with FMA, or portable code.
//!
//! A kernel is written once over [`Lanes`] and compiled for each instruction set: [`run`] enters it through a function
//! with the `target_feature`s enabled, into which the kernel is inlined.
//!
//! Not `pulp`, which `lto-numerics` uses: it sums one vector at a time (four at once cost little more here), has no 2ⁿ, and
//! loads whole vectors from a pointer only through a mask, which is what register tiles do most.

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

    /// All instruction sets of this machine, best first.
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

    /// The one with the shortest vectors that hold `n` numbers, if any does: the rest of a longer one is work for nothing.
    pub fn holding(n: usize) -> Self {
        let available = Self::available();
        let holds = |isa: &&Isa| **isa != Isa::Portable && isa.lanes() >= n;
        available.iter().rev().find(holds).copied().unwrap_or(available[0])
    }

    /// Numbers in a vector: see [`Lanes::N`].
    fn lanes(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => Avx512::N,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => Avx2::N,
            Isa::Portable => Portable::N,
        }
    }

    /// Output channels in one register tile: see [`Lanes::BLOCK`].
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

/// A vector register of `f32`. Making one is unsafe; everything else is safe, since a vector exists only if
/// its instruction set does.
pub trait Lanes: Copy {
    /// The instruction set it belongs to.
    const ISA: Isa;
    /// Numbers in a vector.
    const N: usize;
    /// Rows of a register tile: with three vectors per row they leave registers for the operands.
    const BLOCK: usize;
    /// All `value`.
    ///
    /// # Safety
    /// The instruction set is available: the caller runs inside [`run`].
    unsafe fn splat(value: f32) -> Self;
    /// From memory, unaligned.
    ///
    /// # Safety
    /// As [`Lanes::splat`]; [`Lanes::N`] numbers can be read.
    unsafe fn load(from: *const f32) -> Self;
    /// To memory, unaligned.
    ///
    /// # Safety
    /// [`Lanes::N`] numbers can be written.
    unsafe fn store(self, to: *mut f32);
    /// A vector of the same kind, all `value`.
    fn all(self, value: f32) -> Self;
    /// `self · a + b`.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The larger of each pair; `other` where one is NaN.
    fn max(self, other: Self) -> Self;
    /// The smaller of each pair; `other` where one is NaN.
    fn min(self, other: Self) -> Self;
    /// `self / other`.
    fn div(self, other: Self) -> Self;
    /// `self · 2ⁿ` for whole numbers −126 ≤ n ≤ 0.
    fn times_two_to(self, n: Self) -> Self;
    /// The sums of the numbers of four vectors.
    fn sums(of: [Self; 4]) -> [f32; 4];
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Isa, Lanes};
    use std::arch::x86_64::*;

    /// A register whose operations are one instruction each, except the two written out.
    macro_rules! lanes {
        (safe $name:ident($self:ident $(, $argument:ident: $type:ty)*) = $value:expr) => {
            #[inline(always)]
            fn $name($self $(, $argument: $type)*) -> Self {
                // SAFETY: `self` exists, hence its instruction set.
                Self(unsafe { $value })
            }
        };
        (
            $(#[$doc:meta])* $name:ident($register:ty), $n:literal numbers, blocks of $block:literal,
            $splat:ident, $load:ident, $store:ident, $mul_add:ident, $max:ident, $min:ident, $div:ident,
            $times_two_to:ident, $sums:ident
        ) => {
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub struct $name($register);

            impl Lanes for $name {
                const ISA: Isa = Isa::$name;
                const N: usize = $n;
                const BLOCK: usize = $block;
                #[inline(always)]
                unsafe fn splat(value: f32) -> Self {
                    // SAFETY: as promised.
                    Self(unsafe { $splat(value) })
                }
                #[inline(always)]
                unsafe fn load(from: *const f32) -> Self {
                    // SAFETY: as promised.
                    Self(unsafe { $load(from) })
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut f32) {
                    // SAFETY: as promised.
                    unsafe { $store(to, self.0) }
                }
                lanes!(safe all(self, value: f32) = $splat(value));
                lanes!(safe mul_add(self, a: Self, b: Self) = $mul_add(self.0, a.0, b.0));
                lanes!(safe max(self, other: Self) = $max(self.0, other.0));
                lanes!(safe min(self, other: Self) = $min(self.0, other.0));
                lanes!(safe div(self, other: Self) = $div(self.0, other.0));
                lanes!(safe times_two_to(self, n: Self) = $times_two_to(self.0, n.0));
                #[inline(always)]
                fn sums([a, b, c, d]: [Self; 4]) -> [f32; 4] {
                    // SAFETY: the vectors exist, hence their instruction set; four numbers are four numbers.
                    unsafe { std::mem::transmute::<__m128, [f32; 4]>($sums([a.0, b.0, c.0, d.0])) }
                }
            }
        };
    }

    lanes! {
        /// Sixteen numbers.
        Avx512(__m512), 16 numbers, blocks of 8,
        _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_fmadd_ps, _mm512_max_ps, _mm512_min_ps, _mm512_div_ps,
        _mm512_scalef_ps, sums_512
    }

    lanes! {
        /// Eight numbers.
        Avx2(__m256), 8 numbers, blocks of 4,
        _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_fmadd_ps, _mm256_max_ps, _mm256_min_ps, _mm256_div_ps,
        times_two_to_256, sums_256
    }

    /// # Safety
    /// The processor has AVX-512 F and DQ.
    #[inline(always)]
    unsafe fn sums_512([a, b, c, d]: [__m512; 4]) -> __m128 {
        // SAFETY: as promised.
        unsafe {
            let ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
            let cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
            let (ab, cd) = (_mm512_castps_pd(ab), _mm512_castps_pd(cd));
            let low = _mm512_castpd_ps(_mm512_unpacklo_pd(ab, cd));
            let all = _mm512_add_ps(low, _mm512_castpd_ps(_mm512_unpackhi_pd(ab, cd)));
            // Four quarters, each with partial sums of a, b, c, d.
            let half = _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
            _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1))
        }
    }

    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    unsafe fn sums_256([a, b, c, d]: [__m256; 4]) -> __m128 {
        // SAFETY: as promised.
        unsafe {
            let all = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
            _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1))
        }
    }

    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    unsafe fn times_two_to_256(x: __m256, n: __m256) -> __m256 {
        // SAFETY: as promised.
        unsafe {
            let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
            _mm256_mul_ps(x, _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent)))
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
        // SAFETY: four numbers can be read, as promised.
        Self(unsafe { from.cast::<[f32; 4]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: four numbers can be written, as promised.
        unsafe { to.cast::<[f32; 4]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    fn all(self, value: f32) -> Self {
        Self([value; 4])
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // Two roundings: without an FMA instruction `f32::mul_add` is a slow function call.
        Self(std::array::from_fn(|i| self.0[i] * a.0[i] + b.0[i]))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] }))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] }))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] / other.0[i]))
    }
    #[inline(always)]
    fn times_two_to(self, n: Self) -> Self {
        let power = |n: f32| f32::from_bits(((n as i32 + 127) << 23) as u32);
        Self(std::array::from_fn(|i| self.0[i] * power(n.0[i])))
    }
    #[inline(always)]
    fn sums(of: [Self; 4]) -> [f32; 4] {
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

/// Runs `kernel` with the given instruction set, as a separate function: a kernel that many others use is
/// entered this way from inside them too, with [`Lanes::ISA`], so that its code exists once for each
/// instruction set.
pub fn run<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `Isa` other than `Portable` comes from `Isa::available`, which asked the processor.
        Isa::Avx512 => unsafe { run_avx512(kernel) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx2 => unsafe { run_avx2(kernel) },
        Isa::Portable => run_portable(kernel),
    }
}

#[inline(never)]
fn run_portable<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Portable>()
}

/// # Safety
/// The processor has AVX-512 F, VL, BW, DQ.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

/// # Safety
/// The processor has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}
